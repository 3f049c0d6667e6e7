/**
 * Use case: a merchant's user changes many offers at once: selected offers, or all that match a filter. The change
 * becomes a bulk file with a row per offer, so progress, errors, retries and restarts work as for any file.
 *
 * New prices are computed when the file is created. A price that changes meanwhile is kept, because the number of the file is drawn first.
 */
import type { Account } from '../../domain/account.ts';
import type { OffersChange } from '../../domain/bodies/offers-change.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { OfferFilter } from '../../domain/offers/offer-list.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { fieldProblem } from '../../domain/problem.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import type { ListedOffer } from '../../store/port/offer-list.ts';
import type { Context } from '../context.ts';
import type { FileContext } from '../files/file-context.ts';
import type { HistoryContext } from '../history/read-history.ts';
import { bodyBefore } from '../offers/restore.ts';
import { type ChangedOffers, type ChangeRow, rowsForFile, submitChange, uploadRows } from './change-file.ts';
import { offerPages } from './offer-pages.ts';
import type { ViewContext } from './view-context.ts';

/** Why a change does not apply to an offer. */
export const SKIP_REASONS = ['archived', 'not_archived', 'no_price', 'price_too_low', 'price_too_high'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export interface ChangeContext {
  readonly context: Pick<Context, 'bodies'>;
  readonly views: ViewContext;
  readonly history: Pick<HistoryContext, 'store'>;
  readonly files: FileContext;
}

export async function changeOffers(
  { context, views, history, files }: ChangeContext,
  account: Account,
  filter: OfferFilter,
  body: SentBody,
): Promise<Outcome<ChangedOffers>> {
  const checked = checkChange(context, account, body);
  if (!checked.ok) return checked;
  const change = checked.value;
  const count = { offers: 0, skipped: 0 };
  const uploaded = await uploadRows(files, account, planChange(views, account, filter, change), count);
  if (!uploaded.ok) return uploaded;
  if (uploaded.value === undefined) return accept({ ...count, file: undefined }, checked.ignored);
  const { fileId } = uploaded.value;
  const stockCount = { offers: 0, skipped: 0 };
  // Read before the flags are submitted: afterwards, the offers are no longer archived.
  const stock =
    change.change === 'unarchive' && change.restore_stock === true
      ? await uploadRows(files, account, archivedStock({ history, files }, account, fileId), stockCount)
      : accept(undefined);
  if (!stock.ok) return stock;
  const received = await submitChange(
    files,
    account,
    { ...uploaded.value, type: FILE_TYPES[change.change], name: nameOf(titleOf(change), count) },
    stock.value === undefined ? undefined : { ...stock.value, name: nameOf('Restore stock', stockCount) },
  );
  return received.ok ? accept({ ...count, file: received.value }, checked.ignored) : received;
}

export function checkChange(
  { bodies }: ChangeContext['context'],
  account: Account,
  body: SentBody,
): Outcome<OffersChange> {
  const checked = bodies.offersChange(body);
  if (!checked.ok || checked.value.change !== 'set_stock') return checked;
  if (account.nodes.has(checked.value.fulfillment_node_id ?? '')) return checked;
  const rule = 'must be one of your fulfillment nodes';
  return refuse([fieldProblem('fulfillment_node_unknown', ['fulfillment_node_id'], rule)]);
}

/** What the change does to an offer: the body of the single call, or why the offer is skipped. */
export interface PlannedRow extends ChangeRow {
  readonly offer: ListedOffer;
  readonly skipped?: SkipReason;
}

/** Yields what the change does to each offer. The file and the preview both come from here. */
export async function* planChange(
  views: ViewContext,
  account: Account,
  filter: OfferFilter,
  change: OffersChange,
): AsyncGenerator<readonly PlannedRow[]> {
  const pages = chosenOffers(views, account, filter, change.skus);
  for await (const page of pages) yield page.map((offer) => rowOf(offer, change));
}

/** Yields the stock that the offers of an uploaded file had before they were archived. */
function archivedStock(
  { history, files }: Pick<ChangeContext, 'history' | 'files'>,
  { accountId }: Account,
  fileId: string,
) {
  return rowsForFile(files, { accountId, fileId }, async (skuIds) => {
    const found = await history.store.readArchivedStock(accountId, skuIds);
    return found.map(({ skuId, before }) => ({ skuId, body: bodyBefore(before) }));
  });
}

function nameOf(title: string, { offers }: { readonly offers: number }): string {
  return `${title} (${offers} ${offers === 1 ? 'offer' : 'offers'})`;
}

/** Yields the offers with these SKUs, or all that match the filter. */
export function chosenOffers(
  views: ViewContext,
  account: Account,
  filter: OfferFilter,
  skus: readonly string[] | undefined,
): AsyncGenerator<readonly ListedOffer[]> {
  return skus === undefined ? matching(views, account, filter) : selected(views, account, skus);
}

async function* matching(views: ViewContext, account: Account, filter: OfferFilter) {
  // Offers are read in upload order. No change affects this order, so every offer is read once.
  const pages = await offerPages(views, account, { ...filter, sort: 'oldest' });
  if (!pages.ok) throw new Error('The offer list in order of upload was refused.');
  for await (const page of pages.value) yield page.map(({ offer }) => offer);
}

async function* selected({ store }: ViewContext, { accountId }: Account, skus: readonly string[]) {
  yield await store.offerList.readListed(accountId, [...new Set(skus)]);
}

const FILE_TYPES: Readonly<Record<OffersChange['change'], FileType>> = Object.freeze({
  set_price: 'Price',
  add_to_price: 'Price',
  add_percent_to_price: 'Price',
  set_stock: 'Inventory',
  archive: 'Archive',
  unarchive: 'Archive',
});

function rowOf(offer: ListedOffer, change: OffersChange): PlannedRow {
  const { skuId } = offer;
  const planned = bodyOf(offer, change);
  return typeof planned === 'string'
    ? { offer, skuId, body: undefined, skipped: planned }
    : { offer, skuId, body: planned };
}

function bodyOf(
  { archived, price, priceNodes }: ListedOffer,
  { change, amount = 0, ...stock }: OffersChange,
): object | SkipReason {
  if (change === 'archive' || change === 'unarchive') {
    const is_archived = change === 'archive';
    return archived === is_archived ? (archived ? 'archived' : 'not_archived') : { is_archived };
  }
  if (archived) return 'archived';
  if (change === 'set_stock') {
    const { fulfillment_node_id, quantity } = stock;
    return { fulfillment_nodes: [{ fulfillment_node_id, quantity }] };
  }
  if (change === 'set_price') return { price: amount };
  if (price === null) return 'no_price';
  const changed = (before: number) =>
    cents(change === 'add_to_price' ? before + amount : (before * (100 + amount)) / 100);
  const nodes = priceNodes.map((node) => ({
    ...node,
    fulfillment_node_price: changed(node.fulfillment_node_price),
  }));
  const prices = [changed(price), ...nodes.map((node) => node.fulfillment_node_price)];
  if (prices.some((each) => each < LIMITS.amount_min)) return 'price_too_low';
  if (prices.some((each) => each > LIMITS.amount_max)) return 'price_too_high';
  return { price: changed(price), ...(nodes.length === 0 ? {} : { fulfillment_nodes: nodes }) };
}

/** Half a cent rounds up. In binary, 1.15 plus 10 % is slightly less than 1.265, so the last digits are rounded first. */
function cents(price: number): number {
  return Math.round(Number((price * 100).toPrecision(15))) / 100;
}

function titleOf({ change, amount = 0, fulfillment_node_id, quantity }: OffersChange): string {
  const signed = `${amount < 0 ? '' : '+'}${amount}`;
  const titles = {
    set_price: `Set price to ${amount}`,
    add_to_price: `Change price by ${signed}`,
    add_percent_to_price: `Change price by ${signed}%`,
    set_stock: `Set stock at ${fulfillment_node_id} to ${quantity}`,
    archive: 'Archive',
    unarchive: 'Unarchive',
  };
  return titles[change];
}
