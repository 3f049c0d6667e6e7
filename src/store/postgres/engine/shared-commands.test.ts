/** Tests how commands run on PostgreSQL: which are tied to an account, and that few with many rows run at a time. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EVENT_TYPES } from '../../../domain/vocabulary/event-types.ts';
import { STATUSES } from '../../../domain/vocabulary/statuses.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import { sharedMethods } from '../../shared/aggregates.ts';
import { keptWrite, snapshot } from '../../shared/command.ts';
import { dropHistory } from '../../shared/history/history-retention.ts';
import type { Database } from './engine.ts';
import { runCommandsOn } from './shared-commands.ts';

const LONG = snapshot({ gate: 'long' }, async () => undefined);
const OTHER = snapshot(async () => undefined);

/** Returns a function that runs a command. */
function commandsOn(inTransaction: () => Promise<unknown>, call_ms_max: number) {
  const run = runCommandsOn({ inTransaction, call_ms_max } as unknown as Database);
  return (command: typeof LONG) => run(command, [], 'feed.readPage');
}

/** Returns the highest number of transactions at a time. */
async function togetherMax(command: typeof LONG): Promise<number> {
  let together = 0;
  let max = 0;
  const run = commandsOn(async () => {
    max = Math.max(max, ++together);
    await new Promise(setImmediate);
    together--;
    // A failure must not end the queue.
    throw new Error('a failed read');
  }, 60_000);
  await Promise.allSettled(Array.from({ length: 10 }, () => run(command)));
  return max;
}

it('only commands of an account are tied to the account of their first argument', async () => {
  const accounts: unknown[] = [];
  const inTransaction = async (_: unknown, { accountId }: { accountId?: number }) => accounts.push(accountId);
  const run = runCommandsOn({ inTransaction, call_ms_max: 1_000 } as unknown as Database);
  const write = keptWrite({ account: true }, async () => undefined);
  for (const args of [[7], [{ accountId: 8 }]]) await run(write, args as never[], 'feed.readPage');
  await run(dropHistory, [9] as never[], 'history.dropHistory');
  assert.deepEqual(accounts, [7, 8, undefined]);
});

it('four pages of events are read at a time', async () => {
  assert.equal(await togetherMax(LONG), 4);
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
  assert.equal(await togetherMax(OTHER), 10);
});

it('a page of events that hangs delays no other', async () => {
  const hanging = Promise.withResolvers<unknown>();
  let calls = 0;
  const run = commandsOn(async () => (++calls === 1 ? hanging.promise : 'read'), 60_000);
  const first = run(LONG);
  assert.deepEqual(await Promise.all(Array.from({ length: 10 }, () => run(LONG))), Array(10).fill('read'));
  hanging.resolve('late');
  assert.equal(await first, 'late');
});

it('a page of events is refused if all before it hang', async () => {
  const hanging = Promise.withResolvers<unknown>();
  const run = commandsOn(() => hanging.promise, 10);
  const before = Array.from({ length: 4 }, () => run(LONG));
  await assert.rejects(
    async () => run(LONG),
    new StoreUnavailableError('The calls queued before this one took too long.'),
  );
  hanging.resolve('late');
  assert.deepEqual(await Promise.all(before), Array(4).fill('late'));
});
