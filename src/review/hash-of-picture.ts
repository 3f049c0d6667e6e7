/** In charge of what a placeholder is known by: the hash of a picture that is fit to be one; the operations' PictureHashes. */
import { ImageJudge } from './images/judge-image.ts';
import { isDistinct, type PictureHash } from './images/picture-hash.ts';
import { PlaceholderList } from './images/placeholder-list.ts';

type Judged = PictureHash | { readonly fault: string };

export async function hashOfPicture(file: Buffer): Promise<Judged> {
  const judge = new ImageJudge({ placeholders: () => new PlaceholderList([]) });
  const { hash } = await judge.judge(file);
  if (hash === null)
    return { fault: 'The file is no picture that offers may show: a JPEG or PNG of 40,000 pixels or more.' };
  return usableHash(hash);
}

/** Of a hash in its form. */
export async function usableHash(hash: PictureHash): Promise<Judged> {
  return isDistinct(hash) ? hash : { fault: 'The picture is so plain that others would be taken for it.' };
}
