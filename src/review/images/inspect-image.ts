/** Checks the image at one URL: fetches and reviews it, and returns the evidence. */
import { isDeepStrictEqual } from 'node:util';
import {
  type FoundMarks,
  IMAGE_FAILURES,
  type ImageCheckResult,
  type ImageEvidence,
  type ImageFailure,
} from '../../domain/vocabulary/image-failures.ts';
import { HOUR_MS } from '../../domain/vocabulary/iso-time.ts';
import { checksOf, type ImageFindings, UNSEEN } from './check-results.ts';
import type { ImageDecoders } from './decoding/image-decoders.ts';
import type { ImageClient, Visit } from './fetching/image-client.ts';
import type { PlaceholderList, PlaceholderMatch } from './placeholder-list.ts';

interface ImageReviewer {
  readonly decoders: Pick<ImageDecoders, 'check'>;
  /** Called for each image, because operators change the list. */
  readonly placeholders: () => PlaceholderList;
}

export interface ImageInspector extends ImageReviewer {
  readonly client: Pick<ImageClient, 'visit'>;
  readonly now: () => number;
  /** Receives the duration of the download, for metrics. */
  readonly onFetched?: (fetch_ms: number, kind: Visit['kind']) => void;
}

/**
 * `earlier`: evidence of the previous check, if any. The request sends its ETag, and the count of transient failures
 * continues from it. Rejects only if `signal` aborts.
 */
export function inspectImage(
  inspector: ImageInspector,
  address: string,
  earlier?: ImageEvidence,
  signal?: AbortSignal,
): Promise<ImageEvidence> {
  // A conditional request makes sense only if the earlier check has a hash: after a 304, that hash is compared with the placeholders.
  const isKnown = earlier?.etag != null && earlier.hash !== null && inspector.placeholders().isCompared(earlier);
  const known = isKnown ? earlier : undefined;
  const options = { ...(known === undefined ? {} : { known }), ...(signal === undefined ? {} : { signal }) };
  return inspector.client.visit(address, options, async (visit) => {
    inspector.onFetched?.(visit.fetch_ms, visit.kind);
    const checkedAtMs = inspector.now();
    const attempts = earlier?.attempts ?? 0;
    if (visit.kind === 'failed') return evidenceOfFailure(visit, visit.failure, attempts, checkedAtMs);
    if (visit.kind === 'unchanged') {
      if (known === undefined) throw new Error('A host returned 304 to a request without an ETag.');
      return { ...reviewedAgain(known, inspector.placeholders()), checkedAtMs, ...NOT_RETRIED };
    }
    const verdict = await reviewImage(inspector, visit.body, signal);
    // There was not enough time or memory. A retry may succeed.
    if (verdict.checks.some(({ failure }) => failure === 'not_reviewed')) {
      return evidenceOfFailure(visit, 'not_reviewed', attempts, checkedAtMs);
    }
    return {
      ...verdict,
      verdict: verdictOf(verdict.checks),
      checkedAtMs,
      ...NOT_RETRIED,
      finalAddress: visit.finalAddress,
      httpStatus: visit.httpStatus,
      bytes: visit.body.length,
      etag: visit.etag,
    };
  });
}

export interface Verdict extends ImageFindings, Pick<ImageEvidence, 'mark'> {
  readonly placeholder: PlaceholderMatch | null;
}

/** Reviews a file. Rejects if the signal aborts before decoding starts, and if no decoder could be started. */
export async function reviewImage(
  { decoders, placeholders }: ImageReviewer,
  file: Buffer,
  signal?: AbortSignal,
): Promise<Verdict> {
  const list = placeholders();
  const findings = await decoders.check(file, signal, list.samples);
  const { hash, checks, marks } = findings;
  if (hash === null || checks.some(({ state }) => state === 'failed')) return { ...findings, placeholder: null };
  return { ...findings, ...comparedWith(list, hash, marks) };
}

function comparedWith(list: PlaceholderList, hash: string, marks: FoundMarks | undefined) {
  const placeholder = list.match(hash);
  if (placeholder !== null) return { placeholder, checks: checksOf(['placeholder'], 'placeholder') };
  const found = list.marksOf(marks);
  const off = (['logo', 'watermark'] as const).filter((kind) => !list.hasSamples(kind));
  const kinds = found.map(({ kind }) => kind);
  const checks = checksOf(kinds, 'watermark', off).map((result): ImageCheckResult => {
    const sample = found.find(({ kind }) => kind === result.failure)?.name;
    return sample === undefined ? result : { ...result, sample };
  });
  return { placeholder, checks, ...(found[0] === undefined ? {} : { mark: found[0] }) };
}

/** Re-evaluates evidence with another list of placeholders, without a fetch. Returns the same object if nothing changes. */
export function reviewedAgain(evidence: ImageEvidence, placeholders: PlaceholderList): ImageEvidence {
  const before = evidence.checks.find(({ check }) => check === 'placeholder')?.state ?? 'skipped';
  if (evidence.hash === null || before === 'skipped') return evidence;
  const { mark: _, ...others } = evidence;
  const again = comparedWith(placeholders, evidence.hash, evidence.marks);
  const reviewed = { ...others, ...again, verdict: verdictOf(again.checks) };
  return isDeepStrictEqual(reviewed, evidence) ? evidence : reviewed;
}

/** Returns true if both lead to the same review, so that offers need not be re-reviewed. */
export function saysTheSame(one: ImageEvidence, other: ImageEvidence): boolean {
  const faults = ({ checks }: ImageEvidence) =>
    checks.flatMap(({ failure, sample = '' }) => (failure === null ? [] : `${failure} ${sample}`)).join();
  return one.verdict === other.verdict && faults(one) === faults(other);
}

function evidenceOfFailure(
  visit: Visit,
  failure: ImageFailure,
  earlierAttempts: number,
  checkedAtMs: number,
): ImageEvidence {
  const attempts = IMAGE_FAILURES[failure].mayPass ? earlierAttempts + 1 : 0;
  const retryDelay_ms = attempts === 0 ? null : (nextAttemptMs(attempts) ?? null);
  return {
    ...NOTHING_SEEN,
    verdict: retryDelay_ms === null ? 'failed' : 'retry',
    checks: checksOf([failure], 'reachable'),
    checkedAtMs,
    attempts,
    retryDelay_ms,
    finalAddress: visit.finalAddress,
    httpStatus: visit.httpStatus,
  };
}

/** 30 s for a glitch, 2 and 10 minutes for a restart, 1 and 6 hours for an outage. The sixth failure is final. */
const RETRY_DELAYS_MS: readonly number[] = [30_000, 120_000, 600_000, HOUR_MS, 6 * HOUR_MS];

/** `attempt` is the number of consecutive failed attempts, from 1. Returns undefined when there is no further retry. */
export function nextAttemptMs(attempt: number): number | undefined {
  return RETRY_DELAYS_MS[attempt - 1];
}

/** Returns evidence for an image whose checks were lost repeatedly. It is unknown whether its host was reachable. */
export function evidenceOfLost(address: string, checkedAtMs: number): ImageEvidence {
  const checks = checksOf(['not_reviewed'], 'image').map((result): ImageCheckResult => {
    return result.check === 'reachable' ? { ...result, state: 'skipped' } : result;
  });
  return { ...NOTHING_SEEN, ...NOT_RETRIED, verdict: 'failed', checks, checkedAtMs, finalAddress: address };
}

/** Evidence without anything from a file or a response. */
export const NOTHING_SEEN = Object.freeze({ ...UNSEEN, httpStatus: null, bytes: null, placeholder: null, etag: null });

const NOT_RETRIED = Object.freeze({ attempts: 0, retryDelay_ms: null });

function verdictOf(checks: readonly ImageCheckResult[]): 'passed' | 'failed' {
  return checks.some(({ state }) => state === 'failed') ? 'failed' : 'passed';
}
