/** A thread for tests that checks a batch of SKU rows as any other, and dies at the second. */
import { parentPort } from 'node:worker_threads';

let batches = 0;
parentPort?.on('message', () => {
  if (++batches === 2) throw new Error('Out of luck.');
});
await import('../threads/check-thread.ts');
