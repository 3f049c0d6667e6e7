/** Tells whether decoding failed because of the file, or because there was not enough time or memory this time. */
import type { ImageFailure } from '../../../domain/vocabulary/image-failures.ts';

/** Messages by sharp for a timeout, and by its libraries for lack of memory. */
const MAY_PASS =
  /timeout: \d+% complete|out of memory|insufficient memory|memory allocation|(?:failed to|cannot|can't) allocate/i;

export function failureOfDecoder(error: unknown): Extract<ImageFailure, 'damaged' | 'not_reviewed'> {
  return error instanceof Error && MAY_PASS.test(error.message) ? 'not_reviewed' : 'damaged';
}
