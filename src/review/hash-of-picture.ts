/** Tells what a placeholder is known by: the hash of an image that is fit to be one. */
import type { PictureHashes } from '../operations/review/change-placeholders.ts';
import type { ImageDecoders } from './images/image-decoders.ts';
import { isDistinct } from './images/picture-hash.ts';

export function pictureHashes(decoders: Pick<ImageDecoders, 'check'>): PictureHashes {
  return {
    async hashOfPicture(file) {
      const { hash } = await decoders.check(file);
      return hash === null
        ? { fault: 'The file is no picture that offers may show: a JPEG or PNG of 40,000 pixels or more.' }
        : usableHash(hash);
    },
    async usableHash(hash) {
      return usableHash(hash);
    },
  };
}

function usableHash(hash: string): string | { readonly fault: string } {
  return isDistinct(hash) ? hash : { fault: 'The picture is so plain that others would be taken for it.' };
}
