/** Says in one line what a change in the history did, if its values are short enough. */
import { percentText } from '../../../../ui/numbers.ts';

/** A value as the history shows it; null if there is none. A category is shown by its path, which the page looks up. */
export type ShownValue = string | { readonly category: string } | null;

export interface FieldChange {
  readonly label: string;
  readonly before: ShownValue;
  readonly after: ShownValue;
}

interface ChangeOfPart {
  readonly part: string;
  readonly before: object | null;
  readonly after: object | null;
}

export interface ChangeLine {
  readonly text: string;
  /** Whether the line contains all values. If not, the page offers them as a table. */
  readonly isComplete: boolean;
}

/** Longer values, such as a description, are only in the table. */
const VALUE_CHARACTERS_MAX = 60;
const FIELDS_IN_LINE_MAX = 2;
const FIELDS_NAMED = 3;

export function lineOf(change: ChangeOfPart, fields: readonly FieldChange[], partName: string): ChangeLine {
  if (change.part === 'sku' && change.before === null) return { text: 'Offer added', isComplete: fields.length === 0 };
  if (change.part === 'archive') {
    const isArchived = change.after !== null && 'is_archived' in change.after && change.after.is_archived === true;
    return { text: isArchived ? 'Archived' : 'Unarchived', isComplete: true };
  }
  if (fields.length > 0 && fields.length <= FIELDS_IN_LINE_MAX && fields.every(isShort)) {
    return { text: fields.map(fieldText).join(', '), isComplete: true };
  }
  if (fields.length === 0) return { text: `${partName} saved again`, isComplete: true };
  const named = fields.slice(0, fields.length > FIELDS_NAMED + 1 ? FIELDS_NAMED : fields.length);
  const names = named.map(({ label }) => label);
  const rest = fields.length - named.length;
  return { text: `${listText(rest > 0 ? [...names, `${rest} more fields`] : names)} changed`, isComplete: false };
}

function isShort({ before, after }: FieldChange): boolean {
  return [before, after].every(
    (value) =>
      value === null || (typeof value === 'string' && value.length <= VALUE_CHARACTERS_MAX && !value.includes('\n')),
  );
}

function fieldText({ label, before, after }: FieldChange): string {
  if (before === null) return `${label} set to ${textOf(after)}`;
  if (after === null) return `${label} removed (was ${textOf(before)})`;
  return `${label} ${textOf(before)} → ${textOf(after)}${percentOf(before, after)}`;
}

function textOf(value: ShownValue): string {
  return typeof value === 'string' ? value : '';
}

/** Only amounts have a percentage: a stock of 1 that becomes 50 did not grow by 4,900%. */
function percentOf(before: ShownValue, after: ShownValue): string {
  const [from = Number.NaN, to = Number.NaN] = [before, after].map(amountOf);
  const text = from > 0 && to > 0 ? percentText(to / from - 1) : '';
  return text === '' ? '' : `, ${text}`;
}

function amountOf(value: ShownValue): number {
  const [, digits = ''] = /^\$([\d,.]+)$/.exec(textOf(value)) ?? [];
  return digits === '' ? Number.NaN : Number(digits.replaceAll(',', ''));
}

function listText(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
