/** Converts policies to rows and back: a row is found by its kind and a key that two spellings of a brand share. */
import { brandKey } from '../../../domain/brand-key.ts';
import { readId } from '../../../domain/int64.ts';
import type { Policy } from '../../../domain/review/policies.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';

export interface PolicyRow {
  readonly kind: Policy['kind'];
  readonly key: string;
  /** As the operator spelled it. */
  readonly value: string;
  /** JSON text of the merchants that it is granted to, in order; only of a restricted brand. */
  readonly merchantIds: string;
}

const NOBODY = '[]';

export function rowOfPolicy(policy: Policy): PolicyRow {
  const { kind } = policy;
  switch (kind) {
    case 'excluded_brand':
      return { kind, key: brandKey(policy.brand), value: policy.brand, merchantIds: NOBODY };
    case 'excluded_category':
      return { kind, key: String(policy.nodeId), value: String(policy.nodeId), merchantIds: NOBODY };
    case 'excluded_code':
      return { kind, key: policy.code, value: policy.code, merchantIds: NOBODY };
    case 'restricted_brand':
      return { kind, key: brandKey(policy.brand), value: policy.brand, merchantIds: listText(policy.merchantIds) };
  }
}

export function policyOfRow({ kind, value, merchantIds }: PolicyRow): Policy {
  switch (kind) {
    case 'excluded_brand':
      return { kind, brand: value };
    case 'excluded_category':
      return { kind, nodeId: readId(value) ?? 0 };
    case 'excluded_code':
      return { kind, code: value as CatalogCode };
    case 'restricted_brand':
      return { kind, brand: value, merchantIds: JSON.parse(merchantIds) };
  }
}

/** What stands there when `added` came to `stored`; undefined: it brings nothing new. */
export function withGrants(stored: PolicyRow, added: PolicyRow): PolicyRow | undefined {
  const merchantIds = listText([...listOf(stored), ...listOf(added)]);
  return merchantIds === stored.merchantIds ? undefined : { ...stored, merchantIds };
}

/** A grant of `restricted` to one merchant alone, for it to be taken away. */
export function grantTo(merchantId: string, restricted: PolicyRow): PolicyRow {
  return { ...restricted, merchantIds: listText([merchantId]) };
}

/** What is left of `stored`: nothing, itself with fewer grants, or, when there is nothing to take away, `unknown`. */
export function without(stored: PolicyRow, removed: PolicyRow): PolicyRow | 'nothing' | 'unknown' {
  const revoked = listOf(removed);
  if (revoked.length === 0) return 'nothing';
  const merchantIds = listText(listOf(stored).filter((merchantId) => !revoked.includes(merchantId)));
  return merchantIds === stored.merchantIds ? 'unknown' : { ...stored, merchantIds };
}

function listOf({ merchantIds }: PolicyRow): string[] {
  return JSON.parse(merchantIds);
}

function listText(merchantIds: readonly string[]): string {
  return merchantIds.length === 0 ? NOBODY : JSON.stringify([...new Set(merchantIds)].sort());
}
