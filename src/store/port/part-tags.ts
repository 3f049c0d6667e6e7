/**
 * Computes the tags of the parts of an offer, of settings and of catalog products: hashes of what was sent, as stored. A tag is the same
 * on every engine, in every process and for all configured names, and changes only with the content (docs/decisions/0036).
 */
import { hash } from 'node:crypto';
import type { FulfillmentNode, Returns } from '../../domain/account.ts';
import { type Awaitable, whenThere } from '../../domain/awaitable.ts';
import type { Part, PartWrite, ReadingOf, Source, SourceOf, ValueOf } from '../../domain/offers/part.ts';
import { quantitiesText } from '../../domain/offers/parts/inventory.ts';
import { PART, PARTS_IN_OFFER } from '../../domain/offers/parts.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { OfferPart } from '../../domain/vocabulary/offer-parts.ts';
import type { Lookup, OfferStore, SkuKey, TagScope } from './offers.ts';

const SHORT_LENGTH_MAX = 200;
const SHORT_TAGS_MAX = 20_000;
/** Cached tags of short texts, such as prices and stock: they repeat, and hashing takes up to a quarter of the time of a read. */
const shortTags = new Map<string, string>();

/** Returns the tag of JSON text: a document, or shipping exceptions. SHA-1 takes half the time of SHA-256 here, and guards no secret. */
export function textTag(text: string): string {
  return hash('sha1', text, 'base64url');
}

function shortTag(text: string): string {
  if (text.length > SHORT_LENGTH_MAX) return textTag(text);
  const known = shortTags.get(text);
  if (known !== undefined) return known;
  const tag = textTag(text);
  if (shortTags.size === SHORT_TAGS_MAX) shortTags.clear();
  shortTags.set(text, tag);
  return tag;
}

/** Returns the tag of a value; null if it has none. */
function tagOf<Name extends OfferPart>(part: Part<Name>, value: ValueOf<Name>): string | null {
  const text = part.taggedText(value);
  return text === null ? null : shortTag(text);
}

export const priceTag = (price: ValueOf<'price'>): string | null => tagOf(PART.price, price);
export const inventoryTag = (stock: ReadingOf<'inventory'>): string | null => tagOf(PART.inventory, stock);
export const groupTag = (group: ValueOf<'variation'>): string | null => tagOf(PART.variation, group);

/** The same as `inventoryTag`, for nodes as SQLite stores them. */
export function quantitiesTag(nodes: Parameters<typeof quantitiesText>[0]): string | null {
  const text = quantitiesText(nodes);
  return text === null ? null : shortTag(text);
}

/** The tag of a merchant's return settings. */
export function returnSettingsTag({ timeToReturnDays, returnShippingMethods }: Returns): string {
  return textTag(JSON.stringify([timeToReturnDays, returnShippingMethods]));
}

export function noteTag(note: string): string {
  return textTag(JSON.stringify(note));
}

export function nodeTag({ rateKind, methods, levels }: FulfillmentNode): string {
  return textTag(JSON.stringify([rateKind, methods, levels]));
}

/** The category is text, because an id may be beyond 2^53. */
export function productTag({ brand, title, categoryId, sameAs }: KnownProduct): string {
  return textTag(JSON.stringify([brand, title, categoryId === null ? null : String(categoryId), sameAs]));
}

type TagReads = Pick<OfferStore, 'readReviewedOffer' | 'readPrice' | 'readInventory'>;

type Stored = SourceOf<OfferPart>;

/** Reads what has the part. */
export function readSource(reads: TagReads, key: SkuKey, source: Source): Awaitable<Lookup<Stored>> {
  if (source === 'price') return reads.readPrice(key);
  const found = source === 'inventory' ? reads.readInventory(key) : reads.readReviewedOffer(key);
  return whenThere<Stored | undefined, Lookup<Stored>>(found, (stored) => stored ?? 'unknown');
}

/** Reads the tag that the precondition of a write of this kind is compared with; null if the part is not set. */
export function readTag(
  reads: TagReads,
  key: SkuKey,
  part: PartWrite['part'],
  scope: TagScope = 'part',
): Awaitable<string | null> {
  if (scope === 'offer') return readOfferTag(reads, key);
  return whenThere(readSource(reads, key, PART[part].source), (found) => tagIn(PART[part], found));
}

/**
 * Reads the tag of a whole offer: a hash of the tags of all parts that `PUT …/offer` writes, in this order. Null if there is no such SKU.
 * All reads begin before the first result, so that they share one round trip.
 */
function readOfferTag(reads: TagReads, key: SkuKey): Awaitable<string | null> {
  const reading = {
    offer: readSource(reads, key, 'offer'),
    price: reads.readPrice(key),
    stock: readSource(reads, key, 'inventory'),
  };
  return whenThere(reading.offer, (offer) =>
    whenThere(reading.price, (price) =>
      whenThere(reading.stock, (inventory) => {
        if (offer === 'unknown') return null;
        return offerTagIn({ offer, price, inventory });
      }),
    ),
  );
}

/** Returns the tag of a whole offer. */
export function offerTagIn(found: Readonly<Record<Source, Lookup<Stored>>>): string {
  return textTag(JSON.stringify(PARTS_IN_OFFER.map((part) => tagIn(part, found[part.source]))));
}

/** Returns the tag of a part after this write; undefined if it depends on stored data too. */
export function writtenTag(write: PartWrite): string | null | undefined {
  const part: Part = PART[write.part];
  if (part.written === undefined) return undefined;
  const value = part.written(write);
  return value === null ? null : tagOf(part, value);
}

/** Returns the tag of a part; null if it is not set. */
export function tagIn(part: Part, found: Lookup<Stored>): string | null {
  if (typeof found === 'string') return null;
  if (part.storedTag !== undefined) return part.storedTag(found);
  const value = part.valueIn(found);
  return value === null ? null : tagOf(part, value);
}
