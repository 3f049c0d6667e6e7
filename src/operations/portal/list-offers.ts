/** Use case: a merchant's user lists and searches its offers. */
import type { Account } from '../../domain/account.ts';
import type { Int64 } from '../../domain/int64.ts';
import { readId } from '../../domain/int64.ts';
import { evaluateOffer, type Verdict } from '../../domain/review/review-offer.ts';
import { readReviewedDocument } from '../../domain/review/reviewed-document.ts';
import { LIST_LIMITS, type ListedOffer, type ListPlace, type OfferListRequest } from '../../store/port/offer-list.ts';
import { reviewKnowledge, type TaggedKnowledge } from '../review-knowledge.ts';
import { evidenceOf, factsOf } from '../stored-facts.ts';
import type { WatchContext } from './watch-context.ts';

export interface OfferRow extends Pick<ListedOffer, 'skuId' | 'price' | 'quantity' | 'archived' | 'updatedMs'> {
  readonly title: string;
  readonly brand: string;
  readonly image: string;
  readonly verdict: Verdict;
  /** The name is null when the current taxonomy does not have it. */
  readonly category: { readonly id: Int64; readonly name: string | null } | null;
}

export interface OfferPage {
  readonly offers: readonly OfferRow[];
  readonly next: ListPlace | undefined;
}

/**
 * Status and sub-statuses are current: the stored verdict while it is valid, otherwise a new one made here. Offers are
 * found by their stored verdict, and left out when the current one no longer matches.
 */
export async function listOffers(
  context: WatchContext,
  account: Account,
  request: Omit<OfferListRequest, 'limits'>,
): Promise<OfferPage> {
  const { accountId } = account;
  const knowledge = reviewKnowledge(context.rules, account);
  const { offers, next } = await context.store.offerList.listOffers(accountId, { ...request, limits: LIST_LIMITS });
  const rows = await Promise.all(offers.map((offer) => rowOf(context, accountId, offer, knowledge)));
  return { offers: rows.filter((row) => row !== undefined && fits(row, request)) as OfferRow[], next };
}

/** Undefined when it was erased in the meantime. */
async function rowOf(
  context: WatchContext,
  accountId: number,
  offer: ListedOffer,
  knowledge: TaggedKnowledge,
): Promise<OfferRow | undefined> {
  const { skuId, price, quantity, archived, updatedMs } = offer;
  const verdict =
    offer.verdict?.rules === knowledge.tag ? offer.verdict : await reviewNow(context, { accountId, skuId }, knowledge);
  if (verdict === undefined) return undefined;
  const document = readReviewedDocument(offer.document);
  const named = document.product_type_id ?? document.marketplace_browse_node_id;
  const id = named ?? readId(offer.categoryId ?? '');
  return {
    skuId,
    title: document.product_title,
    brand: document.brand,
    image: document.main_image_url,
    verdict,
    category: id === undefined ? null : { id, name: knowledge.taxonomy.node(id)?.name ?? null },
    price,
    quantity,
    archived,
    updatedMs,
  };
}

async function reviewNow(
  { store }: WatchContext,
  key: { readonly accountId: number; readonly skuId: string },
  knowledge: TaggedKnowledge,
): Promise<Verdict | undefined> {
  const offer = await store.offers.readOffer(key);
  return offer && evaluateOffer(factsOf(offer), knowledge, evidenceOf(offer));
}

function fits({ verdict }: OfferRow, { status, subStatus }: Omit<OfferListRequest, 'limits'>): boolean {
  if (status !== undefined && verdict.status !== status) return false;
  return subStatus === undefined || verdict.subStatuses.includes(subStatus);
}
