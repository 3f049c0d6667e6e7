/** Keyboard shortcuts for the rows of the offer list: J and K move the focus, X selects, E edits. */
import type { RefObject } from 'react';
import { useShortcuts } from '../../../ui/shortcuts.tsx';

/** `toggle` selects a row, or all rows up to it; undefined if the user cannot make changes. */
export function useRowShortcuts(
  table: RefObject<HTMLTableElement | null>,
  toggle: ((row: number, isRange: boolean) => void) | undefined,
): void {
  const rows = () => [...(table.current?.tBodies[0]?.rows ?? [])];
  const current = () => rows().findIndex((row) => row.contains(document.activeElement));
  const focus = (at: number) => {
    const row = rows()[at];
    row?.querySelector('a')?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts([
    { keys: 'j', label: 'Next row', run: () => focus(Math.min(current() + 1, rows().length - 1)) },
    { keys: 'k', label: 'Previous row', run: () => focus(Math.max(current() - 1, 0)) },
    { keys: 'enter', label: 'Open the row' },
    ...(toggle === undefined
      ? []
      : [
          {
            keys: 'x',
            label: 'Select the row, with Shift all rows up to it',
            run: ({ shiftKey }: KeyboardEvent) => current() !== -1 && toggle(current(), shiftKey),
          },
          {
            keys: 'e',
            label: 'Edit price and stock: Tab opens the next value, Esc undoes',
            run: () => rows()[current()]?.querySelector<HTMLElement>('[data-cell] button')?.click(),
          },
        ]),
  ]);
}
