/**
 * Counts the requests that a process has accepted, per step of time, for its report to other processes. 60 seconds take
 * at most 31 steps, however many requests there were.
 */

export interface UsedStep {
  /** The time of the last request in the step. */
  readonly lastMs: number;
  readonly requests: number;
}

const STEP_MS = 2_000;

export class UsedSteps {
  #steps: { readonly number: number; lastMs: number; requests: number }[] = [];

  /** Returns the steps in time order, with `asOne` steps merged into one. */
  inSteps(asOne: number): readonly UsedStep[] {
    if (asOne === 1) return this.#steps;
    const groups = Map.groupBy(this.#steps, ({ number }) => Math.floor(number / asOne));
    return Array.from(groups.values(), (steps) => ({
      lastMs: steps.at(-1)?.lastMs ?? 0,
      requests: steps.reduce((sum, { requests }) => sum + requests, 0),
    }));
  }

  /** `timeMs` must not be earlier than the previous time. */
  add(timeMs: number): void {
    const number = Math.floor(timeMs / STEP_MS);
    const last = this.#steps.at(-1);
    if (last?.number === number) {
      last.lastMs = timeMs;
      last.requests++;
    } else {
      this.#steps.push({ number, lastMs: timeMs, requests: 1 });
    }
  }

  /** Drops the steps whose last request is not after `horizonMs`. */
  forgetUntil(horizonMs: number): void {
    this.#steps = this.#steps.filter(({ lastMs }) => lastMs > horizonMs);
  }
}
