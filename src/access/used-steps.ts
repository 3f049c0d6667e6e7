/**
 * In charge of what a process tells others of the requests that it let through: not each one, but how many in each step of
 * time. With 60 seconds that is 31 steps at most, however many requests there were.
 */

export interface UsedStep {
  /** Of its last request. */
  readonly lastMs: number;
  readonly requests: number;
}

const STEP_MS = 2_000;

export class UsedSteps {
  #steps: { readonly number: number; lastMs: number; requests: number }[] = [];

  /** In order of time, so many steps as one. */
  inSteps(asOne: number): readonly UsedStep[] {
    if (asOne === 1) return this.#steps;
    const groups = Map.groupBy(this.#steps, ({ number }) => Math.floor(number / asOne));
    return Array.from(groups.values(), (steps) => ({
      lastMs: steps.at(-1)?.lastMs ?? 0,
      requests: steps.reduce((sum, { requests }) => sum + requests, 0),
    }));
  }

  /** Not earlier than the one before. */
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

  /** Forgets the steps whose requests are all up to that time. */
  forgetUntil(horizonMs: number): void {
    this.#steps = this.#steps.filter(({ lastMs }) => lastMs > horizonMs);
  }
}
