/** Table of the cells with problems, which are corrected in place and checked while the user types. */
import { Button, Center, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Mapping } from '#domain/sheets/header.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { cellProblem } from '../../../ui/forms/problem-text.ts';
import { countText } from '../../../ui/numbers.ts';
import type { CorrectedRow } from './use-sheet-rows.ts';

/** How many rows are shown at first, and more each time. */
const ROWS_SHOWN = 50;
const LONG_CHARACTERS = 80;

interface WrongCellsProps {
  readonly rows: readonly CorrectedRow[];
  readonly mapping: Mapping;
  readonly headings: readonly string[];
  readonly disabled: boolean;
  /** Whether the rows have numbers that the user knows. */
  readonly isNumbered: boolean;
  readonly edit: (row: number, at: number, cell: string) => void;
}

export function WrongCells({ rows, mapping, headings, disabled, isNumbered, edit }: WrongCellsProps) {
  const [shown, setShown] = useState(ROWS_SHOWN);
  const places = new Map(
    mapping.flatMap((column, at) => (column && [[column.name, { at, heading: headings[at] ?? '' }] as const]) ?? []),
  );
  return (
    <>
      <DataTable
        minWidth={280}
        maxHeight={480}
        stickyHeader
        verticalSpacing="xs"
        aria-label="Rows with problems"
        rows={rows.slice(0, shown)}
        keyOf={({ row }) => String(row)}
        columns={[
          isNumbered && { head: 'Row', cell: ({ row }) => row, td: { valign: 'top' } },
          {
            head: 'SKU',
            cell: ({ read }) => read?.sku,
            td: { className: 'anywhere', valign: 'top' },
            ...(isNumbered && { visibleFrom: 'sm' }),
          },
          {
            head: 'Cells to correct',
            cell: (row) => (
              <Group align="flex-start" gap="sm">
                {[...row.columns].map((column) => (
                  <Cell
                    key={column}
                    row={row}
                    column={column}
                    place={places.get(column)}
                    disabled={disabled}
                    edit={edit}
                  />
                ))}
              </Group>
            ),
          },
        ]}
      />
      {rows.length > shown && (
        <Center>
          <Button variant="default" size="xs" onClick={() => setShown(shown + ROWS_SHOWN)}>
            Show more ({countText(rows.length - shown)} left)
          </Button>
        </Center>
      )}
    </>
  );
}

interface CellProps extends Pick<WrongCellsProps, 'disabled' | 'edit'> {
  readonly row: CorrectedRow;
  readonly column: string;
  /** Undefined if the sheet has no such column. */
  readonly place: { readonly at: number; readonly heading: string } | undefined;
}

function Cell({ row: { row, cells, problems }, column, place, disabled, edit }: CellProps) {
  const messages = problems
    .filter((problem) => problem.column === column)
    .map(({ message }) => cellProblem(column, message, place?.heading));
  const value = cells[place?.at ?? -1] ?? '';
  // The kind of input does not change while the user types.
  const [isLong] = useState(value.includes('\n') || value.length > LONG_CHARACTERS);
  if (place === undefined) {
    return messages.map((message) => (
      <Text key={message} size="sm" c="red">
        {message}
      </Text>
    ));
  }
  const { at, heading } = place;
  const Input = isLong ? Textarea : TextInput;
  return (
    <Input
      size="xs"
      w={{ base: 200, sm: 280 }}
      maw="100%"
      label={heading}
      aria-label={`${heading} in row ${row}`}
      value={value}
      disabled={disabled}
      error={messages.length > 0 && messages.join(' ')}
      description={messages.length === 0 && 'Corrected'}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      onChange={({ currentTarget }) => edit(row, at, currentTarget.value)}
    />
  );
}
