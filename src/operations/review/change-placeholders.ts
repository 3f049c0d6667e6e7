/** Use cases: an operator adds, lists and removes placeholder images. */
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import type { Placeholder, PolicyStore } from '../../store/port/settings.ts';
import type { SentFile } from '../files/receive-upload.ts';
import { collectBytes } from '../files/receive-upload.ts';
import { commandGate } from './rule-change.ts';

export interface PlaceholderContext {
  readonly store: { readonly policies: Pick<PolicyStore, 'addPlaceholder' | 'listPlaceholders' | 'removePlaceholder'> };
  readonly checks: Pick<SetupChecks, 'placeholder'>;
  /** Hashes images as the review does. */
  readonly images: ImageHashes;
}

export interface ImageHashes {
  /** Returns the hash of an image that can be a placeholder; otherwise the reason why it cannot. */
  hashOfImage(file: Buffer): Promise<string | { readonly fault: string }>;
  /** Returns the hash if it can be a placeholder; otherwise the reason why it cannot. */
  usableHash(hash: string): Promise<string | { readonly fault: string }>;
}

/** `said` contains the note and optionally the hash. Without a hash, it is computed from the image. */
export async function addPlaceholder(
  { store, checks, images }: PlaceholderContext,
  said: SentBody,
  image: SentFile,
  gate = commandGate(),
): Promise<Outcome<Placeholder>> {
  const checked = checks.placeholder(said);
  if (!checked.ok) return checked;
  const { note, hash: given } = checked.value;
  const hash = given === undefined ? await hashOf(images, image) : await images.usableHash(given);
  if (typeof hash !== 'string') {
    const problem = 'fault' in hash ? requestProblem('placeholder_unusable', hash.fault) : hash;
    return refuse([problem], checked.ignored);
  }
  const exists = () => refuseRequest('placeholder_exists', undefined, checked.ignored);
  const added = { hash, note };
  const listed = await store.policies.listPlaceholders();
  if (listed.some((other) => other.hash === hash)) return exists();
  const passed = await gate.pass('addPlaceholder', note, { kind: 'placeholders', placeholders: [...listed, added] });
  if (!passed.ok) return refuse(passed.problems, checked.ignored);
  if (passed.value === 'preview') return accept(added, checked.ignored);
  return (await store.policies.addPlaceholder(added, passed.value)) === 'stored'
    ? accept(added, checked.ignored)
    : exists();
}

export async function listPlaceholders({
  store,
}: Pick<PlaceholderContext, 'store'>): Promise<Outcome<readonly Placeholder[]>> {
  return accept(await store.policies.listPlaceholders());
}

export async function removePlaceholder(
  { store }: Pick<PlaceholderContext, 'store'>,
  hash: string,
  gate = commandGate(),
): Promise<Outcome<string>> {
  const unknown = () => refuseRequest('placeholder_unknown', `No placeholder with the hash ${hash}.`);
  const listed = await store.policies.listPlaceholders();
  const removed = listed.find((other) => other.hash === hash);
  if (removed === undefined) return unknown();
  const placeholders = listed.filter((other) => other !== removed);
  const passed = await gate.pass('removePlaceholder', removed.note, { kind: 'placeholders', placeholders });
  if (!passed.ok) return passed;
  if (passed.value === 'preview') return accept(hash);
  return (await store.policies.removePlaceholder(hash, passed.value)) === 'stored' ? accept(hash) : unknown();
}

async function hashOf(images: ImageHashes, image: SentFile): Promise<string | { readonly fault: string } | Problem> {
  const bytes_max = LIMITS.placeholder_image_bytes_max;
  const bytes = await collectBytes(image, bytes_max);
  if (bytes === 'too_large') {
    return requestProblem('file_too_large', `The image must have at most ${bytes_max} bytes.`);
  }
  if (bytes.length === 0)
    return requestProblem('body_missing', 'The image is missing. Send it as the body, or send its hash.');
  return images.hashOfImage(Buffer.from(bytes.buffer));
}
