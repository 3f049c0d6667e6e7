/** Table of rows, described by its columns. */
import {
  Group,
  Stack,
  Table,
  type TableProps,
  type TableTdProps,
  type TableThProps,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { CardList, useIsPhone } from './card-list.tsx';
import { keyed } from './forms/keyed.ts';

interface Column<Row> {
  /** Heading, unique in the table. */
  readonly head: string;
  readonly cell: (row: Row, at: number) => ReactNode;
  /** Names the row: on a phone, it is the heading of the card. */
  readonly isTitle?: true;
  /** Aligns the column at the right. */
  readonly isNumber?: true;
  /** `sm`: hidden on a phone. */
  readonly visibleFrom?: 'sm';
  /** Further properties of the heading. */
  readonly th?: TableThProps;
  /** Further properties of the cells. */
  readonly td?: TableTdProps;
}

interface DataTableProps<Row> extends TableProps {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** False stands for a column that is left out. */
  readonly columns: readonly (Column<Row> | false)[];
  /** Buttons at the end of a row. */
  readonly actions?: ((row: Row) => ReactNode) | false | undefined;
  /** Below this width, the table scrolls sideways. On a phone, rows of wider tables are cards: a line for each column. */
  readonly minWidth?: number;
  readonly maxHeight?: number;
}

/** Fits into a panel on a phone. */
const PHONE_WIDTH = 300;

export function DataTable<Row>(all: DataTableProps<Row>) {
  const { rows, keyOf, columns, actions, minWidth, maxHeight, ...props } = all;
  const isPhone = useIsPhone();
  const shown = columns.filter((column) => column !== false);
  if (isPhone && minWidth !== undefined && minWidth >= PHONE_WIDTH)
    return <Cards rows={rows} keyOf={keyOf} columns={shown} actions={actions} />;
  const table = (
    <Table {...props}>
      <Table.Thead>
        <Table.Tr>
          {shown.map(({ head, isNumber, visibleFrom, th }) => (
            <Table.Th key={head} {...(isNumber && { ta: 'right' })} {...(visibleFrom && { visibleFrom })} {...th}>
              {head}
            </Table.Th>
          ))}
          {actions && (
            <Table.Th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keyed(rows, keyOf).map(([key, row], at) => (
          <Table.Tr key={key}>
            {shown.map(({ head, cell, isNumber, visibleFrom, td }) => (
              <Table.Td
                key={head}
                {...(isNumber && { ta: 'right', className: 'number' })}
                {...(visibleFrom && { visibleFrom })}
                {...td}
              >
                {cell(row, at)}
              </Table.Td>
            ))}
            {actions && <Table.Td ta="right">{actions(row)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
  if (minWidth === undefined) return table;
  return (
    <Table.ScrollContainer minWidth={minWidth} {...(maxHeight !== undefined && { maxHeight })}>
      {table}
    </Table.ScrollContainer>
  );
}

type CardsProps<Row> = Pick<DataTableProps<Row>, 'rows' | 'keyOf' | 'actions'> & {
  readonly columns: readonly Column<Row>[];
};

function Cards<Row>({ rows, keyOf, columns, actions }: CardsProps<Row>) {
  const title = columns.find(({ isTitle }) => isTitle);
  return (
    <CardList rows={rows} keyOf={keyOf}>
      {(row) => (
        <Stack gap={6}>
          {title && (
            <Group justify="space-between" align="flex-start" wrap="nowrap">
              <Text component="div" size="sm" miw={0} className="anywhere">
                {title.cell(row, rows.indexOf(row))}
              </Text>
              {actions ? actions(row) : null}
            </Group>
          )}
          {columns
            .filter((column) => column !== title && column.visibleFrom === undefined)
            .map(({ head, cell }) => ({ head, value: cell(row, rows.indexOf(row)) }))
            .filter(({ value }) => value !== '' && value !== null && value !== undefined && value !== false)
            .map(({ head, value }) => (
              <Group key={head} justify="space-between" align="baseline" wrap="nowrap">
                <Text size="sm" c="dimmed" flex="none">
                  {head}
                </Text>
                <Text component="div" size="sm" ta="right" miw={0} className="anywhere">
                  {value}
                </Text>
              </Group>
            ))}
          {actions && !title && <Group justify="flex-end">{actions(row)}</Group>}
        </Stack>
      )}
    </CardList>
  );
}
