/**
 * In charge of moving whole merchants in and out, and of erasing them. Runs on the thread of whoever moves, on a
 * connection of its own, in transactions of a few milliseconds.
 */
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import type { AccountRecord, GroupRecord, MerchantRecord, MoveStore, OfferRecord, StoreSnapshot } from '../port/moves.ts';
import { addReturnLocation, putNode } from './accounts.ts';
import { insertCredential } from './credentials.ts';
import { type Connection, query } from './engine.ts';
import { OfferErasure, discardFilesAndReports, eraseMerchant } from './erasures.ts';
import { hasMerchant, insertAccount, setSuspended } from './merchants.ts';
import { MoveMarks, endImport } from './move-marks.ts';
import { OfferImports } from './offer-imports.ts';
import { ReviewMarks } from './review-marks.ts';
import { beginSweep } from './review-sweeps.ts';
import { answered } from './setup.ts';
import { SqliteSnapshot } from './snapshot.ts';
import { writeTransaction } from './transactions.ts';
import { WriteNumbers, numbered } from './write-numbers.ts';

export class SqliteMoves implements MoveStore {
  readonly #file: string;
  readonly #connection: Connection;
  readonly #transaction;
  readonly #marks: MoveMarks;
  readonly #imports: OfferImports;
  readonly #erasure: OfferErasure;

  constructor(file: string, connection: Connection) {
    this.#file = file;
    this.#connection = connection;
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
    return this.#write((connection) => {
      if (this.#marks.hasImport(merchant.merchantId)) return 'unfinished';
      if (hasMerchant(connection, merchant.merchantId)) return 'exists';
      query(
        connection,
        `INSERT INTO merchant (merchant_id, name, created_ms, suspended, time_to_return_days, return_shipping_methods)
         VALUES (?, ?, ?, 1, ?, ?)`,
      ).run(
        merchant.merchantId,
        merchant.name,
        merchant.createdMs,
        merchant.timeToReturnDays,
        JSON.stringify(merchant.returnShippingMethods),
      );
      this.#marks.addImport(connection, merchant.merchantId);
      const accounts = ENVIRONMENTS.map((environment) => {
        return [environment, insertAccount(connection, merchant.merchantId, environment)] as const;
      });
      raiseSetupVersion(connection);
      return Object.fromEntries(accounts) as Record<Environment, number>;
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
    return this.#write((connection, undo) => {
      this.#marks.renewImport(merchant.merchantId);
      const isTaken = query<[1]>(connection, 'SELECT 1 FROM credential WHERE user_name = ?');
      for (const { accountId, credentials, nodes, returnLocationIds } of accounts) {
        for (const credential of credentials) {
          if (isTaken.get(credential.user) !== undefined) return undo({ taken: credential.user });
          insertCredential(connection, accountId, credential, credential.createdMs, credential.endsMs);
        }
        for (const node of nodes) putNode(connection, accountId, node);
        for (const locationId of returnLocationIds) addReturnLocation(connection, accountId, locationId);
        // Some may have been judged already, without the nodes.
        beginSweep(connection, accountId);
      }
      query(connection, 'UPDATE merchant SET suspended = ? WHERE merchant_id = ?').run(
        merchant.suspended ? 1 : 0,
        merchant.merchantId,
      );
      endImport(connection, merchant.merchantId);
      raiseSetupVersion(connection);
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
    return this.#write((connection) => {
      if (setSuspended(connection, merchantId, true) === 'unknown') return 'unknown';
      const exportedTo = this.#marks.beginRemoval(connection, merchantId);
      raiseSetupVersion(connection);
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
    return this.#write((connection) => discardFilesAndReports(connection, accountId));
  }

  eraseMerchant(merchantId: string, accountId?: number): Promise<'erased' | 'unknown' | 'has_offers'> {
    return this.#write((connection) => {
      if (accountId !== undefined && !this.#marks.isAccountOf(accountId, merchantId)) return 'unknown';
      this.#marks.requireErasable(merchantId);
      const outcome = eraseMerchant(connection, merchantId);
      if (outcome === 'erased') raiseSetupVersion(connection);
      return outcome;
    });
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close();
  }

  /** `undo` ends the work with a result and leaves nothing of it stored. */
  #write<T>(work: (connection: Connection, undo: <R>(result: R) => R) => T): Promise<T> {
    return answered(() => {
      let isUndone = false;
      const undo = <R>(result: R): R => {
        isUndone = true;
        return result;
      };
      this.#transaction.begin();
      try {
        const result = work(this.#connection, undo);
        if (isUndone) this.#transaction.rollback();
        else this.#transaction.commit();
        return result;
      } catch (error) {
        this.#transaction.rollback();
        throw error;
      }
    });
  }
}

function raiseSetupVersion(connection: Connection): void {
  connection.exec('UPDATE setup_version SET version = version + 1');
}
