/**
 * Reviews the due offers of one account in batches, in the order they were marked.
 *
 * The process can be killed at any point: additions to the catalog and the image queue are idempotent, and an offer
 * stays due until its result is stored. An offer that is written during its review gets a new mark and stays due.
 */

import type { WorkHandler } from '../background/leased-loop.ts';
import type { Account } from '../domain/account.ts';
import { type Evidence, NO_EVIDENCE } from '../domain/review/facts.ts';
import { listingOf } from '../domain/review/listing.ts';
import { evaluateOffer } from '../domain/review/review-offer.ts';
import { shoeGroupKey } from '../domain/review/shoe-group.ts';
import type { Status } from '../domain/vocabulary/statuses.ts';
import { findUpcoming } from '../operations/review/upcoming.ts';
import { factsOf, reviewKnowledge } from '../operations/review-knowledge.ts';
import type { CatalogStore } from '../store/port/catalog.ts';
import type { ImageStore } from '../store/port/images.ts';
import type { DueOffer, OfferReview, OfferReviewStore } from '../store/port/review.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { lookUpCatalog, outdatedUsers } from './catalog-evidence.ts';
import { lookUpGroups } from './group-evidence.ts';
import { lookUpImages, outdatedImageUsers } from './image-evidence.ts';
import type { OfferInReview } from './offer-in-review.ts';
import type { ReviewSetup } from './review-setup.ts';
import type { YieldToFiles } from './yield-to-files.ts';

export interface ReviewAccountParts {
  readonly store: {
    readonly review: Pick<
      OfferReviewStore,
      'readDueOffers' | 'storeReviews' | 'readGroupsOf' | 'markDue' | 'noteUpcoming'
    >;
    readonly catalog: Pick<
      CatalogStore,
      'readProducts' | 'addProducts' | 'noteCatalogUsers' | 'forgetCatalogUsers' | 'settleCatalogNews'
    >;
    readonly images: Pick<ImageStore, 'readImages' | 'wantImages' | 'noteImageUsers' | 'forgetImageUsers'>;
  };
  readonly setup: ReviewSetup;
  readonly nowMs: () => number;
  /** Undefined if traces are not exported. */
  readonly tracing?: Tracing | undefined;
  readonly image_recheck_ms: number;
  /** Called for each stored result. */
  readonly onReviewed: (status: Status) => void;
  /** Called after images were added to the queue. */
  readonly onImagesWanted: () => void;
  /** Slows the review down while bulk files are processed. */
  readonly yielding?: Pick<YieldToFiles, 'batchOf' | 'wait'>;
  /** Reviews one batch and returns the account without a pause. */
  readonly isBrief?: boolean;
  readonly batch_offers_max?: number;
  readonly slice_ms_max?: number;
}

/** A batch takes about 5 ms of the request thread and of the writer thread. */
const BATCH_OFFERS_MAX = 200;
/** After this time the next account is reviewed. */
const SLICE_MS_MAX = 500;

export function reviewAccount(parts: ReviewAccountParts): WorkHandler {
  const { batch_offers_max = BATCH_OFFERS_MAX, slice_ms_max = SLICE_MS_MAX } = parts;
  return async ({ accountId, signal }) => {
    const endMs = performance.now() + slice_ms_max;
    for (;;) {
      signal.throwIfAborted();
      const batch_max = parts.yielding?.batchOf(batch_offers_max) ?? batch_offers_max;
      const due = await parts.store.review.readDueOffers(accountId, batch_max);
      if (due.length === 0) return undefined;
      // Loaded after the offers were read, to include any settings change that made one of them due.
      await parts.setup.follow();
      // Return the account to processes with the active rules. This process takes no accounts until its own rules are active.
      if (!parts.setup.activeRules.areOwn) return 0;
      const account = await parts.setup.account(accountId);
      if (account === undefined) return undefined;
      await reviewBatch(parts, account, due, signal);
      // More offers can be due only if this batch was full.
      if (due.length < batch_max) return undefined;
      if (parts.isBrief) return 0;
      // Also pauses before the account is returned, because it may be taken again immediately.
      await parts.yielding?.wait(signal);
      if (performance.now() >= endMs) return 0;
    }
  };
}

async function reviewBatch(
  parts: ReviewAccountParts,
  account: Account,
  due: readonly DueOffer[],
  signal: AbortSignal,
): Promise<void> {
  const { store, setup, tracing, onReviewed } = parts;
  const { accountId } = account;
  const startMs = performance.now();
  const knowledge = reviewKnowledge(setup.rules, account);
  const { taxonomy } = knowledge;
  const offers = due.map((offer) => ({
    skuId: offer.skuId,
    mark: offer.mark,
    facts: factsOf(offer),
    evidence: offer.evidence,
  }));
  const [catalog, groups, images] = await Promise.all([
    lookUpCatalog(store.catalog, account, knowledge, offers),
    lookUpGroups(store.review, accountId, offers),
    setup.rules.imageCheck === 'on' ? findImages(parts, accountId, offers) : undefined,
  ]);
  const reviews = offers.map(({ skuId, mark, facts }, index): OfferReview => {
    const evidence: Evidence = {
      ...(catalog[index] === undefined ? {} : { catalog: catalog[index] }),
      ...(groups[index] === undefined ? {} : { group: groups[index] }),
      ...(images?.[index] === undefined ? {} : { images: images[index], imagesNoted: true }),
    };
    const { status, subStatuses } = evaluateOffer(facts, knowledge, evidence);
    const shoeKey = shoeGroupKey(facts.document, taxonomy) ?? null;
    const listing = listingOf(skuId, facts, knowledge, evidence);
    const found = { evidence, rules: knowledge.tag, shoeKey, listing };
    return { skuId, mark, status, subStatuses, ...found };
  });
  // Only while changes are announced. The offers stay due until their results are stored.
  if (setup.rules.policies.announced?.length) await noteUpcoming(parts, account, offers, reviews);
  await store.review.storeReviews(accountId, reviews, parts.nowMs());
  if (tracing !== undefined) await endSpans(tracing, accountId, reviews, startMs);
  for (const { status } of reviews) onReviewed(status);
  // Runs only with a valid lease, and after the evidence is stored: stored evidence must not name users that are no longer registered.
  const outdated = outdatedUsers(accountId, offers, catalog);
  const outdatedImages = outdatedImageUsers(accountId, offers, images);
  signal.throwIfAborted();
  if (outdated.length > 0) await store.catalog.forgetCatalogUsers(outdated);
  if (outdatedImages.length > 0) await store.images.forgetImageUsers(outdatedImages);
}

async function endSpans(
  tracing: Tracing,
  accountId: number,
  reviews: readonly OfferReview[],
  startMs: number,
): Promise<void> {
  const took_ms = performance.now() - startMs;
  const statusOf = new Map(reviews.map(({ skuId, status }) => [skuId, status]));
  for (const [skuId, trace] of await tracing.continue(accountId, [...statusOf.keys()])) {
    const attributes = { 'offerbook.sku': skuId, 'offerbook.status': statusOf.get(skuId) ?? '' };
    tracing.end(trace, { name: 'review', kind: 'internal', took_ms, attributes });
  }
}

async function noteUpcoming(
  { store, setup, nowMs }: ReviewAccountParts,
  account: Account,
  offers: readonly OfferInReview[],
  reviews: readonly OfferReview[],
): Promise<void> {
  const reviewed = offers.map(({ facts }, index) => ({ facts, evidence: reviews[index]?.evidence ?? NO_EVIDENCE }));
  const upcoming = await findUpcoming(store.images, setup.rules, account, reviewed);
  const noted = offers.map(({ skuId }, index) => {
    return { skuId, announcedIds: (upcoming[index] ?? []).map(({ change }) => change.announcedId) };
  });
  await store.review.noteUpcoming(account.accountId, noted, nowMs());
}

async function findImages(
  { store, setup, nowMs, image_recheck_ms, onImagesWanted }: ReviewAccountParts,
  accountId: number,
  offers: readonly OfferInReview[],
) {
  const asked = { accountId, placeholders: setup.placeholders(), nowMs: nowMs(), recheck_ms: image_recheck_ms };
  const { found, wanted } = await lookUpImages(store.images, asked, offers);
  if (wanted.length > 0) {
    // Queued before the result is stored, so that no offer waits for an image that is not queued.
    await store.images.wantImages(wanted);
    onImagesWanted();
  }
  return found;
}
