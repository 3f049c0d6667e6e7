/** Computes the hash of an image that an operator adds as a placeholder, and makes the samples of logos and watermarks. */
import { hash as digestOf } from 'node:crypto';
import type { ImageHashes } from '../operations/review/change-placeholders.ts';
import type { ImageDecoders } from './images/decoding/image-decoders.ts';
import { isDistinct } from './images/image-hash.ts';

export function imageHashes(decoders: Pick<ImageDecoders, 'check' | 'makeSample'>): ImageHashes {
  return {
    async hashOfImage(file) {
      const { hash } = await decoders.check(file);
      return hash === null
        ? { fault: 'Unsupported or damaged image, or too small. Use a JPEG or PNG of at least 40,000 pixels.' }
        : usableHash(hash);
    },
    async sampleOfImage(file, kind) {
      const made = await decoders.makeSample(file);
      if (made === null) {
        return {
          fault: 'Unsupported or damaged image, not on a plain ground, or too plain to be told apart from others.',
        };
      }
      const sample = { kind, ...made };
      return { hash: digestOf('sha512', JSON.stringify(sample)), sample };
    },
    async usableHash(hash) {
      return usableHash(hash);
    },
  };
}

function usableHash(hash: string): string | { readonly fault: string } {
  return isDistinct(hash) ? hash : { fault: 'The image is too plain to be told apart from others.' };
}
