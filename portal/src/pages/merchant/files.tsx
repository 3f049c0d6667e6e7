/** Bulk files page: upload a file, list recent uploads. */
import { Group, Pagination, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { LIMITS } from '#domain/limits.ts';
import { type BulkFile, FILES_PER_PAGE, fileKindName, filesQuery } from '../../api/files.ts';
import { useMayChange } from '../../api/session.ts';
import { CardList, useIsPhone } from '../../ui/card-list.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { useEnvironment } from '../../ui/environment.ts';
import { TextLink } from '../../ui/links.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { FileStatus } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { FileProgress } from './file-progress.tsx';
import { PlansPanel } from './plans/plans-panel.tsx';
import { UploadFile } from './upload-file.tsx';

export function FilesPage() {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  return (
    <Page title="Files" about="Upload products, prices or stock in bulk.">
      {mayChange && <UploadFile environment={environment} key={environment} />}
      <Panel title={`Uploads in the last ${LIMITS.file_retention_days} days`}>
        <FileList key={environment} />
      </Panel>
      <PlansPanel />
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
  const isPhone = useIsPhone();
  const keyOf = ({ marketplace_file_id: id }: BulkFile) => id;
  if (isPhone) {
    return (
      <CardList rows={files} keyOf={keyOf}>
        {(file) => (
          <Stack gap={4} align="stretch" className="anywhere">
            <FileLink file={file} />
            <Group justify="space-between" gap="xs">
              <FileStatus status={file.status} />
              <Text size="xs" c="dimmed">
                {fileKindName(file)} · <Time at={file.received} relative />
              </Text>
            </Group>
            <FileProgress file={file} />
          </Stack>
        )}
      </CardList>
    );
  }
  return (
    <DataTable
      minWidth={640}
      highlightOnHover
      verticalSpacing="sm"
      rows={files}
      keyOf={keyOf}
      columns={[
        { head: 'File', cell: (file) => <FileLink file={file} />, td: { className: 'anywhere', miw: 160 } },
        { head: 'Type', cell: fileKindName },
        { head: 'Received', cell: ({ received }) => <Time at={received} relative /> },
        { head: 'Status', cell: ({ status }) => <FileStatus status={status} />, th: { miw: 210 } },
        { head: 'Progress', cell: (file) => <FileProgress file={file} /> },
      ]}
    />
  );
}

function FileLink({ file }: { readonly file: BulkFile }) {
  const environment = useEnvironment();
  return (
    <TextLink to="/$environment/files/$fileId" params={{ environment, fileId: file.marketplace_file_id }}>
      {file.file_name}
    </TextLink>
  );
}
