/**
 * Repeats a step: at once while there is work, after a rest when there was none, and after a growing pause while the
 * database fails.
 */
import { Rest } from './rest.ts';

export interface PollingLoopOptions {
  /** Says whether there was work. Rejects when the database fails. */
  readonly step: () => Promise<boolean>;
  readonly onFailure: (error: unknown) => void;
  /** How long it rests when there is nothing to do, unless it is woken. */
  readonly poll_ms: number;
}

/** While the database fails: 100 ms, 200 ms, 400 ms and so on, up to 5 s, so that work goes on within that time. */
const PAUSE_MS_FIRST = 100;
const PAUSE_MS_MAX = 5_000;

export class PollingLoop {
  readonly #options: PollingLoopOptions;
  readonly #rest = new Rest();
  readonly #ended: Promise<void>;
  #isStopping = false;

  constructor(options: PollingLoopOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** There is work: takes the next step at once if it rests. */
  wake(): void {
    this.#rest.wake();
  }

  /** Takes no further step. Resolves after the step in progress. */
  stop(): Promise<void> {
    this.#isStopping = true;
    this.wake();
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { step, onFailure, poll_ms } = this.#options;
    let failures = 0;
    // The constructor of the owner returns before the first step.
    await Promise.resolve();
    while (!this.#isStopping) {
      this.#rest.look();
      try {
        const worked = await step();
        failures = 0;
        if (!worked) await this.#rest.unlessWoken(aboutAsLongAs(poll_ms));
      } catch (error) {
        onFailure(error);
        await this.#pause(aboutAsLongAs(Math.min(PAUSE_MS_FIRST * 2 ** failures++, PAUSE_MS_MAX)));
      }
    }
  }

  /** Only a stop ends it early: a database that fails is not asked more often because there is much to do. */
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
