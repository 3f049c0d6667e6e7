/**
 * Decides what a store thread runs next: foreground calls first, then slices of background work, one at a time.
 *
 * A slice takes a few milliseconds. It runs when an event loop tick brought no foreground call, or when it has waited long enough, so that
 * background work continues under any load. Each tick runs at most one slice, so a call waits for one slice only.
 *
 * A tick waits for the work that it runs, so that nothing interleaves with a command of several steps.
 *
 * Nothing runs on arrival: Node takes up to a thousand messages of a port, including those that arrive meanwhile, before it reads another
 * port.
 */
import type { Lane } from './thread-messages.ts';

/** The longest wait of a slice under full load. It gives background work about a tenth of the thread's time. */
export const SLICE_WAIT_MS_MAX = 25;

export class Lanes {
  #foreground: (() => unknown)[] = [];
  /** The slices of all clients in order of arrival. Each client sends few at a time, so they take turns. */
  readonly #background: { readonly run: () => unknown; readonly sinceMs: number }[] = [];
  /** When the last slice ended, which is when the next one starts to wait. */
  #sliceEndedMs = 0;
  #scheduled: NodeJS.Immediate | undefined;

  /** `run` may return a promise. */
  add(lane: Lane, run: () => unknown): void {
    if (lane === 'foreground') this.#foreground.push(run);
    else this.#background.push({ run, sinceMs: performance.now() });
    this.#schedule();
  }

  /** Drops waiting work. */
  close(): void {
    this.#foreground = [];
    this.#background.length = 0;
    clearImmediate(this.#scheduled);
  }

  /** setImmediate runs once the messages of all ports that arrived in this tick are read. */
  #schedule(): void {
    this.#scheduled ??= setImmediate(async () => {
      await this.#runTick();
      this.#scheduled = undefined;
      if (this.#foreground.length > 0 || this.#background.length > 0) this.#schedule();
    });
  }

  async #runTick(): Promise<void> {
    const calls = this.#foreground;
    this.#foreground = [];
    for (const run of calls) await run();
    const [slice] = this.#background;
    if (slice === undefined) return;
    const waitingSinceMs = Math.max(slice.sinceMs, this.#sliceEndedMs);
    if (calls.length > 0 && performance.now() - waitingSinceMs <= SLICE_WAIT_MS_MAX) return;
    this.#background.shift();
    await slice.run();
    this.#sliceEndedMs = performance.now();
  }
}
