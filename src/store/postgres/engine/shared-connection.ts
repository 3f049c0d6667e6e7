/**
 * A connection that quick reads share: each is sent without waiting for earlier responses. With 64 reads in flight that
 * is twice as fast as taking connections from the pool (docs/decisions/0009).
 */
import { StoreUnavailableError } from '../../port/errors.ts';
import type { Statement } from '../../shared/sql.ts';
import { requireTimeLeft, timeLeftMs } from './connection.ts';
import type { PooledConnection } from './pooled-connection.ts';

export class SharedConnection {
  readonly #open: () => Promise<PooledConnection>;
  #connection: PooledConnection | undefined;
  #opening: Promise<PooledConnection> | undefined;

  constructor(open: () => Promise<PooledConnection>) {
    this.#open = open;
  }

  async run<Row extends readonly unknown[]>(statement: Statement<Row>, values: readonly unknown[], deadlineMs: number) {
    requireTimeLeft(deadlineMs);
    const connection = this.#connection ?? (await inTime(this.#opened(), deadlineMs));
    // A late read blocks all reads behind it, so they fail with it.
    const deadline = setTimeout(() => connection.giveUp(), timeLeftMs(deadlineMs));
    connection.gather();
    try {
      return await connection.run(statement, values);
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Call only when all reads have returned. */
  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    this.#release();
  }

  /** Returns the open connection. Reads that arrive while it opens wait for it; after a failure, the next read retries. */
  #opened(): Promise<PooledConnection> {
    this.#opening ??= this.#open()
      .then((connection) => {
        connection.onBroken = () => this.#release();
        this.#connection = connection;
        return connection;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  #release(): void {
    this.#connection?.release({ isReusable: false });
    this.#connection = undefined;
  }
}

function inTime<T>(opening: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new StoreUnavailableError('No database connection became available in time.'));
    const deadline = setTimeout(late, timeLeftMs(deadlineMs));
    opening.then(resolve, reject).finally(() => clearTimeout(deadline));
  });
}
