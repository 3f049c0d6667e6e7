/** Use case: a merchant reads back a SKU with its status and the reasons for it. */
import type { Account } from '../domain/account.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import { type JudgedDocument, type Judgement, judge, NO_EVIDENCE } from '../domain/status.ts';
import type { StoredOffer } from '../store/port.ts';
import type { Context } from './context.ts';
import { refuseUnknown } from './sku-outcomes.ts';

export interface SkuReading {
  readonly offer: StoredOffer;
  readonly judgement: Judgement;
}

export async function readSku(context: Context, account: Account, skuId: string): Promise<Outcome<SkuReading>> {
  const offer = await context.store.readOffer({ accountId: account.accountId, skuId });
  if (offer === undefined) return refuseUnknown(skuId);
  // Plain parsing is enough here: nothing that the judgement looks at is beyond 2^53, and the text itself goes out.
  const document = JSON.parse(offer.document) as JudgedDocument;
  const judgement = judge({ document, archived: offer.archived, priced: offer.priced }, context.taxonomy, NO_EVIDENCE);
  return accept({ offer, judgement });
}
