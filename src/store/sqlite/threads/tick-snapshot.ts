/**
 * Shares one read snapshot among the reads of an event loop tick.
 *
 * A transaction per read would lock and unlock the log's index by system calls, which take longer than the read; under load a
 * tick has about 40 reads. The snapshot ends with the tick, and before a write is acknowledged, so that a client with a 202
 * never reads an older state.
 */
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';

export class TickSnapshot {
  readonly #connection: Connection;
  readonly #begin;
  readonly #commit;
  #isOpen = false;
  readonly #end = (): void => this.end();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#begin = query(connection, 'BEGIN');
    this.#commit = query(connection, 'COMMIT');
  }

  /** Begins the snapshot unless it has begun. Call this before each read. */
  enter(): void {
    if (this.#isOpen) return;
    this.#begin.run();
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
      this.#commit.run();
    } catch {
      // A read of a damaged page has already reported its error. Throwing it here, outside any request, would end the process.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
    }
  }
}
