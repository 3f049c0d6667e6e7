/** Tests of drop-old-history.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dropOldHistory } from './drop-old-history.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_000 * DAY_MS;

/** Has so many slices to drop; gives the times that were asked for. */
async function dropped(
  slices: number,
  historyDays: number,
  signal = new AbortController().signal,
): Promise<readonly number[]> {
  const asked: number[] = [];
  const store = {
    dropHistory: async (beforeMs: number) => {
      asked.push(beforeMs);
      return asked.length <= slices ? ('more' as const) : ('done' as const);
    },
  };
  await dropOldHistory({ store, historyDays, nowMs: () => NOW_MS }, signal);
  return asked;
}

it('drops slice by slice what is older than it is to be kept, until nothing is left of that', async () => {
  assert.deepEqual(await dropped(0, 90), [910 * DAY_MS]);
  assert.deepEqual(await dropped(2, 90), [910 * DAY_MS, 910 * DAY_MS, 910 * DAY_MS]);
});

it('drops all of it where none is kept any more', async () => {
  assert.deepEqual(await dropped(0, 0), [NOW_MS]);
});

it('leaves the rest to the next round where it is to end', async () => {
  const ending = new AbortController();
  ending.abort();
  assert.deepEqual(await dropped(2, 90, ending.signal), []);
});
