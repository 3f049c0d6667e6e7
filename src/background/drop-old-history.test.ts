/** Tests drop-old-history.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dropOldHistory } from './drop-old-history.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_000 * DAY_MS;

/** Runs the deletion with this many slices left. Returns the cutoff time of each call to the store. */
async function dropped(
  slices: number,
  history_days: number,
  signal = new AbortController().signal,
): Promise<readonly number[]> {
  const asked: number[] = [];
  const store = {
    dropHistory: async (beforeMs: number) => {
      asked.push(beforeMs);
      return asked.length <= slices ? ('more' as const) : ('done' as const);
    },
  };
  await dropOldHistory({ store, history_days, nowMs: () => NOW_MS }, signal);
  return asked;
}

it('deletes expired history slice by slice until none is left', async () => {
  assert.deepEqual(await dropped(0, 90), [910 * DAY_MS]);
  assert.deepEqual(await dropped(2, 90), [910 * DAY_MS, 910 * DAY_MS, 910 * DAY_MS]);
});

it('deletes all history if it is turned off', async () => {
  assert.deepEqual(await dropped(0, 0), [NOW_MS]);
});

it('stops when aborted, and leaves the rest to the next round', async () => {
  const ending = new AbortController();
  ending.abort();
  assert.deepEqual(await dropped(2, 90, ending.signal), []);
});
