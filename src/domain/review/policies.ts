/** Applies the operator's policies, compiled when they change: what no merchant may sell, and brands that only some may sell. */

import type { Int64 } from '../int64.ts';
import type { TaxonomyNode } from '../taxonomy/tree.ts';
import { brandKey } from '../text/brand-key.ts';
import { DEFAULT_ORDER, type RankOrder } from '../vocabulary/rank-parts.ts';
import type { CatalogCode } from './product-code.ts';

export type Policy =
  | { readonly kind: 'excluded_brand'; readonly brand: string }
  /** Includes all nodes below it. */
  | { readonly kind: 'excluded_category'; readonly nodeId: Int64 }
  | { readonly kind: 'excluded_code'; readonly code: CatalogCode }
  /** Granted to these merchants, sorted by id, in both of their environments. */
  | { readonly kind: 'restricted_brand'; readonly brand: string; readonly merchantIds: readonly string[] }
  /** How the storefront ranks the offers of a product. There is at most one. */
  | { readonly kind: 'rank_order'; readonly order: RankOrder };

/** Returns a key that is equal for policies of one kind with the same target, such as two spellings of a brand. */
export function policyKey(policy: Policy): string {
  switch (policy.kind) {
    case 'excluded_category':
      return String(policy.nodeId);
    case 'excluded_code':
      return policy.code;
    case 'rank_order':
      return '';
    default:
      return brandKey(policy.brand);
  }
}

const TITLES: Readonly<Record<Policy['kind'], string>> = {
  excluded_brand: 'Excluded brand',
  excluded_category: 'Excluded category',
  excluded_code: 'Excluded product',
  restricted_brand: 'Restricted brand',
  rank_order: 'Order of offers',
};

/** Describes the policy to people, without the merchants that have a grant. */
export function policyTitle(policy: Policy): string {
  return `${TITLES[policy.kind]}: ${targetOf(policy)}`;
}

function targetOf(policy: Policy): string | Int64 {
  if ('brand' in policy) return policy.brand;
  if ('order' in policy) return policy.order.join(', ');
  return 'code' in policy ? policy.code : policy.nodeId;
}

/** Replaces the policy of the same kind and key in the list; null removes it. */
export function replacePolicy(
  list: readonly Policy[],
  kind: Policy['kind'],
  key: string,
  policy: Policy | null,
): readonly Policy[] {
  const others = list.filter((other) => other.kind !== kind || policyKey(other) !== key);
  return policy === null ? others : [...others, policy];
}

/** Adds the policy to the list; grants of a restricted brand add up. Returns undefined if nothing changes. */
export function withPolicy(list: readonly Policy[], added: Policy): readonly Policy[] | undefined {
  const found = findPolicy(list, added);
  if (found?.kind === 'rank_order' && added.kind === 'rank_order') {
    return found.order.join() === added.order.join() ? undefined : replacePolicy(list, found.kind, '', added);
  }
  if (added.kind !== 'restricted_brand') return found === undefined ? [...list, added] : undefined;
  if (found?.kind !== 'restricted_brand') return [...list, { ...added, merchantIds: inOrder(added.merchantIds) }];
  const merchantIds = inOrder([...found.merchantIds, ...added.merchantIds]);
  if (merchantIds.length === found.merchantIds.length) return undefined;
  return replacePolicy(list, found.kind, policyKey(found), { ...found, merchantIds });
}

/** Removes the given grants of a restricted brand, or the policy. Returns undefined if nothing changes. */
export function withoutPolicy(list: readonly Policy[], removed: Policy): readonly Policy[] | undefined {
  const found = findPolicy(list, removed);
  if (found === undefined) return undefined;
  const key = policyKey(found);
  if (found.kind !== 'restricted_brand' || removed.kind !== 'restricted_brand' || removed.merchantIds.length === 0) {
    return replacePolicy(list, found.kind, key, null);
  }
  const merchantIds = found.merchantIds.filter((merchantId) => !removed.merchantIds.includes(merchantId));
  if (merchantIds.length === found.merchantIds.length) return undefined;
  return replacePolicy(list, found.kind, key, { ...found, merchantIds });
}

function inOrder(merchantIds: readonly string[]): readonly string[] {
  return [...new Set(merchantIds)].sort();
}

export function findPolicy(list: readonly Policy[], policy: Policy): Policy | undefined {
  const key = policyKey(policy);
  return list.find((other) => other.kind === policy.kind && policyKey(other) === key);
}

export interface Policies {
  readonly excludedBrands: ReadonlySet<string>;
  readonly excludedCategories: ReadonlySet<Int64>;
  readonly excludedCodes: ReadonlySet<CatalogCode>;
  /** The merchants with a grant for each brand. Brands here and above are keys made by brand-key.ts. */
  readonly restrictedBrands: ReadonlyMap<string, ReadonlySet<string>>;
  readonly rankOrder: RankOrder;
}

/** Grants of the same brand add up, whatever its spelling. */
export function compilePolicies(list: readonly Policy[]): Policies {
  const excludedBrands = new Set<string>();
  const excludedCategories = new Set<Int64>();
  const excludedCodes = new Set<CatalogCode>();
  const restrictedBrands = new Map<string, Set<string>>();
  let rankOrder = DEFAULT_ORDER;
  for (const policy of list) {
    if (policy.kind === 'excluded_brand') excludedBrands.add(brandKey(policy.brand));
    else if (policy.kind === 'excluded_category') excludedCategories.add(policy.nodeId);
    else if (policy.kind === 'excluded_code') excludedCodes.add(policy.code);
    else if (policy.kind === 'rank_order') rankOrder = policy.order;
    else {
      const key = brandKey(policy.brand);
      const granted = restrictedBrands.get(key);
      restrictedBrands.set(key, new Set([...(granted ?? []), ...policy.merchantIds]));
    }
  }
  return { excludedBrands, excludedCategories, excludedCodes, restrictedBrands, rankOrder };
}

export const NO_POLICIES: Policies = compilePolicies([]);

/** The part of an offer that a policy excludes. */
export type Exclusion =
  | { readonly brand: string }
  | { readonly code: CatalogCode }
  | { readonly category: { readonly id: Int64; readonly name: string } };

const NONE: readonly Exclusion[] = Object.freeze([]);

/** `lineage`: the offer's category and its ancestors. */
export function exclusionsOf(
  policies: Policies,
  brand: string,
  codes: readonly CatalogCode[],
  lineage: readonly TaxonomyNode[],
): readonly Exclusion[] {
  const { excludedBrands, excludedCategories, excludedCodes } = policies;
  // Most operators have few exclusions. Without any, skipping the brand key saves 1 us.
  if (excludedBrands.size + excludedCategories.size + excludedCodes.size === 0) return NONE;
  const found: Exclusion[] = [];
  if (excludedBrands.size > 0 && excludedBrands.has(brandKey(brand))) found.push({ brand });
  for (const code of codes) if (excludedCodes.has(code)) found.push({ code });
  for (const { id, name } of lineage) if (excludedCategories.has(id)) found.push({ category: { id, name } });
  return found;
}

export type BrandPermission = 'unrestricted' | 'granted' | 'refused';

export function brandPermission(policies: Policies, brand: string, merchantId: string): BrandPermission {
  const { restrictedBrands } = policies;
  const granted = restrictedBrands.size === 0 ? undefined : restrictedBrands.get(brandKey(brand));
  if (granted === undefined) return 'unrestricted';
  return granted.has(merchantId) ? 'granted' : 'refused';
}
