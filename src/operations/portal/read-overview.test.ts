/** Tests the estimate of offers without stock: exact for few offers; for many, a sample that is cached for a minute. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Account } from '../../domain/account.ts';
import { readOverview } from './read-overview.ts';
import type { ViewContext } from './view-context.ts';

function contextOf(available: number) {
  const steps: number[] = [];
  let nowMs = 1_000_000;
  const offerList = {
    readOfferCounts: async () => ({
      byStatus: new Map([['available', available]]),
      bySubStatus: new Map(),
      due: 0,
      unreviewed: 0,
    }),
    countOutOfStock: async (_accountId: number, every: number) => {
      steps.push(every);
      return 7;
    },
  };
  const store = {
    offerList,
    traffic: { readRequestCounts: async () => [] },
    files: { listUnfinishedFiles: async () => [] },
  };
  const context = { store, stockEstimates: new Map(), nowMs: () => nowMs } as unknown as ViewContext;
  const read = async () => {
    const { forSale, outOfStock, stockIsEstimated } = await readOverview(context, { accountId: 3 } as Account);
    return [forSale, outOfStock, stockIsEstimated];
  };
  return { read, steps, pass: (ms: number) => (nowMs += ms) };
}

it('counts the stock of up to 20,000 available offers each time, and of none if there are none', async () => {
  const few = contextOf(20_000);
  assert.deepEqual(await few.read(), [19_993, 7, false]);
  await few.read();
  assert.deepEqual(few.steps, [1, 1]);
  const none = contextOf(0);
  assert.deepEqual([await none.read(), none.steps], [[0, 0, false], []]);
});

it('samples more offers at a step without small factors, once a minute', async () => {
  const many = contextOf(1_000_000);
  assert.deepEqual(await many.read(), [999_629, 371, true]);
  many.pass(59_999);
  await many.read();
  assert.deepEqual(many.steps, [53]);
  many.pass(1);
  await many.read();
  assert.deepEqual(many.steps, [53, 53]);
});
