/** In charge of the merchants and of the account that each has in each environment. */
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import type { MerchantRecord } from '../port/moves.ts';
import type { Merchant, NewMerchant, Returns, Unfinished } from '../port/settings.ts';
import { endRemoval } from '../shared/moves/move-marks.ts';
import { hasUser, insertCredential } from './credentials.ts';
import { type Connection, statement } from './engine.ts';
import { type Ending, kept, undone } from './transactions.ts';

type MerchantRow = [
  merchantId: string,
  name: string,
  createdMs: number,
  suspended: 0 | 1,
  unfinished: Unfinished | null,
  test: number,
  live: number,
];

const SELECT_MERCHANTS = `
  SELECT m.merchant_id, m.name, m.created_ms, m.suspended,
    CASE WHEN i.merchant_id IS NOT NULL THEN 'import' WHEN r.exported_to IS NOT NULL THEN 'removal' END,
    test.account_id, live.account_id
  FROM merchant m
  LEFT JOIN pending_import i ON i.merchant_id = m.merchant_id
  LEFT JOIN pending_removal r ON r.merchant_id = m.merchant_id
  JOIN account test ON test.merchant_id = m.merchant_id AND test.environment = 'test'
  JOIN account live ON live.merchant_id = m.merchant_id AND live.environment = 'live'`;

const LIST = statement<MerchantRow>('list merchants', `${SELECT_MERCHANTS} ORDER BY m.merchant_id`);
const READ = statement<MerchantRow>('read merchant', `${SELECT_MERCHANTS} WHERE m.merchant_id = $1`);
const EXISTS = statement<[1]>('find merchant', 'SELECT 1 FROM merchant WHERE merchant_id = $1');
const INSERT = statement<[]>(
  'add merchant',
  `INSERT INTO merchant (merchant_id, name, created_ms, suspended, time_to_return_days, return_shipping_methods)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);
const INSERT_ACCOUNT = statement<[accountId: number]>(
  'add account',
  'INSERT INTO account (merchant_id, environment) VALUES ($1, $2) RETURNING account_id',
);
const SUSPEND = statement<[1]>(
  'suspend merchant',
  'UPDATE merchant SET suspended = $2 WHERE merchant_id = $1 AND suspended <> $2 RETURNING 1',
);

const SET_RETURNS = statement<[1]>(
  'set returns',
  `UPDATE merchant SET time_to_return_days = $2, return_shipping_methods = $3
   WHERE merchant_id = $1 AND (time_to_return_days <> $2 OR return_shipping_methods <> $3) RETURNING 1`,
);

export async function listMerchants(connection: Connection): Promise<Merchant[]> {
  return (await connection.run(LIST)).map(merchantOf);
}

export async function readMerchant(connection: Connection, merchantId: string): Promise<Merchant | undefined> {
  const [row] = await connection.run(READ, [merchantId]);
  return row && merchantOf(row);
}

export async function hasMerchant(connection: Connection, merchantId: string): Promise<boolean> {
  return (await connection.run(EXISTS, [merchantId])).length > 0;
}

export async function addMerchant(
  connection: Connection,
  { credentials, ...merchant }: NewMerchant,
  nowMs: number,
): Promise<Ending<'stored' | 'exists'>> {
  const { test, live } = credentials;
  const isTaken = await Promise.all([
    hasMerchant(connection, merchant.merchantId),
    hasUser(connection, test.user),
    hasUser(connection, live.user),
  ]);
  if (isTaken.includes(true)) return undone('exists');
  const accounts = await insertMerchant(connection, { ...merchant, createdMs: nowMs, suspended: false });
  for (const environment of ENVIRONMENTS) {
    await insertCredential(connection, accounts[environment], { ...credentials[environment], createdMs: nowMs });
  }
  return kept('stored');
}

/** With its accounts, whose numbers it gives. */
export async function insertMerchant(
  connection: Connection,
  merchant: MerchantRecord,
): Promise<Record<Environment, number>> {
  const { merchantId, name, createdMs, suspended, timeToReturnDays, returnShippingMethods } = merchant;
  const methods = JSON.stringify(returnShippingMethods);
  await connection.run(INSERT, [merchantId, name, createdMs, Number(suspended), timeToReturnDays, methods]);
  const accounts: [Environment, number][] = [];
  for (const environment of ENVIRONMENTS) {
    const [row] = await connection.run(INSERT_ACCOUNT, [merchantId, environment]);
    if (row === undefined) throw new Error('An inserted account has a number.');
    accounts.push([environment, row[0]]);
  }
  return Object.fromEntries(accounts) as Record<Environment, number>;
}

/** Counts as unchanged where the merchant has that value already. */
export async function setSuspended(
  connection: Connection,
  merchantId: string,
  suspended: boolean,
): Promise<Ending<'stored' | 'unknown' | 'unfinished'>> {
  const merchant = await readMerchant(connection, merchantId);
  if (merchant === undefined) return undone('unknown');
  if (!suspended) {
    if (merchant.unfinished !== null) return undone('unfinished');
    await endRemoval(connection, merchantId);
  }
  const changed = await connection.run(SUSPEND, [merchantId, Number(suspended)]);
  return changed.length > 0 ? kept('stored') : undone('stored');
}

export async function suspendForRemoval(connection: Connection, merchantId: string): Promise<void> {
  await connection.run(SUSPEND, [merchantId, 1]);
}

/** The same here. */
export async function setReturns(
  connection: Connection,
  merchantId: string,
  { timeToReturnDays, returnShippingMethods }: Returns,
): Promise<Ending<'stored' | 'unknown'>> {
  if (!(await hasMerchant(connection, merchantId))) return undone('unknown');
  const methods = JSON.stringify(returnShippingMethods);
  const changed = await connection.run(SET_RETURNS, [merchantId, timeToReturnDays, methods]);
  return changed.length > 0 ? kept('stored') : undone('stored');
}

function merchantOf([merchantId, name, createdMs, suspended, unfinished, test, live]: MerchantRow): Merchant {
  return { merchantId, name, createdMs, suspended: suspended === 1, unfinished, accounts: { test, live } };
}
