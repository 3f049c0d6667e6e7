/** Waits in tests for a condition with a deadline, never for a fixed time. */
import { setTimeout as pause } from 'node:timers/promises';

const REST_MS = 20;
const REST_MS_MAX = 200;

/** Short pauses for conditions that last only a moment, or whose time is measured. */
export const OFTEN = () => REST_MS;

/** Growing pauses, so that a check adds at most a tenth to the time waited. */
const LESS_AND_LESS = (waited_ms: number) => Math.min(REST_MS + waited_ms / 10, REST_MS_MAX);

/** `rest_ms` returns the pause before the next check, from the time waited so far. */
export async function waitUntil<T>(
  what: string,
  deadlineMs: number,
  probe: () => Promise<T | undefined>,
  rest_ms: (waited_ms: number) => number = LESS_AND_LESS,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    const waited_ms = performance.now() - startMs;
    if (waited_ms > deadlineMs) throw new Error(`timed out after ${deadlineMs} ms waiting for ${what}`);
    await pause(rest_ms(waited_ms));
  }
}
