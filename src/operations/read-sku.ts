/** Use case: a merchant reads back a SKU with its status and the reasons for it. */
import type { Account } from '../domain/account.ts';
import { type Awaitable, whenThere } from '../domain/awaitable.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import { NO_EVIDENCE } from '../domain/review/facts.ts';
import { readJudgedDocument } from '../domain/review/judged-document.ts';
import { type Judgement, judgeOffer } from '../domain/review/review-offer.ts';
import type { StoredOffer } from '../store/port.ts';
import type { Context } from './context.ts';
import { reviewKnowledge } from './review-knowledge.ts';
import { refuseUnknown } from './sku-outcomes.ts';

export interface SkuReading {
  readonly offer: StoredOffer;
  readonly judgement: Judgement;
}

export function readSku(context: Context, account: Account, skuId: string): Awaitable<Outcome<SkuReading>> {
  return whenThere(context.store.readOffer({ accountId: account.accountId, skuId }), (offer) => {
    return offer === undefined ? refuseUnknown(skuId) : accept(readingOf(offer, context));
  });
}

const NO_NODES: readonly string[] = Object.freeze([]);

function readingOf(offer: StoredOffer, context: Context): SkuReading {
  const { archived, priced, group } = offer;
  const document = readJudgedDocument(offer.document);
  const facts = { document, archived, priced, stockNodeIds: NO_NODES, inGroup: group !== null };
  return { offer, judgement: judgeOffer(facts, reviewKnowledge(context), NO_EVIDENCE) };
}
