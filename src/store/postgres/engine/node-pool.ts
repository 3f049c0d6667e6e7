/** The connections to one server: opens them with the settings that every statement needs, and ends the wait for one by the deadline. */
import pg from 'pg';
import { StoreUnavailableError } from '../../port/errors.ts';
import { requireTimeLeft, timeLeftMs } from './connection.ts';
import { makeDurable, PooledConnection, type Rewrite } from './pooled-connection.ts';
import { unreachable } from './store-errors.ts';

export interface NodeOptions {
  readonly url: string;
  readonly connections_max: number;
  readonly call_ms_max: number;
  readonly statement_ms_max?: number | undefined;
  readonly lock_ms_max?: number | undefined;
  /** Called for each connection that is taken. Default: statements are sent as they are. */
  readonly newRewrite?: (() => Rewrite | undefined) | undefined;
}

/**
 * Lower than CALL_MS_MAX, so that the server stops working on abandoned calls. A server that was frozen may still run an abandoned call
 * late: sequence numbers keep it from overwriting newer data (docs/decisions/0010).
 */
const STATEMENT_MS_MAX = 1_500;
/** Higher than PostgreSQL's deadlock_timeout of 1,000, so that deadlocks are detected. */
const LOCK_MS_MAX = 1_300;
/** How long an idle connection stays open. Reopening one takes about 5 ms. */
const IDLE_MS_MAX = 60_000;

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

export class NodePool {
  /** Host, port and name of the database. */
  readonly address: string;
  readonly #pool: pg.Pool;
  readonly #newRewrite: () => Rewrite | undefined;

  constructor({ url, connections_max, call_ms_max, newRewrite = () => undefined, ...limits }: NodeOptions) {
    const { host, pathname } = new URL(url);
    this.address = `${host}${pathname}`;
    this.#newRewrite = newRewrite;
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
  }

  /** Call when all connections were released. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Uses its own timer, because the pool's timeout is for a whole call, and some calls have less time left. */
  async connect(deadlineMs: number): Promise<PooledConnection> {
    requireTimeLeft(deadlineMs);
    return new Promise((resolve, reject) => {
      let isLate = false;
      const deadline = setTimeout(() => {
        isLate = true;
        const text = `The database at ${this.address} opened no connection in time. Check that it is running, and check DATABASE_URL.`;
        reject(new StoreUnavailableError(text));
      }, timeLeftMs(deadlineMs));
      this.#pool.connect((error, client) => {
        clearTimeout(deadline);
        if (client === undefined) reject(unreachable(error, this.address));
        else if (isLate) client.release();
        else resolve(new PooledConnection(client, this.#newRewrite()));
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
