/** Finds the announced changes under which offers would fail, and why: reviews the offers under the rules after each change. */
import type { Account } from '../../domain/account.ts';
import type { Names } from '../../domain/names.ts';
import { type CheckResult, explain } from '../../domain/review/check.ts';
import type { Evidence, KnownImage, OfferFacts } from '../../domain/review/facts.ts';
import { failedChecks } from '../../domain/review/review-offer.ts';
import { Subject } from '../../domain/review/subject.ts';
import type { ImageStore } from '../../store/port/images.ts';
import type { AnnouncedChange } from '../../store/port/settings.ts';
import { type AnnouncedRules, imageAddresses, type ReviewRules, reviewKnowledge } from '../review-knowledge.ts';
import { withImages } from './estimate-impact.ts';

export interface Upcoming {
  readonly change: AnnouncedChange;
  /** The checks that fail under this change and not under the rules before it, as the review will show them. */
  failures(names: Names): readonly CheckResult[];
}

interface ReviewedOffer {
  readonly facts: OfferFacts;
  readonly evidence: Evidence;
}

/** Returns the changes in the order of the offers. Archived offers have none. */
export async function findUpcoming(
  images: Pick<ImageStore, 'readImages'>,
  rules: ReviewRules,
  account: Account,
  offers: readonly ReviewedOffer[],
): Promise<readonly (readonly Upcoming[])[]> {
  const { announced = [] } = rules.policies;
  const now = reviewKnowledge(rules, account);
  const shown = announced.some(({ image }) => image !== undefined) && now.imageCheck === 'on';
  const addresses = shown ? offers.flatMap(({ facts }) => imageAddresses(facts.document)) : [];
  const found = addresses.length === 0 ? [] : await images.readImages([...new Set(addresses)]);
  const imagesAfter = announced.map(({ image }): ReadonlyMap<string, KnownImage> | undefined => {
    return image && new Map(found.map(({ address, evidence }) => [address, image(evidence)]));
  });
  return offers.map(({ facts, evidence }) => {
    if (announced.length === 0 || facts.archived) return [];
    let failedBefore = failedChecks(new Subject(facts, now, evidence));
    return announced.flatMap(({ change, policies, taxonomy = now.taxonomy }: AnnouncedRules, index): Upcoming[] => {
      const after = { ...now, policies, taxonomy };
      const subject = new Subject(facts, after, withImages(evidence, imagesAfter[index]));
      const failed = failedChecks(subject);
      const added = failed.filter((check) => !failedBefore.includes(check));
      failedBefore = failed;
      if (added.length === 0) return [];
      return [{ change, failures: (names) => added.map((check) => explain(check, 'failed', subject, names)) }];
    });
  });
}
