/** Use cases: a merchant's user lists, searches and counts its offers, and looks up the parent of one. */
import type { Account } from '../../domain/account.ts';
import type { Int64 } from '../../domain/int64.ts';
import { readId } from '../../domain/int64.ts';
import { LIST_LIMITS, type OfferFilter } from '../../domain/offers/offer-list.ts';
import { refuseUnknown } from '../../domain/offers/write-state.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { evaluateOffer } from '../../domain/review/review-offer.ts';
import { readReviewedDocument } from '../../domain/review/reviewed-document.ts';
import type { Verdict } from '../../domain/vocabulary/statuses.ts';
import {
  DUE_COUNTED_MAX,
  type ListedOffer,
  type OfferListPage,
  type OfferListRequest,
  type OfferTotal,
} from '../../store/port/offer-list.ts';
import { factsOf, reviewKnowledge, type TaggedKnowledge } from '../review-knowledge.ts';
import type { ViewContext } from './view-context.ts';

export interface OfferRow extends Pick<ListedOffer, 'skuId' | 'price' | 'quantity' | 'archived' | 'updatedMs'> {
  readonly title: string;
  readonly brand: string;
  readonly image: string;
  readonly verdict: Verdict;
  /** The name is null when the current taxonomy does not have the category. */
  readonly category: { readonly id: Int64; readonly name: string | null } | null;
}

export type ListRequest = Omit<OfferListRequest, 'limits'>;

export interface Page<T> extends Pick<OfferListPage, 'next' | 'held'> {
  readonly offers: readonly T[];
}

/** An offer of the list with its current verdict. */
export interface CurrentOffer {
  readonly offer: ListedOffer;
  readonly verdict: Verdict;
}

export async function listOffers(
  context: ViewContext,
  account: Account,
  request: ListRequest,
): Promise<Outcome<Page<OfferRow>>> {
  const { taxonomy } = reviewKnowledge(context.rules, account);
  const page = await listCurrent(context, account, request);
  if (!page.ok) return page;
  return accept({ ...page.value, offers: page.value.offers.map((each) => rowOf(each, taxonomy)) });
}

/**
 * Lists offers with their current status and sub-statuses, which come from the stored verdict while it is valid and otherwise from a new
 * review. Offers are found by their stored verdict, and left out if the current one no longer matches.
 */
export async function listCurrent(
  context: ViewContext,
  account: Account,
  request: ListRequest,
): Promise<Outcome<Page<CurrentOffer>>> {
  const { accountId } = account;
  const found = await context.store.offerList.listOffers(accountId, { ...request, limits: LIST_LIMITS });
  if (found.isTooMany) {
    const offers = (LIST_LIMITS.sorted_max * LIST_LIMITS.sorted_runs_max).toLocaleString('en-US');
    const text = `Too many offers to sort this way (${offers} or more). Filter by status or category, or choose another order.`;
    return refuseRequest('sort_too_many', text);
  }
  const { offers, ...page } = found;
  const current = await currentOffers(context, account, offers);
  return accept({ ...page, offers: current.filter(({ verdict }) => fits(verdict, request)) });
}

/** Leaves out offers that were erased in the meantime. */
export async function currentOffers(
  context: ViewContext,
  account: Account,
  listed: readonly ListedOffer[],
): Promise<readonly CurrentOffer[]> {
  const knowledge = reviewKnowledge(context.rules, account);
  const current = await Promise.all(listed.map((offer) => currentOf(context, account.accountId, offer, knowledge)));
  return current.filter((offer) => offer !== undefined);
}

/**
 * Counts matching offers. The counts of all offers, of a status and of a sub-status are stored. Other filters are counted up to a limit.
 */
export async function countOffers(
  { store }: ViewContext,
  { accountId }: Account,
  filter: OfferFilter,
): Promise<OfferTotal> {
  const { words, status, subStatus, categoryId, inStock, archived, upcoming } = filter;
  const isCounted =
    words.length === 0 && [categoryId, inStock, archived, upcoming].every((value) => value === undefined);
  if (!isCounted || (status !== undefined && subStatus !== undefined)) {
    return store.offerList.countOffers(accountId, filter, LIST_LIMITS);
  }
  const counts = await store.offerList.readOfferCounts(accountId);
  if (status !== undefined) return { offers: counts.byStatus.get(status) ?? 0, isMore: false };
  if (subStatus !== undefined) return { offers: counts.bySubStatus.get(subStatus) ?? 0, isMore: false };
  const offers = counts.byStatus.values().reduce((sum, each) => sum + each, counts.unreviewed);
  return { offers, isMore: counts.due === DUE_COUNTED_MAX };
}

/** Returns undefined if the offer was erased in the meantime. */
async function currentOf(
  { store }: ViewContext,
  accountId: number,
  offer: ListedOffer,
  knowledge: TaggedKnowledge,
): Promise<CurrentOffer | undefined> {
  if (offer.verdict?.rules === knowledge.tag) return { offer, verdict: offer.verdict };
  const stored = await store.offers.readOffer({ accountId, skuId: offer.skuId });
  return stored && { offer, verdict: evaluateOffer(factsOf(stored), knowledge, stored.evidence) };
}

export function rowOf({ offer, verdict }: CurrentOffer, taxonomy: TaggedKnowledge['taxonomy']): OfferRow {
  const { skuId, price, quantity, archived, updatedMs } = offer;
  const document = readReviewedDocument(offer.document);
  const named = document.product_type_id ?? document.marketplace_browse_node_id;
  const id = named ?? readId(offer.categoryId ?? '');
  return {
    skuId,
    title: document.product_title,
    brand: document.brand,
    image: document.main_image_url,
    verdict,
    category: id === undefined ? null : { id, name: taxonomy.node(id)?.name ?? null },
    price,
    quantity,
    archived,
    updatedMs,
  };
}

function fits(verdict: Verdict, { status, subStatus }: ListRequest): boolean {
  if (status !== undefined && verdict.status !== status) return false;
  return subStatus === undefined || verdict.subStatuses.includes(subStatus);
}

/** Returns the parent of an offer's variation group; null for an offer that is not a child, such as a parent. */
export async function readGroupParent(
  { store }: ViewContext,
  { accountId }: Account,
  skuId: string,
): Promise<Outcome<string | null>> {
  const parent = await store.offerList.readGroupParent(accountId, skuId);
  return parent === undefined ? refuseUnknown(skuId) : accept(parent);
}
