/** Use case: a merchant's user sees what a change to many offers would do. Nothing is stored. */
import type { Account } from '../../domain/account.ts';
import type { OffersChange } from '../../domain/bodies/offers-change.ts';
import type { SentBody } from '../../domain/body-text.ts';
import type { OfferFilter } from '../../domain/offers/offer-list.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { readReviewedDocument } from '../../domain/review/reviewed-document.ts';
import { type ChangeContext, checkChange, type PlannedRow, planChange, type SkipReason } from './change-offers.ts';

/** A value is the price, or the stock: at the node of the change, otherwise at all nodes. */
export interface PreviewedOffer {
  readonly skuId: string;
  readonly title: string;
  /** Null if it is not set. */
  readonly before: number | null;
  readonly after: number;
}

const EXAMPLES = 5;

type PreviewContext = Pick<ChangeContext, 'context' | 'views' | 'history'>;

/** Accounts for which this process reads a preview. */
const previewing = new Set<number>();

/**
 * `http/portal/offers.ts` describes the values. Stops reading when `gone` is aborted. An account has one preview at a time, because it
 * reads all matching offers.
 */
export async function previewOffersChange(
  contexts: PreviewContext,
  account: Account,
  filter: OfferFilter,
  body: SentBody,
  gone: AbortSignal,
) {
  const checked = checkChange(contexts.context, account, body);
  if (!checked.ok) return checked;
  const read = () => readPreview(contexts, account, filter, checked.value, gone);
  return onlyPreview(account, read, checked.ignored);
}

/** Refuses the preview while the account has another one. */
export async function onlyPreview<T>(
  { accountId }: Account,
  read: () => Promise<T>,
  ignored: readonly string[],
): Promise<Outcome<T>> {
  if (previewing.has(accountId)) {
    return refuseRequest('previews_too_many', 'Another preview is being prepared. Wait for it to finish.');
  }
  previewing.add(accountId);
  try {
    return accept(await read(), ignored);
  } finally {
    previewing.delete(accountId);
  }
}

async function readPreview(
  contexts: PreviewContext,
  account: Account,
  filter: OfferFilter,
  change: OffersChange,
  gone: AbortSignal,
) {
  const skipped = new Map<SkipReason, number>();
  const first: PlannedRow[] = [];
  const range = new PriceRange();
  let offers = 0;
  for await (const page of planChange(contexts.views, account, filter, change)) {
    if (gone.aborted) break;
    for (const row of page) {
      if (row.skipped !== undefined) {
        skipped.set(row.skipped, (skipped.get(row.skipped) ?? 0) + 1);
        continue;
      }
      offers += 1;
      if (first.length < EXAMPLES) first.push(row);
      range.add(row);
    }
  }
  const examples = await Promise.all(first.map((row) => previewed(contexts, account, change, row)));
  return { offers, skipped, examples, prices: range.preview(change) };
}

/** Finds the lowest and the highest new price, and the largest change. */
class PriceRange {
  #lowest: PlannedRow | undefined;
  #highest: PlannedRow | undefined;
  #percentMax = 0;

  /** Ignores rows without a price. */
  add(row: PlannedRow): void {
    const after = newPrice(row);
    if (after === undefined) return;
    if (this.#lowest === undefined || after < (newPrice(this.#lowest) ?? 0)) this.#lowest = row;
    if (this.#highest === undefined || after > (newPrice(this.#highest) ?? 0)) this.#highest = row;
    const { price: before } = row.offer;
    if (before !== null) this.#percentMax = Math.max(this.#percentMax, (Math.abs(after - before) / before) * 100);
  }

  preview({ change, amount = 0 }: OffersChange) {
    if (this.#lowest === undefined || this.#highest === undefined) return undefined;
    // Rounding to cents makes 30 % of a small price more or less than 30 %.
    const percentMax = change === 'add_percent_to_price' ? Math.abs(amount) : Math.round(this.#percentMax * 100) / 100;
    return { lowest: pricePreview(this.#lowest), highest: pricePreview(this.#highest), percentMax };
  }
}

function newPrice({ body }: PlannedRow): number | undefined {
  return (body as { readonly price?: number } | undefined)?.price;
}

function pricePreview(row: PlannedRow): PreviewedOffer {
  return { ...named(row), before: row.offer.price, after: newPrice(row) ?? 0 };
}

async function previewed(
  { views, history }: Pick<ChangeContext, 'views' | 'history'>,
  { accountId }: Account,
  { change, fulfillment_node_id, quantity = 0, restore_stock }: OffersChange,
  row: PlannedRow,
): Promise<PreviewedOffer> {
  const { skuId, offer } = row;
  switch (change) {
    case 'archive':
      return { ...named(row), before: offer.quantity, after: 0 };
    case 'unarchive': {
      const stock = restore_stock ? await history.store.readArchivedStock(accountId, [skuId]) : [];
      return { ...named(row), before: offer.quantity, after: stock.reduce((sum, each) => sum + stockIn(each), 0) };
    }
    case 'set_stock': {
      const stored = await views.store.offers.readInventory({ accountId, skuId });
      const node = stored?.nodes.find((each) => each.fulfillment_node_id === fulfillment_node_id);
      return { ...named(row), before: node?.quantity ?? null, after: quantity };
    }
    default:
      return pricePreview(row);
  }
}

function stockIn({
  before,
}: Awaited<ReturnType<ChangeContext['history']['store']['readArchivedStock']>>[number]): number {
  return before.part === 'inventory' ? before.nodes.reduce((sum, node) => sum + (node.before ?? 0), 0) : 0;
}

function named({ skuId, offer }: PlannedRow): Pick<PreviewedOffer, 'skuId' | 'title'> {
  return { skuId, title: readReviewedDocument(offer.document).product_title };
}
