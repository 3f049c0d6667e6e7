/** Asks for confirmation of a sheet: its type, the field of each column, and the problems found in its rows. */
import { Alert, Button, Group, List, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { columnNamed } from '#domain/sheets/columns.ts';
import { type Mapping, mappingFaults, matchHeader } from '#domain/sheets/header.ts';
import { type FileType, SHEET_TYPES, type SheetType } from '#domain/vocabulary/file-types.ts';
import { nodesQuery } from '../../../api/account-settings.ts';
import { fileTypeChoices } from '../../../api/files.ts';
import type { Environment } from '../../../api/session.ts';
import { bulkFile, type CheckedSheet, checkSheet } from '../../../api/sheets/check-sheet.ts';
import { downloadBadRows } from '../../../api/sheets/download-sheet.ts';
import type { SheetFile } from '../../../api/sheets/inspect-file.ts';
import { countOf } from '../../../ui/numbers.ts';
import { Failed, Loading } from '../../../ui/states.tsx';
import { SheetColumns } from './sheet-columns.tsx';
import { SheetMenu } from './sheet-menu.tsx';
import { SheetProblems } from './sheet-problems.tsx';

interface ConfirmSheetProps {
  readonly file: File;
  readonly sheet: SheetFile;
  readonly environment: Environment;
  readonly confirm: (file: File, type: FileType) => void;
  readonly cancel: () => void;
}

export function ConfirmSheet({ file, sheet, cancel, ...props }: ConfirmSheetProps) {
  const [type, setType] = useState<SheetType | null>(sheet.type ?? null);
  return (
    <Stack>
      <Text className="anywhere">
        <strong>{file.name}</strong> · {sheet.format} · {countOf(sheet.rows.length, 'row')}
      </Text>
      <Select
        label="File type"
        description={
          sheet.type === undefined
            ? 'The columns fit several types or none. Choose what to import.'
            : 'Detected from the column names.'
        }
        placeholder="Choose"
        data={fileTypeChoices(SHEET_TYPES)}
        value={type}
        w={320}
        maw="100%"
        onChange={(value) => setType(value as SheetType | null)}
      />
      {type === null ? (
        <Group>
          <CancelButton cancel={cancel} />
        </Group>
      ) : (
        <TypedSheet key={type} type={type} file={file} sheet={sheet} cancel={cancel} {...props} />
      )}
    </Stack>
  );
}

function TypedSheet({ file, sheet, type, environment, confirm, cancel }: ConfirmSheetProps & { type: SheetType }) {
  const [mapping, setMapping] = useState<Mapping>(() => matchHeader(type, sheet.headings));
  const [chosenNode, setChosenNode] = useState<string | null>(null);
  const nodes = useQuery(nodesQuery(environment));
  const nodeIds = nodes.data?.fulfillment_nodes.map((node) => node.fulfillment_node_id);
  const needsNode = columnNamed(type, 'node_id') !== undefined && !mapping.some((one) => one?.name === 'node_id');
  const nodeId = needsNode ? (chosenNode ?? (nodeIds?.length === 1 ? nodeIds[0] : undefined)) : undefined;
  const faults = mappingFaults(type, mapping, nodeId === undefined ? [] : ['node_id']);
  const checked = useQuery({
    queryKey: ['sheet', file.name, file.lastModified, type, mapping.map((one) => one?.name), nodeId, nodeIds],
    queryFn: ({ signal }) =>
      checkSheet({ sheet, type, mapping, nodeId, knownNodes: nodeIds && new Set(nodeIds), signal }),
    enabled: faults.length === 0 && !nodes.isPending,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  return (
    <>
      <SheetColumns type={type} sheet={sheet} mapping={mapping} change={setMapping} />
      {needsNode && nodeIds !== undefined && (
        <Select
          label="Location for all rows"
          description="The sheet has no location column."
          placeholder="Choose"
          data={nodeIds}
          value={nodeId ?? null}
          w={320}
          maw="100%"
          searchable
          onChange={setChosenNode}
        />
      )}
      {faults.length > 0 && (
        <Alert color="red" title="Fix the columns" role="alert">
          <List size="sm">
            {faults.map((fault) => (
              <List.Item key={fault}>{fault}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {faults.length === 0 && checked.isPending && <Loading what="rows" />}
      {checked.isError && <Failed error={checked.error} />}
      {faults.length === 0 && checked.data !== undefined ? (
        <CheckResult
          checked={checked.data}
          save={(format) => downloadBadRows(file.name, format, sheet.headings, checked.data.bad)}
          upload={() => confirm(bulkFile(file.name, checked.data.good), type)}
          cancel={cancel}
        />
      ) : (
        <Group>
          <CancelButton cancel={cancel} />
        </Group>
      )}
    </>
  );
}

interface CheckResultProps {
  readonly checked: CheckedSheet;
  readonly save: (format: 'csv' | 'xlsx') => Promise<void>;
  readonly upload: () => void;
  readonly cancel: () => void;
}

function CheckResult({ checked: { good, bad }, save, upload, cancel }: CheckResultProps) {
  return (
    <>
      <Text role="status" fw={600}>
        {countOf(good.length, 'row')} ready to upload
        {bad.length > 0 && `, ${countOf(bad.length, 'row')} with problems`}
      </Text>
      {bad.length > 0 && <SheetProblems rows={bad} />}
      <Text size="sm" c="dimmed">
        {bad.length > 0 && 'Rows with problems are not uploaded. '}
        After the upload, the server also checks that SKUs and categories exist.
      </Text>
      <Group>
        <Button disabled={good.length === 0} onClick={upload}>
          Upload {countOf(good.length, 'row')}
        </Button>
        {bad.length > 0 && <SheetMenu label="Download rows with problems" items={[{ label: '', save }]} />}
        <CancelButton cancel={cancel} />
      </Group>
    </>
  );
}

function CancelButton({ cancel }: { readonly cancel: () => void }) {
  return (
    <Button variant="default" onClick={cancel}>
      Cancel
    </Button>
  );
}
