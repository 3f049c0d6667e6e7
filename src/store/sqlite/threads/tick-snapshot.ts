/**
 * In charge of the snapshot that the reads of one turn of the event loop share.
 *
 * Each read transaction of its own would lock and unlock the log's index by system calls, which take longer than the
 * read itself; under load a turn holds some 40 reads. The snapshot ends with the turn, and before a write is
 * acknowledged, so that whoever got a 202 never reads an older state.
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

  /** Called before a read. */
  enter(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(this.#end);
  }

  /** Reads that follow see what is committed then. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A read that failed badly enough has ended the transaction by itself.
    if (!this.#connection.isOpen || !this.#connection.isTransaction) return;
    try {
      this.#commit.run();
    } catch {
      // After a read of a damaged page; that read was told. Thrown here, in a turn of nobody, it would end the process.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
    }
  }
}
