/** Serves a test thread that reports how its calls were batched, and waits or dies on request. */
import { workerData } from 'node:worker_threads';
import { StoreUnavailableError } from '../../port/errors.ts';
import { serveThread } from '../threads/thread-service.ts';

if (workerData === 'exit at once') process.exit(3);
if (workerData === 'fail at once') throw new Error('cannot start');

let batches = 0;
let calls = 0;

export class EchoService {
  /** The number of the batch, from 1, and how many calls it held. */
  batch(): readonly [number: number, calls: number] {
    return [batches, calls];
  }

  /** Blocks the thread until the number is no longer 0. */
  waitAt(gate: Int32Array): void {
    Atomics.wait(gate, 0, 0);
  }

  /** Blocks the thread for `wait_ms`. */
  wait(wait_ms: number): readonly [startedMs: number, endedMs: number] {
    const startedMs = performance.timeOrigin + performance.now();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait_ms);
    return [startedMs, performance.timeOrigin + performance.now()];
  }

  fail(unavailable: boolean): void {
    throw unavailable ? new StoreUnavailableError('failed') : new Error('failed');
  }

  throwUncaught(): void {
    throw UNCAUGHT;
  }

  exit(code: number): void {
    process.exit(code);
  }
}

const UNCAUGHT = new Error('uncaught in the thread');

function runEach(count: number, run: (command: number) => unknown) {
  batches++;
  calls = count;
  const results = new Array<unknown>(count);
  const failures = new Map<number, unknown>();
  for (let command = 0; command < count; command++) {
    try {
      results[command] = run(command);
    } catch (error) {
      if (error === UNCAUGHT) throw error;
      failures.set(command, error);
    }
  }
  return { results, failures: failures.size > 0 ? failures : null };
}

serveThread(() => ({
  connection: { close: () => {} },
  service: new EchoService(),
  runBatch: runEach,
}));
