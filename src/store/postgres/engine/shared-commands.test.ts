/** Tests that commands with many rows run one at a time, because their rows are read on the request thread. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { snapshot } from '../../shared/command.ts';
import type { Database } from './engine.ts';
import { runCommandsOn } from './shared-commands.ts';

const COMMAND = snapshot(async () => undefined);

/** Returns the highest number of transactions at a time. */
async function togetherMax(name: Parameters<ReturnType<typeof runCommandsOn>>[1]): Promise<number> {
  let together = 0;
  let max = 0;
  const inTransaction = async () => {
    max = Math.max(max, ++together);
    await new Promise(setImmediate);
    together--;
    // A failure must not end the queue.
    throw new Error('a failed read');
  };
  const run = runCommandsOn({ inTransaction } as unknown as Database);
  await Promise.allSettled(Array.from({ length: 5 }, () => run(COMMAND, name, [1] as never[])));
  return max;
}

it('pages of events are read one at a time', async () => {
  assert.equal(await togetherMax('feed.readTextPage'), 1);
});

it('other snapshots are read together', async () => {
  assert.equal(await togetherMax('feed.readPage'), 5);
});
