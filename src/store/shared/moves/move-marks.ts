/** Keeps the marks of merchants that are being imported or removed. A mark names the command that owns the merchant and may write. */
import { ImportOvertakenError } from '../../port/errors.ts';
import { IMPORT_LEASE_MS } from '../../port/moves.ts';
import { insertStatement, isFound, readStoreMs, type Sql, statement } from '../sql.ts';

const READ_IMPORT = statement<[owner: string, leaseEndsMs: number]>('read pending import')`
  SELECT owner, lease_ends_ms FROM pending_import WHERE merchant_id = $1`;
const ADD_IMPORT = insertStatement('add pending import', 'pending_import', ['merchant_id', 'owner', 'lease_ends_ms']);
/** Locks the mark until the transaction ends. */
const RENEW_IMPORT = statement<[1]>('renew pending import')`
  UPDATE pending_import SET lease_ends_ms = $3 WHERE merchant_id = $1 AND owner = $2 RETURNING 1`;
const TAKE_IMPORT = statement<[1]>('take pending import')`
  UPDATE pending_import SET owner = $2, lease_ends_ms = $3
  WHERE merchant_id = $1 AND owner = $4 AND lease_ends_ms = $5 RETURNING 1`;
const END_IMPORT = statement<[1]>('end pending import')`DELETE FROM pending_import WHERE merchant_id = $1 RETURNING 1`;
const MERCHANT_OF = statement<[merchantId: string]>('find merchant of account')`
  SELECT merchant_id FROM account WHERE account_id = $1`;
const READ_REMOVAL = statement<[exportedTo: string | null]>('read pending removal')`
  SELECT exported_to FROM pending_removal WHERE merchant_id = $1`;
const BEGIN_REMOVAL = insertStatement('begin pending removal', 'pending_removal', ['merchant_id', 'owner'], 'REPLACE');
const BEGIN_ERASING = statement<[1]>('begin erasing merchant')`
  UPDATE pending_removal SET exported_to = $3
  WHERE merchant_id = $1 AND owner = $2 AND exported_to IS NULL RETURNING 1`;
/** Keeps the account from being erased until the transaction ends. Does not block other imports into it. */
const HOLD_ACCOUNT = statement<[1]>('hold account')`SELECT 1 FROM account WHERE account_id = $1 FOR KEY SHARE`;

export const hasImport: (sql: Sql, merchantId: string) => Promise<boolean> = isFound(READ_IMPORT);
/** Returns false if there was no unfinished import. */
export const endImport: (sql: Sql, merchantId: string) => Promise<boolean> = isFound(END_IMPORT);

/** The marks of one move store, inside its transactions. */
export class MoveMarks {
  readonly #owner: string;

  constructor(owner: string) {
    this.#owner = owner;
  }

  async addImport(sql: Sql, merchantId: string): Promise<void> {
    await sql.run(ADD_IMPORT, [merchantId, this.#owner, await this.#leaseEndsMs(sql)]);
  }

  /** Throws ImportOvertakenError if the mark is gone or has another owner. */
  async renewImport(sql: Sql, merchantId: string): Promise<void> {
    const renewed = await sql.run(RENEW_IMPORT, [merchantId, this.#owner, await this.#leaseEndsMs(sql)]);
    if (renewed.length === 0) throw new ImportOvertakenError(merchantId);
  }

  /** Renews the lease before a write of an import. Offers have no foreign keys, so this makes sure that the account still exists. */
  async renewImportOf(sql: Sql, accountId: number): Promise<void> {
    const [found] = await sql.run(MERCHANT_OF, [accountId]);
    if (found !== undefined) {
      await this.renewImport(sql, found[0]);
      if ((await sql.run(HOLD_ACCOUNT, [accountId])).length > 0) return;
    }
    throw new Error(`Account ${accountId} does not exist.`);
  }

  /** Throws unless the merchant is complete, or is an import that this store owns. */
  async requireErasable(sql: Sql, merchantId: string): Promise<void> {
    if (await hasImport(sql, merchantId)) await this.renewImport(sql, merchantId);
  }

  async requireErasableAccount(sql: Sql, accountId: number): Promise<void> {
    const [found] = await sql.run(MERCHANT_OF, [accountId]);
    if (found !== undefined) await this.requireErasable(sql, found[0]);
  }

  async takeOverImport(sql: Sql, merchantId: string): Promise<'taken' | 'none' | { readonly busy_ms: number }> {
    const [mark] = await sql.run(READ_IMPORT, [merchantId]);
    if (mark === undefined) return 'none';
    const [owner, leaseEndsMs] = mark;
    if (owner === this.#owner) return 'taken';
    const nowMs = await readStoreMs(sql);
    const busy_ms = leaseEndsMs - nowMs;
    // A longer lease was set by a clock that was ahead.
    if (busy_ms > 0 && busy_ms <= IMPORT_LEASE_MS) return { busy_ms };
    const lease = [nowMs + IMPORT_LEASE_MS, owner, leaseEndsMs];
    const taken = await sql.run(TAKE_IMPORT, [merchantId, this.#owner, ...lease]);
    // The owner may have renewed its lease between the two statements.
    return taken.length > 0 ? 'taken' : { busy_ms: IMPORT_LEASE_MS };
  }

  /** Returns the export file if an earlier removal has begun to erase. */
  async beginRemoval(sql: Sql, merchantId: string): Promise<string | undefined> {
    const [mark] = await sql.run(READ_REMOVAL, [merchantId]);
    if (mark?.[0]) return mark[0];
    await sql.run(BEGIN_REMOVAL, [merchantId, this.#owner]);
    return undefined;
  }

  /** Returns false if the removal has ended. */
  async beginErasing(sql: Sql, merchantId: string, exportedTo: string): Promise<boolean> {
    return (await sql.run(BEGIN_ERASING, [merchantId, this.#owner, exportedTo])).length > 0;
  }

  async #leaseEndsMs(sql: Sql): Promise<number> {
    return (await readStoreMs(sql)) + IMPORT_LEASE_MS;
  }
}
