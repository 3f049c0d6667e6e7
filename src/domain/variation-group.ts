/** In charge of what the members of a variation group must share, and of which of them are left out of it. */
import { brandKey } from './brand-key.ts';
import { type Int64, parseExactJson } from './int64.ts';
import type { Report } from './problem.ts';

/**
 * One member, described for the refinements of its group; the first of a list of members is the parent. Brands and
 * values are told by numbers, equal within one list where they are the same: a group may be large, and travels far.
 */
export interface MemberFacts {
  readonly skuId: string;
  readonly brand: string;
  readonly brandClass: number;
  readonly valuesClass: number;
  /** Places in the list of refinements of those that the member has no value of. */
  readonly missing: readonly number[];
}

export interface StoredMember {
  readonly skuId: string;
  readonly brand: string;
  /** JSON text of `attributes_node_specific`, null when the SKU has none. */
  readonly attributes: string | null;
}

interface StoredAttribute {
  readonly attribute_id: Int64;
  readonly attribute_value: string;
  readonly attribute_value_unit?: string;
}

/** Why a member is left out of its group: `of` is the SKU whose values it repeats. */
export type LeftOut =
  | { readonly why: 'brand_differs' | 'refinement_missing' }
  | { readonly why: 'values_repeated'; readonly of: string };

/** What was found of a SKU in its variation group: it counts until the group was looked at again. */
export interface GroupEvidence {
  readonly parent: string;
  /** Null: it is in the group. */
  readonly leftOut: LeftOut | null;
}

/** A group with what the data of its members make of it. */
export interface GroupStanding {
  readonly parentSkuId: string;
  /** The parent first. */
  readonly members: readonly StandingMember[];
}

export interface StandingMember {
  readonly skuId: string;
  /** For review. */
  readonly due: boolean;
  /** Null: it is in the group. */
  readonly leftOut: LeftOut | null;
  /** What it was reviewed by last; null where that was not as a member of a group. */
  readonly reviewed: GroupEvidence | null;
}

export function describeMembers(members: readonly StoredMember[], refinements: readonly Int64[]): MemberFacts[] {
  const brandClasses = new Map<string, number>();
  const valuesClasses = new Map<string, number>();
  return members.map(({ skuId, brand, attributes }) => {
    const stored = attributes === null ? [] : (parseExactJson(attributes) as StoredAttribute[]);
    const values = refinementValues(stored, refinements);
    return {
      skuId,
      brand,
      brandClass: classOf(brandKey(brand), brandClasses),
      valuesClass: classOf(JSON.stringify(values), valuesClasses),
      missing: values.flatMap((value, place) => (value.length === 0 ? [place] : [])),
    };
  });
}

/** For each refinement the values that the SKU has of it; an attribute that comes several times counts with all. */
function refinementValues(stored: readonly StoredAttribute[], refinements: readonly Int64[]): string[][] {
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

/** The children to store: without the parent's own id and without repetitions. */
export function childrenOf(parentId: string, sent: readonly string[]): string[] {
  return [...new Set(sent)].filter((skuId) => skuId !== parentId);
}

/** Repeated refinements count once. */
export function refinementsOf(sent: readonly Int64[]): Int64[] {
  return [...new Map(sent.map((id) => [String(id), id])).values()];
}

/** Problems of children that exist: another brand, or a refinement attribute that a member lacks. */
export function checkGroup(
  parent: MemberFacts,
  children: ReadonlyMap<string, MemberFacts>,
  sent: { children_skus: readonly string[]; variation_refinements: readonly Int64[] },
  report: Report,
): void {
  const refinements = sent.variation_refinements;
  for (const place of parent.missing) {
    const rule = `${refinements[place]} must be an attribute of the parent SKU`;
    report.add('refinement_missing', rule, 'variation_refinements', place);
  }
  for (const [index, skuId] of sent.children_skus.entries()) {
    const child = children.get(skuId);
    if (child === undefined || skuId === parent.skuId) continue;
    if (child.brandClass !== parent.brandClass) {
      const rule = `SKU ${skuId} must have the brand of the parent, ${parent.brand}`;
      report.add('brand_differs', rule, 'children_skus', index);
    }
    if (child.missing.length > 0) {
      const missing = refinementsOf(child.missing.map((place) => refinements[place] ?? 0));
      report.add(
        'refinement_missing',
        `SKU ${skuId} must have the attribute ${missing.join(', ')}`,
        'children_skus',
        index,
      );
    }
  }
}

/**
 * The members that are accepted but left out of the group, in its order: those that repeat the values of an earlier
 * one, and those that a later upload took out of line with the parent (another brand, a missing attribute).
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

/** A member as the review finds it; `reviewed` is the JSON text of its stored group evidence, null where there is none. */
export interface ReviewedMember extends StoredMember {
  readonly due: boolean;
  readonly reviewed: string | null;
}

/** Of a stored group; `refinements` is JSON text, and the first of the members is the parent. */
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

/** Earlier versions kept more in it. */
function evidenceIn(reviewed: string): GroupEvidence {
  const { parent, leftOut } = JSON.parse(reviewed) as GroupEvidence;
  return { parent, leftOut };
}

/** Members that were reviewed as what they are not, or are no longer, in the group. Those that are due will be reviewed anyway. */
export function wrongIn({ parentSkuId, members }: GroupStanding): readonly string[] {
  return members.flatMap(({ skuId, due, leftOut, reviewed }) => {
    const isRight = reviewed !== null && reviewed.parent === parentSkuId && isSame(reviewed.leftOut, leftOut);
    return due || isRight ? [] : [skuId];
  });
}

function isSame(one: LeftOut | null, other: LeftOut | null): boolean {
  return one?.why === other?.why && holderOf(one) === holderOf(other);
}

function holderOf(leftOut: LeftOut | null): string | undefined {
  return leftOut?.why === 'values_repeated' ? leftOut.of : undefined;
}
