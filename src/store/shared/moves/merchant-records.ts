/** Merchants with their account settings, as they leave a database and enter another, and how they are erased. */
import { ENVIRONMENTS, type Environment, type RateKind } from '../../../domain/account.ts';
import type { AccountRecord, CredentialRecord, MerchantRecord } from '../../port/moves.ts';
import { ERASE_PORTAL_USERS } from '../people/removal.ts';
import { type Sql, statement } from '../sql.ts';

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
/** Also those past their end: the state of a moment does not depend on when it is read. */
const READ_CREDENTIALS = statement<
  [user: string, salt: Uint8Array, secretHash: Uint8Array, createdMs: number, endsMs: number | null]
>(
  'read credential records',
  `SELECT user_name, salt, secret_hash, created_ms, ends_ms FROM credential
   WHERE account_id = $1 ORDER BY credential_id`,
);
const READ_NODES = statement<[id: string, rateKind: RateKind, methods: string, levels: string]>(
  'read node records',
  'SELECT node_id, rate_kind, methods, levels FROM fulfillment_node WHERE account_id = $1 ORDER BY node_id',
);
const READ_RETURN_LOCATIONS = statement<[locationId: string]>(
  'read return location records',
  'SELECT location_id FROM return_location WHERE account_id = $1 ORDER BY location_id',
);

const ADD_MERCHANT = statement<[]>(
  'import merchant',
  `INSERT INTO merchant (merchant_id, name, created_ms, suspended, time_to_return_days, return_shipping_methods)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);
const ADD_ACCOUNT = statement<[accountId: number]>(
  'import account',
  'INSERT INTO account (merchant_id, environment) VALUES ($1, $2) RETURNING account_id',
);
const FIND_USER = statement<[1]>('find user of import', 'SELECT 1 FROM credential WHERE user_name = $1');
const ADD_CREDENTIAL = statement<[]>(
  'import credential',
  `INSERT INTO credential (account_id, user_name, salt, secret_hash, created_ms, ends_ms)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);
const PUT_NODE = statement<[]>(
  'import node',
  `INSERT INTO fulfillment_node (account_id, node_id, rate_kind, methods, levels) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (account_id, node_id)
   DO UPDATE SET rate_kind = excluded.rate_kind, methods = excluded.methods, levels = excluded.levels`,
);
const ADD_RETURN_LOCATION = statement<[]>(
  'import return location',
  `INSERT INTO return_location (account_id, location_id) VALUES ($1, $2)
   ON CONFLICT (account_id, location_id) DO NOTHING`,
);
const SET_SUSPENDED = statement<[merchantId: string]>(
  'suspend moved merchant',
  'UPDATE merchant SET suspended = $2 WHERE merchant_id = $1 RETURNING merchant_id',
);

const ACCOUNTS = statement<[accountId: number]>(
  'list accounts of merchant',
  'SELECT account_id FROM account WHERE merchant_id = $1',
);
/** The account itself last. */
const ERASE_OF_ACCOUNT = [
  ...['credential', 'fulfillment_node', 'return_location', 'review_sweep', 'offer_count', 'request_count', 'author'],
  'account',
].map((table) => statement<[]>(`erase ${table} of account`, `DELETE FROM ${table} WHERE account_id = $1`));
const ERASE_MERCHANT = statement<[]>('erase merchant', 'DELETE FROM merchant WHERE merchant_id = $1');

export async function readMerchant(sql: Sql, merchantId: string): Promise<MerchantRecord | undefined> {
  const [row] = await sql.run(READ_MERCHANT, [merchantId]);
  if (row === undefined) return undefined;
  const [name, createdMs, suspended, timeToReturnDays, returnMethods] = row;
  const returnShippingMethods = JSON.parse(returnMethods);
  return { merchantId, name, createdMs, suspended: suspended === 1, timeToReturnDays, returnShippingMethods };
}

/** In order of merchant id, without those that are half moved in or half erased. */
export async function listWholeMerchants(sql: Sql): Promise<readonly string[]> {
  return (await sql.run(WHOLE_MERCHANTS)).map(([merchantId]) => merchantId);
}

export async function readAccount(sql: Sql, merchantId: string, environment: Environment): Promise<AccountRecord> {
  const [account] = await sql.run(ACCOUNT_OF, [merchantId, environment]);
  if (account === undefined) throw new Error(`Merchant ${merchantId} has no ${environment} account.`);
  const credentials = await sql.run(READ_CREDENTIALS, account);
  const nodes = await sql.run(READ_NODES, account);
  const locations = await sql.run(READ_RETURN_LOCATIONS, account);
  return {
    accountId: account[0],
    credentials: credentials.map(([user, salt, secretHash, createdMs, endsMs]): CredentialRecord => {
      return { user, salt: new Uint8Array(salt), secretHash: new Uint8Array(secretHash), createdMs, endsMs };
    }),
    nodes: nodes.map(([id, rateKind, methods, levels]) => {
      return { id, rateKind, methods: JSON.parse(methods), levels: JSON.parse(levels) };
    }),
    returnLocationIds: locations.map(([locationId]) => locationId),
  };
}

/** With its accounts, whose ids it returns. */
export async function addMerchant(sql: Sql, merchant: MerchantRecord): Promise<Record<Environment, number>> {
  const { merchantId, name, createdMs, suspended, timeToReturnDays, returnShippingMethods } = merchant;
  const methods = JSON.stringify(returnShippingMethods);
  await sql.run(ADD_MERCHANT, [merchantId, name, createdMs, Number(suspended), timeToReturnDays, methods]);
  const accounts: [Environment, number][] = [];
  for (const environment of ENVIRONMENTS) {
    const [row] = await sql.run(ADD_ACCOUNT, [merchantId, environment]);
    if (row === undefined) throw new Error('An inserted account has an id.');
    accounts.push([environment, row[0]]);
  }
  return Object.fromEntries(accounts) as Record<Environment, number>;
}

/** Returns a user of another account, where the rest must be undone. */
export async function addAccountSettings(sql: Sql, account: AccountRecord): Promise<string | undefined> {
  const { accountId, credentials, nodes, returnLocationIds } = account;
  for (const { user, salt, secretHash, createdMs, endsMs } of credentials) {
    if ((await sql.run(FIND_USER, [user])).length > 0) return user;
    await sql.run(ADD_CREDENTIAL, [accountId, user, salt, secretHash, createdMs, endsMs]);
  }
  for (const { id, rateKind, methods, levels } of nodes) {
    await sql.run(PUT_NODE, [accountId, id, rateKind, JSON.stringify(methods), JSON.stringify(levels)]);
  }
  for (const locationId of returnLocationIds) await sql.run(ADD_RETURN_LOCATION, [accountId, locationId]);
  return undefined;
}

/** False where there is no such merchant. */
export async function setSuspended(sql: Sql, merchantId: string, suspended: boolean): Promise<boolean> {
  return (await sql.run(SET_SUSPENDED, [merchantId, Number(suspended)])).length > 0;
}

export async function listAccounts(sql: Sql, merchantId: string): Promise<readonly number[]> {
  return (await sql.run(ACCOUNTS, [merchantId])).map(([accountId]) => accountId);
}

export async function eraseAccount(sql: Sql, accountId: number): Promise<void> {
  for (const erase of ERASE_OF_ACCOUNT) await sql.run(erase, [accountId]);
}

/** Its accounts must be gone. */
export async function eraseMerchant(sql: Sql, merchantId: string): Promise<void> {
  for (const erase of [...ERASE_PORTAL_USERS, ERASE_MERCHANT]) await sql.run(erase, [merchantId]);
}
