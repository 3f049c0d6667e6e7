/**
 * Checks the rows of each file type with the functions of the single calls: the key is a SKU id, the value is the body of that call. In
 * NDJSON the key is a member of the body; in CSV both are read from the cells.
 */
import type { Account } from '../../domain/account.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { type FilePosition, positionAfter, readBodyText, type SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { AcceptedWrite, CheckedWrite, FileRow } from '../../domain/offers/part.ts';
import { PART_OF_FILE } from '../../domain/offers/parts.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { SKU_COLUMN } from '../../domain/sheets/columns.ts';
import { isDamaged, type RowProblem } from '../../domain/sheets/read-cells.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import { checkPart, type PartCheckContext } from '../../operations/offers/write.ts';
import { type Entry, keyNameOf, readText, type Sheet } from './entry.ts';
import { type CheckedOffer, checkOfferRow, type RefusedOffer } from './offer-row.ts';
import { readKey } from './row-key.ts';
import { readSheetRow } from './sheet-row.ts';

/** The result of a row before anything is written. */
export type CheckedRow = GoodRow | BadRow;

export interface GoodRow {
  readonly entry: Entry;
  readonly key: string;
  readonly write: FileRow;
  readonly ignored: readonly string[];
  /** Only for groups: returns the problems if the write finds unknown or archived children. */
  readonly problemsOf?: AcceptedWrite['problemsOf'];
}

export interface BadRow {
  readonly entry: Entry;
  /** An invalid SKU id may be shortened or contain invalid text: see row-key.ts. */
  readonly key: string;
  readonly write: undefined;
  readonly problems: readonly Problem[];
  /** Pointers to unrecognized fields; empty when the body was not read. */
  readonly ignored: readonly string[];
  /** See RefusedWrite. */
  readonly behindSkuState: boolean;
  /** See RefusedOffer. */
  readonly expects?: RefusedOffer['expects'];
  /** False if the body as sent is not valid inside a JSON file. */
  readonly isJson: boolean;
}

type CheckedBody = (CheckedWrite & Pick<RefusedOffer, 'expects'>) | CheckedOffer;

/** Checks rows of one account's file. Only groups are asynchronous, because their members are read. */
export type RowCheck = (account: Account, entry: Entry) => CheckedRow | Promise<CheckedRow>;

export function rowCheck(type: FileType, context: PartCheckContext): RowCheck {
  return (account, entry) => {
    const check = (skuId: string, body: SentBody): Awaitable<CheckedBody> =>
      type === 'Offers'
        ? checkOfferRow(context, account, skuId, body)
        : checkPart(PART_OF_FILE[type], context, account, skuId, body);
    if (entry.sheet !== undefined) return checkSheetRow(entry, entry.sheet, check);
    const key = readKey(entry);
    const body = readValue(entry, type);
    if ('fault' in key) {
      // A line that is not JSON has no key. Report the invalid JSON instead of the missing key.
      const problem = 'unreadable' in body && entry.keyStart === -1 ? body.unreadable : keyProblem(entry, key.fault);
      return badRow(entry, key.kept, problem, !('unreadable' in body));
    }
    const { skuId } = key;
    if ('unreadable' in body) return badRow(entry, skuId, body.unreadable, false);
    const checked = check(skuId, body);
    return checked instanceof Promise
      ? checked.then((settled) => toRow(entry, skuId, settled))
      : toRow(entry, skuId, checked);
  };
}

function checkSheetRow(
  entry: Entry,
  sheet: Sheet,
  check: (skuId: string, body: SentBody) => Awaitable<CheckedBody>,
): CheckedRow | Promise<CheckedRow> {
  const read = readSheetRow(entry, sheet);
  if ('unreadable' in read) return badRow(entry, '', read.unreadable, false);
  const { sku, body } = read;
  const fault = skuIdFault(sku);
  const isSkuDamaged = read.problems.some(({ column }) => column === SKU_COLUMN);
  const rowOf = (checked: CheckedBody): CheckedRow => {
    if (read.problems.length === 0 && fault === undefined) return toRow(entry, sku, checked);
    const problems = [
      ...(fault === undefined || isSkuDamaged ? [] : [keyProblem(entry, fault)]),
      ...read.problems.map(cellProblem),
      ...(checked.ok
        ? []
        : checked.problems.filter(({ field }) => !isDamaged(sheet.reader.columnOf(field, read.slots), read))),
    ];
    return { entry, key: sku, write: undefined, problems, ignored: [], behindSkuState: false, isJson: true };
  };
  const checked = check(sku, body);
  return checked instanceof Promise ? checked.then(rowOf) : rowOf(checked);
}

function cellProblem({ column, message }: RowProblem): Problem {
  if (column === '') return requestProblem('cell_invalid', message);
  return { ...requestProblem('cell_invalid', `${column}: ${message}`), column_name: column };
}

function toRow(entry: Entry, key: string, checked: CheckedBody): CheckedRow {
  const { ignored } = checked;
  if (checked.ok) {
    return { entry, key, write: checked.value, ignored, problemsOf: checked.problemsOf };
  }
  const { problems, behindSkuState, expects } = checked;
  return { entry, key, write: undefined, problems, ignored, behindSkuState, expects, isJson: true };
}

function badRow(entry: Entry, key: string, problem: Problem, isJson: boolean): BadRow {
  return { entry, key, write: undefined, problems: [problem], ignored: [], behindSkuState: false, isJson };
}

function keyProblem({ format }: Entry, fault: string): Problem {
  return requestProblem(
    'sku_id_invalid',
    format === 'JSON' ? `The key of the row (a SKU id) ${fault}.` : `sku: ${fault}`,
  );
}

/** Removes the key from the body of an NDJSON row: the body of a single call has no key, and `{}` clears a list. */
function withoutKey(body: ReturnType<typeof readBodyText>, name: string): ReturnType<typeof readBodyText> {
  if ('unreadable' in body || typeof body.value !== 'object' || body.value === null) return body;
  const { [name]: _, ...value } = body.value as Readonly<Record<string, unknown>>;
  return { value, problems: body.problems };
}

function readValue(entry: Entry, type: FileType): SentBody | { readonly unreadable: Problem } {
  const { format, piece, valueStart, valueEnd, membersStart, isCut } = entry;
  if (isCut) {
    const rule = `The body of the row must have at most ${LIMITS.body_bytes_max} bytes.`;
    return { unreadable: requestProblem('body_too_large', rule) };
  }
  // In place of the comma that follows `sku`, the body begins with the brace of its line.
  const start = membersStart === -1 ? valueStart : membersStart - 1;
  const rest = readText(piece, membersStart === -1 ? valueStart : membersStart, valueEnd);
  if (rest === undefined) return { unreadable: requestProblem('body_not_utf8', 'The body of the row must be UTF-8.') };
  const text = membersStart === -1 ? rest : `{${rest}`;
  const body = readBodyText(text, LIMITS.body_values_max, (before) => positionInFile(entry, start, before));
  return format === 'NDJSON' && membersStart === -1 ? withoutKey(body, keyNameOf(type)) : body;
}

/** Returns the position in the file after `before`, which is the text of the row from `start` on. Columns count bytes. */
function positionInFile(
  { format, line, column, piece, keyStart, valueStart }: Entry,
  start: number,
  before: string,
): FilePosition {
  const rowStart = format === 'JSON' ? keyStart - 1 : valueStart;
  const text = piece.text.slice(rowStart, start) + Buffer.from(before).toString('latin1');
  const within = positionAfter(text);
  return { line: line + within.line - 1, column: within.line === 1 ? column + within.column - 1 : within.column };
}
