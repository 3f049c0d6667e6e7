/** Reads and writes account settings, and erases merchants with them, for exports, imports and removals. */
import type { AccountRecord } from '../../../domain/export/records.ts';
import { readAccount } from '../settings/accounts.ts';
import { CREDENTIAL_RECORD, hasUser, insertCredential, insertReturnLocation, storeNode } from '../settings/rows.ts';
import { type Sql, statement } from '../sql.ts';

/** Runs in this order, because rows that refer to a user must be erased before the user. */
const ERASE_PORTAL_USERS = [
  statement<[]>('erase links of portal users')`
    DELETE FROM one_time_link WHERE user_id IN (SELECT user_id FROM portal_user WHERE merchant_id = $1)`,
  statement<[]>('erase portal users')`DELETE FROM portal_user WHERE merchant_id = $1`,
] as const;
/** Includes expired sets: the result must not depend on the time of the read. */
const READ_CREDENTIALS = statement('read credential records')`
  SELECT ${CREDENTIAL_RECORD.list} FROM credential WHERE account_id = $1 ORDER BY credential_id`;
/** Runs in this order: the account itself is erased last. */
const ERASE_OF_ACCOUNT = [
  ...[
    'credential',
    'fulfillment_node',
    'return_location',
    'review_sweep',
    'offer_count',
    'offer_day',
    'request_count',
    'trace',
    'author',
  ],
  ...[
    'request_log',
    'plan',
    'idempotency_key',
    'event_batch',
    'event_feed',
    'history_size',
    'webhook',
    'webhook_delivery',
  ],
  'account',
].map((table) => statement<[]>(`erase ${table} of account`)`DELETE FROM ${table} WHERE account_id = $1`);
const ERASE_MERCHANT = statement<[]>('erase merchant')`DELETE FROM merchant WHERE merchant_id = $1`;

export async function readAccountSettings(sql: Sql, accountId: number): Promise<AccountRecord> {
  const account = await readAccount(sql, accountId);
  if (account === undefined) throw new Error(`Account ${accountId} does not exist.`);
  return {
    accountId,
    credentials: (await sql.run(READ_CREDENTIALS, [accountId])).map(CREDENTIAL_RECORD.of),
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

export async function eraseAccount(sql: Sql, accountId: number): Promise<void> {
  for (const erase of ERASE_OF_ACCOUNT) await sql.run(erase, [accountId]);
}

/** Erases a merchant whose accounts have been erased. */
export async function eraseMerchant(sql: Sql, merchantId: string): Promise<void> {
  for (const erase of [...ERASE_PORTAL_USERS, ERASE_MERCHANT]) await sql.run(erase, [merchantId]);
}
