/** Computes the hash of an image that an operator adds as a placeholder. */
import type { ImageHashes } from '../operations/review/change-placeholders.ts';
import type { ImageDecoders } from './images/decoding/image-decoders.ts';
import { isDistinct } from './images/image-hash.ts';

export function imageHashes(decoders: Pick<ImageDecoders, 'check'>): ImageHashes {
  return {
    async hashOfImage(file) {
      const { hash } = await decoders.check(file);
      return hash === null
        ? { fault: 'Unsupported or damaged image, or too small. Use a JPEG or PNG of at least 40,000 pixels.' }
        : usableHash(hash);
    },
    async usableHash(hash) {
      return usableHash(hash);
    },
  };
}

function usableHash(hash: string): string | { readonly fault: string } {
  return isDistinct(hash) ? hash : { fault: 'The image is too plain to be told apart from others.' };
}
