/** Use case: a merchant reads back a SKU with its status and the reasons for it. */
import type { Account } from '../domain/account.ts';
import { type Awaitable, whenThere } from '../domain/awaitable.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import { type JudgedDocument, type Judgement, judge, NO_EVIDENCE } from '../domain/status.ts';
import type { StoredOffer } from '../store/port.ts';
import type { Context } from './context.ts';
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

function readingOf(offer: StoredOffer, context: Context): SkuReading {
  // Plain parsing is enough here: nothing that the judgement looks at is beyond 2^53, and the text itself goes out.
  const document = JSON.parse(offer.document) as JudgedDocument;
  const judgement = judge({ document, archived: offer.archived, priced: offer.priced }, context.taxonomy, NO_EVIDENCE);
  return { offer, judgement };
}
