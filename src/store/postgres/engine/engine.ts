/** Opens and shares connections to PostgreSQL, ends every call by its deadline, and retries transactions that lost a conflict. */
import pg from 'pg';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { Statement } from '../../shared/sql.ts';
import {
  type Command,
  type Connection,
  type Rows,
  requireTimeLeft,
  type TransactionOptions,
  timeLeftMs,
} from './connection.ts';
import { makeDurable, PooledConnection } from './pooled-connection.ts';
import { SharedConnection } from './shared-connection.ts';
import { clusterError, isRetryable, storeError, unreachable } from './store-errors.ts';
import { accountOf, WorkerGates } from './worker-gates.ts';

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
/**
 * Lower than CALL_MS_MAX, so that the server stops working on abandoned calls. A server that was frozen may still run an abandoned call
 * late: sequence numbers keep it from overwriting newer data (docs/decisions/0010).
 */
const STATEMENT_MS_MAX = 1_500;
/** Higher than PostgreSQL's deadlock_timeout of 1,000, so that deadlocks are detected. */
const LOCK_MS_MAX = 1_300;
/** How long an idle connection stays open. Reopening one takes about 5 ms. */
const IDLE_MS_MAX = 60_000;
/** Number of connections shared by quick reads. Two keep a server with two cores busy. */
const SHARED_CONNECTIONS = 2;
/** The first retry is immediate, the last waits up to 63 ms. */
const ATTEMPTS_MAX = 8;

/**
 * Every statement must use an index. A plan made while a table was small, or from old statistics, would otherwise scan the whole
 * table for as long as the connection lives. It would also lock rows in another order than the index, and batches of different
 * processes could deadlock. JIT would compile a plan that must scan anyway, with no benefit.
 */
const PLANNING = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']
  .map((setting) => `-c ${setting}=off`)
  .join(' ');
/**
 * On Citus, a statement over many shards uses one connection per node, which is also one snapshot of the node. By default Citus
 * opens up to 16, which takes longer than the read. Plain PostgreSQL ignores the setting.
 */
const ONE_CONNECTION_PER_NODE = '-c citus.max_adaptive_executor_pool_size=1';

const INT8 = 20;
const JSON_TEXT = 114;
const JSONB = 3802;

const asText = (text: string): string => text;
const parsers = new Map<number, (text: string) => unknown>([
  // All values are below 2^53: milliseconds, counts and sequence numbers.
  [INT8, Number],
  [JSON_TEXT, asText],
  [JSONB, asText],
]);
const types = {
  getTypeParser: (type: number, format?: 'text') => parsers.get(type) ?? pg.types.getTypeParser(type, format),
} as pg.CustomTypesConfig;

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
  readonly place: string;
  readonly #pool: pg.Pool;
  /** On Citus, the first connection is for statements that only the coordinator runs; the workers share the others. */
  readonly #shared: readonly SharedConnection[];
  readonly #gates: WorkerGates | undefined;
  #sharedTick = 0;
  #calls = 0;
  readonly #idle = Promise.withResolvers<void>();
  #closed: Promise<void> | undefined;

  constructor({
    url,
    connections_max = CONNECTIONS_MAX,
    call_ms_max = CALL_MS_MAX,
    workers = 0,
    splitsWrites = workers > 0,
    ...limits
  }: DatabaseOptions) {
    this.connections_max = connections_max;
    this.call_ms_max = call_ms_max;
    this.splitsWrites = splitsWrites;
    const { host, pathname } = new URL(url);
    this.place = `${host}${pathname}`;
    this.#pool = new pg.Pool({
      ...connectionAddress(url, `${PLANNING} ${ONE_CONNECTION_PER_NODE}`),
      application_name: 'offerbook',
      max: connections_max,
      connectionTimeoutMillis: call_ms_max,
      idleTimeoutMillis: IDLE_MS_MAX,
      keepAlive: true,
      statement_timeout: limits.statement_ms_max ?? STATEMENT_MS_MAX,
      lock_timeout: limits.lock_ms_max ?? LOCK_MS_MAX,
      // A process that freezes between two statements must not keep its row locks.
      idle_in_transaction_session_timeout: call_ms_max,
      pipeline: true,
      types,
    });
    this.#pool.on('connect', makeDurable);
    // Emitted when an idle connection fails. The pool drops it, and the next call opens another.
    this.#pool.on('error', () => {});
    // At most half of the pool. A pool of one shares none, because a shared connection is never returned.
    const shared = workers > 0 ? 1 + workers : SHARED_CONNECTIONS;
    this.connections_shared = Math.min(shared, Math.floor(connections_max / 2));
    const open = () => this.#connect(this.#newDeadlineMs());
    this.#shared = Array.from({ length: this.connections_shared }, () => new SharedConnection(open));
    const connect = (deadlineMs: number) => this.#connect(deadlineMs);
    this.#gates = workers > 0 ? new WorkerGates(connect, call_ms_max) : undefined;
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
    return this.#call(accountOf(statement, values), async (worker) =>
      this.#sharedOf(worker).run(statement, values, deadlineMs),
    );
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
    const watched = this.#gates?.watched(work) ?? work;
    const { accountId, deadlineMs } = options;
    return this.#attempt(accountId, (connection) => connection.inTransaction(watched, options), deadlineMs);
  }

  /**
   * Runs `work` on its own connection, without a transaction, and without a deadline once connected. Closes the connection afterwards,
   * which releases session locks.
   */
  hold<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    return this.#call(undefined, async () => {
      const connection = await this.#connect(this.#newDeadlineMs());
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
    for (const connection of this.#shared) await connection.close();
    await this.#pool.end();
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
        const connection = await this.#connect(deadlineMs);
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
  async #call<T>(accountId: number | undefined, call: (worker?: number) => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new StoreUnavailableError('The store is closed.');
    this.#calls++;
    try {
      if (this.#gates === undefined) return await call();
      return await (accountId === undefined ? call(0) : this.#gates.pass(accountId, call));
    } catch (error) {
      throw this.#gates === undefined ? storeError(error) : clusterError(error);
    } finally {
      this.#calls--;
      if (this.#calls === 0 && this.#closed !== undefined) this.#idle.resolve();
    }
  }

  #sharedOf(worker: number | undefined): SharedConnection {
    this.#sharedTick = (this.#sharedTick + 1) % this.#shared.length;
    const ofWorkers = this.#shared.length - 1;
    const place =
      worker === undefined ? this.#sharedTick : worker === 0 || ofWorkers === 0 ? 0 : 1 + (worker % ofWorkers);
    return this.#shared[place] as SharedConnection;
  }

  /** Uses its own timer, because the pool's timeout is for a whole call, and some calls have less time left. */
  async #connect(deadlineMs: number): Promise<PooledConnection> {
    requireTimeLeft(deadlineMs);
    return new Promise((resolve, reject) => {
      let isLate = false;
      const deadline = setTimeout(() => {
        isLate = true;
        const text = `The database at ${this.place} opened no connection in time. Check that it is running, and check DATABASE_URL.`;
        reject(new StoreUnavailableError(text));
      }, timeLeftMs(deadlineMs));
      this.#pool.connect((error, client) => {
        clearTimeout(deadline);
        if (client === undefined) reject(unreachable(error, this.place));
        else if (isLate) client.release();
        else resolve(new PooledConnection(client, this.splitsWrites));
      });
    });
  }
}

/**
 * Adds the required options to the options in the URL, because the driver would use only those in the URL. If a setting occurs twice,
 * PostgreSQL uses the last.
 */
function connectionAddress(url: string, neededOptions: string): { connectionString: string; options: string } {
  const address = new URL(url);
  const given = address.searchParams.getAll('options');
  if (given.length === 0) return { connectionString: url, options: neededOptions };
  address.searchParams.delete('options');
  return { connectionString: address.href, options: [...given, neededOptions].join(' ') };
}

function accountOfAll(commands: readonly Command[]): number | undefined {
  return commands.map(({ statement, values }) => accountOf(statement, values)).find((id) => id !== undefined);
}
