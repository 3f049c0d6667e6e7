/**
 * Reads the check results for the images of a batch of offers in a few calls, and lists the images to fetch. An image is checked
 * once for all offers that show it.
 */
import { RECOMMENDED_PIXELS } from '../domain/review/advice.ts';
import type { KnownImage } from '../domain/review/facts.ts';
import type { ImageEvidence } from '../domain/vocabulary/image-failures.ts';
import { imageAddresses } from '../operations/review-knowledge.ts';
import type { ImageStore, ImageUser, StoredImage } from '../store/port/images.ts';
import { reviewedAgain } from './images/inspect-image.ts';
import type { PlaceholderList } from './images/placeholder-list.ts';
import type { OfferInReview } from './offer-in-review.ts';

/** Evidence by URL. */
type KnownImages = Readonly<Record<string, KnownImage>>;

interface ImageLookUp {
  readonly accountId: number;
  readonly placeholders: PlaceholderList;
  readonly nowMs: number;
  /** Results older than this are re-checked; they stay valid until then. */
  readonly recheck_ms: number;
}

/** Returns the evidence in the order of the offers, and the images to fetch. */
export async function lookUpImages(
  store: Pick<ImageStore, 'readImages' | 'noteImageUsers'>,
  { accountId, placeholders, nowMs, recheck_ms }: ImageLookUp,
  offers: readonly OfferInReview[],
): Promise<{ readonly found: readonly KnownImages[]; readonly wanted: readonly ImageUser[] }> {
  const addressesOf = offers.map(({ facts }) => imageAddresses(facts.document));
  const known = new Map<string, KnownImage>();
  const fresh = new Set<string>();
  for (const { address, evidence, reviewedMs } of await readNoted(store, accountId, offers, addressesOf)) {
    known.set(address, brief(reviewedAgain(evidence, placeholders)));
    // The previous result stays valid until the image was compared with new samples.
    if (nowMs - reviewedMs < recheck_ms && placeholders.isCompared(evidence)) fresh.add(address);
  }
  const found = addressesOf.map((addresses) =>
    Object.fromEntries(
      addresses.flatMap((address) => {
        const image = known.get(address);
        return image === undefined ? [] : [[address, image] as const];
      }),
    ),
  );
  const wanted = offers.flatMap(({ skuId, facts }, index) =>
    // Archived offers need no images; unarchiving marks them as due.
    facts.archived
      ? []
      : (addressesOf[index] ?? []).filter((it) => !fresh.has(it)).map((address) => ({ accountId, skuId, address })),
  );
  return { found, wanted };
}

/**
 * Returns images of the previous review that the offers no longer show. `found` is in the order of the offers;
 * undefined if image checks are off.
 */
export function outdatedImageUsers(
  accountId: number,
  offers: readonly OfferInReview[],
  found: readonly KnownImages[] | undefined,
): readonly ImageUser[] {
  return offers.flatMap(({ skuId, evidence }, index) =>
    Object.keys(evidence.images ?? {})
      .filter((address) => found?.[index]?.[address] === undefined)
      .map((address) => ({ accountId, skuId, address })),
  );
}

/**
 * Registers the offers as users of known images before it reads their results, so that a later change to an image re-reviews the
 * offers. Offers with unknown images wait for them.
 */
async function readNoted(
  store: Pick<ImageStore, 'readImages' | 'noteImageUsers'>,
  accountId: number,
  offers: readonly OfferInReview[],
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

/** Keeps verdict and failures only. The rest stays with the image, because a thousand offers may show it. */
function brief({ verdict, checks, checkedAtMs, width, height }: ImageEvidence): KnownImage {
  if (verdict === 'passed') {
    // Reports advise about small images without reading the images.
    const isSmall = Math.min(width ?? Infinity, height ?? Infinity) < RECOMMENDED_PIXELS;
    return { verdict, checkedAtMs, ...(isSmall ? { width, height } : {}) };
  }
  return { verdict, checkedAtMs, checks: checks.filter(({ state }) => state === 'failed') };
}
