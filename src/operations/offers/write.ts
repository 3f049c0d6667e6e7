/** Use case: a merchant writes a part of an offer. Runs the steps that all parts share: check the body, write it, respond. */
import type { Account } from '../../domain/account.ts';
import type { Author } from '../../domain/author.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { checkWrite } from '../../domain/offers/check-write.ts';
import type { CheckContext, CheckedWrite, Part, PartWrite, RefusedWrite } from '../../domain/offers/part.ts';
import { PART } from '../../domain/offers/parts.ts';
import { refusePrecondition, refuseState } from '../../domain/offers/write-state.ts';
import { accept, type Outcome, type Refused, refuse } from '../../domain/outcome.ts';
import { type KeyedRequest, NEW_TAG, type Precondition } from '../../domain/precondition.ts';
import type { Problem } from '../../domain/problem.ts';
import type { OfferNumbers, OfferStore, PartsOutcome, SkuKey, TagScope, WriteKey } from '../../store/port/offers.ts';
import { writtenTag } from '../../store/port/part-tags.ts';
import type { Context } from '../context.ts';

/** A request to write one part of an offer, or several. */
export interface WriteRequest {
  readonly account: Account;
  readonly skuId: string;
  readonly body: SentBody;
  readonly precondition?: Precondition | undefined;
  /** Set for a repeat whose first run may have written: the sequence number of that run. */
  readonly firstRunNumber?: number | undefined;
  /** Set for a request that stores its Idempotency-Key in the commit of the write. */
  readonly keyed?: KeyedWrite | undefined;
}

export interface KeyedWrite extends Omit<KeyedRequest, 'answer'> {
  /** Returns the response as JSON. */
  readonly answerTo: (outcome: Outcome<NewTag>) => string;
}

/** The tag after a write: null if the part is not set, undefined if it is unknown. */
export type NewTag = string | null | undefined;

export type WriteOperation = (context: Context, request: WriteRequest, by: Author) => Promise<Outcome<NewTag>>;

export function writePart(part: Part): WriteOperation {
  return async (context, request, by) => {
    const { account, skuId, body } = request;
    const { offers } = context.store;
    const key = { accountId: account.accountId, skuId, by };
    const checking = checkPart(part, context, account, skuId, body);
    const checked = checking instanceof Promise ? await checking : checking;
    if (!checked.ok) return answerRefused(offers, key, checked);
    const { value, ignored } = checked;
    const { keyed } = request;
    const tag = writtenTag(value);
    const written = await (keyed === undefined
      ? writeParts(context, key, [value], request)
      : offers.write(key, [value], context.nowMs(), { keyed: keyedRequest(keyed, tag, ignored) }));
    if (part.applied !== undefined) context.onOfferWritten();
    if (typeof written === 'object' && 'refused' in written) {
      return refuseByStoredRules(offers, key, checked.problemsOf?.(written.refused) ?? [], ignored);
    }
    return fromWrite(written, skuId, () => tag, ignored);
  };
}

/** `tag` is undefined if only the store knows it. */
function keyedRequest({ answerTo, ...request }: KeyedWrite, tag: NewTag, ignored: readonly string[]): KeyedRequest {
  return { ...request, answer: answerTo(accept(tag === undefined ? NEW_TAG : tag, ignored)) };
}

export type PartCheckContext = CheckContext & { readonly store: { readonly offers: Pick<OfferStore, 'readMembers'> } };

/** Checks a write. Only groups are asynchronous, because their members are read. */
export function checkPart(
  part: Part,
  context: PartCheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): Awaitable<CheckedWrite> {
  const checked = checkWrite(part, context, account, skuId, body);
  if ('ok' in checked) return checked;
  const { skuIds, refinements, settle } = checked;
  return context.store.offers.readMembers(account.accountId, skuIds, refinements).then(settle);
}

/** Returns the response to a refused body: a missing or archived SKU may take precedence. */
export function answerRefused(
  store: OfferStore,
  key: SkuKey,
  { problems, ignored, behindSkuState }: RefusedWrite,
): Awaitable<Refused> {
  return behindSkuState ? refuseByStoredRules(store, key, problems, ignored) : refuse(problems, ignored);
}

/**
 * Refuses a write by rules that need stored data. "SKU not found" and "SKU is archived" take precedence over these rules. They are looked
 * up only here, because a write detects them itself if nothing else is wrong.
 */
async function refuseByStoredRules(
  store: OfferStore,
  key: SkuKey,
  problems: readonly Problem[],
  ignored: readonly string[],
): Promise<Refused> {
  const state = await store.readSkuState(key);
  return state === 'open' ? refuse(problems, ignored) : refuseState(state, key.skuId, ignored);
}

/** Converts the result of a write. `tagOf` determines the new tag if the store does not return it. */
export function fromWrite(
  written: PartsOutcome,
  skuId: string,
  tagOf: () => NewTag,
  ignored: readonly string[],
): Outcome<NewTag> {
  if (written === 'stored') return accept(tagOf(), ignored);
  if (typeof written === 'string') return refuseState(written, skuId, ignored);
  if ('newTag' in written) return accept(written.newTag, ignored);
  if ('refused' in written) throw new Error('A write without a group returned refused children.');
  return refusePrecondition(skuId, written.currentTag, ignored);
}

/**
 * Writes the parts. If the request is a retry, parts that were written since its first run count as stored. Its precondition then decides
 * only if the first run wrote nothing: otherwise it would fail because of the request's own write.
 */
export async function writeParts(
  { store: { offers }, nowMs }: Context,
  key: WriteKey,
  parts: readonly PartWrite[],
  { precondition, firstRunNumber }: Pick<WriteRequest, 'precondition' | 'firstRunNumber'>,
  scope?: TagScope,
): Promise<PartsOutcome> {
  if (firstRunNumber === undefined) return offers.write(key, parts, nowMs(), precondition, scope);
  if (precondition === undefined) return offers.write(key, parts, nowMs(), { firstRunNumber }, scope);
  const numbers = await offers.readNumbers(key);
  const areStored =
    numbers && parts.flatMap((part) => numbersOf(part, numbers)).every((stored) => stored >= firstRunNumber);
  return areStored ? 'stored' : offers.write(key, parts, nowMs(), precondition, scope);
}

/** Returns the sequence numbers of the last writes to this part; for inventory, one for each node that the write names. */
function numbersOf(write: PartWrite, numbers: OfferNumbers): readonly number[] {
  const part: Part = PART[write.part];
  return part.numbersOf?.(write, numbers) ?? [numbers[part.name]];
}
