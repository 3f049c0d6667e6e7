/** Use cases: an operator adds, lists and removes images that stand for a missing one. */
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import type { Placeholder, PolicyStore } from '../../store/port/settings.ts';
import type { SentFile } from '../files/take-upload.ts';
import { collectBytes } from '../sent-bytes.ts';

export interface PlaceholderContext {
  readonly store: { readonly policies: Pick<PolicyStore, 'addPlaceholder' | 'listPlaceholders' | 'removePlaceholder'> };
  readonly checks: Pick<SetupChecks, 'placeholder'>;
  /** The review's eye for images. */
  readonly images: ImageHashes;
}

export interface ImageHashes {
  /** Of an image that is fit to be a placeholder; else why it is not. */
  hashOfImage(file: Buffer): Promise<string | { readonly fault: string }>;
  /** The same for a hash that is given. */
  usableHash(hash: string): Promise<string | { readonly fault: string }>;
}

/** `said` names it, and may bring its hash; without one the image is looked at. */
export async function addPlaceholder(
  { store, checks, images }: PlaceholderContext,
  said: SentBody,
  image: SentFile,
): Promise<Outcome<Placeholder>> {
  const checked = checks.placeholder(said);
  if (!checked.ok) return checked;
  const { note, hash: given } = checked.value;
  const hash = given === undefined ? await hashOf(images, image) : await images.usableHash(given);
  if (typeof hash !== 'string') {
    const problem = 'fault' in hash ? requestProblem('placeholder_unusable', hash.fault) : hash;
    return refuse([problem], checked.ignored);
  }
  if ((await store.policies.addPlaceholder({ hash, note })) === 'stored')
    return accept({ hash, note }, checked.ignored);
  return refuse([requestProblem('placeholder_exists', 'This placeholder was added before.')], checked.ignored);
}

export async function listPlaceholders({
  store,
}: Pick<PlaceholderContext, 'store'>): Promise<Outcome<readonly Placeholder[]>> {
  return accept(await store.policies.listPlaceholders());
}

export async function removePlaceholder(
  { store }: Pick<PlaceholderContext, 'store'>,
  hash: string,
): Promise<Outcome<string>> {
  if ((await store.policies.removePlaceholder(hash)) === 'stored') return accept(hash);
  return refuse([requestProblem('placeholder_unknown', `No placeholder ${hash} was added.`)]);
}

async function hashOf(images: ImageHashes, image: SentFile): Promise<string | { readonly fault: string } | Problem> {
  const bytes_max = LIMITS.placeholder_image_bytes_max;
  const bytes = await collectBytes(image, bytes_max);
  if (bytes === 'too_large') {
    return requestProblem('file_too_large', `The image must have at most ${bytes_max} bytes.`);
  }
  if (bytes.length === 0) return requestProblem('body_missing', 'Send the image as the body, or its hash.');
  return images.hashOfImage(Buffer.from(bytes.buffer));
}
