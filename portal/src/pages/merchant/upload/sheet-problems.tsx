/** Table of the first problems in the rows of a sheet. */
import { Code, Table, Text } from '@mantine/core';
import type { BadRow } from '../../../api/sheets/check-sheet.ts';
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
      <Table.ScrollContainer minWidth={280} maxHeight={420}>
        <Table stickyHeader aria-label="Problems">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Row</Table.Th>
              <Table.Th>SKU</Table.Th>
              <Table.Th visibleFrom="sm">Column</Table.Th>
              <Table.Th>Problem</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(({ row, sku, column, message }) => (
              <Table.Tr key={`${row} ${column} ${message}`}>
                <Table.Td>{row}</Table.Td>
                <Table.Td className="anywhere">{sku}</Table.Td>
                <Table.Td visibleFrom="sm">{column !== '' && <Code>{column}</Code>}</Table.Td>
                <Table.Td>
                  {column !== '' && <Code hiddenFrom="sm">{column}</Code>} {message}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {hasMore && (
        <Text size="sm" c="dimmed">
          Showing the first {countText(shown.length)} problems. Download the rows to see all.
        </Text>
      )}
    </>
  );
}
