/** A thread for tests of the thread client: tells how its calls were batched, and dies when told to. */
import { parentPort, workerData } from 'node:worker_threads';
import type { AnswerMessage, BatchMessage, ErrorData, GreetingMessage } from '../thread-messages.ts';

export interface EchoService {
  /** Which batch the call came in, counted from 1, and how many calls that held. */
  batch(): readonly [number: number, calls: number];
  /** Holds the thread until the number is no longer 0. */
  waitAt(gate: Int32Array): void;
  fail(unavailable: boolean): void;
  throwUncaught(): void;
  exit(code: number): void;
}

let batches = 0;

if (workerData === 'exit at once') process.exit(3);
if (workerData === 'fail at once') throw new Error('cannot start');

parentPort?.on('message', (message: BatchMessage | null) => {
  if (message === null) {
    parentPort?.close();
    return;
  }
  const [methods, args] = message;
  batches++;
  const failures = new Map<number, ErrorData>();
  for (const [place, method] of methods.entries()) {
    if (method === 'exit') process.exit(Number(args[place]?.[0]));
    if (method === 'throwUncaught') throw new Error('uncaught in the thread');
    if (method === 'waitAt') Atomics.wait(args[place]?.[0] as Int32Array, 0, 0);
    if (method === 'fail') {
      failures.set(place, { unavailable: args[place]?.[0] === true, message: 'failed', cause: 'because' });
    }
  }
  const results = methods.map((method) => (method === 'batch' ? [batches, methods.length] : undefined));
  parentPort?.postMessage([results, failures.size > 0 ? failures : null] satisfies AnswerMessage);
});
parentPort?.postMessage({ ready: 'an echo' } satisfies GreetingMessage);
