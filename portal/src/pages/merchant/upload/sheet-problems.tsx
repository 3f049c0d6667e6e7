/** Table of the first problems in the rows of a sheet. */
import { Code, Text } from '@mantine/core';
import type { BadRow } from '../../../api/sheets/check-sheet.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { countText } from '../../../ui/numbers.ts';

/** How many problems are shown. The downloaded sheet has all of them. */
const PROBLEMS_SHOWN_MAX = 50;

export function SheetProblems({ rows }: { readonly rows: readonly BadRow[] }) {
  const problems = rows
    .slice(0, PROBLEMS_SHOWN_MAX)
    .flatMap(({ row, sku, problems: found }) => found.map((problem) => ({ row, sku, ...problem })));
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX);
  const hasMore = rows.length > PROBLEMS_SHOWN_MAX || problems.length > shown.length;
  return (
    <>
      <DataTable
        minWidth={280}
        maxHeight={420}
        stickyHeader
        aria-label="Problems"
        rows={shown}
        keyOf={({ row, column, message }) => `${row} ${column} ${message}`}
        columns={[
          { head: 'Row', cell: ({ row }) => row },
          { head: 'SKU', cell: ({ sku }) => sku, td: { className: 'anywhere' } },
          { head: 'Column', cell: ({ column }) => column !== '' && <Code>{column}</Code>, visibleFrom: 'sm' },
          {
            head: 'Problem',
            cell: ({ column, message }) => (
              <>
                {column !== '' && <Code hiddenFrom="sm">{column}</Code>} {message}
              </>
            ),
          },
        ]}
      />
      {hasMore && (
        <Text size="sm" c="dimmed">
          Showing the first {countText(shown.length)} problems. Download the rows to see all.
        </Text>
      )}
    </>
  );
}
