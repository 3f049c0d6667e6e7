/**
 * In charge of moving whole merchants in and out, and of erasing them: in short transactions, with connections and time
 * limits of their own, beside servers or without one.
 */

import { randomUUID } from 'node:crypto';
import type { Environment } from '../../domain/account.ts';
import type {
  AccountRecord,
  GroupRecord,
  MerchantRecord,
  MoveStore,
  OfferRecord,
  StoreSnapshot,
} from '../port/moves.ts';
import { beginSweep } from '../shared/review-sweeps.ts';
import {
  hasMerchant,
  hasUser,
  insertCredential,
  insertMerchant,
  insertReturnLocation,
  storeNode,
  suspend,
} from '../shared/settings/rows.ts';
import { readSetupVersion } from '../shared/settings/version.ts';
import { type Database, type DatabaseOptions, openDatabase } from './engine.ts';
import { discardFilesAndReports, eraseMerchant, eraseOffers, readLastOffer } from './erasures.ts';
import {
  addImport,
  beginErasing,
  beginRemoval,
  endImport,
  hasImport,
  isAccountOf,
  renewImport,
  renewImportOf,
  requireErasable,
  takeOverImport,
} from './move-marks.ts';
import { insertGroups, insertOffers } from './offer-imports.ts';
import { changeSetup } from './setup-version.ts';
import { openSnapshot } from './snapshot.ts';
import { inWriteTransaction, kept, undone } from './transactions.ts';

/** No request waits: a slice may take its time, and a slow disk is no reason to give up. */
export const MOVE_LIMITS = { connections_max: 2, call_ms_max: 120_000, statement_ms_max: 60_000, lock_ms_max: 30_000 };

export class PostgresMoves implements MoveStore {
  readonly #options: DatabaseOptions;
  readonly #database: Database;
  /** Of the marks that this store sets. */
  readonly #owner = randomUUID();

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
        if (await hasImport(connection, merchantId)) return undone('unfinished');
        if (await hasMerchant(connection, merchantId)) return undone('exists');
        const accounts = await insertMerchant(connection, { ...merchant, suspended: true });
        await addImport(connection, merchantId, this.#owner);
        return kept(accounts);
      },
    );
  }

  importOffers(accountId: number, offers: readonly OfferRecord[]): Promise<'stored' | { readonly repeated: string }> {
    return inWriteTransaction<'stored' | { repeated: string }>(this.#database, async (connection) => {
      await renewImportOf(connection, accountId, this.#owner);
      const repeated = await insertOffers(connection, accountId, offers);
      return repeated === undefined ? kept('stored') : undone({ repeated });
    });
  }

  importGroups(accountId: number, groups: readonly GroupRecord[]): Promise<'stored' | { readonly refused: string }> {
    return inWriteTransaction<'stored' | { refused: string }>(this.#database, async (connection) => {
      await renewImportOf(connection, accountId, this.#owner);
      const refused = await insertGroups(connection, accountId, groups);
      return refused === undefined ? kept('stored') : undone({ refused });
    });
  }

  finishImport(
    { merchantId, suspended }: MerchantRecord,
    accounts: readonly AccountRecord[],
  ): Promise<'stored' | { readonly taken: string }> {
    return changeSetup<'stored' | { taken: string }>(this.#database, async (connection) => {
      await renewImport(connection, merchantId, this.#owner);
      for (const { accountId, credentials, nodes, returnLocationIds } of accounts) {
        for (const credential of credentials) {
          if (await hasUser(connection, credential.user)) return undone({ taken: credential.user });
          await insertCredential(connection, accountId, credential);
        }
        for (const node of nodes) await storeNode(connection, accountId, node);
        for (const locationId of returnLocationIds) await insertReturnLocation(connection, accountId, locationId);
        // Some may have been judged already, without the nodes.
        await beginSweep(connection, accountId);
      }
      await suspend(connection, merchantId, suspended);
      await endImport(connection, merchantId);
      return kept('stored');
    });
  }

  async renewImport(merchantId: string): Promise<void> {
    await renewImport(this.#database, merchantId, this.#owner);
  }

  takeOverImport(merchantId: string): Promise<'taken' | 'none' | { readonly busy_ms: number }> {
    return takeOverImport(this.#database, merchantId, this.#owner);
  }

  beginRemoval(merchantId: string): Promise<'begun' | 'unknown' | { readonly exportedTo: string }> {
    return changeSetup<'begun' | 'unknown' | { readonly exportedTo: string }>(this.#database, async (connection) => {
      if (!(await hasMerchant(connection, merchantId))) return undone('unknown');
      await suspend(connection, merchantId, true);
      const exportedTo = await beginRemoval(connection, merchantId, this.#owner);
      return kept(exportedTo === undefined ? 'begun' : { exportedTo });
    });
  }

  beginErasing(merchantId: string, exportedTo: string): Promise<'begun' | 'ended'> {
    // In turn with whoever lets merchants in: one that is being erased stays out.
    return changeSetup<'begun' | 'ended'>(this.#database, async (connection) => {
      const begun = await beginErasing(connection, merchantId, this.#owner, exportedTo);
      return begun === 'begun' ? kept(begun) : undone(begun);
    });
  }

  readLastOffer(accountId: number): Promise<number> {
    return readLastOffer(this.#database, accountId);
  }

  eraseOffers(accountId: number, upTo: number, slice_ms_max: number): Promise<{ skus: number; more: boolean }> {
    return eraseOffers(this.#database, { accountId, upTo, owner: this.#owner }, slice_ms_max);
  }

  discardFiles(accountId: number): Promise<void> {
    return this.#database.inTransaction((connection) => discardFilesAndReports(connection, accountId));
  }

  eraseMerchant(merchantId: string, accountId?: number): Promise<'erased' | 'unknown' | 'has_offers'> {
    return changeSetup<'erased' | 'unknown' | 'has_offers'>(this.#database, async (connection) => {
      if (accountId !== undefined && !(await isAccountOf(connection, accountId, merchantId))) return undone('unknown');
      await requireErasable(connection, merchantId, this.#owner);
      return eraseMerchant(connection, merchantId);
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
