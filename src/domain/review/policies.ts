/**
 * In charge of the operator's policies: what may not be sold at all, and brands that only some merchants may sell.
 * Compiled once when they change, then asked for every offer.
 */
import { brandKey } from '../brand-key.ts';
import type { Int64 } from '../int64.ts';
import type { TaxonomyNode } from '../taxonomy.ts';
import type { CatalogCode } from './product-code.ts';

export type Policy =
  | { readonly kind: 'excluded_brand'; readonly brand: string }
  /** With all nodes below it. */
  | { readonly kind: 'excluded_category'; readonly nodeId: Int64 }
  | { readonly kind: 'excluded_code'; readonly code: CatalogCode }
  /** Granted to these merchants, in both of their environments. */
  | { readonly kind: 'restricted_brand'; readonly brand: string; readonly merchantIds: readonly string[] };

export interface Policies {
  readonly excludedBrands: ReadonlySet<string>;
  readonly excludedCategories: ReadonlySet<Int64>;
  readonly excludedCodes: ReadonlySet<CatalogCode>;
  /** The merchants that each brand is granted to. Brands are keys of brand-key.ts here and above. */
  readonly restrictedBrands: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Grants of the same brand, in whichever spelling, add up. */
export function compilePolicies(list: readonly Policy[]): Policies {
  const excludedBrands = new Set<string>();
  const excludedCategories = new Set<Int64>();
  const excludedCodes = new Set<CatalogCode>();
  const restrictedBrands = new Map<string, Set<string>>();
  for (const policy of list) {
    if (policy.kind === 'excluded_brand') excludedBrands.add(brandKey(policy.brand));
    else if (policy.kind === 'excluded_category') excludedCategories.add(policy.nodeId);
    else if (policy.kind === 'excluded_code') excludedCodes.add(policy.code);
    else {
      const key = brandKey(policy.brand);
      const granted = restrictedBrands.get(key);
      restrictedBrands.set(key, new Set([...(granted ?? []), ...policy.merchantIds]));
    }
  }
  return { excludedBrands, excludedCategories, excludedCodes, restrictedBrands };
}

export const NO_POLICIES: Policies = compilePolicies([]);

/** What of an offer meets an exclusion. */
export type Exclusion =
  | { readonly brand: string }
  | { readonly code: CatalogCode }
  | { readonly category: { readonly id: Int64; readonly name: string } };

const NONE: readonly Exclusion[] = Object.freeze([]);

/** `lineage`: the offer's category and the nodes above it. */
export function exclusionsOf(
  policies: Policies,
  brand: string,
  codes: readonly CatalogCode[],
  lineage: readonly TaxonomyNode[],
): readonly Exclusion[] {
  const { excludedBrands, excludedCategories, excludedCodes } = policies;
  // Most operators exclude little: what has no policy is not looked at, which saves 1 us for the key of the brand.
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
