/** Tests of housekeeping.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keepHouse } from './housekeeping.ts';

const TURN = { accountId: 0, fence: 1, signal: new AbortController().signal };
const STORE = {
  dropEnded: async () => ({ links: 0, credentials: 0, signingKeys: 0 }),
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

it('fails with a chore that fails, so that it is told and tried again', async () => {
  const error = new Error('no such folder');
  await assert.rejects(keepHouse(STORE, () => 0, [() => Promise.reject(error)])(TURN), error);
});
