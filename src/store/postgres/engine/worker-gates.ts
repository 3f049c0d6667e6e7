/**
 * Keeps a Citus worker that does not respond from affecting accounts on other workers.
 *
 * A statement for such an account holds its connection until its deadline, so a few accounts would soon hold all connections. The first
 * statement that fails triggers a probe of its worker. Calls for the worker's accounts wait for that probe without a connection. If it
 * fails they are refused immediately, and probes continue one at a time until the worker responds (docs/decisions/0026).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { AccountUnavailableError, StoreUnavailableError } from '../../port/errors.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import type { Connection } from './connection.ts';
import { ACCOUNT_TABLES } from './distribution.ts';
import type { PooledConnection } from './pooled-connection.ts';
import { clusterError } from './store-errors.ts';

/** The pause between two probes. */
const PAUSE_MS = 500;
/**
 * The coordinator cannot cancel a statement on a frozen worker, but gets its response when the worker resumes. So a
 * probe waits long, and there is one per worker at a time. The limit is for a worker whose machine has failed.
 */
const PROBE_MS_MAX = 5_000;
/** The worker of an account is looked up again after this time, because rebalancing moves accounts. */
const KNOWN_MS_MAX = 60_000;
const KNOWN_ACCOUNTS_MAX = 100_000;

/** The address is that at which the coordinator reaches the worker. */
const FIND_WORKER = statement<[groupId: number, host: string, port: number]>('find worker of account')`
  SELECT groupid, nodename, nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
  WHERE shardid = get_shard_id_for_distribution_column('offer', $1::bigint) AND noderole = 'primary'`;
const PROBE = statement<[one: number]>('probe worker')`SELECT 1 FROM offer WHERE account_id = $1 LIMIT 1`;

const USES_ACCOUNT_TABLE = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO) (?:${ACCOUNT_TABLES.join('|')})\\b`);
const accountIndexes = new WeakMap<Statement, number>();

/** A node that holds accounts; Citus gives the coordinator the group 0. */
export interface Worker {
  readonly groupId: number;
  readonly host: string;
  readonly port: number;
}

export const FIRST_NODE: Worker = Object.freeze({ groupId: 0, host: '', port: 0 });

/** Returns the account that a statement concerns; undefined if the statement uses no worker, or all of them. */
export function accountOf(asked: Statement, values: readonly unknown[]): number | undefined {
  return values[accountIndex(asked)] as number | undefined;
}

/** Returns the index of the account among the values; NaN if there is none. */
export function accountIndex(asked: Statement): number {
  let index = accountIndexes.get(asked);
  if (index === undefined) {
    const [, number] =
      /\baccount_id = \$(\d+)\b/.exec(asked.text) ??
      /\(\s*account_id,[^)]*\)\s*(?:VALUES \(|SELECT )\$(\d+)\b/.exec(asked.text) ??
      [];
    index = USES_ACCOUNT_TABLE.test(asked.text) ? Number(number) - 1 : Number.NaN;
    accountIndexes.set(asked, index);
  }
  return index;
}

type ProbeConnection = Pick<PooledConnection, 'run' | 'endAt' | 'release'>;

/** A worker for which a statement failed. */
interface Suspect {
  /** Whether the first probe succeeds in time. Calls for the worker's accounts wait for it. */
  readonly isAnswering: Promise<boolean>;
  isDown: boolean;
}

export class WorkerGates {
  readonly #connect: (deadlineMs: number) => Promise<ProbeConnection>;
  /** How long a call waits for the first probe. */
  readonly #wait_ms_max: number;
  readonly #probe_ms_max: number;
  readonly #known = new Map<number, { readonly worker: Worker; readonly untilMs: number }>();
  readonly #suspects = new Map<number, Suspect>();
  #isClosed = false;

  constructor(connect: (deadlineMs: number) => Promise<ProbeConnection>, call_ms_max: number) {
    this.#connect = connect;
    this.#wait_ms_max = call_ms_max / 2;
    this.#probe_ms_max = Math.max(PROBE_MS_MAX, call_ms_max);
  }

  /** Runs the call, or throws if the account's worker does not respond. */
  async pass<T>(accountId: number, call: (worker: Worker) => Promise<T>): Promise<T> {
    const worker = await this.#workerOf(accountId);
    const suspect = this.#suspects.get(worker.groupId);
    if (suspect !== undefined && !(await suspect.isAnswering)) throw refusal();
    try {
      return await call(worker);
    } catch (error) {
      const meaning = clusterError(error);
      if (!(meaning instanceof StoreUnavailableError)) throw error;
      this.#noteFailure(accountId, error);
      throw new AccountUnavailableError(meaning.message, { cause: error });
    }
  }

  /** Guards a transaction, whose account is known from its statements. */
  guarded<T>(work: (connection: Connection) => Promise<T>): (connection: Connection) => Promise<T> {
    return async (connection) => {
      let accountId: number | undefined;
      try {
        return await work({
          run: (asked, values = []) => {
            accountId = accountOf(asked, values) ?? accountId;
            if (accountId !== undefined && this.#isDown(accountId)) return Promise.reject(refusal());
            return connection.run(asked, values);
          },
        });
      } catch (error) {
        if (accountId !== undefined) this.#noteFailure(accountId, error);
        throw error;
      }
    };
  }

  #isDown(accountId: number): boolean {
    const worker = this.#known.get(accountId)?.worker;
    return worker !== undefined && this.#suspects.get(worker.groupId)?.isDown === true;
  }

  /** Probes the worker of an account for which a statement failed. */
  #noteFailure(accountId: number, error: unknown): void {
    if (!(clusterError(error) instanceof StoreUnavailableError)) return;
    void this.#workerOf(accountId).then(
      ({ groupId }) => this.#suspect(groupId, accountId),
      () => {}, // The coordinator does not respond either, so no call reaches a worker.
    );
  }

  close(): void {
    this.#isClosed = true;
  }

  async #suspect(worker: number, accountId: number): Promise<void> {
    if (this.#isClosed || this.#suspects.has(worker)) return;
    const first = this.#isAnswering(accountId);
    const isAnswering = Promise.race([first, pause(this.#wait_ms_max, false, { ref: false })]);
    const suspect: Suspect = { isAnswering, isDown: false };
    this.#suspects.set(worker, suspect);
    suspect.isDown = !(await isAnswering);
    for (let isUp = await first; !isUp && !this.#isClosed; isUp = await this.#isAnswering(accountId)) {
      await pause(PAUSE_MS, undefined, { ref: false });
    }
    this.#suspects.delete(worker);
  }

  async #isAnswering(accountId: number): Promise<boolean> {
    // If there is no connection, the state of the worker is unknown, and the worker counts as up. Calls that wait for the probe must get
    // this result before their deadline.
    const connection = await this.#connect(performance.now() + this.#wait_ms_max / 2).catch(() => undefined);
    if (connection === undefined) return true;
    return this.#ask(connection, PROBE, accountId).then(
      () => true,
      () => false,
    );
  }

  async #workerOf(accountId: number): Promise<Worker> {
    const nowMs = performance.now();
    const known = this.#known.get(accountId);
    if (known !== undefined && known.untilMs > nowMs) return known.worker;
    const connection = await this.#connect(nowMs + 2 * this.#wait_ms_max);
    const [row] = await this.#ask(connection, FIND_WORKER, accountId);
    const worker = row === undefined ? FIRST_NODE : { groupId: row[0], host: row[1], port: row[2] };
    if (this.#known.size >= KNOWN_ACCOUNTS_MAX) this.#known.clear();
    this.#known.set(accountId, { worker, untilMs: nowMs + KNOWN_MS_MAX });
    return worker;
  }

  async #ask<Row extends readonly unknown[]>(connection: ProbeConnection, asked: Statement<Row>, accountId: number) {
    connection.endAt(performance.now() + this.#probe_ms_max);
    try {
      return await connection.run(asked, [accountId]);
    } finally {
      connection.release({ isReusable: true });
    }
  }
}

function refusal(): AccountUnavailableError {
  return new AccountUnavailableError('The database node that holds this account does not respond.');
}
