/** Shows what a user typed next to what another user saved meanwhile. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable } from '../data-table.tsx';
import { isAmount, priceText } from '../numbers.ts';
import type { Difference } from './differences.ts';
import { fieldLabel } from './page-words.ts';

/** Words for ids that only the form knows; undefined for others. */
export interface ConflictWords {
  readonly label?: (difference: Difference) => string | undefined;
  readonly value?: (difference: Difference, value: string) => ReactNode;
}

/** The table is above the buttons of a bar that stays in view. */
const HEIGHT_PX_MAX = 240;

export function ConflictTable({
  rows,
  words,
}: {
  readonly rows: readonly Difference[];
  readonly words?: ConflictWords;
}) {
  const value = (row: Difference, text: string): ReactNode => {
    if (text === '') return 'Not set';
    return words?.value?.(row, text) || (isAmount(row.name) ? priceText(Number(text)) : text);
  };
  const cell = (row: Difference, text: string) => (
    <Text component="div" size="sm" className="anywhere" style={{ whiteSpace: 'pre-line' }}>
      {value(row, text)}
    </Text>
  );
  return (
    <DataTable
      minWidth={0}
      maxHeight={HEIGHT_PX_MAX}
      fz="sm"
      verticalSpacing={4}
      layout="fixed"
      rows={rows}
      keyOf={({ name, entry }) => `${name} ${entry}`}
      columns={[
        { head: 'Field', cell: (row) => words?.label?.(row) ?? labelOf(row) },
        { head: 'Yours', cell: (row) => cell(row, row.mine) },
        { head: 'Saved now', cell: (row) => cell(row, row.saved) },
      ]}
    />
  );
}

function labelOf({ name, entry }: Difference): string {
  return entry === '' ? fieldLabel(name) : `${fieldLabel(name)} at ${entry}`;
}
