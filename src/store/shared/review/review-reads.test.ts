/** Tests that review-reads.ts counts due offers beyond one slice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql, Statement } from '../sql.ts';
import { readReviewFigures } from './review-reads.ts';

test('due offers are counted slice by slice, and the oldest is the first one', async () => {
  const starts: unknown[] = [];
  const slices = [
    [100_000, 17, 1_000],
    [100_000, 29, 2_000],
    [5, 30, 3_000],
  ];
  const run = async ({ name }: Statement<[]>, values: readonly unknown[] = []) => {
    if (name === 'find accounts in review') return [[7]];
    starts.push(values);
    return [slices.shift()];
  };
  const { due, oldestDue_ms, accounts } = await readReviewFigures({ run } as unknown as Sql);
  assert.equal(due, 200_005);
  assert.ok(Math.abs(oldestDue_ms - (Date.now() - 1_000)) < 60_000);
  assert.deepEqual(
    accounts.map(({ accountId }) => accountId),
    [7],
  );
  assert.deepEqual(starts, [
    [7, -1],
    [7, 17],
    [7, 29],
  ]);
});
