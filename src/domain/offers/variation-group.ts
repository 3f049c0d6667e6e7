/**
 * Checks what the members of a variation group must share, and decides which of them are excluded. The store makes sure that a SKU is in at
 * most one group: see `group-writes.ts` of each engine.
 */
import { type Int64, parseExactJson } from '../int64.ts';
import type { Report } from '../problem.ts';
import type { UploadedAttribute } from '../review/checks/attributes.ts';
import { brandKey } from '../text/brand-key.ts';
import { outcomeFor, skuState } from './write-state.ts';

/** The relationship between the members of a group; the only one. */
export const RELATIONSHIP = 'Variation';

/** Children that cannot be in a group. */
export type RefusedChildren = readonly { readonly skuId: string; readonly state: 'unknown' | 'archived' }[];

/**
 * One member, described for the refinements of its group. The first member of a list is the parent. Members of one list with the same
 * brand have the same `brandClass`, and with the same values the same `valuesClass`: groups are large, and numbers are cheap to pass
 * between threads.
 */
export interface MemberFacts {
  readonly skuId: string;
  readonly brand: string;
  readonly brandClass: number;
  readonly valuesClass: number;
  /** Indexes of the refinements for which the member has no value. */
  readonly missing: readonly number[];
}

export interface StoredMember {
  readonly skuId: string;
  readonly brand: string;
  /** JSON text of `attributes_node_specific`; null when the SKU has none. */
  readonly attributes: string | null;
}

/** Why a member is excluded from its group: `of` is the SKU whose values it repeats. */
export type LeftOut =
  | { readonly why: 'brand_differs' | 'refinement_missing' }
  | { readonly why: 'values_repeated'; readonly of: string };

/** The role of a SKU in its variation group; valid until the group is re-reviewed. */
export interface GroupEvidence {
  readonly parent: string;
  /** Null: the SKU is in the group. */
  readonly leftOut: LeftOut | null;
}

/** A group with its resolved members. */
export interface GroupStanding {
  readonly parentSkuId: string;
  /** The parent first. */
  readonly members: readonly StandingMember[];
}

export interface StandingMember {
  readonly skuId: string;
  /** Whether it is due for review. */
  readonly due: boolean;
  /** Null: the SKU is in the group. */
  readonly leftOut: LeftOut | null;
  /** The group evidence of its last review; null when it was not reviewed as a member of a group. */
  readonly reviewed: GroupEvidence | null;
}

export function describeMembers(members: readonly StoredMember[], refinements: readonly Int64[]): MemberFacts[] {
  const brandClasses = new Map<string, number>();
  const valuesClasses = new Map<string, number>();
  return members.map(({ skuId, brand, attributes }) => {
    const stored = attributes === null ? [] : (parseExactJson(attributes) as UploadedAttribute[]);
    const values = refinementValues(stored, refinements);
    return {
      skuId,
      brand,
      brandClass: classOf(brandKey(brand), brandClasses),
      valuesClass: classOf(JSON.stringify(values), valuesClasses),
      missing: values.flatMap((value, at) => (value.length === 0 ? [at] : [])),
    };
  });
}

/** Returns the SKU's values for each refinement. An attribute that occurs several times counts with all its values. */
function refinementValues(stored: readonly UploadedAttribute[], refinements: readonly Int64[]): string[][] {
  const byId = Map.groupBy(stored, (attribute) => String(attribute.attribute_id));
  return refinements.map((id) =>
    (byId.get(String(id)) ?? [])
      .map((attribute) => JSON.stringify([attribute.attribute_value, attribute.attribute_value_unit ?? '']))
      .sort(),
  );
}

function classOf(key: string, classes: Map<string, number>): number {
  const known = classes.get(key);
  if (known !== undefined) return known;
  classes.set(key, classes.size);
  return classes.size - 1;
}

/** Returns the children to store, without duplicates and without the parent. */
export function childrenOf(parentId: string, sent: readonly string[]): string[] {
  return [...new Set(sent)].filter((skuId) => skuId !== parentId);
}

/** Removes duplicate refinements. */
export function refinementsOf(sent: readonly Int64[]): Int64[] {
  return [...new Map(sent.map((id) => [String(id), id])).values()];
}

/** Reports problems of the parent and of existing children: a different brand, or a missing refinement attribute. */
export function checkGroup(
  parent: MemberFacts,
  children: ReadonlyMap<string, MemberFacts>,
  sent: { children_skus: readonly string[]; variation_refinements: readonly Int64[] },
  report: Report,
): void {
  const refinements = sent.variation_refinements;
  for (const at of parent.missing) {
    const rule = `${refinements[at]} must be an attribute of the parent SKU`;
    report.add('refinement_missing', rule, 'variation_refinements', at);
  }
  for (const [index, skuId] of sent.children_skus.entries()) {
    const child = children.get(skuId);
    if (child === undefined || skuId === parent.skuId) continue;
    if (child.brandClass !== parent.brandClass) {
      const rule = `SKU ${skuId} must have the same brand as the parent, ${parent.brand}`;
      report.add('brand_differs', rule, 'children_skus', index);
    }
    if (child.missing.length > 0) {
      const missing = refinementsOf(child.missing.map((at) => refinements[at] ?? 0));
      report.add(
        'refinement_missing',
        `SKU ${skuId} must have the ${missing.length > 1 ? 'attributes' : 'attribute'} ${inWords(missing)}`,
        'children_skus',
        index,
      );
    }
  }
}

/** Returns why these SKUs, parent first, cannot be a group; `flags` has the archive flag of each SKU that exists. */
export function refusalOf(
  [parent = '', ...children]: readonly string[],
  flags: ReadonlyMap<string, boolean | 0 | 1>,
): 'unknown' | 'archived' | { readonly refused: RefusedChildren } | undefined {
  const outcomeOf = (skuId: string) => {
    const archived = flags.get(skuId);
    return outcomeFor('variation', skuState(archived === undefined ? undefined : Boolean(archived)));
  };
  const refused = children.flatMap((skuId) => {
    const state = outcomeOf(skuId);
    return state === 'stored' ? [] : [{ skuId, state }];
  });
  const outcome = outcomeOf(parent);
  if (outcome !== 'stored') return outcome;
  return refused.length > 0 ? { refused } : undefined;
}

/**
 * Returns members that are accepted but excluded from the group, in its order: members that repeat the values of an earlier member, and
 * members that no longer match the parent after a later upload (different brand, missing attribute).
 */
export function excludedSkus(members: readonly MemberFacts[]): string[] {
  return [...leftOutOf(members).keys()];
}

function leftOutOf(members: readonly MemberFacts[]): ReadonlyMap<string, LeftOut> {
  const holders = new Map<number, string>();
  const leftOut = new Map<string, LeftOut>();
  for (const { skuId, brandClass, valuesClass, missing } of members) {
    const holder = holders.get(valuesClass);
    if (brandClass !== members[0]?.brandClass) leftOut.set(skuId, { why: 'brand_differs' });
    else if (missing.length > 0) leftOut.set(skuId, { why: 'refinement_missing' });
    else if (holder !== undefined) leftOut.set(skuId, { why: 'values_repeated', of: holder });
    else holders.set(valuesClass, skuId);
  }
  return leftOut;
}

/** A member as the review reads it. `reviewed` is the JSON text of its stored group evidence, or null. */
export interface ReviewedMember extends StoredMember {
  readonly due: boolean;
  readonly reviewed: string | null;
}

/** Describes a stored group: `refinements` is JSON text, and the first member is the parent. */
export function groupStanding(refinements: string, members: readonly ReviewedMember[]): GroupStanding {
  const leftOut = leftOutOf(describeMembers(members, parseExactJson(refinements) as Int64[]));
  return {
    parentSkuId: members[0]?.skuId ?? '',
    members: members.map(({ skuId, due, reviewed }) => ({
      skuId,
      due,
      leftOut: leftOut.get(skuId) ?? null,
      reviewed: reviewed === null ? null : evidenceIn(reviewed),
    })),
  };
}

/** Earlier versions stored more fields. */
function evidenceIn(reviewed: string): GroupEvidence {
  const { parent, leftOut } = JSON.parse(reviewed) as GroupEvidence;
  return { parent, leftOut };
}

/** Returns members whose last review no longer matches the group. Members that are due are reviewed anyway. */
export function wrongIn({ parentSkuId, members }: GroupStanding): readonly string[] {
  return members.flatMap(({ skuId, due, leftOut, reviewed }) => {
    const isRight = reviewed?.parent === parentSkuId && JSON.stringify(reviewed.leftOut) === JSON.stringify(leftOut);
    return due || isRight ? [] : [skuId];
  });
}

/** Created on demand, because the first one would add up to 100 ms to the start. */
let attributeList: Intl.ListFormat | undefined;

function inWords(attributes: readonly Int64[]): string {
  attributeList ??= new Intl.ListFormat('en');
  return attributeList.format(attributes.map(String));
}
