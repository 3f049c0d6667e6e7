/** The list of checks that a check of an image ends with: which were made, and what they came to. */
import {
  IMAGE_CHECKS,
  IMAGE_FAILURES,
  type ImageCheck,
  type ImageCheckResult,
  type ImageFailure,
} from '../../domain/vocabulary/image-checks.ts';
import type { ImageHash } from './image-hash.ts';

/** What a file alone says; plain data. */
export interface ImageFindings {
  readonly checks: readonly ImageCheckResult[];
  readonly type: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly frames: number | null;
  readonly hash: ImageHash | null;
}

/** Have their place and are not built: they are skipped until they can be measured on real images. */
const OFF: readonly ImageCheck[] = ['logo', 'watermark'];

/**
 * The results of all checks up to the last that was made; failures stand at theirs, later checks are skipped, and `reachable`
 * has passed for whoever has a file.
 */
export function checksOf(failures: readonly ImageFailure[], last: ImageCheck): readonly ImageCheckResult[] {
  return IMAGE_CHECKS.map((check, place) => {
    const failure = failures.find((code) => IMAGE_FAILURES[code].check === check);
    if (failure !== undefined) return { check, state: 'failed', failure };
    const isMade = place <= IMAGE_CHECKS.indexOf(last) && !OFF.includes(check);
    return { check, state: isMade ? 'passed' : 'skipped', failure: null };
  });
}

export const UNSEEN = Object.freeze({ type: null, width: null, height: null, frames: null, hash: null });

/** Time or memory did not suffice, or the decoder crashed. */
export const NOT_REVIEWED: ImageFindings = Object.freeze({ ...UNSEEN, checks: checksOf(['not_reviewed'], 'image') });
