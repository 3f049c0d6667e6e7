/** Tests how commands run on PostgreSQL: which are tied to an account, and that few with many rows run at a time. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NEUTRAL_NAMES } from '../../../domain/names.ts';
import { EVENT_TYPES } from '../../../domain/vocabulary/event-types.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import { methodsOf, sharedMethods } from '../../shared/aggregates.ts';
import { keptWrite, snapshot } from '../../shared/command.ts';
import { dropHistory } from '../../shared/history/history-retention.ts';
import type { Database } from './engine.ts';
import { runCommandsOn } from './shared-commands.ts';
import { CallQueue } from './waiting-calls.ts';

const LONG = snapshot<(accountId: number) => Promise<unknown>>({ gate: 'long' }, async () => undefined);
const OTHER = snapshot<(accountId: number) => Promise<unknown>>(async () => undefined);
const LISTS = { running_max: 3, waiting_calls_max: 100, waiting_characters_max: 100_000 };

/** Returns a function that runs a command for an account. */
function commandsOn(inTransaction: () => Promise<unknown>, call_ms_max: number) {
  const database = { inTransaction, call_ms_max } as unknown as Database;
  const run = runCommandsOn(database, new CallQueue(LISTS, call_ms_max));
  return (command: typeof LONG, accountId: number) => run(command, [accountId] as never[], 'feed.readPage');
}

/** Returns the highest number of transactions at a time, for ten calls of this many accounts. */
async function togetherMax(command: typeof LONG, accounts: number): Promise<number> {
  let together = 0;
  let max = 0;
  const run = commandsOn(async () => {
    max = Math.max(max, ++together);
    await new Promise(setImmediate);
    together--;
    // A failure must not end the queue.
    throw new Error('a failed read');
  }, 60_000);
  await Promise.allSettled(Array.from({ length: 10 }, (_, n) => run(command, n % accounts)));
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

it('pages of events are read one at a time for an account, and a few at a time for several', async () => {
  assert.equal(await togetherMax(LONG, 1), 1);
  assert.equal(await togetherMax(LONG, 5), 3);
});

it('other snapshots are read together', async () => {
  assert.equal(await togetherMax(OTHER, 1), 10);
});

it('of ten readers of events or SKU lists, one is served at a time', async () => {
  let together = 0;
  let max = 0;
  const page = { text: '{"id":"a"}', more: true };
  const answered = async <Result>(result: Result): Promise<Result> => {
    max = Math.max(max, ++together);
    await new Promise(setImmediate);
    together--;
    return result;
  };
  const database = { inTransaction: () => answered(page), run: () => answered([['a']]), call_ms_max: 60_000 };
  const queue = new CallQueue(LISTS, 60_000);
  const run = runCommandsOn(database as unknown as Database, queue);
  const { feed } = sharedMethods(run);
  const { listSkus } = methodsOf('offers', run);
  const query = { after: undefined, types: EVENT_TYPES, limit: 1000 };
  const ask = { after: undefined, offset: 0, limit: 1000 };
  const ten = <Result>(read: () => Promise<Result>) => Promise.all(Array.from({ length: 10 }, read));
  const read = [ten(() => feed.readEventTexts(1, query, NEUTRAL_NAMES)), ten(() => listSkus(1, ask))] as const;
  assert.deepEqual(await Promise.all(read), [Array(10).fill(page), Array(10).fill({ skuIds: ['a'], more: false })]);
  assert.equal(max, 1);
});

it('a page of events that hangs delays no other account', async () => {
  const hanging = Promise.withResolvers<unknown>();
  let calls = 0;
  const run = commandsOn(async () => (++calls === 1 ? hanging.promise : 'read'), 60_000);
  const first = run(LONG, 1);
  assert.deepEqual(await Promise.all(Array.from({ length: 10 }, () => run(LONG, 2))), Array(10).fill('read'));
  hanging.resolve('late');
  assert.equal(await first, 'late');
});

it('a page of events is refused if all before it hang', async () => {
  const hanging = Promise.withResolvers<unknown>();
  const run = commandsOn(() => hanging.promise, 10);
  const before = [1, 2, 3].map((accountId) => run(LONG, accountId));
  await assert.rejects(
    async () => run(LONG, 4),
    new StoreUnavailableError('The calls queued before this one took too long.'),
  );
  hanging.resolve('late');
  assert.deepEqual(await Promise.all(before), Array(3).fill('late'));
});
