/**
 * Shares one read snapshot among the reads of an event loop tick.
 *
 * A transaction per read would lock and unlock the log's index by system calls, which take longer than the read; under load a
 * tick has about 40 reads. The snapshot ends with the tick, and before a write is acknowledged, so that a client with a 202
 * never reads an older state.
 */
import type { Connection } from '../engine/connection.ts';
import { readTransaction, type Transaction } from '../engine/transactions.ts';

export class TickSnapshot {
  readonly #connection: Connection;
  readonly #transaction: Transaction;
  #isOpen = false;
  readonly #end = (): void => this.end();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#transaction = readTransaction(connection);
  }

  /** Begins the snapshot unless it has begun. Call this before each read. */
  enter(): void {
    if (this.#isOpen) return;
    this.#transaction.begin();
    this.#isOpen = true;
    setImmediate(this.#end);
  }

  /** Ends the snapshot, so that later reads see newer commits. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A failed read may have ended the transaction.
    if (!this.#connection.isOpen || !this.#connection.isTransaction) return;
    try {
      this.#transaction.commit();
    } catch {
      // A read of a damaged page has already reported its error. Throwing it here, outside any request, would end the process.
      this.#transaction.rollback();
    }
  }
}
