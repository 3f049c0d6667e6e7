/** In charge of the marks of merchants that are moved in or erased: whose they are, and who may write while they stand. */
import { randomUUID } from 'node:crypto';
import { ImportOvertakenError } from '../port/errors.ts';
import { IMPORT_LEASE_MS } from '../port/moves.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

/** Its calls run inside transactions of the store that moves. */
export class MoveMarks {
  readonly #owner = randomUUID();
  readonly #import;
  readonly #renew;
  readonly #merchantOf;

  constructor(connection: Connection) {
    this.#import = query<[owner: string, leaseEndsMs: number]>(
      connection,
      'SELECT owner, lease_ends_ms FROM pending_import WHERE merchant_id = ?',
    );
    this.#renew = query(connection, 'UPDATE pending_import SET lease_ends_ms = ? WHERE merchant_id = ? AND owner = ?');
    this.#merchantOf = query<[merchantId: string]>(connection, 'SELECT merchant_id FROM account WHERE account_id = ?');
  }

  hasImport(merchantId: string): boolean {
    return this.#import.get(merchantId) !== undefined;
  }

  addImport(connection: Connection, merchantId: string): void {
    query(connection, 'INSERT INTO pending_import (merchant_id, owner, lease_ends_ms) VALUES (?, ?, ?)').run(
      merchantId,
      this.#owner,
      Date.now() + IMPORT_LEASE_MS,
    );
  }

  /** Throws ImportOvertakenError where the mark is gone, or is another's. */
  renewImport(merchantId: string): void {
    const { changes } = this.#renew.run(Date.now() + IMPORT_LEASE_MS, merchantId, this.#owner);
    if (changes === 0) throw new ImportOvertakenError(merchantId);
  }

  /** For what an import writes. */
  renewImportOf(accountId: number): void {
    const merchantId = this.#merchantOf.get(accountId)?.[0];
    // Offers have no foreign keys: without this look an import would fill an account that was erased meanwhile.
    if (merchantId === undefined) throw new Error(`Account ${accountId} does not exist.`);
    this.renewImport(merchantId);
  }

  isAccountOf(accountId: number, merchantId: string): boolean {
    return this.#merchantOf.get(accountId)?.[0] === merchantId;
  }

  /** For what is erased: of a merchant that is whole, or of an import that this store has. */
  requireErasable(merchantId: string): void {
    if (this.hasImport(merchantId)) this.renewImport(merchantId);
  }

  requireErasableAccount(accountId: number): void {
    const merchantId = this.#merchantOf.get(accountId)?.[0];
    if (merchantId !== undefined) this.requireErasable(merchantId);
  }

  takeOverImport(connection: Connection, merchantId: string): 'taken' | 'none' | { readonly busy_ms: number } {
    const mark = this.#import.get(merchantId);
    if (mark === undefined) return 'none';
    const [owner, leaseEndsMs] = mark;
    const busy_ms = leaseEndsMs - Date.now();
    // One that lasts longer than any was set by a clock that was set back since.
    if (owner !== this.#owner && busy_ms > 0 && busy_ms <= IMPORT_LEASE_MS) return { busy_ms };
    query(connection, 'UPDATE pending_import SET owner = ? WHERE merchant_id = ?').run(this.#owner, merchantId);
    this.renewImport(merchantId);
    return 'taken';
  }

  /** Of a merchant that exists; the file, where an earlier removal has begun to erase. */
  beginRemoval(connection: Connection, merchantId: string): string | undefined {
    const begun = query<[exportedTo: string | null]>(
      connection,
      `INSERT INTO pending_removal (merchant_id, owner) VALUES (?, ?)
       ON CONFLICT (merchant_id) DO UPDATE SET owner = iif(exported_to IS NULL, excluded.owner, owner)
       RETURNING exported_to`,
    ).get(merchantId, this.#owner);
    return begun?.[0] ?? undefined;
  }

  beginErasing(connection: Connection, merchantId: string, exportedTo: string): 'begun' | 'ended' {
    const { changes } = query(
      connection,
      'UPDATE pending_removal SET exported_to = ? WHERE merchant_id = ? AND owner = ? AND exported_to IS NULL',
    ).run(exportedTo, merchantId, this.#owner);
    return changes === 1 ? 'begun' : 'ended';
  }
}

/** With what the merchant is erased or let in; false where there was none. */
export function endImport(connection: Connection, merchantId: string): boolean {
  return query(connection, 'DELETE FROM pending_import WHERE merchant_id = ?').run(merchantId).changes > 0;
}
