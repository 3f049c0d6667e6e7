/** Tests that few commands with many rows run at a time, because their rows are read on the request thread. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EVENT_TYPES } from '../../../domain/vocabulary/event-types.ts';
import { STATUSES } from '../../../domain/vocabulary/statuses.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import { sharedMethods } from '../../shared/aggregates.ts';
import { snapshot } from '../../shared/command.ts';
import type { Database } from './engine.ts';
import { runCommandsOn } from './shared-commands.ts';

const COMMAND = snapshot(async () => undefined);
type Name = Parameters<ReturnType<typeof runCommandsOn>>[1];

/** Returns a function that runs a command of an account. */
function commandsOn(inTransaction: () => Promise<unknown>, call_ms_max: number) {
  const run = runCommandsOn({ inTransaction, call_ms_max } as unknown as Database);
  return (name: Name) => run(COMMAND, name, [1] as never[]);
}

/** Returns the highest number of transactions at a time. */
async function togetherMax(name: Name): Promise<number> {
  let together = 0;
  let max = 0;
  const run = commandsOn(async () => {
    max = Math.max(max, ++together);
    await new Promise(setImmediate);
    together--;
    // A failure must not end the queue.
    throw new Error('a failed read');
  }, 60_000);
  await Promise.allSettled(Array.from({ length: 10 }, () => run(name)));
  return max;
}

it('four pages of events are read at a time', async () => {
  assert.equal(await togetherMax('feed.readTextPage'), 4);
});

it('of ten readers of events, four are served at a time', async () => {
  let together = 0;
  let max = 0;
  const page = { text: '{"id":"a"}', more: true };
  const inTransaction = async () => {
    max = Math.max(max, ++together);
    await new Promise(setImmediate);
    together--;
    return page;
  };
  const run = runCommandsOn({ inTransaction, call_ms_max: 60_000 } as unknown as Database);
  const { feed } = sharedMethods(run);
  const query = { after: undefined, types: EVENT_TYPES, limit: 1000 };
  const pages = await Promise.all(Array.from({ length: 10 }, () => feed.readEventTexts(1, query, STATUSES)));
  assert.deepEqual([pages, max], [Array(10).fill(page), 4]);
});

it('other snapshots are read together', async () => {
  assert.equal(await togetherMax('feed.readPage'), 10);
});

it('a page of events that hangs delays no other', async () => {
  const hanging = Promise.withResolvers<unknown>();
  let calls = 0;
  const run = commandsOn(async () => (++calls === 1 ? hanging.promise : 'read'), 60_000);
  const first = run('feed.readTextPage');
  assert.deepEqual(
    await Promise.all(Array.from({ length: 10 }, () => run('feed.readTextPage'))),
    Array(10).fill('read'),
  );
  hanging.resolve('late');
  assert.equal(await first, 'late');
});

it('a page of events is refused if all before it hang', async () => {
  const hanging = Promise.withResolvers<unknown>();
  const run = commandsOn(() => hanging.promise, 10);
  const before = Array.from({ length: 4 }, () => run('feed.readTextPage'));
  await assert.rejects(
    async () => run('feed.readTextPage'),
    new StoreUnavailableError('The calls queued before this one took too long.'),
  );
  hanging.resolve('late');
  assert.deepEqual(await Promise.all(before), Array(4).fill('late'));
});
