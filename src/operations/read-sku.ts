/** Use case: a merchant reads back a SKU with its status and the reasons for it. */
import type { Account } from '../domain/account.ts';
import { type Awaitable, whenThere } from '../domain/awaitable.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import { type Judgement, judgeOffer } from '../domain/review/review-offer.ts';
import type { StoredOffer } from '../store/port.ts';
import type { Context } from './context.ts';
import { reviewKnowledge } from './review-knowledge.ts';
import { refuseUnknown } from './sku-outcomes.ts';
import { evidenceOf, factsOf } from './stored-facts.ts';

export interface SkuReading {
  readonly offer: StoredOffer;
  readonly judgement: Judgement;
}

export function readSku(context: Context, account: Account, skuId: string): Awaitable<Outcome<SkuReading>> {
  return whenThere(context.store.readOffer({ accountId: account.accountId, skuId }), (offer) => {
    return offer === undefined ? refuseUnknown(skuId) : accept(readingOf(offer, context, account));
  });
}

function readingOf(offer: StoredOffer, context: Context, account: Account): SkuReading {
  return { offer, judgement: judgeOffer(factsOf(offer), reviewKnowledge(context.rules, account), evidenceOf(offer)) };
}
