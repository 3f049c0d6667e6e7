/** In charge of the marks of merchants that are moved in or erased: whose they are, and who may write while they stand. */
import { ImportOvertakenError } from '../port/errors.ts';
import { IMPORT_LEASE_MS } from '../port/moves.ts';
import { type Connection, statement } from './engine.ts';
import { STORE_MS } from './store-time.ts';

const HAS_IMPORT = statement<[1]>('find pending import', 'SELECT 1 FROM pending_import WHERE merchant_id = $1');
const ADD_IMPORT = statement<[]>(
  'add pending import',
  `INSERT INTO pending_import (merchant_id, owner, lease_ends_ms) VALUES ($1, $2, ${STORE_MS} + $3::bigint)`,
);
/** Keeps the mark as it is until the end of the transaction. */
const RENEW_IMPORT = statement<[1]>(
  'renew pending import',
  `UPDATE pending_import SET lease_ends_ms = ${STORE_MS} + $3::bigint WHERE merchant_id = $1 AND owner = $2 RETURNING 1`,
);
const READ_IMPORT = statement<[owner: string, busy_ms: number]>(
  'read pending import',
  `SELECT owner, lease_ends_ms - ${STORE_MS} FROM pending_import WHERE merchant_id = $1`,
);
const TAKE_IMPORT = statement<[1]>(
  'take pending import',
  `UPDATE pending_import SET owner = $2, lease_ends_ms = ${STORE_MS} + $3::bigint
   WHERE merchant_id = $1 AND owner = $4
     AND (lease_ends_ms <= ${STORE_MS} OR lease_ends_ms > ${STORE_MS} + $3::bigint) RETURNING 1`,
);
const END_IMPORT = statement<[one: number]>(
  'end pending import',
  'DELETE FROM pending_import WHERE merchant_id = $1 RETURNING 1',
);
const MERCHANT_OF = statement<[merchantId: string]>(
  'find merchant of account',
  'SELECT merchant_id FROM account WHERE account_id = $1',
);
/** Keeps the account until the end of the transaction, while other imports go on beside it. */
const KEEP_ACCOUNT = statement<[1]>('keep account', 'SELECT 1 FROM account WHERE account_id = $1 FOR KEY SHARE');

const READ_REMOVAL = statement<[exportedTo: string | null]>(
  'read pending removal',
  'SELECT exported_to FROM pending_removal WHERE merchant_id = $1',
);
const BEGIN_REMOVAL = statement<[]>(
  'begin pending removal',
  `INSERT INTO pending_removal (merchant_id, owner) VALUES ($1, $2)
   ON CONFLICT (merchant_id) DO UPDATE SET owner = excluded.owner`,
);
const BEGIN_ERASING = statement<[1]>(
  'begin erasing merchant',
  `UPDATE pending_removal SET exported_to = $3
   WHERE merchant_id = $1 AND owner = $2 AND exported_to IS NULL RETURNING 1`,
);

export async function hasImport(connection: Connection, merchantId: string): Promise<boolean> {
  return (await connection.run(HAS_IMPORT, [merchantId])).length > 0;
}

export async function addImport(connection: Connection, merchantId: string, owner: string): Promise<void> {
  await connection.run(ADD_IMPORT, [merchantId, owner, IMPORT_LEASE_MS]);
}

/** Throws ImportOvertakenError where the mark is gone, or is another's. */
export async function renewImport(connection: Connection, merchantId: string, owner: string): Promise<void> {
  const renewed = await connection.run(RENEW_IMPORT, [merchantId, owner, IMPORT_LEASE_MS]);
  if (renewed.length === 0) throw new ImportOvertakenError(merchantId);
}

/**
 * For what an import writes. Offers have no foreign keys: without the look at the account an import would fill one that was
 * erased meanwhile.
 */
export async function renewImportOf(connection: Connection, accountId: number, owner: string): Promise<void> {
  const [found] = await connection.run(MERCHANT_OF, [accountId]);
  if (found !== undefined) {
    await renewImport(connection, found[0], owner);
    if ((await connection.run(KEEP_ACCOUNT, [accountId])).length > 0) return;
  }
  throw new Error(`Account ${accountId} does not exist.`);
}

export async function isAccountOf(connection: Connection, accountId: number, merchantId: string): Promise<boolean> {
  const [found] = await connection.run(MERCHANT_OF, [accountId]);
  return found?.[0] === merchantId;
}

/** For what is erased: of a merchant that is whole, or of an import that this owner has. */
export async function requireErasable(connection: Connection, merchantId: string, owner: string): Promise<void> {
  if (await hasImport(connection, merchantId)) await renewImport(connection, merchantId, owner);
}

export async function requireErasableAccount(connection: Connection, accountId: number, owner: string): Promise<void> {
  const [found] = await connection.run(MERCHANT_OF, [accountId]);
  if (found !== undefined) await requireErasable(connection, found[0], owner);
}

export async function takeOverImport(
  connection: Connection,
  merchantId: string,
  owner: string,
): Promise<'taken' | 'none' | { readonly busy_ms: number }> {
  const [mark] = await connection.run(READ_IMPORT, [merchantId]);
  if (mark === undefined) return 'none';
  const [holder, busy_ms] = mark;
  if (holder === owner) return 'taken';
  // One that lasts longer than any was set by a clock that was ahead.
  if (busy_ms > 0 && busy_ms <= IMPORT_LEASE_MS) return { busy_ms };
  // Its owner may have given a sign of life between the two statements.
  const taken = await connection.run(TAKE_IMPORT, [merchantId, owner, IMPORT_LEASE_MS, holder]);
  return taken.length > 0 ? 'taken' : { busy_ms: IMPORT_LEASE_MS };
}

/** False where there was none. */
export async function endImport(connection: Connection, merchantId: string): Promise<boolean> {
  return (await connection.run(END_IMPORT, [merchantId])).length > 0;
}

/** Of a merchant that exists; the file, where an earlier removal has begun to erase. */
export async function beginRemoval(
  connection: Connection,
  merchantId: string,
  owner: string,
): Promise<string | undefined> {
  const [mark] = await connection.run(READ_REMOVAL, [merchantId]);
  if (mark?.[0]) return mark[0];
  await connection.run(BEGIN_REMOVAL, [merchantId, owner]);
  return undefined;
}

export async function beginErasing(
  connection: Connection,
  merchantId: string,
  owner: string,
  exportedTo: string,
): Promise<'begun' | 'ended'> {
  const begun = await connection.run(BEGIN_ERASING, [merchantId, owner, exportedTo]);
  return begun.length > 0 ? 'begun' : 'ended';
}
