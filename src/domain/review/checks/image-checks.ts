/** Checks an offer's images. Uses the results of the image queue, which checks each URL once for all offers. */
import {
  FAILURES_OF_ADDRESSES,
  IMAGE_FAILURES,
  type ImageCheckResult,
  type ImageFailure,
} from '../../vocabulary/image-failures.ts';
import type { CheckState, ReviewCheck, Shown } from '../check.ts';
import type { ReviewKnowledge } from '../facts.ts';
import { swatchAddress } from '../reviewed-document.ts';
import type { Subject } from '../subject.ts';

const SWITCHED_OFF = 'The operator has switched off image checks.';
const ARCHIVED = 'The offer is archived. Its images are checked after it is unarchived.';
const FETCHED = 'Checking the image. No action needed.';
const TRIED_AGAIN = 'The image could not be loaded. The server retries automatically.';
const RECHECK = 'Select Re-check, or send POST /merchant-skus/{id}/review.';
/** Uploading the same URL again does not fetch it again. */
const SAME_ADDRESS = `Fixed it at the same URL? ${RECHECK}`;
const SOONER = `Fixed it already? ${RECHECK}`;

export const mainImageCheck: ReviewCheck = {
  id: 'main_image',
  scope: 'review',
  code: 'missing_image',
  effect: 'Missing image',
  state: (subject) => (isOff(subject) ? 'skipped' : stateOfImage(subject, subject.document.main_image_url)),
  evidence: (subject) => shownImage(subject, subject.document.main_image_url),
  remedy(subject) {
    const { main_image_url } = subject.document;
    const texts = `Replace the main image: ${faultTexts(subject, main_image_url)}`;
    return isFixedInPlace(subject, main_image_url) ? `${texts} ${SAME_ADDRESS}` : texts;
  },
  waiting: FETCHED,
  hindrance(subject) {
    const text = hindranceText(subject, subject.document.main_image_url);
    return text === undefined ? undefined : `${TRIED_AGAIN} ${text} ${SOONER}`;
  },
  reason: (subject) => (isOff(subject) ? SWITCHED_OFF : ARCHIVED),
};

/** Alternate images, and the swatch image if it is a URL. One that cannot be shown counts as missing. */
export const alternateImagesCheck: ReviewCheck = {
  id: 'alternate_images',
  scope: 'review',
  code: 'missing_alternate_image',
  effect: 'Missing image',
  state(subject) {
    const images = otherImages(subject);
    if (isOff(subject) || images.length === 0) return 'skipped';
    let state: CheckState = 'passed';
    for (const { image_url, excused } of images) {
      const ofImage = stateOfImage(subject, image_url, excused);
      // Reports a known failure immediately, while other images are still pending.
      if (ofImage === 'failed') return 'failed';
      if (ofImage !== 'passed') state = ofImage;
    }
    return state;
  },
  evidence: (subject) => ({
    images: otherImages(subject).map(({ place, image_url, excused }) => {
      return { ...place, ...shownImage(subject, image_url, excused) };
    }),
  }),
  remedy(subject) {
    const failed = otherImages(subject).filter(
      ({ image_url, excused }) => verdictOf(subject, image_url, excused) === 'failed',
    );
    const texts = failed.map(({ name, image_url, excused }) => `${name}: ${faultTexts(subject, image_url, excused)}`);
    const all = `Replace or remove ${texts.join(' ')}`;
    return failed.some(({ image_url }) => isFixedInPlace(subject, image_url)) ? `${all} ${SAME_ADDRESS}` : all;
  },
  waiting: FETCHED,
  hindrance(subject) {
    const texts = otherImages(subject).flatMap(({ name, image_url }) => {
      const text = hindranceText(subject, image_url);
      return text === undefined ? [] : [`Problem with ${name}: ${text}`];
    });
    return texts.length === 0 ? undefined : `${TRIED_AGAIN} ${texts.join(' ')} ${SOONER}`;
  },
  reason(subject) {
    if (isOff(subject)) return SWITCHED_OFF;
    return otherImages(subject).length === 0 ? 'The offer has no alternate images and no swatch image.' : ARCHIVED;
  },
};

interface OtherImage {
  readonly name: string;
  /** Where the merchant sent it. */
  readonly place: Shown;
  readonly image_url: string;
  /** Failures that do not count for this image. */
  readonly excused: Excused;
}

type Excused = ReadonlySet<ImageFailure>;

const NONE: Excused = new Set();
/** A swatch shows a color or a pattern, so it may be small and of one color. */
const EXCUSED_SWATCH: Excused = new Set(['too_small', 'blank']);

function otherImages({ document }: Subject<ReviewKnowledge>): readonly OtherImage[] {
  const { alternate_images: alternates = [] } = document;
  const images = alternates.map(({ image_slot_id, image_url }) => {
    return { name: `image ${image_slot_id}`, place: { image_slot_id }, image_url, excused: NONE };
  });
  const swatch = swatchAddress(document);
  if (swatch === undefined) return images;
  const place = { field: 'swatch_image_url' };
  return [...images, { name: 'swatch_image_url', place, image_url: swatch, excused: EXCUSED_SWATCH }];
}

function isOff({ knowledge }: Subject<ReviewKnowledge>): boolean {
  return knowledge.imageCheck === 'off';
}

function stateOfImage(subject: Subject<ReviewKnowledge>, address: string, excused: Excused = NONE): CheckState {
  const verdict = verdictOf(subject, address, excused);
  return verdict === 'pending' && subject.facts.archived ? 'skipped' : verdict;
}

function verdictOf(
  { evidence }: Subject<ReviewKnowledge>,
  address: string,
  excused: Excused = NONE,
): 'passed' | 'failed' | 'pending' {
  const image = evidence.images?.[address];
  if (image === undefined || image.verdict === 'retry') return 'pending';
  if (image.verdict === 'passed' || excused.size === 0) return image.verdict;
  const failures = failuresOf(image.checks);
  return failures.length > 0 && failures.every((failure) => excused.has(failure)) ? 'passed' : 'failed';
}

function failuresOf(checks: readonly ImageCheckResult[] = []): readonly ImageFailure[] {
  return checks.flatMap(({ failure }) => failure ?? []);
}

/** Names the logo or watermark that was found. */
function remedyOf({ failure, sample }: ImageCheckResult): string {
  const text = failure === null ? '' : IMAGE_FAILURES[failure].remedy;
  return sample === undefined ? text : `${text} Found: ${sample}.`;
}

function remediesOf(failures: readonly ImageFailure[]): string {
  return failures.map((failure) => IMAGE_FAILURES[failure].remedy).join(' ');
}

function faultTexts({ evidence }: Subject<ReviewKnowledge>, address: string, excused: Excused = NONE): string {
  const checks = evidence.images?.[address]?.checks ?? [];
  const failed = checks.filter(({ failure }) => failure !== null && !excused.has(failure));
  return failed.map(remedyOf).join(' ') || 'The image did not pass its checks.';
}

function isFixedInPlace({ evidence }: Subject<ReviewKnowledge>, address: string): boolean {
  return !failuresOf(evidence.images?.[address]?.checks).some((failure) => FAILURES_OF_ADDRESSES.has(failure));
}

/** Covers only failures of the image's host: the merchant can do nothing about a timeout of our decoder. */
function hindranceText(subject: Subject<ReviewKnowledge>, address: string): string | undefined {
  if (verdictOf(subject, address) !== 'pending') return undefined;
  const failures = failuresOf(subject.evidence.failedTries?.[address]?.checks);
  return remediesOf(failures.filter((failure) => IMAGE_FAILURES[failure].check === 'reachable')) || undefined;
}

function shownImage(subject: Subject<ReviewKnowledge>, address: string, excused: Excused = NONE): Shown {
  if (isOff(subject)) return { image_url: address };
  return { image_url: address, ...shownCheck(subject, address, excused), ...shownAttempt(subject, address) };
}

/** Returns the last failed attempt, while the image is being retried. */
function shownAttempt({ evidence }: Subject<ReviewKnowledge>, address: string): Shown {
  const failed = evidence.failedTries?.[address];
  if (failed === undefined) return {};
  const { checks, attempts, checkedAtMs, finalAddress, httpStatus, nextMs } = failed;
  return {
    last_try: {
      failures: failuresOf(checks),
      tries: attempts,
      checked_at_ms: checkedAtMs,
      final_address: finalAddress,
      http_status: httpStatus,
      next_try_at_ms: nextMs,
    },
  };
}

function shownCheck(subject: Subject<ReviewKnowledge>, address: string, excused: Excused): Shown {
  const found = subject.evidence.images?.[address];
  if (found === undefined) return {};
  return {
    verdict: verdictOf(subject, address, excused),
    failures: failuresOf(found.checks),
    checks: Object.fromEntries((found.checks ?? []).map(({ check, state }) => [check, state])),
    checked_at_ms: found.checkedAtMs,
    final_address: found.finalAddress,
    http_status: found.httpStatus,
    bytes: found.bytes,
    type: found.type,
    width: found.width,
    height: found.height,
    frames: found.frames,
    hash: found.hash,
    placeholder: found.placeholder,
    ...(found.mark === undefined ? {} : { mark: found.mark }),
  };
}
