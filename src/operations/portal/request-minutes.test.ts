/** Tests that the minutes of requests are in order and complete, including minutes that the store omits. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readRequestMinutes } from './read-overview.ts';

it('request-minutes lists every minute up to the current one', async () => {
  const asked: unknown[] = [];
  const store = {
    async readRequestCounts(accountId: number, fromMinute: number) {
      asked.push([accountId, fromMinute]);
      return [{ minute: 9, requests: 5, errors: 2, refused: 1 }];
    },
  };
  assert.deepEqual(await readRequestMinutes(store, 7, 10 * 60_000 + 59_999, 3), [
    { atMs: 480_000, requests: 0, errors: 0, refused: 0 },
    { atMs: 540_000, requests: 5, errors: 2, refused: 1 },
    { atMs: 600_000, requests: 0, errors: 0, refused: 0 },
  ]);
  assert.deepEqual(asked, [[7, 8]]);
});
