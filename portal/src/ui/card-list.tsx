/** List of cards, which replaces a table on a phone. */
import { Paper, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { keyed } from './forms/keyed.ts';

export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
}

interface CardListProps<Row> {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly children: (row: Row) => ReactNode;
}

export function CardList<Row>({ rows, keyOf, children }: CardListProps<Row>) {
  return (
    <Stack component="ul" className="cards">
      {keyed(rows, keyOf).map(([key, row]) => (
        <Paper key={key} withBorder component="li">
          {children(row)}
        </Paper>
      ))}
    </Stack>
  );
}
