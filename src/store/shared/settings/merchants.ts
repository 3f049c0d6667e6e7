/** Stores merchants with their accounts. */
import { ENVIRONMENTS } from '../../../domain/account.ts';
import type { Merchant, SettingsStore, Unfinished } from '../../port/settings.ts';
import { change, read, undone } from '../command.ts';
import { statement } from '../sql.ts';
import { endRemoval, hasMerchant, insertCredential, insertMerchant, suspend } from './rows.ts';

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
const TAKEN = statement<[1]>(
  'find merchant or users',
  `SELECT 1 FROM merchant WHERE merchant_id = $1
   UNION ALL SELECT 1 FROM credential WHERE user_name IN ($2, $3)`,
);
const SET_NAME = statement<[one: number]>(
  'set merchant name',
  'UPDATE merchant SET name = $2 WHERE merchant_id = $1 RETURNING 1',
);
const SET_RETURNS = statement<[1]>(
  'set returns',
  `UPDATE merchant SET time_to_return_days = $2, return_shipping_methods = $3
   WHERE merchant_id = $1 AND (time_to_return_days <> $2 OR return_shipping_methods <> $3) RETURNING 1`,
);

export const listMerchants = read<SettingsStore['listMerchants']>(async (sql) => (await sql.run(LIST)).map(merchantOf));

export const readMerchant = read<SettingsStore['readMerchant']>(async (sql, merchantId) => {
  const [row] = await sql.run(READ, [merchantId]);
  return row && merchantOf(row);
});

export const addMerchant = change<SettingsStore['addMerchant']>(async (sql, { credentials, ...merchant }, nowMs) => {
  const taken = await sql.run(TAKEN, [merchant.merchantId, credentials.test.user, credentials.live.user]);
  if (taken.length > 0) return undone('exists');
  const accounts = await insertMerchant(sql, { ...merchant, createdMs: nowMs, suspended: false });
  for (const environment of ENVIRONMENTS) {
    const credential = { ...credentials[environment], name: '', createdMs: nowMs, endsMs: null };
    await insertCredential(sql, accounts[environment], credential);
  }
  return 'stored';
});

/** Undone if the merchant has that value already, so that servers keep their caches. */
export const setSuspended = change<SettingsStore['setSuspended']>(async (sql, merchantId, suspended) => {
  const merchant = await readMerchant(sql, merchantId);
  if (merchant === undefined) return undone('unknown');
  if (!suspended) {
    if (merchant.unfinished !== null) return undone('unfinished');
    await endRemoval(sql, merchantId);
  }
  return (await suspend(sql, merchantId, suspended)) ? 'stored' : undone('stored');
});

export const setMerchantName = change<SettingsStore['setMerchantName']>(async (sql, merchantId, name) => {
  return (await sql.run(SET_NAME, [merchantId, name])).length > 0 ? 'stored' : undone('unknown');
});

/** Undone if the merchant has these values already. */
export const setReturns = change<SettingsStore['setReturns']>(async (sql, merchantId, returns) => {
  if (!(await hasMerchant(sql, merchantId))) return undone('unknown');
  const methods = JSON.stringify(returns.returnShippingMethods);
  const changed = await sql.run(SET_RETURNS, [merchantId, returns.timeToReturnDays, methods]);
  return changed.length > 0 ? 'stored' : undone('stored');
});

function merchantOf([merchantId, name, createdMs, suspended, unfinished, test, live]: MerchantRow): Merchant {
  return { merchantId, name, createdMs, suspended: suspended === 1, unfinished, accounts: { test, live } };
}
