/** Table of a sheet's columns: the field of each, which can be changed, and the values of the first rows. */
import { Select, Table, Text } from '@mantine/core';
import { useMemo } from 'react';
import { type Column, columnNamed, columnsOf } from '#domain/sheets/columns.ts';
import { isProblemsHeading, type Mapping } from '#domain/sheets/header.ts';
import { templateColumns } from '#domain/sheets/write-rows.ts';
import type { SheetType } from '#domain/vocabulary/file-types.ts';
import type { SheetFile } from '../../../api/sheets/inspect-file.ts';

const ROWS_SHOWN = 3;
const NOT_IMPORTED = { value: '', label: 'Not imported' };

/** The columns of the template, the assigned ones, and the next of each numbered column. */
function fieldChoices(type: SheetType, mapping: Mapping) {
  const template = new Set(templateColumns(type));
  const last = new Map<string, number>();
  for (const { field, slot = 0 } of [...template, ...mapping.filter((column) => column !== undefined)]) {
    last.set(field, Math.max(slot, last.get(field) ?? 0));
  }
  const isOffered = (column: Column) =>
    template.has(column) || (column.slot !== undefined && column.slot <= (last.get(column.field) ?? -1) + 1);
  const columns = columnsOf(type).filter((column) => isOffered(column) || mapping.includes(column));
  return [NOT_IMPORTED, ...columns.map(({ name }) => ({ value: name, label: name }))];
}

interface SheetColumnsProps {
  readonly type: SheetType;
  readonly sheet: SheetFile;
  readonly mapping: Mapping;
  readonly change: (mapping: Mapping) => void;
}

export function SheetColumns({ type, sheet, mapping, change }: SheetColumnsProps) {
  const fields = useMemo(() => fieldChoices(type, mapping), [type, mapping]);
  const shown = sheet.rows.slice(0, ROWS_SHOWN);
  return (
    <Table.ScrollContainer minWidth={280} maxHeight={460}>
      <Table verticalSpacing={4} stickyHeader aria-label="Columns">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Column in your file</Table.Th>
            <Table.Th miw={{ base: 165, sm: 200 }}>Field</Table.Th>
            {shown.map((_, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a sheet have no other identity
              <Table.Th key={at} visibleFrom="sm">
                Row {at + 2}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sheet.headings.map((heading, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same heading
            <Table.Tr key={at}>
              <Table.Td className="anywhere">{heading === '' ? <Text c="dimmed">No name</Text> : heading}</Table.Td>
              <Table.Td>
                {isProblemsHeading(heading) ? (
                  <Text size="sm" c="dimmed">
                    Not imported
                  </Text>
                ) : (
                  <Select
                    aria-label={`Field for column ${heading === '' ? at + 1 : heading}`}
                    size="xs"
                    data={fields}
                    value={mapping[at]?.name ?? NOT_IMPORTED.value}
                    allowDeselect={false}
                    searchable
                    onChange={(name) => change(mapping.with(at, columnNamed(type, name ?? '')))}
                  />
                )}
              </Table.Td>
              {shown.map((cells, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows of a sheet have no other identity
                <Table.Td key={row} visibleFrom="sm">
                  <Text size="sm" truncate maw={130} title={cells[at] ?? ''}>
                    {cells[at] ?? ''}
                  </Text>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
