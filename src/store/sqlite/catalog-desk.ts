/** In charge of corrections of the catalog by the command line: on one connection, beside a running server or without one. */
import type { Environment } from '../../domain/account.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { CatalogDesk } from '../port/catalog.ts';
import { CatalogReads, CatalogWrites } from './catalog.ts';
import type { Connection } from './engine.ts';
import { answered } from './setup.ts';
import { type Transaction, writeTransaction } from './transactions.ts';
import { numbered, WriteNumbers } from './write-numbers.ts';

export class SqliteCatalogDesk implements CatalogDesk {
  readonly catalog = this;
  readonly #connection: Connection;
  readonly #transaction: Transaction;
  readonly #reads: CatalogReads;
  readonly #writes: CatalogWrites;

  constructor(connection: Connection) {
    this.#connection = connection;
    const numbers = new WriteNumbers(connection);
    this.#transaction = numbered(writeTransaction(connection), numbers);
    this.#reads = new CatalogReads(connection);
    this.#writes = new CatalogWrites(connection, numbers);
  }

  readProducts(environment: Environment, codes: readonly CatalogCode[]): Promise<readonly KnownProduct[]> {
    return answered(() => this.#reads.readProducts(environment, codes));
  }

  setProduct(environment: Environment, product: KnownProduct): Promise<void> {
    return this.#write(() => this.#writes.setProduct(environment, product));
  }

  countCatalogUsers(environment: Environment, code: CatalogCode): Promise<number> {
    return answered(() => this.#reads.countUsers(environment, code));
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #write<T>(work: () => T): Promise<T> {
    return answered(() => {
      this.#transaction.begin();
      try {
        const result = work();
        this.#transaction.commit();
        return result;
      } catch (error) {
        this.#transaction.rollback();
        throw error;
      }
    });
  }
}
