/**
 * In charge of a connection that many quick reads share: each is sent at once, behind those that were not answered
 * yet. With 64 reads in flight that is twice as quick as handing connections round (docs/decisions/0009).
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

  async run<Row extends readonly unknown[]>(
    statement: Statement<Row>,
    values: readonly unknown[],
    deadlineMs: number,
  ): Promise<readonly Row[]> {
    requireTimeLeft(deadlineMs);
    const connection = this.#connection ?? (await inTime(this.#renewed(), deadlineMs));
    // One that is late holds up all that were sent behind it, so that they fail with it.
    const deadline = setTimeout(() => connection.giveUp(), timeLeftMs(deadlineMs));
    connection.gather();
    try {
      return await connection.run(statement, values);
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Its reads must be answered. */
  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    this.#letGo();
  }

  /** Those that come while it is being opened wait for the same one; the first after a failure tries again. */
  #renewed(): Promise<PooledConnection> {
    this.#opening ??= this.#open()
      .then((connection) => {
        connection.onBroken = () => this.#letGo();
        this.#connection = connection;
        return connection;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  #letGo(): void {
    this.#connection?.release({ isReusable: false });
    this.#connection = undefined;
  }
}

function inTime<T>(opening: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new StoreUnavailableError('The database had no connection in time.'));
    const deadline = setTimeout(late, timeLeftMs(deadlineMs));
    opening.then(resolve, reject).finally(() => clearTimeout(deadline));
  });
}
