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
import { Rest } from './rest.ts';

/** What a handler is told. */
export interface WorkTurn {
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
export type WorkHandler = (turn: WorkTurn) => Promise<number | undefined>;

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

/** While the store fails: 100 ms, 200 ms, 400 ms and so on, up to 5 s, so that work goes on within that time. */
const PAUSE_MS_FIRST = 100;
const PAUSE_MS_MAX = 5_000;

export class LeasedLoop {
  readonly #options: LeasedLoopOptions;
  readonly #ended: Promise<void>;
  #isStopping = false;
  readonly #rest = new Rest();
  #held: HeldLease | undefined;

  constructor(options: LeasedLoopOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  /** There is something to do: looks at once, if it rests. */
  wake(): void {
    this.#rest.wake();
  }

  /** Takes no further work, and waits for the handler under way; false: it took longer and was told to end. */
  async close(wait_ms_max: number): Promise<boolean> {
    this.#isStopping = true;
    this.wake();
    const waited = Promise.withResolvers<boolean>();
    const deadline = setTimeout(() => {
      this.#held?.giveUp(new Error('The process stops.'));
      waited.resolve(false);
    }, wait_ms_max);
    this.#ended.then(() => waited.resolve(true), waited.reject);
    const isClean = await waited.promise;
    clearTimeout(deadline);
    return isClean;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isStopping) {
      this.#rest.look();
      try {
        const worked = this.#mayTake() && (await this.#takeTurn());
        failures = 0;
        if (!worked) await this.#rest.unlessWoken(aboutAsLongAs(this.#options.poll_ms));
      } catch (error) {
        this.#options.telemetry.observe('work_stalled', { kind: this.#options.kind, error });
        const pause_ms = Math.min(PAUSE_MS_FIRST * 2 ** failures, PAUSE_MS_MAX);
        failures++;
        await this.#pause(aboutAsLongAs(pause_ms));
      }
    }
  }

  #mayTake(): boolean {
    return this.#options.mayTake?.() ?? true;
  }

  /** Rejects when the store fails; a handler that fails is put back. Says whether there was work. */
  async #takeTurn(): Promise<boolean> {
    const { store, telemetry, kind, holder, handler, lease_ms, retry_ms } = this.#options;
    // Measured from before the call: the store's lease lasts at least as long as this process believes.
    const askedMs = performance.now();
    const lease = await store.takeWork(kind, holder, lease_ms);
    if (lease === undefined) return false;
    if (this.#isStopping) {
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

  /** Nobody but a stop ends it early: a store that fails is not asked more often because there is much to do. */
  async #pause(pause_ms: number): Promise<void> {
    const endMs = performance.now() + pause_ms;
    for (let left_ms = pause_ms; left_ms > 0 && !this.#isStopping; left_ms = endMs - performance.now()) {
      await this.#rest.take(left_ms);
    }
  }
}

/** Between half of it and all of it, so that processes which began together do not go on asking together. */
function aboutAsLongAs(wait_ms: number): number {
  return wait_ms * (0.5 + Math.random() / 2);
}
