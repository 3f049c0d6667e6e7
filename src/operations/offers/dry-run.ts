/**
 * Use case: a merchant tries a write. It runs the checks of the write, decides on the stored offer as the store would, and
 * returns what the write would change and the verdict right after it. Nothing is stored.
 */
import type { Account } from '../../domain/account.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { SentBody } from '../../domain/body-text.ts';
import type { Part, PartChange, PartWrite, RefusedWrite } from '../../domain/offers/part.ts';
import { changesOf, PART } from '../../domain/offers/parts.ts';
import { outcomeFor, refusePrecondition, refuseState, skuState } from '../../domain/offers/write-state.ts';
import { type Accepted, accept, type Outcome, type Refused } from '../../domain/outcome.ts';
import { isMet } from '../../domain/precondition.ts';
import { NO_EVIDENCE } from '../../domain/review/facts.ts';
import { reviewOffer } from '../../domain/review/review-offer.ts';
import type { Verdict } from '../../domain/vocabulary/statuses.ts';
import type { OfferStore, SkuKey, TagScope } from '../../store/port/offers.ts';
import { readTag } from '../../store/port/part-tags.ts';
import type { Context } from '../context.ts';
import { factsOf, reviewKnowledge, type StoredFacts } from '../review-knowledge.ts';
import { answerRefusedOffer, checkOffer } from './offer.ts';
import { answerRefused, checkPart, type WriteRequest } from './write.ts';

export interface DryRun extends Verdict {
  /** The changes that the history of this SKU would record; some may have the same value before and after. */
  readonly changes: readonly PartChange[];
  /** Ids of checks that wait for background work, such as the download of an image. */
  readonly pending: readonly string[];
}

export type DryRunOperation = (context: Context, request: WriteRequest) => Promise<Outcome<DryRun>>;

type Check = (
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
) => Awaitable<Accepted<PartWrite | readonly PartWrite[]> | RefusedWrite>;

type Refuse = (offers: OfferStore, key: SkuKey, checked: RefusedWrite, body: SentBody) => Awaitable<Refused>;

export function dryRunPart(part: Part): DryRunOperation {
  return dryRunOf((...request) => checkPart(part, ...request), answerRefused);
}

export const dryRunOffer = dryRunOf(checkOffer, answerRefusedOffer, 'offer');

function dryRunOf(check: Check, refuseChecked: Refuse, scope?: TagScope): DryRunOperation {
  return async (context, { account, skuId, body, precondition }) => {
    const { offers } = context.store;
    const key = { accountId: account.accountId, skuId };
    const checked = await check(context, account, skuId, body);
    if (!checked.ok) return refuseChecked(offers, key, checked, body);
    const { value, ignored } = checked;
    const writes = 'part' in value ? [value] : value;
    // A change to the archive flag also sets all stock to zero.
    const sources = writes.map(({ part }) => (part === 'archive' ? 'inventory' : PART[part].source));
    const [offer, priced, inventory] = await Promise.all([
      offers.readOffer(key),
      sources.includes('price') ? offers.readPrice(key) : 'unset',
      sources.includes('inventory') ? offers.readInventory(key) : undefined,
    ]);
    const first = writes[0] as PartWrite;
    const outcome = outcomeFor(first.part, skuState(offer?.archived));
    if (outcome !== 'stored') return refuseState(outcome, skuId, ignored);
    if (precondition !== undefined) {
      const currentTag = await readTag(offers, key, first.part, scope);
      if (!isMet(precondition, currentTag)) return refusePrecondition(skuId, currentTag, ignored);
    }
    const stored = { offer, price: typeof priced === 'string' ? undefined : priced, inventory };
    const changes: PartChange[] = [];
    let after: StoredFacts = offer ?? NEW_OFFER;
    for (const write of writes) {
      changes.push(...changesOf(write, stored));
      after = (PART[write.part] as Part).applied?.(after, write) ?? after;
    }
    const knowledge = reviewKnowledge(context.rules, account);
    const { status, subStatuses, checks } = reviewOffer(factsOf(after), knowledge, after.evidence, context.names);
    const pending = checks.filter(({ state }) => state === 'pending').map((result) => result.check);
    return accept({ changes, status, subStatuses, pending }, ignored);
  };
}

/** The document is empty here, because the upload that adds the SKU provides it. */
const NEW_OFFER: StoredFacts = {
  document: '{}',
  archived: false,
  priced: false,
  inGroup: false,
  stockNodeIds: [],
  evidence: NO_EVIDENCE,
};
