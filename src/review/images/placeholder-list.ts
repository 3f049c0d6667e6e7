/** Finds the known placeholder image that is most similar to an image, and names the logos and watermarks that it shows. */
import type { FoundMarks, ImageEvidence, MarkKind } from '../../domain/vocabulary/image-failures.ts';
import { hashDistance, type ImageHash, isDistinct, isImageHash } from './image-hash.ts';
import type { KnownSample } from './marks/find-marks.ts';

export interface KnownPlaceholder {
  readonly name: string;
  readonly hash: ImageHash;
}

/** A logo or watermark. */
export interface NamedSample extends KnownSample {
  readonly name: string;
}

export interface PlaceholderMatch {
  readonly name: string;
  readonly distance: number;
}

/**
 * On the generated images of bench/image-checks.ts, the same layout in other colors, sizes and formats has a distance of at
 * most 0.17, cropped by 1.5 % at two sides at most 0.42, and the nearest of 440 products 0.62.
 */
export const PLACEHOLDER_DISTANCE_MAX = 0.4;

export class PlaceholderList {
  readonly samples: readonly NamedSample[];
  readonly #known: readonly { readonly name: string; readonly bytes: Uint8Array }[];

  /** Throws if the hash is invalid or too plain to be distinct; check with `isDistinct` first. */
  constructor(known: readonly KnownPlaceholder[], samples: readonly NamedSample[] = []) {
    this.samples = samples;
    this.#known = known.map(({ name, hash }) => {
      if (!isImageHash(hash) || !isDistinct(hash))
        throw new Error(
          `Placeholder ${name}: the hash is invalid, or the image is too plain to be told apart from others.`,
        );
      return { name, bytes: Buffer.from(hash, 'hex') };
    });
  }

  /** Returns null if none is similar enough. */
  match(hash: ImageHash): PlaceholderMatch | null {
    const bytes = Buffer.from(hash, 'hex');
    let nearest: PlaceholderMatch | null = null;
    for (const known of this.#known) {
      const distance = Math.round(hashDistance(known.bytes, bytes) * 1_000) / 1_000;
      if (distance <= PLACEHOLDER_DISTANCE_MAX && distance < (nearest?.distance ?? 2))
        nearest = { name: known.name, distance };
    }
    return nearest;
  }

  /** Returns the samples of this list that the image shows, the surest first. */
  marksOf(marks: FoundMarks | undefined): readonly NonNullable<ImageEvidence['mark']>[] {
    const found = (marks?.found ?? []).flatMap(({ id, score }) => {
      const sample = this.samples.find((other) => other.id === id);
      return sample === undefined ? [] : [{ kind: sample.kind, name: sample.name, score }];
    });
    return found.toSorted((one, other) => other.score - one.score);
  }

  hasSamples(kind: MarkKind): boolean {
    return this.samples.some((sample) => sample.kind === kind);
  }

  /** Returns false if a sample was added since the image was checked. Images that failed an earlier check are not compared. */
  isCompared({ hash, checks, marks }: ImageEvidence): boolean {
    if (hash === null || checks.every(({ check, state }) => check !== 'placeholder' || state === 'skipped'))
      return true;
    return this.samples.every(({ id }) => marks?.compared.includes(id));
  }
}
