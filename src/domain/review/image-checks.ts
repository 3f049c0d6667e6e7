/**
 * In charge of the checks of the pictures. They are judged elsewhere, each once for all offers that show it; here it is
 * only asked what was found under the addresses that the offer has now.
 */
import { IMAGE_FAILURES, type ImageFailure } from '../vocabulary/image-checks.ts';
import type { CheckState, ReviewCheck, Shown } from './check.ts';
import type { ReviewKnowledge } from './facts.ts';
import type { Subject } from './subject.ts';

const SWITCHED_OFF = 'Images are not checked: the operator has switched it off.';
const FETCHED = 'The picture is being fetched and looked at; nothing needs to be done.';

export const mainImageCheck: ReviewCheck = {
  id: 'main_image',
  scope: 'review',
  code: 'MissingImage',
  effect: 'Missing image',
  state: (subject) => (isOff(subject) ? 'skipped' : verdictOf(subject, subject.document.main_image_url)),
  evidence: (subject) => shownImage(subject, subject.document.main_image_url),
  remedy: (subject) =>
    `Upload the SKU with another main_image_url: ${faultTexts(subject, subject.document.main_image_url)}`,
  waiting: FETCHED,
  reason: () => SWITCHED_OFF,
};

/** A picture that was sent and cannot be shown is missing, whichever slot it is for. */
export const alternateImagesCheck: ReviewCheck = {
  id: 'alternate_images',
  scope: 'review',
  code: 'MissingAlternateImage',
  effect: 'Missing image',
  state(subject) {
    const images = subject.document.alternate_images ?? [];
    if (isOff(subject) || images.length === 0) return 'skipped';
    let state: CheckState = 'passed';
    for (const { image_url } of images) {
      const verdict = verdictOf(subject, image_url);
      // What is known to be wrong is said at once, while other pictures are still on their way.
      if (verdict === 'failed') return 'failed';
      if (verdict === 'pending') state = 'pending';
    }
    return state;
  },
  evidence: (subject) => ({
    images: (subject.document.alternate_images ?? []).map(({ image_slot_id, image_url }) => ({
      image_slot_id,
      ...shownImage(subject, image_url),
    })),
  }),
  remedy(subject) {
    const failed = (subject.document.alternate_images ?? []).filter(
      ({ image_url }) => verdictOf(subject, image_url) === 'failed',
    );
    const texts = failed.map(
      ({ image_slot_id, image_url }) => `slot ${image_slot_id}, ${faultTexts(subject, image_url)}`,
    );
    return `Upload the SKU with other alternate_images, or without these: ${texts.join(' ')}`;
  },
  waiting: FETCHED,
  reason: (subject) => (isOff(subject) ? SWITCHED_OFF : 'The offer has no alternate images.'),
};

function isOff({ knowledge }: Subject<ReviewKnowledge>): boolean {
  return knowledge.imageCheck === 'off';
}

function verdictOf({ evidence }: Subject<ReviewKnowledge>, address: string): 'passed' | 'failed' | 'pending' {
  const verdict = evidence.images?.[address]?.verdict;
  return verdict === undefined || verdict === 'retry' ? 'pending' : verdict;
}

function failuresOf({ evidence }: Subject<ReviewKnowledge>, address: string): readonly ImageFailure[] {
  return evidence.images?.[address]?.checks?.flatMap(({ failure }) => failure ?? []) ?? [];
}

function faultTexts(subject: Subject<ReviewKnowledge>, address: string): string {
  const remedies = failuresOf(subject, address).map((failure) => IMAGE_FAILURES[failure].remedy);
  return remedies.length === 0 ? 'The picture did not pass its checks.' : remedies.join(' ');
}

function shownImage(subject: Subject<ReviewKnowledge>, address: string): Shown {
  const found = subject.evidence.images?.[address];
  if (isOff(subject) || found === undefined) return { image_url: address };
  return {
    image_url: address,
    verdict: verdictOf(subject, address),
    failures: failuresOf(subject, address),
    checks: Object.fromEntries((found.checks ?? []).map(({ check, state }) => [check, state])),
    looked_at_ms: found.lookedAtMs,
    final_address: found.finalAddress,
    http_status: found.httpStatus,
    bytes: found.bytes,
    type: found.type,
    width: found.width,
    height: found.height,
    frames: found.frames,
    hash: found.hash,
    placeholder: found.placeholder,
  };
}
