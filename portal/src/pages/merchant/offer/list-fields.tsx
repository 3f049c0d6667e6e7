/** List of form rows with buttons to add and remove rows. */
import { Button, Fieldset, Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface ListFieldsProps<Row> {
  readonly legend: string;
  readonly rows: readonly Row[];
  readonly readOnly: boolean;
  /** Label of the add button. */
  readonly adding: string;
  /** Adds a row; undefined if nothing can be added. */
  readonly add: (() => void) | undefined;
  readonly remove: (place: number) => void;
  readonly children: (row: Row, place: number) => ReactNode;
}

export function ListFields<Row>({ legend, rows, readOnly, adding, add, remove, children }: ListFieldsProps<Row>) {
  if (readOnly && rows.length === 0) return null;
  return (
    <Fieldset legend={legend}>
      {rows.map((row, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and the form addresses them by index
        <Group key={place} align="flex-end" mb="xs">
          {children(row, place)}
          {!readOnly && (
            <Button
              variant="subtle"
              color="red"
              aria-label={`Remove ${legend} ${place + 1}`}
              onClick={() => remove(place)}
            >
              Remove
            </Button>
          )}
        </Group>
      ))}
      {!readOnly && add && (
        <Button variant="light" size="xs" onClick={add}>
          {adding}
        </Button>
      )}
    </Fieldset>
  );
}
