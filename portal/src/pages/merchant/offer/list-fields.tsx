/** In charge of the frame of a list in a form: its rows, each with a button to remove it, and one to add another. */
import { Button, Fieldset, Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface ListFieldsProps<Row> {
  readonly legend: string;
  readonly rows: readonly Row[];
  readonly readOnly: boolean;
  /** On the button. */
  readonly adding: string;
  /** Undefined where there is nothing more to add. */
  readonly add: (() => void) | undefined;
  readonly remove: (place: number) => void;
  readonly children: (row: Row, place: number) => ReactNode;
}

export function ListFields<Row>({ legend, rows, readOnly, adding, add, remove, children }: ListFieldsProps<Row>) {
  if (readOnly && rows.length === 0) return null;
  return (
    <Fieldset legend={legend}>
      {rows.map((row, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own, and the form knows them by place
        <Group key={place} align="flex-end" mb="xs">
          {children(row, place)}
          {!readOnly && (
            <Button
              variant="subtle"
              color="red"
              aria-label={`Remove ${place + 1} of ${legend}`}
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
