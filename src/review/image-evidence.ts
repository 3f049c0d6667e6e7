/**
 * In charge of what is known of the pictures of some offers, in one call for all of them, and of those that are to be
 * fetched. A picture is looked at once for all offers that show it.
 */
import type { KnownImage, OfferFacts } from '../domain/review/facts.ts';
import type { ImageEvidence } from '../domain/vocabulary/image-checks.ts';
import { imageAddresses } from '../operations/stored-facts.ts';
import type { ImageStore } from '../store/review-port.ts';
import { rejudged } from './images/look-at-image.ts';
import type { PlaceholderList } from './images/placeholder-list.ts';

export interface PicturedOffer {
  readonly skuId: string;
  readonly facts: OfferFacts;
}

export interface ImageLookUp {
  /** By address, for each offer in order. */
  readonly found: readonly Readonly<Record<string, KnownImage>>[];
  readonly wanted: readonly { readonly skuId: string; readonly address: string }[];
}

export interface ImageAge {
  readonly nowMs: number;
  /** A look older than this is made again; what it found counts until then. */
  readonly recheck_ms: number;
}

export async function lookUpImages(
  store: Pick<ImageStore, 'readImages'>,
  placeholders: PlaceholderList,
  { nowMs, recheck_ms }: ImageAge,
  offers: readonly PicturedOffer[],
): Promise<ImageLookUp> {
  const addressesOf = offers.map(({ facts }) => imageAddresses(facts.document));
  const known = new Map<string, KnownImage>();
  const fresh = new Set<string>();
  for (const { address, evidence, judgedMs } of await store.readImages([...new Set(addressesOf.flat())])) {
    known.set(address, brief(rejudged(JSON.parse(evidence) as ImageEvidence, placeholders)));
    if (nowMs - judgedMs < recheck_ms) fresh.add(address);
  }
  const found = addressesOf.map((addresses) =>
    Object.fromEntries(addresses.flatMap((address) => entryOf(address, known.get(address)))),
  );
  const wanted = offers.flatMap(({ skuId, facts }, index) =>
    // Nobody sees the pictures of an archived offer; it is due again when it is unarchived.
    facts.archived
      ? []
      : (addressesOf[index] ?? []).filter((it) => !fresh.has(it)).map((address) => ({ skuId, address })),
  );
  return { found, wanted };
}

function entryOf(address: string, image: KnownImage | undefined): [string, KnownImage][] {
  return image === undefined ? [] : [[address, image]];
}

/** What decides and what is wrong; the rest stays with the picture, which a thousand offers may show. */
function brief({ verdict, checks, lookedAtMs }: ImageEvidence): KnownImage {
  if (verdict === 'passed') return { verdict, lookedAtMs };
  return { verdict, lookedAtMs, checks: checks.filter(({ state }) => state === 'failed') };
}
