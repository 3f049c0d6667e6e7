/** Builds the list of check results of an image. */
import {
  type FoundMarks,
  IMAGE_CHECKS,
  IMAGE_FAILURES,
  type ImageCheck,
  type ImageCheckResult,
  type ImageFailure,
} from '../../domain/vocabulary/image-failures.ts';
import type { ImageHash } from './image-hash.ts';

/** Findings from the file alone, as plain data. */
export interface ImageFindings {
  readonly checks: readonly ImageCheckResult[];
  readonly type: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly frames: number | null;
  readonly hash: ImageHash | null;
  /** Absent without samples. */
  readonly marks?: FoundMarks;
}

/**
 * Returns the results of all checks up to the last one that ran. Failures are listed at their check; later checks are
 * skipped. `reachable` has passed, because there is a file. `off`: checks that have nothing to compare the image with.
 */
export function checksOf(
  failures: readonly ImageFailure[],
  last: ImageCheck,
  off: readonly ImageCheck[] = [],
): readonly ImageCheckResult[] {
  return IMAGE_CHECKS.map((check, index) => {
    const failure = failures.find((code) => IMAGE_FAILURES[code].check === check);
    if (failure !== undefined) return { check, state: 'failed', failure };
    const isMade = index <= IMAGE_CHECKS.indexOf(last) && !off.includes(check);
    return { check, state: isMade ? 'passed' : 'skipped', failure: null };
  });
}

export const UNSEEN = Object.freeze({ type: null, width: null, height: null, frames: null, hash: null });

/** Used if there was not enough time or memory, or the decoder crashed. */
export const NOT_REVIEWED: ImageFindings = Object.freeze({ ...UNSEEN, checks: checksOf(['not_reviewed'], 'image') });
