/** Formats the notice about unknown fields of a bulk file. */
import { counted, printable } from '../table.ts';

export function ignoredLines(fields: readonly { readonly field: string; readonly rows: number }[]): string[] {
  if (fields.length === 0) return [];
  const texts = fields.map(({ field, rows }) => `${printable(field)} (${counted(rows, 'row')})`);
  return [`Notice: unknown fields were ignored: ${texts.join(', ')}.`];
}
