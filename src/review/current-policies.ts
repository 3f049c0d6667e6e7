/** Holds the active policies and placeholders, and those after announced changes, in memory, and reloads them when the settings version changes. */
import { LIMITS } from '../domain/limits.ts';
import type { CategoryBook } from '../domain/review/facts.ts';
import {
  compilePolicies,
  NO_POLICIES,
  type Policies,
  type Policy,
  withoutPolicy,
  withPolicy,
} from '../domain/review/policies.ts';
import type { ImageEvidence } from '../domain/vocabulary/image-failures.ts';
import type { AnnouncedRules } from '../operations/review-knowledge.ts';
import type { AnnouncedChange, Placeholder, PolicyStore, RuleEdit, StoredTaxonomy } from '../store/port/settings.ts';
import { BUILTIN_PLACEHOLDERS } from './images/builtin-placeholders.ts';
import { isDistinct, isImageHash } from './images/image-hash.ts';
import { reviewedAgain } from './images/inspect-image.ts';
import { PlaceholderList } from './images/placeholder-list.ts';

type RulesStore = Pick<PolicyStore, 'listPolicies' | 'listPlaceholders' | 'listAnnouncedChanges' | 'readRuleEdit'>;
type TreeOf = (taxonomy: Pick<StoredTaxonomy, 'parts'> | null) => Promise<CategoryBook>;

/** What an announced change does. It never changes, so it is cached: a taxonomy may be large. */
interface ReadEdit {
  readonly edit: RuleEdit;
  /** The tree of an announced taxonomy. */
  readonly tree: CategoryBook | undefined;
}

/** More than may be announced; settled changes come after these. */
const LISTED_MAX = 200;
/** Each checked image keeps the ids of the samples that it was compared with. */
const SAMPLE_ID_DIGITS = 16;

export class CurrentPolicies {
  readonly #store: RulesStore;
  readonly #treeOf: TreeOf;
  #edits = new Map<number, ReadEdit>();
  #current: Policies = NO_POLICIES;
  #announced: readonly AnnouncedRules[] = [];
  #uncleared: readonly number[] = [];
  #placeholders = new PlaceholderList(BUILTIN_PLACEHOLDERS);
  #version: number | undefined;

  constructor(store: RulesStore, treeOf: TreeOf) {
    this.#store = store;
    this.#treeOf = treeOf;
  }

  get current(): Policies {
    return this.#current;
  }

  get announced(): readonly AnnouncedRules[] {
    return this.#announced;
  }

  /** Settled changes whose offers are not forgotten yet. */
  get uncleared(): readonly number[] {
    return this.#uncleared;
  }

  get placeholders(): PlaceholderList {
    return this.#placeholders;
  }

  /** `setupVersion`: the current version in the database. A failure changes nothing; the next call retries. */
  async follow(setupVersion: number): Promise<void> {
    if (setupVersion === this.#version) return;
    const store = this.#store;
    const loaded = [store.listPolicies(), store.listPlaceholders(), store.listAnnouncedChanges(LISTED_MAX)] as const;
    const [policies, added, changes] = await Promise.all(loaded);
    const announced = await this.#rulesAfter(changes, policies, added);
    // Responses may arrive out of order: keep the data of the newest version.
    if (this.#version !== undefined && setupVersion < this.#version) return;
    this.#current = compilePolicies(policies);
    this.#announced = announced;
    this.#uncleared = changes.flatMap(({ announcedId, state, cleared }) => {
      return state === 'announced' || cleared ? [] : [announcedId];
    });
    this.#placeholders = placeholderListOf(added);
    this.#version = setupVersion;
  }

  async #rulesAfter(
    changes: readonly AnnouncedChange[],
    policies: readonly Policy[],
    placeholders: readonly Placeholder[],
  ): Promise<AnnouncedRules[]> {
    const all: AnnouncedRules[] = [];
    const edits = new Map<number, ReadEdit>();
    let after: RulesAfter = { policies, placeholders, taxonomy: undefined };
    for (const change of changes) {
      if (change.state !== 'announced') continue;
      const read = this.#edits.get(change.announcedId) ?? (await this.#readEdit(change.announcedId));
      // Settled since the list was read; the version of the settings has changed again.
      if (read === undefined) continue;
      edits.set(change.announcedId, read);
      after = { ...after, taxonomy: read.tree ?? after.taxonomy, ...editedRules(after, read.edit) };
      const image = after.placeholders === placeholders ? undefined : imagesWith(after.placeholders);
      all.push({ change, policies: compilePolicies(after.policies), taxonomy: after.taxonomy, image });
    }
    this.#edits = edits;
    return all;
  }

  async #readEdit(announcedId: number): Promise<ReadEdit | undefined> {
    const edit = await this.#store.readRuleEdit(announcedId);
    if (edit === undefined) return undefined;
    const isTaxonomy = edit.edit === 'putTaxonomy' || edit.edit === 'dropTaxonomy';
    if (!isTaxonomy) return { edit, tree: undefined };
    // Only the tree is needed, not the text.
    return { edit: { edit: 'dropTaxonomy', body: null }, tree: await this.#treeOf(edit.body) };
  }
}

interface RulesAfter {
  readonly policies: readonly Policy[];
  readonly placeholders: readonly Placeholder[];
  /** Undefined: the current one. */
  readonly taxonomy: CategoryBook | undefined;
}

/** Returns what an edit changes in policies and placeholders, as the store does at its date. */
function editedRules({ policies, placeholders }: RulesAfter, { edit, body }: RuleEdit): Partial<RulesAfter> {
  switch (edit) {
    case 'addPolicy':
      return { policies: withPolicy(policies, body) ?? policies };
    case 'removePolicy':
      return { policies: withoutPolicy(policies, body) ?? policies };
    case 'addPlaceholder':
      return { placeholders: [...placeholders, body] };
    case 'removePlaceholder':
      return { placeholders: placeholders.filter(({ hash }) => hash !== body) };
    default:
      return {};
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
  const usable = added.filter(({ hash, sample }) => sample === null && isImageHash(hash) && isDistinct(hash));
  const samples = added.flatMap(({ hash, note, sample }) =>
    sample === null ? [] : [{ ...sample, id: hash.slice(0, SAMPLE_ID_DIGITS), name: note }],
  );
  return new PlaceholderList(
    [...BUILTIN_PLACEHOLDERS, ...usable.map(({ hash, note }) => ({ name: note, hash }))],
    // Concurrent additions may exceed the limit.
    samples.slice(0, LIMITS.image_samples_max),
  );
}
