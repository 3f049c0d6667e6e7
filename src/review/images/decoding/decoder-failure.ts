/** In charge of why an image could not be decoded: for its own fault, or because time or memory did not suffice this time. */
import type { ImageFailure } from '../../../domain/vocabulary/image-checks.ts';

/** As sharp says it of its own time limit, and the libraries behind it of memory. */
const MAY_PASS =
  /timeout: \d+% complete|out of memory|insufficient memory|memory allocation|(?:failed to|cannot|can't) allocate/i;

export function failureOfDecoder(error: unknown): Extract<ImageFailure, 'damaged' | 'not_reviewed'> {
  return error instanceof Error && MAY_PASS.test(error.message) ? 'not_reviewed' : 'damaged';
}
