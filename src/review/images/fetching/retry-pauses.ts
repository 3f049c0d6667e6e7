/** In charge of when a look that failed in a way that may pass is tried again. */

/** 30 s for a hiccup, 2 and 10 minutes for a restart, 1 and 6 hours for an outage. After the sixth look it has failed. */
const PAUSES_MS: readonly number[] = [30_000, 120_000, 600_000, 3_600_000, 21_600_000];

/** `attempt`: how many looks were made in a row, from 1. Undefined: it ends as failed. */
export function nextAttemptMs(attempt: number): number | undefined {
  return PAUSES_MS[attempt - 1];
}
