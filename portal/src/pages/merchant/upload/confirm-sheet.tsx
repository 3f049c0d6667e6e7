/** Asks for confirmation of a sheet: its type, and the field of each column. */
import { Alert, Button, Group, List, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Column } from '#domain/sheets/columns.ts';
import { type Mapping, mappingFaults, matchImported } from '#domain/sheets/header.ts';
import { type FileType, SHEET_TYPES, type SheetType } from '#domain/vocabulary/file-types.ts';
import { nodesQuery } from '../../../api/account-settings.ts';
import { fileTypeChoices } from '../../../api/files.ts';
import type { Environment } from '../../../api/session.ts';
import { bulkFile, checkSheet, missingLocations } from '../../../api/sheets/check-sheet.ts';
import type { SheetFile } from '../../../api/sheets/inspect-file.ts';
import { type KeptColumns, keepColumns, keptColumns, keptMapping } from '../../../api/sheets/kept-columns.ts';
import { countOf } from '../../../ui/numbers.ts';
import { Failed, Loading } from '../../../ui/states.tsx';
import { CheckedRows } from './checked-rows.tsx';
import { SheetColumns } from './sheet-columns.tsx';

interface ConfirmSheetProps {
  readonly file: File;
  readonly sheet: SheetFile;
  readonly environment: Environment;
  readonly confirm: (file: File, type: FileType) => void;
  readonly cancel: () => void;
}

export function ConfirmSheet({ file, sheet, cancel, ...props }: ConfirmSheetProps) {
  const [kept, setKept] = useState(() => keptColumns(sheet.headings));
  const [type, setType] = useState<SheetType | null>(kept?.type ?? sheet.type ?? null);
  // Corrected cells stay when another type or field is chosen.
  const edits = useRef(new Map<number, readonly string[]>());
  return (
    <Stack>
      <Text className="anywhere">
        <strong>{file.name}</strong> · {sheet.format} · {countOf(sheet.rows.length, 'row')}
      </Text>
      <Select
        label="File type"
        description={kept?.type === type ? 'As in your last upload with these columns.' : typeHint(sheet.type)}
        placeholder="Choose"
        data={fileTypeChoices(SHEET_TYPES)}
        value={type}
        w={320}
        maw="100%"
        onChange={(value) => setType(value as SheetType | null)}
      />
      {type === null ? (
        <Group>
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      ) : (
        <TypedSheet
          key={`${type} ${kept === undefined}`}
          type={type}
          file={file}
          sheet={sheet}
          kept={kept?.type === type ? kept : undefined}
          forget={() => {
            setKept(undefined);
            setType(sheet.type ?? type);
          }}
          edits={edits.current}
          cancel={cancel}
          {...props}
        />
      )}
    </Stack>
  );
}

function typeHint(detected: SheetType | undefined): string {
  if (detected === undefined) return 'The columns fit several types or none. Choose what to import.';
  return 'Detected from the column names.';
}

interface TypedSheetProps extends ConfirmSheetProps {
  readonly type: SheetType;
  /** What was chosen for an earlier sheet with the same columns. */
  readonly kept: KeptColumns | undefined;
  readonly forget: () => void;
  readonly edits: Map<number, readonly string[]>;
}

function TypedSheet({ file, sheet, type, environment, kept, forget, edits, confirm, cancel }: TypedSheetProps) {
  const { headings } = sheet;
  const [mapping, setMapping] = useState<Mapping>(() =>
    kept === undefined ? matchImported(type, headings) : keptMapping(kept, headings),
  );
  const [chosen, setChosen] = useState(kept?.locations ?? {});
  const nodes = useQuery(nodesQuery(environment));
  const nodeIds = nodes.data?.fulfillment_nodes.map((node) => node.fulfillment_node_id);
  const locations = missingLocations(type, mapping, headings).map(({ column, heading }) => {
    const known = nodeIds?.includes(chosen[column.name] ?? '') ? chosen[column.name] : undefined;
    return { column, heading, nodeId: known ?? likelyLocation(heading, nodeIds ?? []) };
  });
  const fixed = new Map(locations.flatMap(({ column, nodeId }) => (nodeId === undefined ? [] : [[column, nodeId]])));
  const faults = [
    ...mappingFaults(
      type,
      mapping,
      [...fixed.keys()].map(({ name }) => name),
    ),
    ...locations.flatMap(({ column, heading, nodeId }) =>
      nodeId === undefined && !column.isRequired ? [`Choose the location of ${heading}.`] : [],
    ),
  ];
  const checked = useQuery({
    queryKey: [
      'sheet',
      file.name,
      file.lastModified,
      type,
      mapping.map((one) => one?.name),
      [...fixed.values()],
      nodeIds,
    ],
    queryFn: ({ signal }) =>
      checkSheet({
        sheet,
        type,
        mapping,
        fixed,
        knownNodes: nodeIds && new Set(nodeIds),
        edits,
        signal,
      }),
    enabled: faults.length === 0 && !nodes.isPending,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  return (
    <>
      {kept !== undefined && (
        <Group gap="xs">
          <Text size="sm">The columns are assigned as in your last upload.</Text>
          <Button size="compact-sm" variant="subtle" onClick={forget}>
            Assign by name
          </Button>
        </Group>
      )}
      <SheetColumns type={type} sheet={sheet} mapping={mapping} change={setMapping} />
      {nodeIds !== undefined && locations.length > 0 && (
        <Group align="flex-end">
          {locations.map(({ column, heading, nodeId }) => (
            <Select
              key={column.name}
              label={column.isRequired ? 'Location for all rows' : `Location of ${heading}`}
              description="The sheet has no location column."
              placeholder="Choose"
              data={nodeIds}
              value={nodeId ?? null}
              w={320}
              maw="100%"
              searchable
              onChange={(id) => setChosen({ ...chosen, [column.name]: id ?? '' })}
            />
          ))}
        </Group>
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
        <CheckedRows
          key={checked.dataUpdatedAt}
          environment={environment}
          fileName={file.name}
          sheet={sheet}
          type={type}
          mapping={mapping}
          checked={checked.data}
          edits={edits}
          upload={(rows) => {
            confirm(bulkFile(file.name, rows), type);
            keepColumns(headings, type, mapping, namesOf(fixed));
          }}
          cancel={cancel}
        />
      ) : (
        <Group>
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      )}
    </>
  );
}

/** The location that the heading names, or the only one. */
function likelyLocation(heading: string, nodeIds: readonly string[]): string | undefined {
  const name = heading.toLowerCase();
  return nodeIds.length === 1 ? nodeIds[0] : nodeIds.find((id) => name.includes(id.toLowerCase()));
}

function namesOf(fixed: ReadonlyMap<Column, string>): Record<string, string> {
  return Object.fromEntries(Array.from(fixed, ([{ name }, nodeId]) => [name, nodeId]));
}
