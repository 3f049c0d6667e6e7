/**
 * In charge of the connections to PostgreSQL: how they are opened and shared, that every call on them settles in time,
 * and that a transaction which lost against another is run again.
 */
import pg from 'pg';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { Statement } from '../../shared/sql.ts';
import {
  type Command,
  type Connection,
  type HeldConnection,
  type Rows,
  requireTimeLeft,
  type TransactionOptions,
  timeLeftMs,
} from './connection.ts';
import { makeDurable, PooledConnection } from './pooled-connection.ts';
import { SharedConnection } from './shared-connection.ts';
import { clusterError, isWorthAnotherTry, storeError, unreachable } from './store-errors.ts';
import { accountOf, WorkerGates } from './worker-gates.ts';

export { STATEMENTS, type Statement, statement } from '../../shared/sql.ts';
export type { Connection, HeldConnection } from './connection.ts';

/** A pool of connections. */
export interface Database extends Connection {
  readonly connections_max: number;
  /** Of them, those that quick reads share. */
  readonly connections_shared: number;
  readonly call_ms_max: number;
  /** Whether a write and its record are two statements (see history-statements.ts). */
  readonly splitsWrites: boolean;
  /** For reads that wait for no lock and take no time: they share a few connections. */
  readQuickly<Row extends readonly unknown[]>(
    statement: Statement<Row>,
    values?: readonly unknown[],
    deadlineMs?: number,
  ): Promise<readonly Row[]>;
  /** One command commits by itself; several are one transaction that is sent in one go. Gives the rows of each. */
  runTogether(commands: readonly Command[], deadlineMs?: number): Promise<readonly Rows[]>;
  /**
   * One transaction: the rows of the first commands tell the next ones, which are sent together with the commit. Gives
   * the rows of each, those of the first ones before. Run again as below.
   * Large commands of `next` leave one by one, as they are made.
   */
  runInTwoGoes(
    first: readonly Command[],
    next: (found: readonly Rows[]) => Iterable<Command>,
    deadlineMs?: number,
  ): Promise<readonly Rows[]>;
  /** `work` is run again after a serialization failure or a deadlock: it must not change anything outside. */
  inTransaction<T>(work: (connection: Connection) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * No transaction of its own, and only connecting has a time limit. The connection is closed behind `work`, and
   * whatever its session held with it.
   */
  hold<T>(work: (connection: HeldConnection) => Promise<T>): Promise<T>;
  /** Waits for the calls that were made; later ones are refused. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  readonly connections_max?: number | undefined;
  /** A call settles within this, waiting for a connection and connecting included. */
  readonly call_ms_max?: number | undefined;
  /** Told to the server, which stops a statement after it; 0 leaves that to its own settings. */
  readonly statement_ms_max?: number | undefined;
  /** Told to the server: how long a statement waits for a lock; 0 as above. */
  readonly lock_ms_max?: number | undefined;
  /** Of a Citus: accounts on different ones do not wait for each other. 0 on plain PostgreSQL. */
  readonly workers?: number | undefined;
  /** As a Citus needs it; unless told otherwise, on a Citus alone. */
  readonly splitsWrites?: boolean | undefined;
}

/** The batches of some accounts in flight, two for reads by key, some for lists: more only wait for the cores. */
const CONNECTIONS_MAX = 10;
/** An answer shall stand within 2 s, so that 200 ms are left for everything but the database. */
const CALL_MS_MAX = 1_800;
/**
 * Below the limit of a call: the server should not go on with what nobody waits for any more. It may do so all the same,
 * when it stood still itself: what it writes then is held to the numbers of writes (docs/decisions/0010).
 */
const STATEMENT_MS_MAX = 1_500;
/** Above PostgreSQL's deadlock_timeout of 1,000: a deadlock shall be found, and undone for one of the two. */
const LOCK_MS_MAX = 1_300;
/** A connection that nobody used for this long is closed; the next rush opens it again in some 5 ms. */
const IDLE_MS_MAX = 60_000;
/** Of those that reads by key share. A server with two cores is busy with two. */
const SHARED_CONNECTIONS = 2;
/** Transactions that lose against others: the first retry is at once, the last waits for up to 63 ms. */
const ATTEMPTS_MAX = 8;

/**
 * Every statement goes by an index. Without these a plan made while a table was small, or by old statistics, would
 * read all of it, for as long as the connection lives; and rows would be locked in another order than that of the
 * index, which is what keeps batches of different processes from waiting for each other in a circle. A plan that has
 * no other way reads the table all the same, at a cost for which jit would compile it, for nothing.
 */
const PLANNING = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']
  .map((setting) => `-c ${setting}=off`)
  .join(' ');
/**
 * On Citus a statement that meets many shards uses one connection to each node. By default it opens up to 16, closes all
 * but one of them behind it, and takes longer to open them than to read. One connection is also one snapshot of its node.
 * PostgreSQL without Citus takes the setting and ignores it.
 */
const ONE_CONNECTION_PER_NODE = '-c citus.max_adaptive_executor_pool_size=1';

export function openDatabase(options: DatabaseOptions): Database {
  return new PooledDatabase(options);
}

const INT8 = 20;
const JSON_TEXT = 114;
const JSONB = 3802;

const asText = (text: string): string => text;
const parsers = new Map<number, (text: string) => unknown>([
  // All of ours are below 2^53: milliseconds, counts, and numbers that are drawn one by one.
  [INT8, Number],
  [JSON_TEXT, asText],
  [JSONB, asText],
]);
const types = {
  getTypeParser: (type: number, format?: 'text') => parsers.get(type) ?? pg.types.getTypeParser(type, format),
} as pg.CustomTypesConfig;

class PooledDatabase implements Database {
  readonly connections_max: number;
  readonly connections_shared: number;
  readonly call_ms_max: number;
  readonly splitsWrites: boolean;
  readonly #host: string;
  readonly #pool: pg.Pool;
  /** Of a Citus, the first is for what the coordinator answers alone, and each worker keeps to one of the others. */
  readonly #shared: readonly SharedConnection[];
  readonly #gates: WorkerGates | undefined;
  #sharedTick = 0;
  #calls = 0;
  #whenQuiet: (() => void) | undefined;
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
    this.#host = new URL(url).host;
    this.#pool = new pg.Pool({
      ...connectionAddress(url, `${PLANNING} ${ONE_CONNECTION_PER_NODE}`),
      application_name: 'offerbook',
      max: connections_max,
      connectionTimeoutMillis: call_ms_max,
      idleTimeoutMillis: IDLE_MS_MAX,
      keepAlive: true,
      statement_timeout: limits.statement_ms_max ?? STATEMENT_MS_MAX,
      lock_timeout: limits.lock_ms_max ?? LOCK_MS_MAX,
      // A process that stops between two statements shall not keep others from the rows it locked.
      idle_in_transaction_session_timeout: call_ms_max,
      pipeline: true,
      types,
    });
    this.#pool.on('connect', makeDurable);
    // Of connections that nobody uses at the moment: the pool forgets them, and the next call opens another.
    this.#pool.on('error', () => {});
    // Half of them at most, and so none of a single one: it would be taken for good.
    const shared = workers > 0 ? 1 + workers : SHARED_CONNECTIONS;
    this.connections_shared = Math.min(shared, Math.floor(connections_max / 2));
    const open = () => this.#connect(performance.now() + call_ms_max);
    this.#shared = Array.from({ length: this.connections_shared }, () => new SharedConnection(open));
    const connect = (deadlineMs: number) => this.#connect(deadlineMs);
    this.#gates = workers > 0 ? new WorkerGates(connect, call_ms_max) : undefined;
  }

  run<Row extends readonly unknown[]>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    return this.#attempt((connection) => connection.run(statement, values), undefined, [{ statement, values }]);
  }

  async readQuickly<Row extends readonly unknown[]>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
    deadlineMs = performance.now() + this.call_ms_max,
  ): Promise<readonly Row[]> {
    const command = { statement, values };
    if (this.#shared.length === 0) {
      return this.#attempt((connection) => connection.run(statement, values), deadlineMs, [command]);
    }
    return this.#counted(() =>
      this.#gated(accountOfAll([command]), async (worker) => this.#sharedOf(worker).run(statement, values, deadlineMs)),
    );
  }

  async runTogether(commands: readonly Command[], deadlineMs?: number): Promise<readonly Rows[]> {
    return this.#attempt(
      async (connection) => {
        const [first] = commands;
        if (first === undefined) return [];
        if (commands.length > 1) return connection.runInOneGo(commands);
        return [await connection.run(first.statement, first.values)];
      },
      deadlineMs,
      commands,
    );
  }

  runInTwoGoes(
    first: readonly Command[],
    next: (found: readonly Rows[]) => Iterable<Command>,
    deadlineMs?: number,
  ): Promise<readonly Rows[]> {
    return this.#attempt((connection) => connection.runInTwoGoes(first, next), deadlineMs, first);
  }

  inTransaction<T>(work: (connection: Connection) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const watched = this.#gates?.watched(work) ?? work;
    const { deadlineMs, accountId } = options;
    return this.#attempt((connection) => connection.inTransaction(watched, options), deadlineMs, [], accountId);
  }

  async hold<T>(work: (connection: HeldConnection) => Promise<T>): Promise<T> {
    return this.#counted(async () => {
      const connection = await this.#connect(performance.now() + this.call_ms_max);
      try {
        return await work(connection);
      } finally {
        connection.release({ isReusable: false });
      }
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // The pool would forget those that wait for a connection.
    if (this.#calls > 0) {
      await new Promise<void>((resolve) => {
        this.#whenQuiet = resolve;
      });
    }
    this.#gates?.close();
    for (const connection of this.#shared) await connection.close();
    await this.#pool.end();
  }

  #attempt<T>(
    work: (connection: PooledConnection) => Promise<T>,
    deadlineMs = performance.now() + this.call_ms_max,
    commands: readonly Command[] = [],
    accountId = accountOfAll(commands),
  ): Promise<T> {
    const attempts = async () => {
      for (let attempt = 1; ; attempt++) {
        const connection = await this.#connect(deadlineMs);
        connection.endAt(deadlineMs);
        try {
          return await work(connection);
        } catch (error) {
          if (!isWorthAnotherTry(error) || attempt === ATTEMPTS_MAX) throw error;
        } finally {
          connection.release({ isReusable: true });
        }
        // Others have the same rows in hand; those that lost together shall not come back together.
        const wait_ms = Math.random() * (2 ** (attempt - 1) - 1);
        if (wait_ms > 0) await new Promise((resolve) => setTimeout(resolve, wait_ms));
      }
    };
    return this.#counted(() => this.#gated(accountId, attempts));
  }

  /** Refuses calls for accounts whose Citus worker does not answer, and tells the others their worker. */
  #gated<T>(accountId: number | undefined, call: (worker?: number) => Promise<T>): Promise<T> {
    const gates = this.#gates;
    if (gates === undefined) return call();
    return accountId === undefined ? call(0) : gates.pass(accountId, call);
  }

  #sharedOf(worker: number | undefined): SharedConnection {
    this.#sharedTick = (this.#sharedTick + 1) % this.#shared.length;
    const ofWorkers = this.#shared.length - 1;
    const place =
      worker === undefined ? this.#sharedTick : worker === 0 || ofWorkers === 0 ? 0 : 1 + (worker % ofWorkers);
    return this.#shared[place] as SharedConnection;
  }

  /** The way in and out of every call. */
  async #counted<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new StoreUnavailableError('The store is closed.');
    this.#calls++;
    try {
      return await call();
    } catch (error) {
      throw this.#gates === undefined ? storeError(error) : clusterError(error);
    } finally {
      this.#calls--;
      if (this.#calls === 0) this.#whenQuiet?.();
    }
  }

  /** The pool's own limit is that of a whole call; some have less time left. */
  async #connect(deadlineMs: number): Promise<PooledConnection> {
    requireTimeLeft(deadlineMs);
    return new Promise((resolve, reject) => {
      let isLate = false;
      const deadline = setTimeout(() => {
        isLate = true;
        reject(new StoreUnavailableError('The database had no connection in time.'));
      }, timeLeftMs(deadlineMs));
      this.#pool.connect((error, client) => {
        clearTimeout(deadline);
        if (client === undefined) reject(unreachable(error, this.#host));
        else if (isLate) client.release();
        else resolve(new PooledConnection(client));
      });
    });
  }
}

interface ConnectionAddress {
  readonly connectionString: string;
  readonly options: string;
}

/**
 * The driver would take the options of the address in place of those it is told. Of two for the same setting PostgreSQL
 * takes the last one, so that the needed ones stand behind.
 */
function connectionAddress(url: string, neededOptions: string): ConnectionAddress {
  const address = new URL(url);
  const given = address.searchParams.getAll('options');
  if (given.length === 0) return { connectionString: url, options: neededOptions };
  address.searchParams.delete('options');
  return { connectionString: address.href, options: [...given, neededOptions].join(' ') };
}

function accountOfAll(commands: readonly Command[]): number | undefined {
  return commands.map(({ statement, values }) => accountOf(statement, values)).find((id) => id !== undefined);
}
