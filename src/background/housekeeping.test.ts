/** Tests housekeeping.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keepHouse } from './housekeeping.ts';

const TURN = { accountId: 0, fence: 1, signal: new AbortController().signal };
const STORE = {
  settings: { dropEnded: async () => 0 },
  rateCounters: undefined,
};

it('runs all chores one after the other, and schedules the next round', async () => {
  const done: string[] = [];
  const chore = (name: string) => async () => {
    done.push(`${name} begins`);
    await Promise.resolve();
    done.push(`${name} ends`);
  };
  const handler = keepHouse(STORE, () => 0, [chore('one'), chore('two')]);
  for (let round = 0; round < 2; round++) assert.equal(await handler(TURN), 600_000);
  const round = ['one begins', 'one ends', 'two begins', 'two ends'];
  assert.deepEqual(done, [...round, ...round]);
});

it('runs every chore even if one fails, and reports all failures so that the round is retried', async () => {
  const done: string[] = [];
  const fails = (message: string) => async () => {
    throw new Error(message);
  };
  const good = (name: string) => async () => void done.push(name);
  const one = keepHouse(STORE, () => 0, [fails('no such folder'), good('behind it')]);
  await assert.rejects(one(TURN), new Error('no such folder'));
  const two = keepHouse(STORE, () => 0, [fails('first'), good('between'), fails('second')]);
  await assert.rejects(two(TURN), { name: 'AggregateError', message: 'Error: first; Error: second' });
  const unavailable = { ...STORE, settings: { dropEnded: fails('closed') } };
  await assert.rejects(keepHouse(unavailable, () => 0, [good('last')])(TURN), new Error('closed'));
  assert.deepEqual(done, ['behind it', 'between', 'last']);
});

it('starts no further chore when aborted', async () => {
  const ending = new AbortController();
  const done: string[] = [];
  const chores = [async () => ending.abort(), async () => void done.push('next')];
  await keepHouse(STORE, () => 0, chores)({ ...TURN, signal: ending.signal });
  assert.deepEqual(done, []);
});
