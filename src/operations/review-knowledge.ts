/** Provides the data that the review of an offer depends on: the facts of the offer, and the rules with a tag that changes with them. */
import { hash } from 'node:crypto';
import type { Account } from '../domain/account.ts';
import { stringifyExactJson } from '../domain/int64.ts';
import type { CategoryBook, Evidence, OfferFacts, ReviewedDocument, ReviewKnowledge } from '../domain/review/facts.ts';
import type { Policies } from '../domain/review/policies.ts';
import { readReviewedDocument, swatchAddress } from '../domain/review/reviewed-document.ts';
import type { TaggedTaxonomy } from '../domain/taxonomy/tree.ts';
import type { ImageEvidence } from '../domain/vocabulary/image-failures.ts';
import type { AnnouncedChange } from '../store/port/settings.ts';

/** Rules shared by all merchants. `current` is replaced after a change. */
export interface ReviewRules {
  readonly taxonomy: { readonly current: TaggedTaxonomy };
  readonly policies: {
    readonly current: Policies;
    /** The rules after each announced change, in order of their dates. Without any, reviews do no extra work. */
    readonly announced?: readonly AnnouncedRules[];
  };
  readonly imageCheck: 'on' | 'off';
  readonly newProductData: ReviewKnowledge['newProductData'];
  /** The version of the checks, computed from their source files (see compose/review-code-version.ts). */
  readonly code: string;
}

/** The rules after an announced change and all that come before it. */
export interface AnnouncedRules {
  readonly change: AnnouncedChange;
  readonly policies: Policies;
  /** Undefined: the current taxonomy. */
  readonly taxonomy: CategoryBook | undefined;
  /** Re-reviews an image. Undefined: the placeholders stay as they are. */
  readonly image: ((image: ImageEvidence) => ImageEvidence) | undefined;
}

export interface TaggedKnowledge extends ReviewKnowledge {
  /** An unchanged offer has the same verdict as long as this tag is the same. */
  readonly tag: string;
}

interface Kept {
  readonly taxonomy: TaggedTaxonomy;
  readonly policies: Policies;
  readonly rules: ReviewRules;
  readonly knowledge: TaggedKnowledge;
}

/** Cached per object, because accounts, taxonomy and policies are immutable: a change replaces the object. */
const KEPT = new WeakMap<Account, Kept>();

export function reviewKnowledge(rules: ReviewRules, account: Account): TaggedKnowledge {
  const taxonomy = rules.taxonomy.current;
  const policies = rules.policies.current;
  const kept = KEPT.get(account);
  if (kept?.taxonomy === taxonomy && kept.policies === policies && kept.rules === rules) return kept.knowledge;
  const { imageCheck, newProductData } = rules;
  const tag = tagOf(rules, account);
  const program = { imageCheck, newProductData, tag };
  const knowledge = { review: 'on', taxonomy: taxonomy.tree, policies, account, ...program } as const;
  KEPT.set(account, { taxonomy, policies, rules, knowledge });
  return knowledge;
}

function tagOf(
  { taxonomy, policies, imageCheck, newProductData, code }: ReviewRules,
  { merchantId, nodes }: Account,
): string {
  const { excludedBrands, excludedCategories, excludedCodes, restrictedBrands } = policies.current;
  const all = stringifyExactJson([
    code,
    taxonomy.current.tag,
    imageCheck,
    newProductData,
    [...excludedBrands].sort(),
    Array.from(excludedCategories, String).sort(),
    [...excludedCodes].sort(),
    Array.from(restrictedBrands, ([brand, granted]) => [brand, granted.has(merchantId)]).sort(),
    Array.from(nodes.values(), ({ id, rateKind }) => [id, rateKind]).sort(),
  ]);
  return hash('sha256', all, 'base64url').slice(0, 22);
}

export interface StoredFacts extends Omit<OfferFacts, 'document'> {
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly evidence: Evidence;
}

export function factsOf({ document, archived, priced, stockNodeIds, inGroup }: StoredFacts): OfferFacts {
  return { document: readReviewedDocument(document), archived, priced, stockNodeIds, inGroup };
}

/** The URLs of the offer's images, without duplicates. */
export function imageAddresses(document: ReviewedDocument): readonly string[] {
  const { main_image_url, alternate_images = [] } = document;
  const swatch = swatchAddress(document);
  if (alternate_images.length === 0 && swatch === undefined) return [main_image_url];
  const others = alternate_images.map(({ image_url }) => image_url);
  return [...new Set([main_image_url, ...others, ...(swatch === undefined ? [] : [swatch])])];
}
