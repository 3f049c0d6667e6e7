/**
 * Checks the rows of each file type with the functions of the single calls: the key is a SKU id, the value is the body
 * of that call.
 */
import type { Account } from '../../domain/account.ts';
import { readBodyText, type SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Accepted } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import type { RefusedWrite } from '../../operations/checked-write.ts';
import { checkInventory } from '../../operations/patch-inventory.ts';
import { checkArchive } from '../../operations/put-archive.ts';
import { checkPrice } from '../../operations/put-price.ts';
import { checkReturnsException } from '../../operations/put-returns-exception.ts';
import { checkShippingException } from '../../operations/put-shipping-exception.ts';
import { checkAnySku } from '../../operations/put-sku.ts';
import { type AcceptedGroup, checkVariation, type GroupCheckContext } from '../../operations/put-variation.ts';
import type { RowWrite } from '../../store/port/files.ts';
import { readText } from './piece-text.ts';
import { readKey } from './row-key.ts';
import type { Entry } from './split-entries.ts';

export type RowCheckContext = GroupCheckContext;

/** The result of a row before anything is written. */
export type CheckedRow = GoodRow | BadRow;

export interface GoodRow {
  readonly entry: Entry;
  readonly key: string;
  readonly write: RowWrite;
  readonly ignored: readonly string[];
  /** Only for groups: returns the problems if the write finds unknown or archived children. */
  readonly problemsOf?: AcceptedGroup['problemsOf'] | undefined;
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
  /** False if the body as sent is not valid inside a JSON file. */
  readonly isJson: boolean;
}

/** Checks rows of one account's file. Only groups are asynchronous, because their members are read. */
export type RowCheck = (account: Account, entry: Entry) => CheckedRow | Promise<CheckedRow>;

type Check = (
  context: RowCheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
) => Checked | Promise<AcceptedGroup | RefusedWrite>;

type Checked = Accepted<RowWrite> | RefusedWrite;

const CHECKS: Readonly<Record<FileType, Check>> = {
  MerchantSKUs: checkAnySku,
  Price: checkPrice,
  Inventory: checkInventory,
  Variation: checkVariation,
  ShippingException: checkShippingException,
  ReturnsException: checkReturnsException,
  Archive: checkArchive,
};

export function rowCheck(type: FileType, context: RowCheckContext): RowCheck {
  const check = CHECKS[type];
  return (account, entry) => {
    const key = readKey(entry);
    if ('fault' in key) return badRow(entry, key.kept, keyProblem(key.fault), isWholeJson(entry));
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
    return { entry, key, write: checked.value, ignored: checked.ignored, problemsOf };
  }
  const { problems, ignored, behindSkuState } = checked;
  return { entry, key, write: undefined, problems, ignored, behindSkuState, isJson: true };
}

function badRow(entry: Entry, key: string, problem: Problem, isJson: boolean): BadRow {
  return { entry, key, write: undefined, problems: [problem], ignored: [], behindSkuState: false, isJson };
}

function keyProblem(fault: string): Problem {
  return requestProblem('sku_id_invalid', `The key of the row (a SKU id) ${fault}.`);
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

function isWholeJson(entry: Entry): boolean {
  return !('unreadable' in readValue(entry));
}
