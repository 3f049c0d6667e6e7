/**
 * Use case: a merchant's user changes many offers at once: selected offers, or all that match a filter. The change
 * becomes a bulk file with a row per offer, so progress, errors, retries and restarts work as for any file.
 *
 * New prices are computed when the file is created. A price that changes at the same time may be overwritten.
 */
import type { Account } from '../../domain/account.ts';
import type { OffersChange } from '../../domain/bodies/offers-change.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { fieldProblem } from '../../domain/problem.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import type { BulkFile } from '../../store/port/files.ts';
import type { ListedOffer, OfferFilter } from '../../store/port/offer-list.ts';
import type { NodePrice } from '../../store/port/offers.ts';
import type { Context } from '../context.ts';
import type { FileContext } from '../files/file-context.ts';
import { receiveFile } from '../files/receive-file.ts';
import { requestUpload } from '../files/request-upload.ts';
import { takeUpload } from '../files/take-upload.ts';
import { offerPages } from './offer-pages.ts';
import type { WatchContext } from './watch-context.ts';

export interface ChangeContext {
  readonly context: Pick<Context, 'bodies'>;
  readonly watch: WatchContext;
  readonly files: FileContext;
}

export interface ChangedOffers {
  /** Rows of the file. */
  readonly offers: number;
  /** Offers that the change does not apply to, such as archived offers for a new price. */
  readonly skipped: number;
  /** The bulk file; undefined if the change applies to no offer. */
  readonly file: BulkFile | undefined;
}

/** A row of the bulk file; `body` is that of the single call, undefined if the change does not apply to the offer. */
export interface ChangeRow {
  readonly skuId: string;
  readonly body: object | undefined;
}

export async function changeOffers(
  { context, watch, files }: ChangeContext,
  account: Account,
  filter: OfferFilter,
  body: SentBody,
): Promise<Outcome<ChangedOffers>> {
  const checked = context.bodies.offersChange(body);
  if (!checked.ok) return checked;
  const change = checked.value;
  const { fulfillment_node_id: nodeId } = change;
  if (change.change === 'set_stock' && !account.nodes.has(nodeId ?? '')) {
    const rule = 'must be one of your fulfillment nodes';
    return refuse([fieldProblem('fulfillment_node_unknown', ['fulfillment_node_id'], rule)]);
  }
  const count = { offers: 0, skipped: 0 };
  const pages = change.skus === undefined ? matching(watch, account, filter) : selected(watch, account, change.skus);
  const uploaded = await uploadRows(files, account, rowsOf(pages, change), count);
  if (!uploaded.ok) return uploaded;
  if (uploaded.value === undefined) return accept({ ...count, file: undefined }, checked.ignored);
  const file = {
    file_type: FILE_TYPES[change.change],
    file_name: `${titleOf(change)} (${count.offers} ${count.offers === 1 ? 'offer' : 'offers'})`,
  };
  const received = await receiveFile(files, account, uploaded.value, file);
  return received.ok ? accept({ ...count, file: received.value }, checked.ignored) : received;
}

/** Stores the rows as a bulk file with a row per line, and counts them. Returns its id; undefined without rows. */
export async function uploadRows(
  files: FileContext,
  account: Account,
  pages: AsyncIterable<readonly ChangeRow[]>,
  count = { offers: 0, skipped: 0 },
): Promise<Outcome<string | undefined>> {
  const texts = rowTexts(pages, count);
  const first = await texts.next();
  if (first.done) return accept(undefined);
  const fileId = await requestUpload(files, account);
  const chunks = fileText(first.value, texts);
  const taken = await takeUpload(files, account, fileId, { announcedBytes: undefined, chunks });
  return taken.ok ? accept(fileId) : taken;
}

async function* matching(watch: WatchContext, account: Account, filter: OfferFilter) {
  // Offers are read in upload order. No change affects this order, so every offer is read once.
  const pages = await offerPages(watch, account, { ...filter, sort: 'oldest' });
  if (!pages.ok) throw new Error('The offer list in order of upload was refused.');
  for await (const page of pages.value) yield page.map(({ offer }) => offer);
}

async function* selected({ store }: WatchContext, { accountId }: Account, skus: readonly string[]) {
  yield await store.offerList.readListed(accountId, [...new Set(skus)]);
}

async function* rowsOf(pages: AsyncIterable<readonly ListedOffer[]>, change: OffersChange) {
  for await (const page of pages) yield page.map((offer) => ({ skuId: offer.skuId, body: bodyOf(offer, change) }));
}

/** Yields the rows of each page as text, and skips pages without rows. */
async function* rowTexts(
  pages: AsyncIterable<readonly ChangeRow[]>,
  count: { offers: number; skipped: number },
): AsyncGenerator<string, undefined> {
  for await (const page of pages) {
    const rows = page.filter(({ body }) => body !== undefined);
    count.offers += rows.length;
    count.skipped += page.length - rows.length;
    if (rows.length > 0)
      yield rows.map(({ skuId, body }) => `${JSON.stringify(skuId)}:${JSON.stringify(body)}`).join(',\n');
  }
}

async function* fileText(first: string, others: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`{${first}`);
  for await (const rows of others) yield Buffer.from(`,\n${rows}`);
  yield Buffer.from('}\n');
}

const FILE_TYPES: Readonly<Record<OffersChange['change'], FileType>> = Object.freeze({
  set_price: 'Price',
  add_to_price: 'Price',
  add_percent_to_price: 'Price',
  set_stock: 'Inventory',
  archive: 'Archive',
  unarchive: 'Archive',
});

/** Returns the body of the single call; undefined if the change does not apply. */
function bodyOf({ archived, price, priceNodes }: ListedOffer, { change, amount = 0, ...stock }: OffersChange) {
  if (change === 'archive' || change === 'unarchive') {
    const is_archived = change === 'archive';
    return archived === is_archived ? undefined : { is_archived };
  }
  if (archived) return undefined;
  if (change === 'set_stock') {
    const { fulfillment_node_id, quantity } = stock;
    return { fulfillment_nodes: [{ fulfillment_node_id, quantity }] };
  }
  if (change === 'set_price') return { price: amount };
  if (price === null) return undefined;
  const changed = (before: number) =>
    cents(change === 'add_to_price' ? before + amount : (before * (100 + amount)) / 100);
  const nodes = (JSON.parse(priceNodes) as NodePrice[]).map((node) => ({
    ...node,
    fulfillment_node_price: changed(node.fulfillment_node_price),
  }));
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
