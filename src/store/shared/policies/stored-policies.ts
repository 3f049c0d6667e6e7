/** Reads and writes rows of policies, for the operator's changes and for a merchant that is erased. */
import { type Sql, statement } from '../sql.ts';
import { grantTo, type PolicyRow, without } from './policy-row.ts';

type Row = [kind: PolicyRow['kind'], key: string, value: string, merchantIds: string];

const SELECT = 'SELECT kind, key, value, merchant_ids FROM policy';
const LIST = statement<Row>('list policies', `${SELECT} ORDER BY kind, key`);
const RESTRICTED = statement<Row>('list restricted brands', `${SELECT} WHERE kind = 'restricted_brand' ORDER BY key`);
const FIND = statement<Row>('find policy', `${SELECT} WHERE kind = $1 AND key = $2`);
const PUT = statement<[]>(
  'put policy',
  `INSERT INTO policy (kind, key, value, merchant_ids) VALUES ($1, $2, $3, $4)
   ON CONFLICT (kind, key) DO UPDATE SET merchant_ids = excluded.merchant_ids`,
);

export async function listPolicyRows(sql: Sql): Promise<PolicyRow[]> {
  return (await sql.run(LIST)).map(rowOf);
}

export async function findPolicy(sql: Sql, { kind, key }: PolicyRow): Promise<PolicyRow | undefined> {
  const [row] = await sql.run(FIND, [kind, key]);
  return row && rowOf(row);
}

export async function putPolicy(sql: Sql, { kind, key, value, merchantIds }: PolicyRow): Promise<void> {
  await sql.run(PUT, [kind, key, value, merchantIds]);
}

/** Removes the grants of a merchant. It has no offers any more, so that no sweep begins. */
export async function removeGrants(sql: Sql, merchantId: string): Promise<void> {
  for (const row of (await sql.run(RESTRICTED)).map(rowOf)) {
    const left = without(row, grantTo(merchantId, row));
    if (typeof left === 'object') await putPolicy(sql, left);
  }
}

function rowOf([kind, key, value, merchantIds]: Row): PolicyRow {
  return { kind, key, value, merchantIds };
}
