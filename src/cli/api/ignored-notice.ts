/** In charge of telling people which fields of a bulk file were passed over, because no rule knows them. */
import { printable } from '../table.ts';

export function ignoredLines(fields: readonly { readonly field: string; readonly rows: number }[]): string[] {
  if (fields.length === 0) return [];
  const texts = fields.map(({ field, rows }) => `${printable(field)} (${rows.toLocaleString('en-US')} rows)`);
  return [`Notice: fields that are not known were ignored: ${texts.join(', ')}.`];
}
