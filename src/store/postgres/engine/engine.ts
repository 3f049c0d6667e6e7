/** Opens and shares connections to PostgreSQL, ends every call by its deadline, and retries transactions that lost a conflict. */
import { StoreUnavailableError } from '../../port/errors.ts';
import type { Statement } from '../../shared/sql.ts';
import type { Command, Connection, Rows, TransactionOptions } from './connection.ts';
import { withValues } from './insert-values.ts';
import { NodePool } from './node-pool.ts';
import type { PooledConnection } from './pooled-connection.ts';
import { SharedConnection } from './shared-connection.ts';
import { clusterError, isRetryable, storeError } from './store-errors.ts';
import { accountOf, FIRST_NODE, type Worker, WorkerGates } from './worker-gates.ts';
import { WorkerReads } from './worker-reads.ts';

export { STATEMENTS, type Statement, statement } from '../../shared/sql.ts';
export type { Connection } from './connection.ts';

export interface DatabaseOptions {
  /** Has the form postgres://user:password@host:port/database. */
  readonly url: string;
  readonly connections_max?: number | undefined;
  /** Timeout of a call, including the wait for a connection. */
  readonly call_ms_max?: number | undefined;
  /** The server's statement_timeout; 0 keeps its own setting. */
  readonly statement_ms_max?: number | undefined;
  /** The server's lock_timeout; 0 keeps its own setting. */
  readonly lock_ms_max?: number | undefined;
  /** Number of Citus workers; 0 on plain PostgreSQL. */
  readonly workers?: number | undefined;
  /** Whether quick reads go directly to the worker of their account (see worker-reads.ts). Default: true. */
  readonly readsOnWorkers?: boolean | undefined;
  /**
   * Whether a write and its history record are two statements (see history-statements.ts), and lists are inserted as VALUES (see
   * insert-values.ts). Default: only on Citus.
   */
  readonly splitsWrites?: boolean | undefined;
}

/** Enough for batches of several accounts, two connections for reads by key, and some for lists. More would only wait for CPU. */
const CONNECTIONS_MAX = 10;
/** A request should get its response within 2 s. This leaves 200 ms for everything outside the database. */
const CALL_MS_MAX = 1_800;
/** Number of connections shared by quick reads. Two keep a server with two cores busy. */
const SHARED_CONNECTIONS = 2;
/** The first retry is immediate, the last waits up to 63 ms. */
const ATTEMPTS_MAX = 8;

export function openDatabase(options: DatabaseOptions): Database {
  return new Database(options);
}

/** A pool of connections. */
export class Database implements Connection {
  readonly connections_max: number;
  readonly connections_shared: number;
  readonly call_ms_max: number;
  readonly splitsWrites: boolean;
  /** Host, port and name of the database. */
  readonly address: string;
  readonly #pool: NodePool;
  /** On Citus, the first connection is for statements that only the coordinator runs; the workers share the others. */
  readonly #shared: readonly SharedConnection[];
  readonly #gates: WorkerGates | undefined;
  readonly #workerReads: WorkerReads | undefined;
  #sharedTick = 0;
  #calls = 0;
  readonly #idle = Promise.withResolvers<void>();
  #closed: Promise<void> | undefined;

  constructor({
    url,
    connections_max = CONNECTIONS_MAX,
    call_ms_max = CALL_MS_MAX,
    workers = 0,
    readsOnWorkers = true,
    splitsWrites = workers > 0,
    ...limits
  }: DatabaseOptions) {
    this.connections_max = connections_max;
    this.call_ms_max = call_ms_max;
    this.splitsWrites = splitsWrites;
    const node = { url, connections_max, call_ms_max, ...limits };
    this.#pool = new NodePool({ ...node, newRewrite: () => (splitsWrites ? withValues : undefined) });
    this.address = this.#pool.address;
    // At most half of the pool. A pool of one shares none, because a shared connection is never returned.
    const shared = workers > 0 ? 1 + workers : SHARED_CONNECTIONS;
    this.connections_shared = Math.min(shared, Math.floor(connections_max / 2));
    const open = () => this.#pool.connect(this.#newDeadlineMs());
    this.#shared = Array.from({ length: this.connections_shared }, () => new SharedConnection(open));
    const connect = (deadlineMs: number) => this.#pool.connect(deadlineMs);
    this.#gates = workers > 0 ? new WorkerGates(connect, call_ms_max) : undefined;
    const onWorkers = readsOnWorkers && this.#shared.length > 0 && workers > 0;
    this.#workerReads = onWorkers
      ? new WorkerReads({ ...node, connections_max: SHARED_CONNECTIONS }, connect)
      : undefined;
  }

  run<Row extends readonly unknown[]>(statement: Statement<Row>, values: readonly unknown[] = [], deadlineMs?: number) {
    return this.#attempt(accountOf(statement, values), (connection) => connection.run(statement, values), deadlineMs);
  }

  /** Runs fast statements that wait for no lock on a few shared connections. */
  async readQuickly<Row extends readonly unknown[]>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
    deadlineMs = this.#newDeadlineMs(),
  ): Promise<readonly Row[]> {
    if (this.#shared.length === 0) return this.run(statement, values, deadlineMs);
    const accountId = accountOf(statement, values);
    return this.#call(accountId, async (worker) => {
      if (this.#workerReads !== undefined && worker !== undefined && accountId !== undefined) {
        const rows = await this.#workerReads.read(worker, accountId, statement, values, deadlineMs);
        if (rows !== undefined) return rows;
      }
      return this.#sharedOf(worker).run(statement, values, deadlineMs);
    });
  }

  /**
   * Runs one transaction in rounds: each function in `next` builds the commands of a round from all rows returned so far. The commit is
   * sent with the last round. Returns the rows of each command, in order. Retried like `inTransaction`.
   */
  runInRounds(
    first: readonly Command[],
    next: readonly ((found: readonly Rows[]) => Iterable<Command>)[] = [],
    deadlineMs?: number,
  ): Promise<readonly Rows[]> {
    return this.#attempt(accountOfAll(first), (connection) => connection.runInRounds(first, ...next), deadlineMs);
  }

  /** Retries `work` after a serialization failure or a deadlock, so it must have no side effects. */
  inTransaction<T>(work: (connection: Connection) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const guarded = this.#gates?.guarded(work) ?? work;
    const { accountId, deadlineMs } = options;
    return this.#attempt(accountId, (connection) => connection.inTransaction(guarded, options), deadlineMs);
  }

  /**
   * Runs `work` on its own connection, without a transaction, and without a deadline once connected. Closes the connection afterwards,
   * which releases session locks.
   */
  hold<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    return this.#call(undefined, async () => {
      const connection = await this.#pool.connect(this.#newDeadlineMs());
      try {
        return await work(connection);
      } finally {
        connection.release({ isReusable: false });
      }
    });
  }

  /** Waits for calls in flight; later calls are refused. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    // The pool would drop calls that wait for a connection.
    if (this.#calls > 0) await this.#idle.promise;
    this.#gates?.close();
    await this.#workerReads?.close();
    for (const connection of this.#shared) await connection.close();
    await this.#pool.close();
  }

  #newDeadlineMs(): number {
    return performance.now() + this.call_ms_max;
  }

  #attempt<T>(
    accountId: number | undefined,
    work: (connection: PooledConnection) => Promise<T>,
    deadlineMs = this.#newDeadlineMs(),
  ): Promise<T> {
    return this.#call(accountId, async () => {
      for (let attempt = 1; ; attempt++) {
        const connection = await this.#pool.connect(deadlineMs);
        connection.endAt(deadlineMs);
        try {
          return await work(connection);
        } catch (error) {
          if (!isRetryable(error) || attempt === ATTEMPTS_MAX) throw error;
        } finally {
          connection.release({ isReusable: true });
        }
        // Random, so that transactions that failed together do not collide again.
        const wait_ms = Math.random() * (2 ** (attempt - 1) - 1);
        if (wait_ms > 0) await new Promise((resolve) => setTimeout(resolve, wait_ms));
      }
    });
  }

  /** Runs every call. On Citus, refuses accounts whose worker does not respond, and passes the worker on. */
  async #call<T>(accountId: number | undefined, call: (worker?: Worker) => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new StoreUnavailableError('The store is closed.');
    this.#calls++;
    try {
      if (this.#gates === undefined) return await call();
      return await (accountId === undefined ? call(FIRST_NODE) : this.#gates.pass(accountId, call));
    } catch (error) {
      throw this.#gates === undefined ? storeError(error) : clusterError(error);
    } finally {
      this.#calls--;
      if (this.#calls === 0 && this.#closed !== undefined) this.#idle.resolve();
    }
  }

  #sharedOf(worker: Worker | undefined): SharedConnection {
    this.#sharedTick = (this.#sharedTick + 1) % this.#shared.length;
    const ofWorkers = this.#shared.length - 1;
    const group = worker?.groupId;
    const index = group === undefined ? this.#sharedTick : group === 0 || ofWorkers === 0 ? 0 : 1 + (group % ofWorkers);
    return this.#shared[index] as SharedConnection;
  }
}

function accountOfAll(commands: readonly Command[]): number | undefined {
  return commands.map(({ statement, values }) => accountOf(statement, values)).find((id) => id !== undefined);
}
