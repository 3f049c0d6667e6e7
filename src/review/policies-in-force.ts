/**
 * In charge of the policies and placeholders that a process goes by: they are in memory, and are read anew when the
 * setup of the store has moved on.
 */
import { compilePolicies, NO_POLICIES, type Policies } from '../domain/review/policies.ts';
import type { PolicyStore } from '../store/port/settings.ts';
import { BUILTIN_PLACEHOLDERS } from './images/builtin-placeholders.ts';
import { isDistinct, isImageHash } from './images/image-hash.ts';
import { PlaceholderList } from './images/placeholder-list.ts';

export class PoliciesInForce {
  readonly #store: Pick<PolicyStore, 'listPolicies' | 'listPlaceholders'>;
  #current: Policies = NO_POLICIES;
  #placeholders = new PlaceholderList(BUILTIN_PLACEHOLDERS);
  #version: number | undefined;

  constructor(store: Pick<PolicyStore, 'listPolicies' | 'listPlaceholders'>) {
    this.#store = store;
  }

  get current(): Policies {
    return this.#current;
  }

  get placeholders(): PlaceholderList {
    return this.#placeholders;
  }

  /** `setupVersion` is the one that the store has now. A failure leaves all as it was; the next call tries again. */
  async follow(setupVersion: number): Promise<void> {
    if (setupVersion === this.#version) return;
    const [policies, added] = await Promise.all([this.#store.listPolicies(), this.#store.listPlaceholders()]);
    // Whoever was asked earlier may be answered later: what was read for a newer version stays.
    if (this.#version !== undefined && setupVersion < this.#version) return;
    this.#current = compilePolicies(policies);
    // A hash of an earlier release that cannot be compared any more is left out rather than failing all images.
    const usable = added.filter(({ hash }) => isImageHash(hash) && isDistinct(hash));
    const known = usable.map(({ hash, note }) => ({ name: note, hash }));
    this.#placeholders = new PlaceholderList([...BUILTIN_PLACEHOLDERS, ...known]);
    this.#version = setupVersion;
  }
}
