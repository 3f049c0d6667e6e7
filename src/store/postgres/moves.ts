/**
 * In charge of moving whole merchants in and out, and of erasing them: in short transactions, with connections and time
 * limits of their own, beside servers or without one.
 */
import type { Environment } from '../../domain/account.ts';
import type { AccountRecord, GroupRecord, MerchantRecord, MoveStore, OfferRecord, StoreSnapshot } from '../port.ts';
import { addReturnLocation, putNode } from './accounts.ts';
import { hasUser, insertCredential } from './credentials.ts';
import { type Connection, type Database, type DatabaseOptions, openDatabase, statement } from './engine.ts';
import { discardFilesAndReports, eraseMerchant, eraseOffers, readLastOffer } from './erasures.ts';
import { hasMerchant, insertMerchant } from './merchants.ts';
import { insertGroups, insertOffers } from './offer-imports.ts';
import { beginSweep } from './review-sweeps.ts';
import { changeSetup, readSetupVersion } from './setup-version.ts';
import { openSnapshot } from './snapshot.ts';
import { inWriteTransaction, kept, undone } from './transactions.ts';

const HAS_PENDING = statement<[1]>('find pending import', 'SELECT 1 FROM pending_import WHERE merchant_id = $1');
const ADD_PENDING = statement<[]>('add pending import', 'INSERT INTO pending_import (merchant_id) VALUES ($1)');
const END_PENDING = statement<[]>('end pending import', 'DELETE FROM pending_import WHERE merchant_id = $1');
const OPEN_MERCHANT = statement<[]>('open merchant', 'UPDATE merchant SET suspended = $2 WHERE merchant_id = $1');
/** Keeps the account until the end of the transaction, while other imports go on beside it. */
const KEEP_ACCOUNT = statement<[1]>('keep account', 'SELECT 1 FROM account WHERE account_id = $1 FOR KEY SHARE');

/** No request waits: a slice may take its time, and a slow disk is no reason to give up. */
export const MOVE_LIMITS = { connections_max: 2, call_ms_max: 120_000, statement_ms_max: 60_000, lock_ms_max: 30_000 };

export class PostgresMoves implements MoveStore {
  readonly #options: DatabaseOptions;
  readonly #database: Database;

  /** Limits of calls that requests wait for do not count here. */
  constructor({ url }: Pick<DatabaseOptions, 'url'>) {
    this.#options = { url, ...MOVE_LIMITS };
    this.#database = openDatabase(this.#options);
  }

  async openSnapshot(): Promise<StoreSnapshot> {
    // A snapshot waits long for its connection: whether there is a database is asked first, where it does not.
    await readSetupVersion(this.#database);
    return openSnapshot(this.#options);
  }

  beginImport(merchant: MerchantRecord): Promise<Readonly<Record<Environment, number>> | 'exists' | 'unfinished'> {
    const { merchantId } = merchant;
    return changeSetup<Readonly<Record<Environment, number>> | 'exists' | 'unfinished'>(
      this.#database,
      async (connection) => {
        if ((await connection.run(HAS_PENDING, [merchantId])).length > 0) return undone('unfinished');
        if (await hasMerchant(connection, merchantId)) return undone('exists');
        const accounts = await insertMerchant(connection, { ...merchant, suspended: true });
        await connection.run(ADD_PENDING, [merchantId]);
        return kept(accounts);
      },
    );
  }

  importOffers(accountId: number, offers: readonly OfferRecord[]): Promise<'stored' | { readonly repeated: string }> {
    return inWriteTransaction<'stored' | { repeated: string }>(this.#database, async (connection) => {
      await requireAccount(connection, accountId);
      const repeated = await insertOffers(connection, accountId, offers);
      return repeated === undefined ? kept('stored') : undone({ repeated });
    });
  }

  importGroups(accountId: number, groups: readonly GroupRecord[]): Promise<'stored' | { readonly refused: string }> {
    return inWriteTransaction<'stored' | { refused: string }>(this.#database, async (connection) => {
      await requireAccount(connection, accountId);
      const refused = await insertGroups(connection, accountId, groups);
      return refused === undefined ? kept('stored') : undone({ refused });
    });
  }

  finishImport(
    { merchantId, suspended }: MerchantRecord,
    accounts: readonly AccountRecord[],
  ): Promise<'stored' | { readonly taken: string }> {
    return changeSetup<'stored' | { taken: string }>(this.#database, async (connection) => {
      for (const { accountId, credentials, nodes, returnLocationIds } of accounts) {
        await requireAccount(connection, accountId);
        for (const credential of credentials) {
          if (await hasUser(connection, credential.user)) return undone({ taken: credential.user });
          await insertCredential(connection, accountId, credential);
        }
        for (const node of nodes) await putNode(connection, accountId, node);
        for (const locationId of returnLocationIds) await addReturnLocation(connection, accountId, locationId);
        // Some may have been judged already, without the nodes.
        await beginSweep(connection, accountId);
      }
      await connection.run(OPEN_MERCHANT, [merchantId, suspended]);
      await connection.run(END_PENDING, [merchantId]);
      return kept('stored');
    });
  }

  readLastOffer(accountId: number): Promise<number> {
    return readLastOffer(this.#database, accountId);
  }

  eraseOffers(accountId: number, upTo: number, slice_ms_max: number): Promise<{ skus: number; more: boolean }> {
    return eraseOffers(this.#database, accountId, upTo, slice_ms_max);
  }

  discardFiles(accountId: number): Promise<void> {
    return this.#database.inTransaction((connection) => discardFilesAndReports(connection, accountId));
  }

  eraseMerchant(merchantId: string): Promise<'erased' | 'unknown' | 'has_offers'> {
    return changeSetup(this.#database, (connection) => eraseMerchant(connection, merchantId));
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** Offers have no foreign keys: without this look an import would fill an account that was erased meanwhile. */
async function requireAccount(connection: Connection, accountId: number): Promise<void> {
  const found = await connection.run(KEEP_ACCOUNT, [accountId]);
  if (found.length === 0) throw new Error(`Account ${accountId} does not exist.`);
}
