/**
 * Runs background work of one kind: leases an account that is due, runs its handler, returns the lease, and repeats.
 *
 * If the process is killed, its lease expires and another process runs the work again, so handlers must be idempotent.
 * Two processes may run the same work for a moment if one was blocked for longer than its lease and has not noticed
 * yet. Writes that must rule this out use the lease's fence.
 */
import type { WorkStore } from '../store/port/work.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { HeldLease } from './held-lease.ts';
import { PollingLoop } from './polling-loop.ts';

export interface LeasedWork {
  readonly accountId: number;
  /** See WorkLease. */
  readonly fence: number;
  /** Aborted when the lease is lost, or when the process stops waiting for the handler. */
  readonly signal: AbortSignal;
}

/**
 * Runs the account's due work, for a few seconds at most because a stop waits for it. Returns the delay in milliseconds until
 * the next call: 0 if more work is left, undefined if there is none.
 */
export type WorkHandler = (work: LeasedWork) => Promise<number | undefined>;

export interface LeasedLoopOptions {
  readonly store: Pick<WorkStore, 'takeWork' | 'renewWork' | 'finishWork'>;
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly kind: string;
  /** `fresh`: takes only fresh work, the most recent first. Otherwise the account that has been due longest comes first. */
  readonly order?: 'fresh';
  /** Name of this process, for operators who inspect the table. */
  readonly holder: string;
  readonly handler: WorkHandler;
  /** Whether this process may take work now. If false, other processes do the work until the next poll. */
  readonly mayTake?: () => boolean;
  /** After this time without a renewal, another process takes over. The lease is renewed after a third of it. */
  readonly lease_ms: number;
  /** How long to sleep when there was no work, unless woken. */
  readonly poll_ms: number;
  /** Delay before failed work is retried. */
  readonly retry_ms: number;
}

export class LeasedLoop {
  readonly #options: LeasedLoopOptions;
  readonly #loop: PollingLoop;
  #held: HeldLease | undefined;

  constructor(options: LeasedLoopOptions) {
    this.#options = options;
    const { kind, telemetry, poll_ms, mayTake = () => true } = options;
    this.#loop = new PollingLoop({
      step: async () => mayTake() && (await this.#runNext()),
      onFailure: (error) => telemetry.observe('work_stalled', { kind, error }),
      poll_ms,
    });
  }

  /** Announces work: polls immediately. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no further work and waits for the running handler. Returns false if the handler exceeded `wait_ms_max` and was aborted. */
  async close(wait_ms_max: number): Promise<boolean> {
    const ended = this.#loop.stop();
    const waited = Promise.withResolvers<boolean>();
    const deadline = setTimeout(() => {
      this.#held?.giveUp(new Error('The process is stopping.'));
      waited.resolve(false);
    }, wait_ms_max);
    ended.then(() => waited.resolve(true), waited.reject);
    const isClean = await waited.promise;
    clearTimeout(deadline);
    return isClean;
  }

  /** Rejects if the database fails; failed work is rescheduled. Returns whether there was work. */
  async #runNext(): Promise<boolean> {
    const { store, telemetry, kind, order, holder, handler, lease_ms, retry_ms } = this.#options;
    // Measured before the call, so that the database's lease ends no earlier than this process assumes.
    const askedMs = performance.now();
    const lease = await store.takeWork(kind, holder, lease_ms, order);
    if (lease === undefined) return false;
    if (this.#loop.isStopping) {
      await store.finishWork(lease, 0);
      return true;
    }
    const { accountId, fence } = lease;
    const held = new HeldLease(store, lease, lease_ms, askedMs);
    this.#held = held;
    let next_delay_ms: number | undefined;
    try {
      next_delay_ms = await handler({ accountId, fence, signal: held.signal });
    } catch (error) {
      if (!held.signal.aborted) telemetry.observe('work_failed', { kind, accountId, error });
      next_delay_ms = retry_ms;
    } finally {
      held.release();
      this.#held = undefined;
    }
    // An aborted handler may have left work unfinished: let the lease expire, so that the work is taken again.
    const outcome = held.signal.aborted ? 'lost' : await store.finishWork(lease, next_delay_ms);
    if (outcome === 'lost') telemetry.observe('work_lost', { kind, accountId });
    return true;
  }
}
