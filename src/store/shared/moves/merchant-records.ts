/** Reads, writes and erases merchants with their account settings, for exports, imports and removals. */
import type { Environment } from '../../../domain/account.ts';
import type { AccountRecord, CredentialRecord, MerchantRecord } from '../../port/moves.ts';
import { columnsOf } from '../records.ts';
import * as accounts from '../settings/accounts.ts';
import { hasUser, insertCredential, insertReturnLocation, storeNode } from '../settings/rows.ts';
import { type Sql, statement } from '../sql.ts';

/** Run in this order: what refers to a user is erased before the user. */
const ERASE_PORTAL_USERS = [
  statement<[]>(
    'erase links of portal users',
    'DELETE FROM one_time_link WHERE user_id IN (SELECT user_id FROM portal_user WHERE merchant_id = $1)',
  ),
  statement<[]>('erase portal users', 'DELETE FROM portal_user WHERE merchant_id = $1'),
] as const;
const READ_MERCHANT = statement<
  [name: string, createdMs: number, suspended: 0 | 1, timeToReturnDays: number, returnMethods: string]
>(
  'read merchant record',
  `SELECT name, created_ms, suspended, time_to_return_days, return_shipping_methods
   FROM merchant WHERE merchant_id = $1`,
);
const WHOLE_MERCHANTS = statement<[merchantId: string]>(
  'list whole merchants',
  `SELECT m.merchant_id FROM merchant m LEFT JOIN pending_import i ON i.merchant_id = m.merchant_id
   LEFT JOIN pending_removal r ON r.merchant_id = m.merchant_id
   WHERE i.merchant_id IS NULL AND r.exported_to IS NULL ORDER BY m.merchant_id`,
);
const ACCOUNT_OF = statement<[accountId: number]>(
  'find account of merchant',
  'SELECT account_id FROM account WHERE merchant_id = $1 AND environment = $2',
);
/** Includes expired ones: a snapshot does not depend on when it is read. */
const CREDENTIAL = columnsOf<CredentialRecord>()('user', 'salt', 'secretHash', 'createdMs', 'endsMs', 'name');
const READ_CREDENTIALS = statement(
  'read credential records',
  `SELECT ${CREDENTIAL.list} FROM credential WHERE account_id = $1 ORDER BY credential_id`,
);
const ACCOUNTS = statement<[accountId: number]>(
  'list accounts of merchant',
  'SELECT account_id FROM account WHERE merchant_id = $1',
);
/** Run in this order: the account itself is erased last. */
const ERASE_OF_ACCOUNT = [
  ...['credential', 'fulfillment_node', 'return_location', 'review_sweep', 'offer_count', 'request_count', 'author'],
  ...['request_log', 'idempotency_key', 'event_batch', 'event_feed', 'webhook', 'webhook_delivery', 'account'],
].map((table) => statement<[]>(`erase ${table} of account`, `DELETE FROM ${table} WHERE account_id = $1`));
const ERASE_MERCHANT = statement<[]>('erase merchant', 'DELETE FROM merchant WHERE merchant_id = $1');

export async function readMerchant(sql: Sql, merchantId: string): Promise<MerchantRecord | undefined> {
  const [row] = await sql.run(READ_MERCHANT, [merchantId]);
  if (row === undefined) return undefined;
  const [name, createdMs, suspended, timeToReturnDays, returnMethods] = row;
  const returnShippingMethods = JSON.parse(returnMethods);
  return { merchantId, name, createdMs, suspended: suspended === 1, timeToReturnDays, returnShippingMethods };
}

/** Lists merchants in order of id, without those whose import or removal is unfinished. */
export async function listWholeMerchants(sql: Sql): Promise<readonly string[]> {
  return (await sql.run(WHOLE_MERCHANTS)).map(([merchantId]) => merchantId);
}

export async function readAccount(sql: Sql, merchantId: string, environment: Environment): Promise<AccountRecord> {
  const [[accountId] = [0]] = await sql.run(ACCOUNT_OF, [merchantId, environment]);
  const account = await accounts.readAccount(sql, accountId);
  if (account === undefined) throw new Error(`Merchant ${merchantId} has no ${environment} account.`);
  const credentials = (await sql.run(READ_CREDENTIALS, [accountId])).map(CREDENTIAL.of);
  return {
    accountId,
    credentials: credentials.map(({ salt, secretHash, ...credential }) => {
      return { ...credential, salt: new Uint8Array(salt), secretHash: new Uint8Array(secretHash) };
    }),
    nodes: [...account.nodes.values()],
    returnLocationIds: [...account.returnLocationIds],
  };
}

/** Returns the first user name that is taken; the caller then rolls back. Returns undefined on success. */
export async function addAccountSettings(sql: Sql, account: AccountRecord): Promise<string | undefined> {
  const { accountId, credentials, nodes, returnLocationIds } = account;
  for (const credential of credentials) {
    if (await hasUser(sql, credential.user)) return credential.user;
    await insertCredential(sql, accountId, credential);
  }
  for (const node of nodes) await storeNode(sql, accountId, node);
  for (const locationId of returnLocationIds) await insertReturnLocation(sql, accountId, locationId);
  return undefined;
}

export async function listAccounts(sql: Sql, merchantId: string): Promise<readonly number[]> {
  return (await sql.run(ACCOUNTS, [merchantId])).map(([accountId]) => accountId);
}

export async function eraseAccount(sql: Sql, accountId: number): Promise<void> {
  for (const erase of ERASE_OF_ACCOUNT) await sql.run(erase, [accountId]);
}

/** Erases a merchant whose accounts have been erased. */
export async function eraseMerchant(sql: Sql, merchantId: string): Promise<void> {
  for (const erase of [...ERASE_PORTAL_USERS, ERASE_MERCHANT]) await sql.run(erase, [merchantId]);
}
