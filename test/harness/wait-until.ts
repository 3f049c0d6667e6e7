/** In charge of waiting in tests: for a condition, with a deadline, never for a guessed time. */
import { setTimeout as pause } from 'node:timers/promises';

export async function waitUntil<T>(what: string, deadlineMs: number, probe: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`);
    await pause(20);
  }
}
