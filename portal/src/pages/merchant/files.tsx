/** Bulk files page: upload a file, list recent uploads. */
import { Card, Group, Pagination, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type BulkFile, FILES_PER_PAGE, filesQuery, fileTypeName } from '../../api/files.ts';
import { useMayChange } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { TextLink } from '../../ui/links.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { FileStatus } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { FileProgress } from './file-progress.tsx';
import { UploadFile } from './upload-file.tsx';

export function FilesPage() {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  return (
    <Page title="Files" about="Upload products, prices or stock in bulk.">
      {mayChange && <UploadFile environment={environment} key={environment} />}
      <Card withBorder>
        <Stack>
          <Title order={2} size="h4">
            Uploads in the last 30 days
          </Title>
          <FileList key={environment} />
        </Stack>
      </Card>
    </Page>
  );
}

function FileList() {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  const { page = 1 } = useSearch({ from: '/$environment/files' });
  const navigate = useNavigate({ from: '/$environment/files' });
  const files = useQuery({ ...filesQuery(environment, page), placeholderData: keepPreviousData });
  return (
    <QueryView query={files} what="files">
      {({ files: shown, total }) =>
        total === 0 ? (
          <Empty title="No files yet">
            {mayChange ? 'Drag a file into the area above to upload it.' : 'Uploads by your team appear here.'}
          </Empty>
        ) : (
          <>
            <FileTable files={shown} />
            {total > FILES_PER_PAGE && (
              <Pagination
                value={page}
                onChange={(next) => navigate({ search: next === 1 ? {} : { page: next }, resetScroll: false })}
                total={Math.ceil(total / FILES_PER_PAGE)}
                getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              />
            )}
          </>
        )
      }
    </QueryView>
  );
}

function FileTable({ files }: { readonly files: readonly BulkFile[] }) {
  const environment = useEnvironment();
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  if (isPhone) return <FileCards files={files} />;
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>File</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Received</Table.Th>
            <Table.Th miw={210}>Status</Table.Th>
            <Table.Th>Progress</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {files.map((file) => (
            <Table.Tr key={file.marketplace_file_id}>
              <Table.Td className="anywhere" miw={160}>
                <TextLink to="/$environment/files/$fileId" params={{ environment, fileId: file.marketplace_file_id }}>
                  {file.file_name}
                </TextLink>
              </Table.Td>
              <Table.Td>{fileTypeName(file.file_type)}</Table.Td>
              <Table.Td>
                <Time at={file.received} relative />
              </Table.Td>
              <Table.Td>
                <FileStatus status={file.status} />
              </Table.Td>
              <Table.Td>
                <FileProgress file={file} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function FileCards({ files }: { readonly files: readonly BulkFile[] }) {
  const environment = useEnvironment();
  return (
    <Stack gap="xs" component="ul" p={0} m={0}>
      {files.map((file) => (
        <Paper key={file.marketplace_file_id} withBorder p="sm" component="li" style={{ listStyle: 'none' }}>
          <Stack gap={4} align="stretch" className="anywhere">
            <TextLink to="/$environment/files/$fileId" params={{ environment, fileId: file.marketplace_file_id }}>
              {file.file_name}
            </TextLink>
            <Group justify="space-between" gap="xs">
              <FileStatus status={file.status} />
              <Text size="xs" c="dimmed">
                {fileTypeName(file.file_type)} · <Time at={file.received} relative />
              </Text>
            </Group>
            <FileProgress file={file} />
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
}
