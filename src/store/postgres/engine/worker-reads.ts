/**
 * Sends quick reads directly to the Citus worker that holds their account, so that the coordinator does not plan and forward them.
 *
 * Reads still go through the coordinator while a worker accepts no connection from this process, is another server than the coordinator
 * uses, or has just failed. After an account was moved, its old worker forwards reads to the new one, so a read is right at any worker
 * (docs/decisions/0060).
 */

import { StoreUnavailableError } from '../../port/errors.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import { AccountStatements } from './account-statements.ts';
import { type NodeOptions, NodePool } from './node-pool.ts';
import type { PooledConnection } from './pooled-connection.ts';
import { SharedConnection } from './shared-connection.ts';
import { clusterError } from './store-errors.ts';
import type { Worker } from './worker-gates.ts';

/** The pause after a failure, before the worker is tried again. */
const PAUSE_MS = 2_000;

/**
 * The server that runs the reads of an account; null if it is a standby. A copy of its disk has the same identifier, but was started at
 * another time. Citus sends the whole statement to the worker, because it reads the account.
 */
const IDENTIFY = statement<[server: string | null, found: number]>('identify worker')`
  SELECT (SELECT system_identifier || ' ' || extract(epoch FROM pg_postmaster_start_time())
    FROM pg_control_system() WHERE NOT pg_is_in_recovery()), count(*)
  FROM (SELECT 1 FROM offer WHERE account_id = $1 LIMIT 1) AS found`;

type Connect = (deadlineMs: number) => Promise<Pick<PooledConnection, 'run' | 'endAt' | 'release'>>;

export class WorkerReads {
  readonly #options: NodeOptions;
  readonly #coordinator: Connect;
  /** By group of the worker. */
  readonly #routes = new Map<number, WorkerRoute>();
  readonly #closing = new Set<Promise<void>>();

  /** `options`: the connection options of the coordinator. */
  constructor(options: NodeOptions, coordinator: Connect) {
    this.#options = options;
    this.#coordinator = coordinator;
  }

  /** Returns undefined if the read must go through the coordinator. */
  async read<Row extends readonly unknown[]>(
    worker: Worker,
    accountId: number,
    asked: Statement<Row>,
    values: readonly unknown[],
    deadlineMs: number,
  ): Promise<readonly Row[] | undefined> {
    if (worker.groupId === 0) return undefined;
    const route = this.#routeTo(worker);
    if (route.isOpen) return route.read(asked, values, deadlineMs);
    route.tryToOpen(accountId, this.#coordinator);
    return undefined;
  }

  async close(): Promise<void> {
    for (const route of this.#routes.values()) this.#closing.add(route.close());
    await Promise.all(this.#closing);
  }

  /** A worker that was replaced has the same group and another address. */
  #routeTo({ groupId, host, port }: Worker): WorkerRoute {
    const known = this.#routes.get(groupId);
    const url = urlOf(this.#options.url, host, port);
    if (known?.url === url) return known;
    if (known !== undefined) {
      const closed = known.close().finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
    const route = new WorkerRoute({ ...this.#options, url });
    this.#routes.set(groupId, route);
    return route;
  }
}

class WorkerRoute {
  readonly url: string;
  /** Whether the worker has proved to be the node of its accounts, and no read has failed since. */
  isOpen = false;
  readonly #call_ms_max: number;
  readonly #pool: NodePool;
  readonly #shared: readonly SharedConnection[];
  #tick = 0;
  #opening: Promise<void> | undefined;
  #retryMs = 0;

  constructor(options: NodeOptions) {
    this.url = options.url;
    this.#call_ms_max = options.call_ms_max;
    const newRewrite = () => {
      const statements = new AccountStatements();
      return statements.rewrite.bind(statements);
    };
    this.#pool = new NodePool({ ...options, newRewrite });
    const open = () => this.#pool.connect(performance.now() + this.#call_ms_max);
    this.#shared = Array.from({ length: options.connections_max }, () => new SharedConnection(open));
  }

  /** Returns undefined if the read failed. The coordinator then runs it, and reports the failure if that is not the worker's. */
  async read<Row extends readonly unknown[]>(
    asked: Statement<Row>,
    values: readonly unknown[],
    deadlineMs: number,
  ): Promise<readonly Row[] | undefined> {
    this.#tick = (this.#tick + 1) % this.#shared.length;
    const shared = this.#shared[this.#tick] as SharedConnection;
    try {
      return await shared.run(asked, values, deadlineMs);
    } catch (error) {
      if (clusterError(error) instanceof StoreUnavailableError) this.#pause();
      return undefined;
    }
  }

  /** Compares the server that answers here with the one that the coordinator asks. */
  tryToOpen(accountId: number, coordinator: Connect): void {
    if (this.#opening !== undefined || performance.now() < this.#retryMs) return;
    this.#opening = this.#isSameServer(accountId, coordinator)
      .then((isSame) => {
        this.isOpen = isSame;
      })
      .catch(() => {}) // The coordinator serves the reads, and the next attempt comes after the pause.
      .finally(() => {
        this.#opening = undefined;
        if (!this.isOpen) this.#pause();
      });
  }

  async close(): Promise<void> {
    this.isOpen = false;
    this.#retryMs = Infinity;
    await this.#opening;
    for (const shared of this.#shared) await shared.close();
    await this.#pool.close();
  }

  async #isSameServer(accountId: number, coordinator: Connect): Promise<boolean> {
    const deadlineMs = performance.now() + this.#call_ms_max;
    const connection = await coordinator(deadlineMs);
    connection.endAt(deadlineMs);
    const meant = connection.run(IDENTIFY, [accountId]).finally(() => connection.release({ isReusable: true }));
    const [[found], [expected]] = await Promise.all([this.#first.run(IDENTIFY, [accountId], deadlineMs), meant]);
    return typeof found?.[0] === 'string' && found[0] === expected?.[0];
  }

  get #first(): SharedConnection {
    return this.#shared[0] as SharedConnection;
  }

  #pause(): void {
    this.isOpen = false;
    this.#retryMs = Math.max(this.#retryMs, performance.now() + PAUSE_MS);
  }
}

/** User, password, database and parameters are the same on all nodes. */
function urlOf(coordinatorUrl: string, host: string, port: number): string {
  const url = Object.assign(new URL(coordinatorUrl), {
    hostname: host.includes(':') ? `[${host}]` : host,
    port: `${port}`,
  });
  for (const parameter of ['host', 'port']) url.searchParams.delete(parameter);
  return url.href;
}
