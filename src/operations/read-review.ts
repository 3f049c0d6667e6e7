/** Use case: a merchant reads why a SKU has its status: every check, who acts next, and what to do. */
import type { Account } from '../domain/account.ts';
import { LIMITS } from '../domain/limits.ts';
import { refuseUnknown } from '../domain/offers/write-state.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import { type Advice, adviceFor } from '../domain/review/advice.ts';
import type { CheckResult } from '../domain/review/check.ts';
import type { Evidence, KnownImage, ReviewedDocument, ReviewKnowledge } from '../domain/review/facts.ts';
import { type Review, reviewOffer } from '../domain/review/review-offer.ts';
import { shoeGroupKey } from '../domain/review/shoe-group.ts';
import type { AnnouncedChange } from '../store/port/settings.ts';
import type { Context } from './context.ts';
import { findUpcoming } from './review/upcoming.ts';
import { findFixes, type OfferedFix, withoutCatalogIfDown } from './review-fixes.ts';
import { factsOf, imageAddresses, reviewKnowledge } from './review-knowledge.ts';

export interface ReviewReading extends Review {
  /** The SKUs of the same shoe group, starting with this one; undefined for other products. */
  readonly shoeGroup: readonly string[] | undefined;
  readonly advice: readonly Advice[];
  /** The fixes for the failed checks. */
  readonly fixes: readonly OfferedFix[];
  /** The checks that will fail under announced changes, in order of their dates. */
  readonly upcoming: readonly { readonly change: AnnouncedChange; readonly failures: readonly CheckResult[] }[];
}

export async function readReview(context: Context, account: Account, skuId: string): Promise<Outcome<ReviewReading>> {
  const offer = await context.store.offers.readOffer({ accountId: account.accountId, skuId });
  if (offer === undefined) return refuseUnknown(skuId);
  const facts = factsOf(offer);
  const knowledge = reviewKnowledge(context.rules, account);
  const evidence = await withImageDetails(context, knowledge, facts.document, offer.evidence);
  const review = reviewOffer(facts, knowledge, evidence, context.names);
  const shoeGroup = await readShoeGroup(context, account, skuId, facts.document, knowledge);
  const hasShippingException = offer.clearable.shipping_exception !== null;
  const advice = adviceFor({ document: facts.document, hasShippingException, images: evidence.images });
  const [found = []] = await findUpcoming(context.store.images, context.rules, account, [{ facts, evidence }]);
  const upcoming = found.map(({ change, failures }) => ({ change, failures: failures(context.names) }));
  const offered = { ...offer, skuId, facts, evidence };
  const fixes = await findFixes(withoutCatalogIfDown(context), account, offered, review.checks);
  return accept({ ...review, shoeGroup, upcoming, advice, fixes });
}

/**
 * Keeps the image verdict of the stored review. Adds the details of the image if they belong to the same verdict, and
 * the attempts since then.
 */
async function withImageDetails(
  { store }: Context,
  { imageCheck }: ReviewKnowledge,
  document: ReviewedDocument,
  evidence: Evidence,
): Promise<Evidence> {
  if (imageCheck === 'off') return evidence;
  const addresses = imageAddresses(document);
  const [known, tries] = await Promise.all([
    store.images.readImages(addresses.filter((it) => evidence.images?.[it])),
    store.images.readFailedTries(addresses),
  ]);
  const images: Record<string, KnownImage> = { ...evidence.images };
  for (const { address, evidence: seen } of known) {
    if (seen.verdict === images[address]?.verdict) images[address] = seen;
  }
  const failedTries = Object.fromEntries(
    tries.map(({ address, evidence: seen, nextMs }) => [address, { ...seen, nextMs }]),
  );
  return { ...evidence, images, failedTries };
}

async function readShoeGroup(
  { store }: Context,
  { accountId }: Account,
  skuId: string,
  document: ReviewedDocument,
  { taxonomy }: ReviewKnowledge,
): Promise<readonly string[] | undefined> {
  const key = shoeGroupKey(document, taxonomy);
  if (key === undefined) return undefined;
  const found = await store.review.readShoeGroup(accountId, key, LIMITS.shoe_group_listed_max);
  // The other shoes are found by their last review. This shoe may not have been reviewed yet, so it is added here.
  return [skuId, ...found.filter((other) => other !== skuId)].slice(0, LIMITS.shoe_group_listed_max);
}
