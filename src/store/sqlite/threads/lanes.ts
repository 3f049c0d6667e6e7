/**
 * Decides what a store thread does next: calls of people first, then slices of background work, one at a time.
 *
 * A slice takes some milliseconds. It runs when a turn of the event loop brought no call of the first lane, or when it has
 * waited for a while, so that background work goes on under any load. Each turn runs one at most: a call that comes
 * meanwhile waits for that one, whoever sent slices and however many.
 *
 * A turn waits for what it runs, so that nothing interleaves with a command that takes several steps.
 *
 * Nothing runs where it arrives: Node takes up to a thousand messages of a port, those that come meanwhile included,
 * before it looks at another port or at anything else.
 */
import type { Lane } from './thread-messages.ts';

/** Under full load a slice goes about so often: background work has a tenth of the thread's time then. */
export const SLICE_WAIT_MS_MAX = 25;

interface WaitingSlice {
  readonly run: () => unknown;
  readonly sinceMs: number;
}

export class Lanes {
  #first: (() => unknown)[] = [];
  /** In the order in which they came, from all clients: each of them sends few at a time, so that they take turns. */
  readonly #behind: WaitingSlice[] = [];
  /** When the last slice ended; the next waits from there. */
  #sliceEndedMs = 0;
  #turn: NodeJS.Immediate | undefined;

  /** `run` may return a promise. */
  add(lane: Lane, run: () => unknown): void {
    if (lane === 'first') this.#first.push(run);
    else this.#behind.push({ run, sinceMs: performance.now() });
    this.#schedule();
  }

  /** Drops what waits. */
  close(): void {
    this.#first = [];
    this.#behind.length = 0;
    clearImmediate(this.#turn);
  }

  /** setImmediate runs when the messages of all ports that came in this turn were taken. */
  #schedule(): void {
    this.#turn ??= setImmediate(async () => {
      await this.#takeTurn();
      this.#turn = undefined;
      if (this.#first.length > 0 || this.#behind.length > 0) this.#schedule();
    });
  }

  async #takeTurn(): Promise<void> {
    const first = this.#first;
    this.#first = [];
    for (const run of first) await run();
    const [slice] = this.#behind;
    if (slice === undefined) return;
    const waitingSinceMs = Math.max(slice.sinceMs, this.#sliceEndedMs);
    if (first.length > 0 && performance.now() - waitingSinceMs <= SLICE_WAIT_MS_MAX) return;
    this.#behind.shift();
    await slice.run();
    this.#sliceEndedMs = performance.now();
  }
}
