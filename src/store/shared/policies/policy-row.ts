/** Reads, writes and converts policies. A policy is found by its kind and a key that spellings of a brand share. */
import { readId } from '../../../domain/int64.ts';
import { type Policy, policyKey } from '../../../domain/review/policies.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import { columnsOf } from '../records.ts';
import { type Sql, statement } from '../sql.ts';

export interface PolicyRow {
  readonly kind: Policy['kind'];
  readonly key: string;
  /** As the operator spelled it. */
  readonly value: string;
  /** JSON text of the merchants that a restricted brand is granted to, in order. */
  readonly merchantIds: string;
}

const NO_MERCHANTS = '[]';

export function rowOfPolicy(policy: Policy): PolicyRow {
  const { kind } = policy;
  const row = { kind, key: policyKey(policy), merchantIds: NO_MERCHANTS };
  switch (kind) {
    case 'excluded_category':
      return { ...row, value: row.key };
    case 'excluded_code':
      return { ...row, value: policy.code };
    case 'excluded_brand':
      return { ...row, value: policy.brand };
    case 'restricted_brand':
      return { ...row, value: policy.brand, merchantIds: listText(policy.merchantIds) };
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

/** Returns `stored` with the grants of `added`; undefined if it adds none. */
export function withGrants(stored: PolicyRow, added: PolicyRow): PolicyRow | undefined {
  const merchantIds = listText([...listOf(stored), ...listOf(added)]);
  return merchantIds === stored.merchantIds ? undefined : { ...stored, merchantIds };
}

/** Returns the rest of `stored`: nothing, the policy with fewer grants, or `unknown` if there is nothing to remove. */
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
  return merchantIds.length === 0 ? NO_MERCHANTS : JSON.stringify([...new Set(merchantIds)].sort());
}

const POLICY = columnsOf<PolicyRow>()('kind', 'key', 'value', 'merchantIds');
const SELECT = `SELECT ${POLICY.list} FROM policy`;
const LIST = statement('list policies', `${SELECT} ORDER BY kind, key`);
const RESTRICTED = statement('list restricted brands', `${SELECT} WHERE kind = 'restricted_brand' ORDER BY key`);
const FIND = statement('find policy', `${SELECT} WHERE kind = $1 AND key = $2`);
const PUT = statement<[]>(
  'put policy',
  `INSERT INTO policy (${POLICY.list}) VALUES ($1, $2, $3, $4)
   ON CONFLICT (kind, key) DO UPDATE SET merchant_ids = excluded.merchant_ids`,
);
const REMOVE = statement<[]>('remove policy', 'DELETE FROM policy WHERE kind = $1 AND key = $2');

export async function listPolicyRows(sql: Sql): Promise<PolicyRow[]> {
  return (await sql.run(LIST)).map(POLICY.of);
}

export async function findPolicy(
  sql: Sql,
  { kind, key }: Pick<PolicyRow, 'kind' | 'key'>,
): Promise<PolicyRow | undefined> {
  return (await sql.run(FIND, [kind, key])).map(POLICY.of)[0];
}

export async function putPolicy(sql: Sql, policy: PolicyRow): Promise<void> {
  await sql.run(PUT, POLICY.valuesOf(policy));
}

export async function dropPolicy(sql: Sql, { kind, key }: Pick<PolicyRow, 'kind' | 'key'>): Promise<void> {
  await sql.run(REMOVE, [kind, key]);
}

/** Removes the grants of a merchant. It has no offers any more, so no sweep begins. */
export async function removeGrants(sql: Sql, merchantId: string): Promise<void> {
  for (const row of (await sql.run(RESTRICTED)).map(POLICY.of)) {
    const left = without(row, { ...row, merchantIds: listText([merchantId]) });
    if (typeof left === 'object') await putPolicy(sql, left);
  }
}
