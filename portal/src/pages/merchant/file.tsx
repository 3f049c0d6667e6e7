/** Page of one bulk file: progress, row errors, error and retry files. */
import { Alert, Button, Card, Code, Group, List, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { SHEET_TYPES, type SheetType } from '#domain/vocabulary/file-types.ts';
import { type BulkFile, cancelFile, fileKindName, fileQuery, isInProgress, sameOrigin } from '../../api/files.ts';
import { readRowErrors } from '../../api/row-errors.ts';
import { type Environment, useMayChange } from '../../api/session.ts';
import { SERVER_CHECK_ROWS_MAX } from '../../api/sheets/limits.ts';
import { ConfirmButton } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { labelAndRule } from '../../ui/forms/problem-text.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import { TextLink } from '../../ui/links.tsx';
import { countOf, countText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { FileStatus } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { FileProgress } from './file-progress.tsx';
import { UndoFile } from './undo-file.tsx';
import { SheetMenu } from './upload/sheet-menu.tsx';

const CorrectRows = lazyPart(() => import('./upload/correct-rows.tsx'), 'CorrectRows', Loading);

/** Maximum number of rows with errors that the page shows. The error file has all of them. */
const ROWS_SHOWN_MAX = 200;

/** The bulk file has only the imported values. */
const OWN_COLUMNS = ' The sheet has the column names of the template, and no columns that you did not import.';

export function FilePage() {
  const { environment, fileId } = useParams({ from: '/$environment/files/$fileId' });
  const file = useQuery(fileQuery(environment, fileId));
  return (
    <Page title={file.data?.file_name ?? 'File'} about={<BackToList environment={environment} />}>
      <QueryView query={file} what="file">
        {(found) => (
          <>
            <Figures file={found} environment={environment} />
            {found.ignored_fields !== undefined && <IgnoredFields fields={found.ignored_fields} />}
            {found.error_url !== undefined && <RowErrors key={fileId} file={found} environment={environment} />}
          </>
        )}
      </QueryView>
    </Page>
  );
}

function BackToList({ environment }: { readonly environment: Environment }) {
  return (
    <TextLink to="/$environment/files" params={{ environment }}>
      All files
    </TextLink>
  );
}

function Figures({ file, environment }: { readonly file: BulkFile; readonly environment: Environment }) {
  return (
    <Card withBorder>
      <Stack>
        <Group justify="space-between">
          <Group>
            <div role="status">
              <FileStatus status={file.status} />
            </div>
            <Text>{fileKindName(file)}</Text>
          </Group>
          {isInProgress(file) && <CancelButton file={file} environment={environment} />}
          <UndoFile file={file} />
        </Group>
        <FileProgress file={file} />
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          <Figure name="Succeeded" value={countText(file.rows_processed - file.rows_failed - file.rows_superseded)} />
          <Figure name="Failed" value={countText(file.rows_failed)} />
          <Figure name="Outdated" value={countText(file.rows_superseded)} />
          <Figure name="Waiting" value={countText(file.rows_waiting)} />
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          Received <Time at={file.received} />
          {file.processing_end !== undefined && (
            <>
              , finished <Time at={file.processing_end} />
            </>
          )}
          .{file.rows_superseded > 0 && ' Outdated rows changed nothing because newer data exists.'}
          {file.validate_only && ' The rows were only checked; no offer was changed.'}
        </Text>
      </Stack>
    </Card>
  );
}

/** Shows the unknown fields. The server lists at most 20. */
function IgnoredFields({ fields }: { readonly fields: NonNullable<BulkFile['ignored_fields']> }) {
  return (
    <Alert color="orange" title="Unrecognized fields">
      <Text size="sm">These fields were ignored. Check their spelling; the API documentation lists all fields.</Text>
      <List size="sm" mt="xs">
        {fields.map(({ field, rows }) => (
          <List.Item key={field}>
            <Code>{field}</Code> in {countOf(rows, 'row')}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <Stack gap={0}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fw={600} size="lg">
        {value}
      </Text>
    </Stack>
  );
}

function CancelButton({ file, environment }: { readonly file: BulkFile; readonly environment: Environment }) {
  const queryClient = useQueryClient();
  const mayChange = useMayChange();
  if (!mayChange) return null;
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['files', environment] });
  return (
    <ConfirmButton
      title={`Cancel ${file.file_name}`}
      action="Cancel upload"
      dismiss="Keep processing"
      run={() => cancelFile(environment, file.marketplace_file_id).finally(() => void refresh())}
    >
      Processed rows keep their changes. The remaining rows won't be processed.
    </ConfirmButton>
  );
}

function RowErrors({ file, environment }: { readonly file: BulkFile; readonly environment: Environment }) {
  const { error_url: errorUrl = '', error_count: count = 0, retry_url: retryUrl, marketplace_file_id: fileId } = file;
  const isSheet = /\.(?:csv|tsv|txt|xlsx)(?:\.gz)?$/i.test(file.file_name);
  // A sheet that was uploaded here is stored as JSON, so its errors name JSON fields.
  const sheetType = isSheet && file.format === 'JSON' ? sheetTypeOf(file) : undefined;
  const mayChange = useMayChange();
  const [isCorrecting, setCorrecting] = useState(false);
  const retryType = file.format === 'JSON' && retryUrl !== undefined ? sheetTypeOf(file) : undefined;
  const isCorrectable = mayChange && retryType !== undefined && file.rows_failed <= SERVER_CHECK_ROWS_MAX;
  const errors = useQuery({
    // Keyed by the shown count and not by the URL, which changes with every poll.
    queryKey: ['row-errors', environment, fileId, Math.min(count, ROWS_SHOWN_MAX)],
    queryFn: ({ signal }) => readRowErrors(sameOrigin(errorUrl), ROWS_SHOWN_MAX, sheetType, signal),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  if (isCorrecting && retryType !== undefined && retryUrl !== undefined) {
    return (
      <Panel title="Correct the failed rows">
        <CorrectRows
          environment={environment}
          fileId={fileId}
          fileName={file.file_name}
          failed={{ type: retryType, errorUrl: sameOrigin(errorUrl), retryUrl: sameOrigin(retryUrl) }}
          close={() => setCorrecting(false)}
        />
      </Panel>
    );
  }
  return (
    <Panel
      title="Errors"
      actions={
        <>
          {isCorrectable && <Button onClick={() => setCorrecting(true)}>Correct here</Button>}
          <Button component="a" href={sameOrigin(errorUrl)} download variant="default">
            Download errors
          </Button>
          {retryUrl !== undefined && (
            <Button
              component="a"
              href={sameOrigin(retryUrl)}
              download
              variant={isSheet || isCorrectable ? 'default' : 'filled'}
            >
              Download failed rows
            </Button>
          )}
          {retryUrl !== undefined && (
            <FailedRowsMenu file={file} errorUrl={errorUrl} retryUrl={retryUrl} isMain={isSheet && !isCorrectable} />
          )}
        </>
      }
    >
      {retryUrl !== undefined && (
        <Text size="sm" c="dimmed">
          Fix the failed rows and upload them again
          {file.format === 'JSON' && sheetTypeOf(file) !== undefined
            ? `: as JSON${isSheet ? '' : ', as you sent them'}, or as a sheet with a column that says what is wrong.${isSheet ? OWN_COLUMNS : ''}`
            : '. The file has them as you sent them.'}
        </Text>
      )}
      <QueryView query={errors} what="errors">
        {({ rows, more }) => (
          <>
            <DataTable
              minWidth={280}
              // The errors of a sheet are at its columns.
              rows={rows.map((row) => ({ ...row, ...labelAndRule(row), ...(isSheet && { label: '' }) }))}
              keyOf={({ key }) => key}
              columns={[
                isSheet && { head: 'Row', cell: ({ line }) => line },
                {
                  head: 'SKU',
                  td: { className: 'anywhere' },
                  cell: ({ sku }) => (sku === '' ? <Text c="dimmed">Entire file</Text> : sku),
                },
                {
                  head: isSheet ? 'Column' : 'Field',
                  visibleFrom: 'sm',
                  cell: ({ label, field }) =>
                    label === '' ? field !== '' && <Code>{field}</Code> : <span title={field}>{label}</span>,
                },
                {
                  head: 'Problem',
                  cell: ({ label, field, rule }) => (
                    <>
                      {field !== '' && !(label && rule.startsWith(label)) && (
                        <Code hiddenFrom="sm">{label || field}</Code>
                      )}{' '}
                      {rule}
                    </>
                  ),
                },
              ]}
            />
            {(more || count > ROWS_SHOWN_MAX) && (
              <Text c="dimmed">Showing the first {countText(rows.length)}. Download errors to see all.</Text>
            )}
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function sheetTypeOf({ file_type }: BulkFile): SheetType | undefined {
  return SHEET_TYPES.find((one) => one === file_type);
}

interface FailedRowsMenuProps {
  readonly file: BulkFile;
  readonly errorUrl: string;
  readonly retryUrl: string;
  readonly isMain: boolean;
}

function FailedRowsMenu({ file, errorUrl, retryUrl, isMain }: FailedRowsMenuProps) {
  const type = sheetTypeOf(file);
  // A retry file in another format is already a sheet, or is meant for programs.
  if (type === undefined || file.format !== 'JSON') return null;
  const save = async (format: 'csv' | 'xlsx') => {
    const { downloadFailedRows } = await import('../../api/sheets/download-sheet.ts');
    const urls = { errorUrl: sameOrigin(errorUrl), retryUrl: sameOrigin(retryUrl) };
    await downloadFailedRows({ fileName: file.file_name, type, format, ...urls });
  };
  return <SheetMenu label="Failed rows as a sheet" isMain={isMain} items={[{ label: '', save }]} />;
}
