/** Converts between the text of a cell and the value of a field. A cell that a spreadsheet has damaged is refused. */

import { readId } from '../int64.ts';
import type { CellKind } from './columns.ts';
import { escapedCell, unescapedCell } from './csv.ts';

/** The value of a cell that the spreadsheet formatted as a date: it may have been a SKU such as `1-2`. */
export const DATE_CELL = '#DATE!';

/** Matches long numbers that a spreadsheet shortened: `1.23E+11` has lost the other digits. */
const SCIENTIFIC = /^[+-]?\d(?:[.,]\d*)?E\+\d+$/i;
const SPREADSHEET_ERROR = /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!)$/;
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;
const DECIMAL_COMMA = /^-?\d+,\d{1,2}$/;
const THOUSANDS = /^-?\d{1,3}(?:[,.' \u00a0]\d{3})+(?:[.,]\d+)?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/** Spreadsheets also use it to mark a cell as text. */
const MARK = "'";

export type ReadCell = { readonly value: unknown } | { readonly fault: string };

/** Reads a cell that is not empty: an empty one is an absent field. `rule`: what a number must be, if not every number is allowed. */
export function readCell(kind: CellKind, cell: string, rule?: string): ReadCell {
  const marked = cell.slice(1);
  const mayBeText = kind === 'text' || kind === 'scalar';
  if (mayBeText && cell.startsWith(MARK) && needsMark(kind, marked)) return { value: marked };
  const fault = damageOf(cell);
  if (fault !== undefined) return { fault };
  const text = unescapedCell(cell);
  switch (kind) {
    case 'text':
      return { value: text };
    case 'number':
      return readNumber(text, rule);
    case 'id': {
      const value = readId(text);
      return value === undefined ? { fault: 'must be a whole number in plain digits' } : { value };
    }
    case 'boolean': {
      const value = BOOLEANS.get(text.toLowerCase());
      return value === undefined ? { fault: 'must be true or false' } : { value };
    }
    default:
      return { value: scalarOf(text) };
  }
}

/** Writes a value so that `readCell` returns it, and so that no spreadsheet runs it as a formula. */
export function writtenCell(kind: CellKind, value: unknown): string {
  const text = cellText(value);
  return typeof value === 'string' && needsMark(kind, text) ? MARK + text : text;
}

/** Removes white space from both ends, except from a marked text. The last cell of a line may have a carriage return of the line break. */
export function trimmedCell(cell: string): string {
  return cell.startsWith(MARK) ? cell.replace(/\r$/, '') : cell.trim();
}

/** Anything that is not a plain value is written as JSON, so that it can be seen. */
function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object')
    return JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? String(part) : part));
  return String(value);
}

/** Whether a spreadsheet could run the text, or `readCell` would refuse it or return another value. A mark alone is an empty text. */
function needsMark(kind: CellKind, text: string): boolean {
  if (text === '') return kind === 'text' || kind === 'scalar';
  if (escapedCell(text) !== text || text.trim() !== text || damageOf(text) !== undefined) return true;
  return kind === 'scalar' && scalarOf(text) !== text;
}

function damageOf(cell: string): string | undefined {
  if (cell === DATE_CELL) return 'is a date. Format the column as text and enter the value again';
  if (SCIENTIFIC.test(cell)) return `lost digits: ${cell}. Format the column as text and enter all digits`;
  if (SPREADSHEET_ERROR.test(cell)) return `is the spreadsheet error ${cell}. Fix its formula`;
  return undefined;
}

function readNumber(text: string, rule = 'must be a number such as 9.95, without currency or unit'): ReadCell {
  if (NUMBER.test(text)) return { value: Number(text) };
  if (DECIMAL_COMMA.test(text)) return { fault: `has a decimal comma. Write ${text.replace(',', '.')}` };
  if (THOUSANDS.test(text)) return { fault: 'has thousands separators. Write digits and a decimal point only' };
  return { fault: rule };
}

function scalarOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return NUMBER.test(text) && String(Number(text)) === text ? Number(text) : text;
}
