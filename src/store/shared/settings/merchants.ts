/** Stores merchants with their accounts. */
import { isDeepStrictEqual } from 'node:util';
import { ENVIRONMENTS, type Merchant, type Unfinished } from '../../../domain/account.ts';
import { isMet } from '../../../domain/precondition.ts';
import { ALL_RIGHTS } from '../../../domain/setup/key-scopes.ts';
import { noteTag, returnSettingsTag } from '../../port/part-tags.ts';
import type { SettingsStore } from '../../port/settings.ts';
import { change, read, undone } from '../command.ts';
import { firstOf, rowsOf, statement } from '../sql.ts';
import { endRemoval, hasMerchant, hasUser, insertCredential, insertMerchant, MERCHANT, suspend } from './rows.ts';

const SELECT_MERCHANTS = `
  SELECT ${MERCHANT.names.map((name) => `m.${name}`).join(', ')},
    CASE WHEN i.merchant_id IS NOT NULL THEN 'import' WHEN r.exported_to IS NOT NULL THEN 'removal' END,
    test.account_id, live.account_id
  FROM merchant m
  LEFT JOIN pending_import i ON i.merchant_id = m.merchant_id
  LEFT JOIN pending_removal r ON r.merchant_id = m.merchant_id
  JOIN account test ON test.merchant_id = m.merchant_id AND test.environment = 'test'
  JOIN account live ON live.merchant_id = m.merchant_id AND live.environment = 'live'`;

const LIST = statement('list merchants')`${SELECT_MERCHANTS} ORDER BY m.merchant_id`;
const READ = statement('read merchant')`${SELECT_MERCHANTS} WHERE m.merchant_id = $1`;
const SET = statement<[]>('set merchant')`
  UPDATE merchant SET name = $2, time_to_return_days = $3, return_shipping_methods = $4 WHERE merchant_id = $1`;

const NOTE = statement<[note: string]>('read merchant note')`SELECT note FROM merchant WHERE merchant_id = $1`;
const SET_NOTE = statement<[1]>('set merchant note')`
  UPDATE merchant SET note = $2 WHERE merchant_id = $1 RETURNING 1`;

export const listMerchants = read<SettingsStore['listMerchants']>(rowsOf(LIST, merchantOf));
export const readMerchant = read<SettingsStore['readMerchant']>(firstOf(READ, merchantOf));

export const addMerchant = change<SettingsStore['addMerchant']>(async (sql, { credentials, ...merchant }, nowMs) => {
  if (await hasMerchant(sql, merchant.merchantId)) return undone('exists');
  const accounts = await insertMerchant(sql, { ...merchant, createdMs: nowMs, suspended: false });
  for (const environment of ENVIRONMENTS) {
    if (await hasUser(sql, credentials[environment].user)) return undone('exists');
    const credential = { ...credentials[environment], ...ALL_RIGHTS, name: '', createdMs: nowMs, endsMs: null };
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

/** Undone if the merchant has these values already. */
export const changeMerchant = change<SettingsStore['changeMerchant']>(
  async (sql, merchantId, changes, precondition) => {
    const before = await readMerchant(sql, merchantId);
    if (before === undefined) return undone('unknown');
    const currentTag = returnSettingsTag(before);
    if (precondition !== undefined && !isMet(precondition, currentTag)) return undone({ currentTag });
    const after = { ...before, ...changes };
    if (isDeepStrictEqual(after, before)) return undone('stored');
    await sql.run(SET, [merchantId, after.name, after.timeToReturnDays, JSON.stringify(after.returnShippingMethods)]);
    return 'stored';
  },
);

export const readMerchantNote = read<SettingsStore['readMerchantNote']>(firstOf(NOTE, ([note]) => note));
export const setMerchantNote = change<SettingsStore['setMerchantNote']>(
  async (sql, merchantId, note, precondition = {}) => {
    const before = await readMerchantNote(sql, merchantId);
    if (before === undefined) return undone('unknown');
    const currentTag = noteTag(before);
    if (!isMet(precondition, currentTag)) return undone({ currentTag });
    await sql.run(SET_NOTE, [merchantId, note]);
    return 'stored';
  },
);

function merchantOf(row: readonly unknown[]): Merchant {
  const [unfinished, test, live] = row.slice(MERCHANT.names.length) as [Unfinished | null, number, number];
  return { ...MERCHANT.of(row), unfinished, accounts: { test, live } };
}
