/**
 * In charge of what is known of the images of some offers, in few calls for all of them, and of those that are to be
 * fetched. An image is looked at once for all offers that show it.
 */
import type { Evidence, KnownImage, OfferFacts } from '../domain/review/facts.ts';
import type { ImageEvidence } from '../domain/vocabulary/image-checks.ts';
import { imageAddresses } from '../operations/stored-facts.ts';
import type { ImageStore, ImageUser, StoredImage } from '../store/port/images.ts';
import { reviewedAgain } from './images/inspect-image.ts';
import type { PlaceholderList } from './images/placeholder-list.ts';

export interface ImagedOffer {
  readonly skuId: string;
  readonly facts: OfferFacts;
  /** What was found before. */
  readonly evidence: Evidence;
}

/** By address. */
export type KnownImages = Readonly<Record<string, KnownImage>>;

export interface ImageLookUp {
  /** For each offer in order. */
  readonly found: readonly KnownImages[];
  readonly wanted: readonly ImageUser[];
}

export interface ImageAge {
  readonly nowMs: number;
  /** A look older than this is made again; what it found counts until then. */
  readonly recheck_ms: number;
}

export async function lookUpImages(
  store: Pick<ImageStore, 'readImages' | 'noteImageUsers'>,
  accountId: number,
  placeholders: PlaceholderList,
  { nowMs, recheck_ms }: ImageAge,
  offers: readonly ImagedOffer[],
): Promise<ImageLookUp> {
  const addressesOf = offers.map(({ facts }) => imageAddresses(facts.document));
  const known = new Map<string, KnownImage>();
  const fresh = new Set<string>();
  for (const { address, evidence, reviewedMs } of await readNoted(store, accountId, offers, addressesOf)) {
    known.set(address, brief(reviewedAgain(JSON.parse(evidence) as ImageEvidence, placeholders)));
    if (nowMs - reviewedMs < recheck_ms) fresh.add(address);
  }
  const found = addressesOf.map((addresses) =>
    Object.fromEntries(addresses.flatMap((address) => entryOf(address, known.get(address)))),
  );
  const wanted = offers.flatMap(({ skuId, facts }, index) =>
    // Nobody sees the images of an archived offer; it is due again when it is unarchived.
    facts.archived
      ? []
      : (addressesOf[index] ?? []).filter((it) => !fresh.has(it)).map((address) => ({ accountId, skuId, address })),
  );
  return { found, wanted };
}

/** Images that the offers were reviewed by before and are not now; `found` is in their order, undefined: by none now. */
export function outdatedImageUsers(
  accountId: number,
  offers: readonly ImagedOffer[],
  found: readonly KnownImages[] | undefined,
): readonly ImageUser[] {
  return offers.flatMap(({ skuId, evidence }, index) =>
    Object.keys(evidence.images ?? {})
      .filter((address) => found?.[index]?.[address] === undefined)
      .map((address) => ({ accountId, skuId, address })),
  );
}

/**
 * All offers are noted as users of the images that are known. What is known is read behind that: whoever finds another
 * image there afterwards has the offer reviewed again. Those that are not known are waited for.
 */
async function readNoted(
  store: Pick<ImageStore, 'readImages' | 'noteImageUsers'>,
  accountId: number,
  offers: readonly ImagedOffer[],
  addressesOf: readonly (readonly string[])[],
): Promise<readonly StoredImage[]> {
  const images = await store.readImages([...new Set(addressesOf.flat())]);
  const isKnown = new Set(images.map(({ address }) => address));
  const users = offers.flatMap(({ skuId, evidence }, index) =>
    (addressesOf[index] ?? [])
      .filter((it) => isKnown.has(it) && (evidence.imagesNoted !== true || evidence.images?.[it] === undefined))
      .map((address) => ({ accountId, skuId, address })),
  );
  if (users.length === 0) return images;
  await store.noteImageUsers(users);
  const again = new Set(users.map(({ address }) => address));
  return [...images.filter(({ address }) => !again.has(address)), ...(await store.readImages([...again]))];
}

function entryOf(address: string, image: KnownImage | undefined): [string, KnownImage][] {
  return image === undefined ? [] : [[address, image]];
}

/** What decides and what is wrong; the rest stays with the image, which a thousand offers may show. */
function brief({ verdict, checks, checkedAtMs }: ImageEvidence): KnownImage {
  if (verdict === 'passed') return { verdict, checkedAtMs };
  return { verdict, checkedAtMs, checks: checks.filter(({ state }) => state === 'failed') };
}
