/** Holds the active policies and placeholders in memory, and reloads them when the settings version changes. */
import { compilePolicies, NO_POLICIES, type Policies } from '../domain/review/policies.ts';
import type { ImageEvidence } from '../domain/vocabulary/image-failures.ts';
import type { Placeholder, PolicyStore } from '../store/port/settings.ts';
import { BUILTIN_PLACEHOLDERS } from './images/builtin-placeholders.ts';
import { isDistinct, isImageHash } from './images/image-hash.ts';
import { reviewedAgain } from './images/inspect-image.ts';
import { PlaceholderList } from './images/placeholder-list.ts';

export class CurrentPolicies {
  readonly #store: Pick<PolicyStore, 'listPolicies' | 'listPlaceholders' | 'readAnnouncements'>;
  #current: Policies = NO_POLICIES;
  #placeholders = new PlaceholderList(BUILTIN_PLACEHOLDERS);
  #nextChangeMs: number | null = null;
  #version: number | undefined;

  constructor(store: Pick<PolicyStore, 'listPolicies' | 'listPlaceholders' | 'readAnnouncements'>) {
    this.#store = store;
  }

  get current(): Policies {
    return this.#current;
  }

  get placeholders(): PlaceholderList {
    return this.#placeholders;
  }

  /** When the next announced change applies; null: none is announced. */
  get nextChangeMs(): number | null {
    return this.#nextChangeMs;
  }

  /** `setupVersion`: the current version in the database. A failure changes nothing; the next call retries. */
  async follow(setupVersion: number): Promise<void> {
    if (setupVersion === this.#version) return;
    const store = this.#store;
    const loaded = [store.listPolicies(), store.listPlaceholders(), store.readAnnouncements()] as const;
    const [policies, added, { firstMs }] = await Promise.all(loaded);
    // Responses may arrive out of order: keep the data of the newest version.
    if (this.#version !== undefined && setupVersion < this.#version) return;
    this.#current = compilePolicies(policies);
    this.#placeholders = placeholderListOf(added);
    this.#nextChangeMs = firstMs;
    this.#version = setupVersion;
  }
}

/** Returns a function that re-evaluates the evidence of images with these placeholders. */
export function imagesWith(added: readonly Placeholder[]): (image: ImageEvidence) => ImageEvidence {
  const list = placeholderListOf(added);
  return (image) => reviewedAgain(image, list);
}

/** Returns the built-in placeholders together with those that operators added. */
function placeholderListOf(added: readonly Placeholder[]): PlaceholderList {
  // Hashes of earlier releases that can no longer be compared are ignored; otherwise every image would fail.
  const usable = added.filter(({ hash }) => isImageHash(hash) && isDistinct(hash));
  return new PlaceholderList([...BUILTIN_PLACEHOLDERS, ...usable.map(({ hash, note }) => ({ name: note, hash }))]);
}
