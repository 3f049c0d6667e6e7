/** Use case: somebody of a merchant looks through its offers. */
import type { Account } from '../../domain/account.ts';
import type { Int64 } from '../../domain/int64.ts';
import { readId } from '../../domain/int64.ts';
import { readJudgedDocument } from '../../domain/review/judged-document.ts';
import { type Judgement, judgeOffer } from '../../domain/review/review-offer.ts';
import { LIST_LIMITS, type ListedOffer, type ListPlace, type OfferListRequest } from '../../store/port/offer-list.ts';
import { reviewKnowledge, type TaggedKnowledge } from '../review-knowledge.ts';
import { evidenceOf, factsOf } from '../stored-facts.ts';
import type { WatchContext } from './watch-context.ts';

export interface OfferRow extends Pick<ListedOffer, 'skuId' | 'price' | 'quantity' | 'archived' | 'updatedMs'> {
  readonly title: string;
  readonly brand: string;
  readonly image: string;
  readonly judgement: Judgement;
  /** The name is null where the taxonomy in force does not have it. */
  readonly category: { readonly id: Int64; readonly name: string | null } | null;
}

export interface OfferPage {
  readonly offers: readonly OfferRow[];
  readonly next: ListPlace | undefined;
}

/**
 * Status and sub-statuses are those that the offers have now: what the review judged where it still counts, else what is
 * judged here. Offers are found by their last judgement, and are left out where they turn out to have another by now.
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

/** Undefined where it was erased meanwhile. */
async function rowOf(
  context: WatchContext,
  accountId: number,
  offer: ListedOffer,
  knowledge: TaggedKnowledge,
): Promise<OfferRow | undefined> {
  const { skuId, price, quantity, archived, updatedMs } = offer;
  const judgement =
    offer.judgement?.rules === knowledge.tag
      ? offer.judgement
      : await judgeNow(context, { accountId, skuId }, knowledge);
  if (judgement === undefined) return undefined;
  const document = readJudgedDocument(offer.document);
  const named = document.product_type_id ?? document.marketplace_browse_node_id;
  const id = named ?? readId(offer.categoryId ?? '');
  return {
    skuId,
    title: document.product_title,
    brand: document.brand,
    image: document.main_image_url,
    judgement,
    category: id === undefined ? null : { id, name: knowledge.taxonomy.node(id)?.name ?? null },
    price,
    quantity,
    archived,
    updatedMs,
  };
}

async function judgeNow(
  { store }: WatchContext,
  key: { readonly accountId: number; readonly skuId: string },
  knowledge: TaggedKnowledge,
): Promise<Judgement | undefined> {
  const offer = await store.offers.readOffer(key);
  return offer && judgeOffer(factsOf(offer), knowledge, evidenceOf(offer));
}

function fits({ judgement }: OfferRow, { status, subStatus }: Omit<OfferListRequest, 'limits'>): boolean {
  if (status !== undefined && judgement.status !== status) return false;
  return subStatus === undefined || judgement.subStatuses.includes(subStatus);
}
