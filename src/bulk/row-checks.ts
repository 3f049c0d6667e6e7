/**
 * In charge of what a row of each file type means: its key is a SKU id, its value is the body of the single call, and both
 * are held to the rules of that call, by the same functions.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Account } from '../domain/account.ts';
import { readBodyText, type SentBody } from '../domain/body-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { type Problem, requestProblem } from '../domain/problem.ts';
import { skuIdFault } from '../domain/sku-id.ts';
import type { FileType } from '../domain/vocabulary/file-types.ts';
import type { RefusedWrite } from '../operations/checked-write.ts';
import { checkInventory } from '../operations/patch-inventory.ts';
import { checkArchive } from '../operations/put-archive.ts';
import { checkPrice } from '../operations/put-price.ts';
import { checkReturnsException } from '../operations/put-returns-exception.ts';
import { checkShippingException } from '../operations/put-shipping-exception.ts';
import { checkAnySku } from '../operations/put-sku.ts';
import { type AcceptedGroup, checkVariation, type GroupCheckContext } from '../operations/put-variation.ts';
import type { RowWrite } from '../store/file-port.ts';
import type { Entry, Piece } from './split-entries.ts';

export type RowCheckContext = GroupCheckContext;

/** What became of a row before anything is written. */
export type CheckedRow = GoodRow | BadRow;

export interface GoodRow {
  readonly entry: Entry;
  readonly key: string;
  readonly write: RowWrite;
  /** Of groups alone: what is wrong when the write finds children that are unknown or archived. */
  readonly problemsOf?: AcceptedGroup['problemsOf'] | undefined;
}

export interface BadRow {
  readonly entry: Entry;
  /** As people read it; shortened where it is far too long to be a SKU id. */
  readonly key: string;
  readonly write: undefined;
  readonly problems: readonly Problem[];
  /** See RefusedWrite. */
  readonly behindSkuState: boolean;
  /** False: what was sent as the body cannot stand in a JSON file as it is. */
  readonly isJson: boolean;
}

/** Rows of one account's file. Only groups have to be waited for: their members are read. */
export type RowCheck = (account: Account, entry: Entry) => CheckedRow | Promise<CheckedRow>;

type Check = (
  context: RowCheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
) => Checked | Promise<AcceptedGroup | RefusedWrite>;

type Checked = { readonly ok: true; readonly value: RowWrite } | RefusedWrite;

const CHECKS: Readonly<Record<FileType, Check>> = {
  MerchantSKUs: checkAnySku,
  Price: checkPrice,
  Inventory: checkInventory,
  Variation: checkVariation,
  ShippingException: checkShippingException,
  ReturnsException: checkReturnsException,
  Archive: checkArchive,
};

const KEY_SHOWN_CHARACTERS_MAX = 200;

export function rowCheck(type: FileType, context: RowCheckContext): RowCheck {
  const check = CHECKS[type];
  return (account, entry) => {
    const key = readKey(entry);
    if ('fault' in key) return badRow(entry, key.shown, keyProblem(key.fault), isWholeJson(entry));
    const { skuId } = key;
    const body = readValue(entry);
    if ('unreadable' in body) return badRow(entry, skuId, body.unreadable, false);
    const checked = check(context, account, skuId, body);
    return checked instanceof Promise
      ? checked.then((settled) => toRow(entry, skuId, settled))
      : toRow(entry, skuId, checked);
  };
}

function toRow(entry: Entry, key: string, checked: Checked | AcceptedGroup): CheckedRow {
  if (checked.ok) {
    const problemsOf = 'problemsOf' in checked ? checked.problemsOf : undefined;
    return { entry, key, write: checked.value, problemsOf };
  }
  const { problems, behindSkuState } = checked;
  return { entry, key, write: undefined, problems, behindSkuState, isJson: true };
}

function badRow(entry: Entry, key: string, problem: Problem, isJson: boolean): BadRow {
  return { entry, key, write: undefined, problems: [problem], behindSkuState: false, isJson };
}

function keyProblem(fault: string): Problem {
  return requestProblem('sku_id_invalid', `The key of the row, a SKU id, ${fault}.`);
}

/** Characters that need JSON to be read, or that JSON does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const NEEDS_JSON = /[\\\u0000-\u001f]/;

function readKey({ piece, keyStart, keyEnd }: Entry): { skuId: string } | { fault: string; shown: string } {
  if (keyEnd - keyStart > LIMITS.sku_id_encoded_characters_max) {
    const shown = piece.bytes.toString('utf8', keyStart, keyStart + KEY_SHOWN_CHARACTERS_MAX).toWellFormed();
    return { fault: `must have at most ${LIMITS.sku_id_characters_max} characters`, shown: `${shown}…` };
  }
  const text = readText(piece, keyStart, keyEnd);
  if (text === undefined) return { fault: 'must be UTF-8', shown: piece.bytes.toString('utf8', keyStart, keyEnd) };
  const skuId = NEEDS_JSON.test(text) ? readJsonString(text) : text;
  if (skuId === undefined) return { fault: 'is not a JSON string', shown: text };
  const fault = skuIdFault(skuId);
  return fault === undefined ? { skuId } : { fault, shown: skuId };
}

function readJsonString(inside: string): string | undefined {
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readValue({ piece, valueStart, valueEnd, isCut }: Entry): SentBody | { readonly unreadable: Problem } {
  if (isCut) {
    const rule = `The body of the row must have at most ${LIMITS.body_bytes_max} bytes.`;
    return { unreadable: requestProblem('body_too_large', rule) };
  }
  const text = readText(piece, valueStart, valueEnd);
  if (text !== undefined) return readBodyText(text);
  return { unreadable: requestProblem('body_not_utf8', 'The body of the row must be UTF-8.') };
}

/** Undefined where the bytes are not UTF-8. Where all are ASCII the text is there already. */
function readText(piece: Piece, start: number, end: number): string | undefined {
  if (piece.isAscii) return piece.text.slice(start, end);
  const bytes = piece.bytes.subarray(start, end);
  if (isAscii(bytes)) return piece.text.slice(start, end);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

function isWholeJson(entry: Entry): boolean {
  return !('unreadable' in readValue(entry));
}
