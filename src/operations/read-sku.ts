/**
 * Use cases: a merchant reads a SKU with its status and sub-statuses (`http/endpoints/get-sku.ts` builds the response), and lists the ids
 * of all uploaded SKUs.
 */
import type { Account } from '../domain/account.ts';
import { type Awaitable, whenThere } from '../domain/awaitable.ts';
import type { ShownOffer } from '../domain/offers/part.ts';
import { refuseUnknown } from '../domain/offers/write-state.ts';
import { accept, type Outcome, refuseRequest } from '../domain/outcome.ts';
import { evaluateOffer } from '../domain/review/review-offer.ts';
import type { Verdict } from '../domain/vocabulary/statuses.ts';
import type { SkuKey, SkuPage, SkuPageRequest } from '../store/port/offers.ts';
import type { Context } from './context.ts';
import { factsOf, reviewKnowledge, type TaggedKnowledge } from './review-knowledge.ts';

export interface SkuReading {
  readonly offer: ShownOffer;
  readonly verdict: Verdict;
}

/**
 * Returns the stored verdict if the offer is not due and the rules are the same. The verdict depends only on these two,
 * and computing it again would double the cost of the read.
 */
export function readSku(context: Context, account: Account, skuId: string): Awaitable<Outcome<SkuReading>> {
  const key = { accountId: account.accountId, skuId };
  const knowledge = reviewKnowledge(context.rules, account);
  return whenThere(context.store.offers.readReviewedOffer(key), (offer) => {
    if (offer === undefined) return refuseUnknown(skuId);
    const { verdict } = offer;
    return verdict?.rules === knowledge.tag ? accept({ offer, verdict }) : reviewNow(context, key, knowledge);
  });
}

function reviewNow({ store }: Context, key: SkuKey, knowledge: TaggedKnowledge): Awaitable<Outcome<SkuReading>> {
  return whenThere(store.offers.readOffer(key), (offer) => {
    if (offer === undefined) return refuseUnknown(key.skuId);
    return accept({ offer, verdict: evaluateOffer(factsOf(offer), knowledge, offer.evidence) });
  });
}

/** Lists SKUs in the order of their first upload. */
export async function listSkus(context: Context, account: Account, page: SkuPageRequest): Promise<Outcome<SkuPage>> {
  const found = await context.store.offers.listSkus(account.accountId, page);
  if (found !== 'after_unknown') return accept(found);
  return refuseRequest('after_unknown', `after: SKU ${page.after} not found.`);
}
