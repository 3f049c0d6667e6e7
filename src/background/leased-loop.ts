/**
 * In charge of doing background work of one kind: takes the account that is due longest, does its work while the lease
 * lasts, gives it back, and takes the next.
 *
 * The process may be killed at any line: its lease lapses, and another process does the work again. So what a handler
 * does must be right also when it is done twice. Two may be at it for a moment, when one was held up for longer than its
 * lease and has not noticed yet; the fence of the lease is for writes that must not suffer that.
 */
import type { WorkStore } from '../store/port/work.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { HeldLease } from './held-lease.ts';
import { PollingLoop } from './polling-loop.ts';

/** What a handler is told. */
export interface LeasedWork {
  readonly accountId: number;
  /** See WorkLease. */
  readonly fence: number;
  /** Fires when the lease is lost, or when the process will not wait any longer. */
  readonly signal: AbortSignal;
}

/**
 * Does what is to do for the account now, for some seconds at most: a stop waits for it. Says in how many milliseconds
 * it is to be called again, 0 where more is left; undefined where all is done.
 */
export type WorkHandler = (turn: LeasedWork) => Promise<number | undefined>;

export interface LeasedLoopOptions {
  readonly store: Pick<WorkStore, 'takeWork' | 'renewWork' | 'finishWork'>;
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly kind: string;
  /** Names this process to people who look at the table. */
  readonly holder: string;
  readonly handler: WorkHandler;
  /** False: it leaves all work to other processes, and asks again at the next look. */
  readonly mayTake?: () => boolean;
  /** After this long without a sign of life another process takes over. Renewed at a third of it. */
  readonly lease_ms: number;
  /** How long it rests when there is nothing to do, unless it is woken. */
  readonly poll_ms: number;
  /** In how long work that failed is tried again. */
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
      step: async () => mayTake() && (await this.#takeTurn()),
      onFailure: (error) => telemetry.observe('work_stalled', { kind, error }),
      poll_ms,
    });
  }

  /** There is something to do: looks at once, if it rests. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no further work, and waits for the handler under way; false: it took longer and was told to end. */
  async close(wait_ms_max: number): Promise<boolean> {
    const ended = this.#loop.stop();
    const waited = Promise.withResolvers<boolean>();
    const deadline = setTimeout(() => {
      this.#held?.giveUp(new Error('The process stops.'));
      waited.resolve(false);
    }, wait_ms_max);
    ended.then(() => waited.resolve(true), waited.reject);
    const isClean = await waited.promise;
    clearTimeout(deadline);
    return isClean;
  }

  /** Rejects when the store fails; a handler that fails is put back. Says whether there was work. */
  async #takeTurn(): Promise<boolean> {
    const { store, telemetry, kind, holder, handler, lease_ms, retry_ms } = this.#options;
    // Measured from before the call: the store's lease lasts at least as long as this process believes.
    const askedMs = performance.now();
    const lease = await store.takeWork(kind, holder, lease_ms);
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
    // A handler that was told to end may have left things half done: the lease lapses, and the work is taken again.
    const outcome = held.signal.aborted ? 'lost' : await store.finishWork(lease, next_delay_ms);
    if (outcome === 'lost') telemetry.observe('work_lost', { kind, accountId });
    return true;
  }
}
