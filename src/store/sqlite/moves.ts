/**
 * In charge of moving whole merchants in and out, and of erasing them. Runs on the thread of whoever moves, on a
 * connection of its own, in transactions of a few milliseconds.
 */
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
import { raiseSettingsVersion } from '../shared/settings-version.ts';
import type { Sql } from '../shared/sql.ts';
import { type Connection, storeError } from './engine.ts';
import { eraseMerchant, OfferErasure } from './erasures.ts';
import { discardFiles } from './file-records.ts';
import { endImport, MoveMarks } from './move-marks.ts';
import { OfferImports } from './offer-imports.ts';
import { ReviewMarks } from './review-marks.ts';
import { answered } from './setup.ts';
import { type InOrder, oneAfterTheOther } from './shared-commands.ts';
import { SqliteSnapshot } from './snapshot.ts';
import { sqlOn } from './sql.ts';
import { writeTransaction } from './transactions.ts';
import { numbered, WriteNumbers } from './write-numbers.ts';

export class SqliteMoves implements MoveStore {
  readonly #file: string;
  readonly #connection: Connection;
  readonly #sql: Sql;
  /** A write takes several steps, in which no other may come between. */
  readonly #inOrder: InOrder = oneAfterTheOther();
  readonly #transaction;
  readonly #marks: MoveMarks;
  readonly #imports: OfferImports;
  readonly #erasure: OfferErasure;

  constructor(file: string, connection: Connection) {
    this.#file = file;
    this.#connection = connection;
    this.#sql = sqlOn(connection);
    // What is erased is overwritten, so that neither the file nor a backup of it keeps a trace.
    connection.exec('PRAGMA secure_delete = ON');
    const numbers = new WriteNumbers(connection);
    this.#transaction = numbered(writeTransaction(connection), numbers);
    this.#marks = new MoveMarks(connection);
    const marks = new ReviewMarks(connection, numbers);
    this.#imports = new OfferImports(connection, numbers, marks);
    this.#erasure = new OfferErasure(connection, marks);
  }

  openSnapshot(): Promise<StoreSnapshot> {
    return answered(() => new SqliteSnapshot(this.#file));
  }

  beginImport(merchant: MerchantRecord): Promise<Readonly<Record<Environment, number>> | 'exists' | 'unfinished'> {
    return this.#write(async (connection) => {
      if (this.#marks.hasImport(merchant.merchantId)) return 'unfinished';
      if (await hasMerchant(this.#sql, merchant.merchantId)) return 'exists';
      const accounts = await insertMerchant(this.#sql, { ...merchant, suspended: true });
      this.#marks.addImport(connection, merchant.merchantId);
      await raiseSettingsVersion(this.#sql);
      return accounts;
    });
  }

  importOffers(accountId: number, offers: readonly OfferRecord[]): Promise<'stored' | { readonly repeated: string }> {
    return this.#write((_, undo) => {
      this.#marks.renewImportOf(accountId);
      const repeated = this.#imports.insertOffers(accountId, offers);
      return repeated === undefined ? 'stored' : undo({ repeated });
    });
  }

  importGroups(accountId: number, groups: readonly GroupRecord[]): Promise<'stored' | { readonly refused: string }> {
    return this.#write((_, undo) => {
      this.#marks.renewImportOf(accountId);
      const refused = this.#imports.insertGroups(accountId, groups);
      return refused === undefined ? 'stored' : undo({ refused });
    });
  }

  finishImport(
    merchant: MerchantRecord,
    accounts: readonly AccountRecord[],
  ): Promise<'stored' | { readonly taken: string }> {
    const sql = this.#sql;
    return this.#write(async (connection, undo) => {
      this.#marks.renewImport(merchant.merchantId);
      for (const { accountId, credentials, nodes, returnLocationIds } of accounts) {
        for (const credential of credentials) {
          if (await hasUser(sql, credential.user)) return undo({ taken: credential.user });
          await insertCredential(sql, accountId, credential);
        }
        for (const node of nodes) await storeNode(sql, accountId, node);
        for (const locationId of returnLocationIds) await insertReturnLocation(sql, accountId, locationId);
        // Some may have been judged already, without the nodes.
        await beginSweep(sql, accountId);
      }
      await suspend(sql, merchant.merchantId, merchant.suspended);
      endImport(connection, merchant.merchantId);
      await raiseSettingsVersion(sql);
      return 'stored';
    });
  }

  renewImport(merchantId: string): Promise<void> {
    return this.#write(() => this.#marks.renewImport(merchantId));
  }

  takeOverImport(merchantId: string): Promise<'taken' | 'none' | { readonly busy_ms: number }> {
    return this.#write((connection) => this.#marks.takeOverImport(connection, merchantId));
  }

  beginRemoval(merchantId: string): Promise<'begun' | 'unknown' | { readonly exportedTo: string }> {
    return this.#write(async (connection) => {
      if (!(await hasMerchant(this.#sql, merchantId))) return 'unknown';
      await suspend(this.#sql, merchantId, true);
      const exportedTo = this.#marks.beginRemoval(connection, merchantId);
      await raiseSettingsVersion(this.#sql);
      return exportedTo === undefined ? 'begun' : { exportedTo };
    });
  }

  beginErasing(merchantId: string, exportedTo: string): Promise<'begun' | 'ended'> {
    return this.#write((connection) => this.#marks.beginErasing(connection, merchantId, exportedTo));
  }

  readLastOffer(accountId: number): Promise<number> {
    return answered(() => this.#erasure.last(accountId));
  }

  eraseOffers(accountId: number, upTo: number, slice_ms_max: number): Promise<{ skus: number; more: boolean }> {
    return this.#write(() => {
      this.#marks.requireErasableAccount(accountId);
      return this.#erasure.erase(accountId, upTo, slice_ms_max);
    });
  }

  discardFiles(accountId: number): Promise<void> {
    return this.#write((connection) => discardFiles(connection, accountId));
  }

  eraseMerchant(merchantId: string, accountId?: number): Promise<'erased' | 'unknown' | 'has_offers'> {
    return this.#write(async (connection) => {
      if (accountId !== undefined && !this.#marks.isAccountOf(accountId, merchantId)) return 'unknown';
      this.#marks.requireErasable(merchantId);
      const outcome = await eraseMerchant(connection, merchantId);
      if (outcome === 'erased') await raiseSettingsVersion(this.#sql);
      return outcome;
    });
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close();
  }

  /** `undo` ends the work with a result and leaves nothing of it stored. */
  #write<T>(work: (connection: Connection, undo: <R>(result: R) => R) => T | Promise<T>): Promise<T> {
    return this.#inOrder(async () => {
      let isUndone = false;
      const undo = <R>(result: R): R => {
        isUndone = true;
        return result;
      };
      try {
        this.#transaction.begin();
        const result = await work(this.#connection, undo);
        if (isUndone) this.#transaction.rollback();
        else this.#transaction.commit();
        return result;
      } catch (error) {
        this.#transaction.rollback();
        throw storeError(error);
      }
    });
  }
}
