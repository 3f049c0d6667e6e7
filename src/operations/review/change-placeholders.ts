/** Use cases: an operator adds, lists and removes placeholder images, logos and watermarks. */
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import type { MarkKind } from '../../domain/vocabulary/image-failures.ts';
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

type MadePlaceholder = Pick<Placeholder, 'hash' | 'sample'>;

export interface ImageHashes {
  /** Returns the hash of an image that can be a placeholder; otherwise the reason why it cannot. */
  hashOfImage(file: Buffer): Promise<string | { readonly fault: string }>;
  /** Returns the sample of a logo or watermark, with its hash; otherwise the reason why the image cannot be one. */
  sampleOfImage(file: Buffer, kind: MarkKind): Promise<MadePlaceholder | { readonly fault: string }>;
  /** Returns the hash if it can be a placeholder; otherwise the reason why it cannot. */
  usableHash(hash: string): Promise<string | { readonly fault: string }>;
}

/** `said` contains the note, and optionally the kind and the hash. Without a hash, it is computed from the image. */
export async function addPlaceholder(
  { store, checks, images }: PlaceholderContext,
  said: SentBody,
  image: SentFile,
  gate = commandGate(),
): Promise<Outcome<Placeholder>> {
  const checked = checks.placeholder(said);
  if (!checked.ok) return checked;
  const { note, hash: given, kind = 'placeholder' } = checked.value;
  const made = await madeOf(images, image, kind, given);
  if (!('hash' in made)) {
    const problem = 'fault' in made ? requestProblem('placeholder_unusable', made.fault) : made;
    return refuse([problem], checked.ignored);
  }
  const exists = () => refuseRequest('placeholder_exists', undefined, checked.ignored);
  const added = { ...made, note };
  const listed = await store.policies.listPlaceholders();
  if (listed.some((other) => other.hash === made.hash)) return exists();
  if (made.sample !== null && listed.filter(({ sample }) => sample !== null).length >= LIMITS.image_samples_max) {
    return refuseRequest('samples_too_many', undefined, checked.ignored);
  }
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

async function madeOf(
  images: ImageHashes,
  image: SentFile,
  kind: 'placeholder' | MarkKind,
  given: string | undefined,
): Promise<MadePlaceholder | { readonly fault: string } | Problem> {
  const ofHash = (hash: string | { readonly fault: string }) =>
    typeof hash === 'string' ? { hash, sample: null } : hash;
  if (given !== undefined) {
    if (kind !== 'placeholder') return { fault: `Send the image of the ${kind}. A hash is not enough.` };
    return ofHash(await images.usableHash(given));
  }
  const bytes_max = LIMITS.placeholder_image_bytes_max;
  const bytes = await collectBytes(image, bytes_max);
  if (bytes === 'too_large') {
    return requestProblem('file_too_large', `The image must have at most ${bytes_max} bytes.`);
  }
  if (bytes.length === 0)
    return requestProblem('body_missing', 'The image is missing. Send it as the body, or send its hash.');
  const file = Buffer.from(bytes.buffer);
  return kind === 'placeholder' ? ofHash(await images.hashOfImage(file)) : images.sampleOfImage(file, kind);
}
