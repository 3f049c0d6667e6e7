/** Defines what a fix is: the change that would resolve a failed check, how sure it is, and where it comes from. */
import type { Environment } from '../../account.ts';
import type { Int64 } from '../../int64.ts';
import type { TaxonomyTree } from '../../taxonomy/tree.ts';
import type { KnownProduct } from '../catalog.ts';
import type { ReviewedDocument, ReviewKnowledge } from '../facts.ts';
import type { Subject } from '../subject.ts';

/** `certain`: safe to apply without a person. `likely`: right in most cases, so a person should look. */
export const CONFIDENCES = Object.freeze(['certain', 'likely'] as const);
export type Confidence = (typeof CONFIDENCES)[number];

/**
 * `live_offers`: the titles of products that are listed in the category. `variation_group`: the merchant's other offers in the same
 * variation group.
 */
export const FIX_SOURCES = Object.freeze([
  'catalog',
  'category_rule',
  'title',
  'arithmetic',
  'live_offers',
  'variation_group',
] as const);
export type FixSource = (typeof FIX_SOURCES)[number];

/** A step of a JSON Patch (RFC 6902) for the SKU document, with neutral names. */
export type PatchStep =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** What a rule finds. */
export interface FoundFix {
  readonly confidence: Confidence;
  readonly source: FixSource;
  readonly patch: readonly PatchStep[];
  /** What the fix does, as an instruction to the merchant. */
  readonly text: string;
}

export interface GroupClues {
  /** The attributes in which the members differ. */
  readonly refinements: readonly Int64[];
  /** Other members that are live. */
  readonly live: readonly ReviewedDocument[];
}

/** What the rules know besides the offer and the rules of the review. */
export interface FixClues {
  readonly tree: TaxonomyTree;
  /** Products of the catalog, by the codes of `codesToLookUp`. */
  readonly products: readonly KnownProduct[];
  /** Undefined for an offer without a variation group. */
  readonly group?: GroupClues | undefined;
  /** Returns the best category among these for the offer; undefined if none stands out. */
  readonly guessCategory?: ((words: readonly string[], among: (id: Int64) => boolean) => Int64 | undefined) | undefined;
}

/** Guesses categories from the titles of listed products. */
export interface CategoryGuesses {
  /** Never waits. Undefined while the environment has no model; the call then starts to train one. */
  guess(environment: Environment): FixClues['guessCategory'];
  /** Trains no more. Resolves when nothing is read for a model anymore. */
  close(): Promise<void>;
}

export type FixFinder = (subject: Subject<ReviewKnowledge>, clues: FixClues) => readonly FoundFix[];

export function replaced(path: string, value: unknown): readonly PatchStep[] {
  return [{ op: 'replace', path, value }];
}
