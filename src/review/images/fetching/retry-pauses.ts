/** Delays before retries of transient failures. */

/** 30 s for a glitch, 2 and 10 minutes for a restart, 1 and 6 hours for an outage. The sixth failure is final. */
const PAUSES_MS: readonly number[] = [30_000, 120_000, 600_000, 3_600_000, 21_600_000];

/** `attempt` is the number of consecutive failed attempts, from 1. Returns undefined when there is no further retry. */
export function nextAttemptMs(attempt: number): number | undefined {
  return PAUSES_MS[attempt - 1];
}
