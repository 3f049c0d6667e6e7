/**
 * Computes the tags of the parts of an offer, of settings and of catalog products: hashes of what was sent, as stored. A tag is the same
 * on every engine, in every process and for all configured names, and changes only with the content (docs/decisions/0036).
 */
import { hash } from 'node:crypto';
import type { FulfillmentNode, Returns } from '../../domain/account.ts';
import { type Awaitable, whenThere } from '../../domain/awaitable.ts';
import type { GroupUpload, InventoryReading, PartWrite, ShownOffer, StoredPrice } from '../../domain/offers/part.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { Lookup, OfferStore, SkuKey, TagScope } from './offers.ts';

const SHORT_LENGTH_MAX = 200;
const SHORT_TAGS_MAX = 20_000;
/** Cached tags of prices and stock: their texts repeat, and hashing takes up to a quarter of the time of a read. */
const shortTags = new Map<string, string>();

/** Returns the tag of JSON text: a document, or shipping exceptions. SHA-1 takes half the time of SHA-256 here, and guards no secret. */
export function textTag(text: string): string {
  return hash('sha1', text, 'base64url');
}

function shortTag(text: string): string {
  const known = shortTags.get(text);
  if (known !== undefined) return known;
  const tag = textTag(text);
  if (shortTags.size === SHORT_TAGS_MAX) shortTags.clear();
  if (text.length <= SHORT_LENGTH_MAX) shortTags.set(text, tag);
  return tag;
}

export function priceTag({ price, nodes }: Pick<StoredPrice, 'price' | 'nodes'>): string {
  return shortTag(`${price} ${nodes.length === 0 ? '[]' : JSON.stringify(nodes)}`);
}

/** Returns the tag of the quantities, without their times; null if no quantity was sent. */
export function inventoryTag({ nodes }: InventoryReading): string | null {
  return quantitiesTag(nodes.map(({ fulfillment_node_id: id, quantity }) => [id, quantity]));
}

export function quantitiesTag(
  nodes: readonly (readonly [id: string, quantity: number, ...unknown[]])[],
): string | null {
  if (nodes.length === 0) return null;
  let text = '';
  for (const [id, quantity] of nodes) text += `${JSON.stringify(id)}:${quantity},`;
  return shortTag(text);
}

export function returnsTag(locationIds: readonly string[]): string {
  return textTag(JSON.stringify(locationIds));
}

/** The tag of a merchant's return settings. */
export function returnSettingsTag({ timeToReturnDays, returnShippingMethods }: Returns): string {
  return textTag(JSON.stringify([timeToReturnDays, returnShippingMethods]));
}

export function nodeTag({ rateKind, methods, levels }: FulfillmentNode): string {
  return textTag(JSON.stringify([rateKind, methods, levels]));
}

/** The category is text, because an id may be beyond 2^53. */
export function productTag({ brand, title, categoryId }: KnownProduct): string {
  return textTag(JSON.stringify([brand, title, categoryId === null ? null : String(categoryId)]));
}

export function groupTag({ refinements, title, childrenSkus }: GroupUpload): string {
  return textTag(`[${refinements},${JSON.stringify(title)},${JSON.stringify(childrenSkus)}]`);
}

type TagReads = Pick<OfferStore, 'readReviewedOffer' | 'readPrice' | 'readInventory'>;

/** Reads the tag that the precondition of a write of this kind is compared with; null if the part is not set. */
export function readTag(
  reads: TagReads,
  key: SkuKey,
  kind: PartWrite['kind'],
  scope: TagScope = 'part',
): Awaitable<string | null> {
  if (scope === 'offer') return readOfferTag(reads, key);
  if (kind === 'price') return whenThere(reads.readPrice(key), tagOfPrice);
  if (kind === 'inventory') return whenThere(reads.readInventory(key), tagOfStock);
  return whenThere(reads.readReviewedOffer(key), (offer) => (offer === undefined ? null : tagIn(offer, kind)));
}

/**
 * Reads the tag of a whole offer: a hash of the tags of all parts that `PUT …/offer` writes, in this order. Null if there is no such SKU.
 * All reads begin before the first result, so that they share one round trip.
 */
function readOfferTag(reads: TagReads, key: SkuKey): Awaitable<string | null> {
  const offer = reads.readReviewedOffer(key);
  const price = reads.readPrice(key);
  const stock = reads.readInventory(key);
  return whenThere(offer, (found) =>
    whenThere(price, (priced) =>
      whenThere(stock, (stocked) => {
        if (found === undefined) return null;
        const { documentTag } = found;
        const exceptions = [tagIn(found, 'shipping_exception'), tagIn(found, 'returns_exception')];
        return textTag(JSON.stringify([documentTag, tagOfPrice(priced), tagOfStock(stocked), ...exceptions]));
      }),
    ),
  );
}

function tagOfPrice(found: Lookup<StoredPrice>): string | null {
  return typeof found === 'object' ? priceTag(found) : null;
}

function tagOfStock(stock: InventoryReading | undefined): string | null {
  return stock === undefined ? null : inventoryTag(stock);
}

/** Returns the tag of a part after this write; undefined if it depends on stored data too. */
export function writtenTag(write: PartWrite): string | null | undefined {
  switch (write.kind) {
    case 'sku':
      return textTag(write.document);
    case 'price':
      return priceTag(write);
    case 'shipping_exception':
      return write.exceptions && textTag(write.exceptions);
    case 'returns_exception':
      return write.locationIds && returnsTag(write.locationIds);
    case 'variation':
      return groupTag(write.group);
    case 'inventory':
    case 'archive':
      return undefined;
  }
}

/** Returns the tag of a part. The archive flag has no tag of its own, so it uses the tag of the SKU. */
function tagIn(offer: ShownOffer, kind: Exclude<PartWrite['kind'], 'price' | 'inventory'>): string | null {
  const { documentTag, shippingExceptions, returnLocationIds, group } = offer;
  switch (kind) {
    case 'sku':
    case 'archive':
      return documentTag;
    case 'shipping_exception':
      return shippingExceptions && textTag(shippingExceptions);
    case 'returns_exception':
      return returnLocationIds && returnsTag(returnLocationIds);
    case 'variation':
      return group && groupTag(group);
  }
}
