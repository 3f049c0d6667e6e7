/** Waits in tests for a condition with a deadline, never for a fixed time. */
import { setTimeout as pause } from 'node:timers/promises';

const REST_MS = 20;

/** `rest_ms` returns the pause before the next check, from the time waited so far. */
export async function waitUntil<T>(
  what: string,
  deadlineMs: number,
  probe: () => Promise<T | undefined>,
  rest_ms: (waited_ms: number) => number = () => REST_MS,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    const waited_ms = performance.now() - startMs;
    if (waited_ms > deadlineMs) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`);
    await pause(rest_ms(waited_ms));
  }
}
