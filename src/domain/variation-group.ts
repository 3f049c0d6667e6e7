/** In charge of what the members of a variation group must share, and of which of them are left out of it. */
import { brandKey } from './brand-key.ts';
import { type Int64, parseExactJson } from './int64.ts';
import type { Report } from './problem.ts';

/** One member as it is stored; the first of a list of members is the parent. */
export interface Member {
  readonly skuId: string;
  readonly brand: string;
  readonly attributes: readonly MemberAttribute[];
}

interface MemberAttribute {
  readonly attribute_id: Int64;
  readonly attribute_value: string;
  readonly attribute_value_unit?: string;
}

export function toMember(stored: { skuId: string; brand: string; attributes: string | null }): Member {
  const attributes = stored.attributes === null ? [] : (parseExactJson(stored.attributes) as MemberAttribute[]);
  return { skuId: stored.skuId, brand: stored.brand, attributes };
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
  parent: Member,
  children: ReadonlyMap<string, Member>,
  sent: { children_skus: readonly string[]; variation_refinements: readonly Int64[] },
  report: Report,
): void {
  for (const [index, refinement] of sent.variation_refinements.entries()) {
    if (valuesOf(parent, refinement).length > 0) continue;
    const rule = `${refinement} must be an attribute of the parent SKU`;
    report.add('refinement_missing', rule, 'variation_refinements', index);
  }
  const parentKey = brandKey(parent.brand);
  for (const [index, skuId] of sent.children_skus.entries()) {
    const child = children.get(skuId);
    if (child === undefined || skuId === parent.skuId) continue;
    if (brandKey(child.brand) !== parentKey) {
      report.add(
        'brand_differs',
        `SKU ${skuId} must have the brand of the parent, ${parent.brand}`,
        'children_skus',
        index,
      );
    }
    const missing = sent.variation_refinements.filter((refinement) => valuesOf(child, refinement).length === 0);
    if (missing.length > 0) {
      const rule = `SKU ${skuId} must have the attribute ${refinementsOf(missing).join(', ')}`;
      report.add('refinement_missing', rule, 'children_skus', index);
    }
  }
}

/**
 * The members that are accepted but left out of the group, in its order: those that repeat the values of an earlier
 * one, and those that a later upload took out of line with the parent (another brand, a missing attribute).
 */
export function excludedSkus(members: readonly Member[], refinements: readonly Int64[]): string[] {
  const parent = members[0];
  if (parent === undefined) return [];
  const parentKey = brandKey(parent.brand);
  const taken = new Set<string>();
  const excluded: string[] = [];
  for (const member of members) {
    const values = refinements.map((refinement) => valuesOf(member, refinement));
    const key = JSON.stringify(values);
    const fits = brandKey(member.brand) === parentKey && values.every((value) => value.length > 0);
    if (fits && !taken.has(key)) taken.add(key);
    else excluded.push(member.skuId);
  }
  return excluded;
}

function valuesOf(member: Member, attributeId: Int64): string[] {
  const id = String(attributeId);
  return member.attributes
    .filter((attribute) => String(attribute.attribute_id) === id)
    .map((attribute) => JSON.stringify([attribute.attribute_value, attribute.attribute_value_unit ?? '']))
    .sort();
}
