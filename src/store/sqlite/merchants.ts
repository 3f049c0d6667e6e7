/** In charge of the merchants and of the account that each has in each environment. */
import type { Environment } from '../../domain/account.ts';
import { ENVIRONMENTS } from '../../domain/account.ts';
import type { Merchant, NewMerchant, Returns, Unfinished } from '../port/settings.ts';
import { END_REMOVAL } from '../shared/moves/move-marks.ts';
import { insertCredential } from './credentials.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { runStatement } from './sql.ts';

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

export function listMerchants(connection: Connection): Merchant[] {
  return query<MerchantRow>(connection, `${SELECT_MERCHANTS} ORDER BY m.merchant_id`).all().map(merchantOf);
}

export function readMerchant(connection: Connection, merchantId: string): Merchant | undefined {
  const row = query<MerchantRow>(connection, `${SELECT_MERCHANTS} WHERE m.merchant_id = ?`).get(merchantId);
  return row && merchantOf(row);
}

export function hasMerchant(connection: Connection, merchantId: string): boolean {
  return query<[1]>(connection, 'SELECT 1 FROM merchant WHERE merchant_id = ?').get(merchantId) !== undefined;
}

export function addMerchant(connection: Connection, merchant: NewMerchant, nowMs: number): 'stored' | 'exists' {
  const { merchantId, name, timeToReturnDays, returnShippingMethods, credentials } = merchant;
  if (isTaken(connection, merchantId, credentials.test.user, credentials.live.user)) return 'exists';
  query(
    connection,
    `INSERT INTO merchant (merchant_id, name, created_ms, time_to_return_days, return_shipping_methods)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(merchantId, name, nowMs, timeToReturnDays, JSON.stringify(returnShippingMethods));
  for (const environment of ENVIRONMENTS) {
    const accountId = insertAccount(connection, merchantId, environment);
    insertCredential(connection, accountId, credentials[environment], nowMs);
  }
  return 'stored';
}

export function setSuspended(
  connection: Connection,
  merchantId: string,
  suspended: boolean,
): 'stored' | 'unknown' | 'unfinished' {
  const merchant = readMerchant(connection, merchantId);
  if (merchant === undefined) return 'unknown';
  if (!suspended) {
    if (merchant.unfinished !== null) return 'unfinished';
    runStatement(connection, END_REMOVAL, [merchantId]);
  }
  // Leaves the row alone when it has that value already, so that the set-up counts as unchanged.
  query(connection, 'UPDATE merchant SET suspended = ?1 WHERE merchant_id = ?2 AND suspended <> ?1').run(
    suspended ? 1 : 0,
    merchantId,
  );
  return 'stored';
}

export function setReturns(connection: Connection, merchantId: string, returns: Returns): 'stored' | 'unknown' {
  if (readMerchant(connection, merchantId) === undefined) return 'unknown';
  query(
    connection,
    `UPDATE merchant SET time_to_return_days = ?1, return_shipping_methods = ?2
     WHERE merchant_id = ?3 AND (time_to_return_days <> ?1 OR return_shipping_methods <> ?2)`,
  ).run(returns.timeToReturnDays, JSON.stringify(returns.returnShippingMethods), merchantId);
  return 'stored';
}

function isTaken(connection: Connection, merchantId: string, ...users: [string, string]): boolean {
  const taken = query<[1]>(
    connection,
    `SELECT 1 FROM merchant WHERE merchant_id = ?
     UNION ALL SELECT 1 FROM credential WHERE user_name IN (?, ?)`,
  );
  return taken.get(merchantId, ...users) !== undefined;
}

export function insertAccount(connection: Connection, merchantId: string, environment: Environment): number {
  const insert = query<[accountId: number]>(
    connection,
    'INSERT INTO account (merchant_id, environment) VALUES (?, ?) RETURNING account_id',
  );
  return (insert.get(merchantId, environment) as [number])[0];
}

function merchantOf([merchantId, name, createdMs, suspended, unfinished, test, live]: MerchantRow): Merchant {
  return { merchantId, name, createdMs, suspended: suspended === 1, unfinished, accounts: { test, live } };
}
