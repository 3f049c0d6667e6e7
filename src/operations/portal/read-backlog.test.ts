/** Tests the review backlog by merchant and environment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Merchant } from '../../domain/account.ts';
import { dueFigures } from '../../store/port/review.ts';
import { type BacklogStore, readBacklog } from './read-backlog.ts';

const merchantOf = (merchantId: string, testId: number): Merchant => {
  const accounts = { test: testId, live: testId + 1 };
  const returns = { timeToReturnDays: 14, returnShippingMethods: [] };
  return { merchantId, name: merchantId, createdMs: 0, suspended: false, ...returns, unfinished: null, accounts };
};

test('lists accounts with due offers, images or a sweep, the oldest first', async () => {
  const figures = dueFigures(
    [
      { accountId: 2, due: 5, oldestDue_ms: 1_000 },
      { accountId: 3, due: 1, oldestDue_ms: 9_000 },
    ],
    1,
  );
  const { accounts, ...totals } = await readBacklog({
    review: {
      readReviewFigures: async () => figures,
      listSweeps: async () => [{ accountId: 4, cursor: 0, filter: null }],
    },
    images: {
      countImagesByAccount: async () => new Map([[2, 7]]),
      readImageFigures: async () => ({ waiting: 7, oldestWait_ms: 0, retrying: 3, oldestRetry_ms: 1 }),
    },
    settings: { listMerchants: async () => [merchantOf('a', 1), merchantOf('b', 3), merchantOf('idle', 5)] },
  });
  assert.deepEqual(totals, {
    due: 6,
    oldestDue_ms: 9_000,
    accountsMissing: 1,
    images: 7,
    imagesRetrying: 3,
    marking: 1,
  });
  assert.deepEqual(
    accounts.map((row) => [
      row.merchant.merchantId,
      row.environment,
      row.due,
      row.oldestDue_ms,
      row.images,
      row.isMarking,
    ]),
    [
      ['b', 'test', 1, 9_000, 0, false],
      ['a', 'live', 5, 1_000, 7, false],
      ['b', 'live', 0, 0, 0, true],
    ],
  );
});

test('is never empty while a sweep ends, because its offers are due from then on', async () => {
  let isSweeping = true;
  const store: BacklogStore = {
    review: {
      // The sweep ends right after either call.
      readReviewFigures: async () => {
        const due = isSweeping ? [] : [{ accountId: 1, due: 4, oldestDue_ms: 0 }];
        isSweeping = false;
        return dueFigures(due, 0);
      },
      listSweeps: async () => {
        const sweeps = isSweeping ? [{ accountId: 1, cursor: 0, filter: null }] : [];
        isSweeping = false;
        return sweeps;
      },
    },
    images: {
      countImagesByAccount: async () => new Map(),
      readImageFigures: async () => ({ waiting: 0, oldestWait_ms: 0, retrying: 0, oldestRetry_ms: 0 }),
    },
    settings: { listMerchants: async () => [merchantOf('a', 1)] },
  };
  const { due, marking } = await readBacklog(store);
  assert.deepEqual({ due, marking }, { due: 4, marking: 1 });
});
