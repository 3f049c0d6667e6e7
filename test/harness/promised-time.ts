/**
 * Checks waiting times against a promised time. On a busy machine any single wait may take longer. It is still awaited, and more than half
 * of all waits must be in time.
 */
import assert from 'node:assert/strict';
import { OFTEN, waitUntil } from './wait-until.ts';

const PATIENCE_MS = 60_000;

export class PromisedTime {
  readonly #promised_ms: number;
  readonly #took_ms: number[] = [];

  constructor(promised_ms: number) {
    this.#promised_ms = promised_ms;
  }

  async wait<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
    const startMs = performance.now();
    const found = await waitUntil(what, PATIENCE_MS, probe, OFTEN);
    this.#took_ms.push(performance.now() - startMs);
    return found;
  }

  assertKept(): void {
    const inTime = this.#took_ms.filter((ms) => ms < this.#promised_ms);
    assert.ok(inTime.length * 2 > this.#took_ms.length, `it took ${this.#took_ms.join(', ')} ms`);
  }
}
