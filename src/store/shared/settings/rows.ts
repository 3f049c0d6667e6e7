/** Writes rows of account settings, for the operator's changes, imports and removals. */
import { ENVIRONMENTS, type Environment, type FulfillmentNode } from '../../../domain/account.ts';
import type { CredentialRecord, MerchantRecord } from '../../../domain/export/records.ts';
import { type ScopeSet, scopeSet, scopesIn } from '../../../domain/setup/key-scopes.ts';
import { BYTES, columnsOf, FLAG, JSON_TEXT } from '../records.ts';
import { insertStatement, isFound, runOnly, type Sql, statement } from '../sql.ts';

const FIND_MERCHANT = statement<[1]>('find merchant')`SELECT 1 FROM merchant WHERE merchant_id = $1`;
export const MERCHANT = columnsOf<MerchantRecord>({ suspended: FLAG, returnShippingMethods: JSON_TEXT })(
  ...(['merchantId', 'name', 'createdMs', 'suspended', 'timeToReturnDays', 'returnShippingMethods'] as const),
);
const ADD_MERCHANT = insertStatement('add merchant', 'merchant', MERCHANT.names);
const ACCOUNT = ['merchant_id', 'environment'];
const ADD_ACCOUNT = insertStatement<[accountId: number]>('add account', 'account', ACCOUNT, 'RETURNING account_id');
const SUSPEND = statement<[1]>('suspend merchant')`
  UPDATE merchant SET suspended = $2 WHERE merchant_id = $1 AND suspended <> $2 RETURNING 1`;
const END_REMOVAL = statement<[]>('end pending removal')`DELETE FROM pending_removal WHERE merchant_id = $1`;
const FIND_USER = statement<[1]>('find user')`SELECT 1 FROM credential WHERE user_name = $1`;
/** How columns store the fields of a credential set. */
export const CREDENTIAL_CODECS = {
  salt: BYTES,
  secretHash: BYTES,
  scopes: {
    read: (names: string) => scopeSet(names.split(' ')),
    write: (scopes: ScopeSet) => scopesIn(scopes).join(' '),
  },
  planLimits: JSON_TEXT,
};
export const CREDENTIAL_RECORD = columnsOf<CredentialRecord>(CREDENTIAL_CODECS)(
  ...(['user', 'salt', 'secretHash', 'createdMs', 'endsMs', 'name', 'scopes', 'skuPrefix', 'planLimits'] as const),
);
const ADD_CREDENTIAL = insertStatement('add credential', 'credential', ['account_id', ...CREDENTIAL_RECORD.names]);
const NODE = ['account_id', 'node_id', 'rate_kind', 'methods', 'levels'];
const PUT_NODE = insertStatement('put node', 'fulfillment_node', NODE, 'REPLACE');
const ADD_RETURN_LOCATION = statement<[1]>('add return location')`
  INSERT INTO return_location (account_id, location_id) VALUES ($1, $2)
  ON CONFLICT (account_id, location_id) DO NOTHING RETURNING 1`;

export const hasMerchant: (sql: Sql, merchantId: string) => Promise<boolean> = isFound(FIND_MERCHANT);
export const hasUser: (sql: Sql, user: string) => Promise<boolean> = isFound(FIND_USER);
export const endRemoval: (sql: Sql, merchantId: string) => Promise<void> = runOnly(END_REMOVAL);

/** Inserts the merchant with its accounts, and returns the account ids. */
export async function insertMerchant(sql: Sql, merchant: MerchantRecord): Promise<Record<Environment, number>> {
  await sql.run(ADD_MERCHANT, MERCHANT.valuesOf(merchant));
  const accounts: [Environment, number][] = [];
  for (const environment of ENVIRONMENTS) {
    accounts.push([environment, await insertAccount(sql, merchant.merchantId, environment)]);
  }
  return Object.fromEntries(accounts) as Record<Environment, number>;
}

/** `merchantId` is null for the account of the marketplace. */
export async function insertAccount(sql: Sql, merchantId: string | null, environment: Environment): Promise<number> {
  const [row] = await sql.run(ADD_ACCOUNT, [merchantId, environment]);
  if (row === undefined) throw new Error('The inserted account has no id.');
  return row[0];
}

/** Returns false if the merchant already has that value, or does not exist. */
export async function suspend(sql: Sql, merchantId: string, suspended: boolean): Promise<boolean> {
  return (await sql.run(SUSPEND, [merchantId, Number(suspended)])).length > 0;
}

export async function insertCredential(sql: Sql, accountId: number, credential: CredentialRecord): Promise<void> {
  await sql.run(ADD_CREDENTIAL, [accountId, ...CREDENTIAL_RECORD.valuesOf({ planLimits: null, ...credential })]);
}

export async function storeNode(sql: Sql, accountId: number, node: FulfillmentNode): Promise<void> {
  const { id, rateKind, methods, levels } = node;
  await sql.run(PUT_NODE, [accountId, id, rateKind, JSON.stringify(methods), JSON.stringify(levels)]);
}

/** Returns false if the account already has this location. */
export const insertReturnLocation: (sql: Sql, accountId: number, locationId: string) => Promise<boolean> =
  isFound(ADD_RETURN_LOCATION);
