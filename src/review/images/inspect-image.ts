/** Checks the image at one URL: fetches and reviews it, and returns the evidence. */
import {
  IMAGE_FAILURES,
  type ImageCheckResult,
  type ImageEvidence,
  type ImageFailure,
} from '../../domain/vocabulary/image-failures.ts';
import { checksOf } from './check-results.ts';
import type { ImageClient, Visit } from './fetching/image-client.ts';
import { nextAttemptMs } from './fetching/retry-pauses.ts';
import type { PlaceholderList } from './placeholder-list.ts';
import type { ImageReviewer } from './review-image.ts';

export interface ImageInspector {
  readonly client: Pick<ImageClient, 'visit'>;
  readonly review: Pick<ImageReviewer, 'review'>;
  readonly placeholders: () => PlaceholderList;
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
  const known = earlier?.etag != null && earlier.hash !== null ? earlier : undefined;
  const options = { ...(known === undefined ? {} : { known }), ...(signal === undefined ? {} : { signal }) };
  return inspector.client.visit(address, options, async (visit) => {
    inspector.onFetched?.(visit.fetch_ms, visit.kind);
    const checkedAtMs = inspector.now();
    const attempts = earlier?.attempts ?? 0;
    if (visit.kind === 'failed') return evidenceOfFailure(visit, visit.failure, attempts, checkedAtMs);
    if (visit.kind === 'unchanged') {
      if (known === undefined) throw new Error('A host returned 304 to a request without an ETag.');
      return { ...reviewedAgain(known, inspector.placeholders()), checkedAtMs, attempts: 0, retryDelay_ms: null };
    }
    const verdict = await inspector.review.review(visit.body, signal);
    // There was not enough time or memory. A retry may succeed.
    if (verdict.checks.some(({ failure }) => failure === 'not_reviewed')) {
      return evidenceOfFailure(visit, 'not_reviewed', attempts, checkedAtMs);
    }
    return {
      ...verdict,
      verdict: verdictOf(verdict.checks),
      checkedAtMs,
      attempts: 0,
      retryDelay_ms: null,
      finalAddress: visit.finalAddress,
      httpStatus: visit.httpStatus,
      bytes: visit.body.length,
      etag: visit.etag,
    };
  });
}

/** Re-evaluates evidence with another list of placeholders, without a fetch. Returns the same object if nothing changes. */
export function reviewedAgain(evidence: ImageEvidence, placeholders: PlaceholderList): ImageEvidence {
  const before = evidence.checks.find(({ check }) => check === 'placeholder')?.state ?? 'skipped';
  if (evidence.hash === null || before === 'skipped') return evidence;
  const placeholder = placeholders.match(evidence.hash);
  if (placeholder?.name === evidence.placeholder?.name && placeholder?.distance === evidence.placeholder?.distance) {
    return evidence;
  }
  const checks = checksOf(placeholder === null ? [] : ['placeholder'], 'placeholder');
  return { ...evidence, placeholder, checks, verdict: verdictOf(checks) };
}

/** Returns true if both lead to the same review, so that offers need not be re-reviewed. */
export function saysTheSame(one: ImageEvidence, other: ImageEvidence): boolean {
  const faults = ({ checks }: ImageEvidence) => checks.flatMap(({ failure }) => failure ?? []).join();
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

/** Returns evidence for an image whose checks were lost repeatedly. It is unknown whether its host was reachable. */
export function evidenceOfLost(address: string, checkedAtMs: number): ImageEvidence {
  const checks = checksOf(['not_reviewed'], 'image').map((result): ImageCheckResult => {
    return result.check === 'reachable' ? { ...result, state: 'skipped' } : result;
  });
  return {
    ...NOTHING_SEEN,
    verdict: 'failed',
    checks,
    checkedAtMs,
    attempts: 0,
    retryDelay_ms: null,
    finalAddress: address,
  };
}

const NOTHING_SEEN = Object.freeze({
  httpStatus: null,
  bytes: null,
  type: null,
  width: null,
  height: null,
  frames: null,
  hash: null,
  placeholder: null,
  etag: null,
});

function verdictOf(checks: readonly ImageCheckResult[]): 'passed' | 'failed' {
  return checks.some(({ state }) => state === 'failed') ? 'failed' : 'passed';
}
