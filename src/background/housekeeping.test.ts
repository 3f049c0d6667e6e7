/** Tests of housekeeping.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keepHouse } from './housekeeping.ts';

const TURN = { accountId: 0, fence: 1, signal: new AbortController().signal };
const STORE = {
  settings: { dropEnded: async () => ({ links: 0, credentials: 0, signingKeys: 0 }) },
  rateCounters: undefined,
};

it('does all chores at each round, one after the other, and comes again', async () => {
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

it('does every chore also where one fails, and tells of all that failed, so that it is tried again', async () => {
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

it('begins no further chore when it is to end', async () => {
  const ending = new AbortController();
  const done: string[] = [];
  const chores = [async () => ending.abort(), async () => void done.push('next')];
  await keepHouse(STORE, () => 0, chores)({ ...TURN, signal: ending.signal });
  assert.deepEqual(done, []);
});
