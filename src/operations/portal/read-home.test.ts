/** Tests read-home.ts and the count of offers by day that it reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOffers } from '../../background/count-offers.ts';
import { DAY_MS } from '../../domain/vocabulary/iso-time.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import { type HomeContext, readHome } from './read-home.ts';

const MERCHANTS = [
  { merchantId: 'acme', name: 'Acme', suspended: false, accounts: { test: 1, live: 2 } },
  { merchantId: 'late', name: 'Late', suspended: true, accounts: { test: 3, live: 4 } },
];
const NOW_DAY = 100;

function contextWith(overrides: Readonly<Record<string, unknown>> = {}): HomeContext {
  const store = {
    settings: { listMerchants: async () => MERCHANTS },
    offerList: {
      sumOfferDays: async (day: number) => [day, 92, 95, 99].map((one) => ({ day: one })),
      listOfferRises: async (...asked: number[]) => [{ accountId: 2, asked }, { accountId: 9 }],
    },
    files: { listRejectedFiles: async () => [{ accountId: 1 }, { accountId: 9 }] },
    webhooks: {
      listFailingWebhooks: async () => [
        { accountId: 4, shop: null },
        { accountId: 8, shop: 'live' },
        { accountId: 9, shop: null },
      ],
    },
    ...overrides,
  };
  return { store, nowMs: () => NOW_DAY * DAY_MS + 5 } as unknown as HomeContext;
}

test('names the merchants, compares with the first counted day of the last week, and leaves out erased accounts', async () => {
  const home = await readHome(contextWith());
  assert.deepEqual(
    home.days.map(({ day }) => day),
    [71, 92, 95, 99],
  );
  const [acme, late] = MERCHANTS;
  assert.equal(home.risesSinceMs, 92 * DAY_MS);
  assert.deepEqual(home.rises, [{ accountId: 2, asked: [92, 99, 10], merchant: acme, environment: 'live' }]);
  assert.deepEqual(home.files, [{ accountId: 1, merchant: acme, environment: 'test' }]);
  assert.deepEqual(home.webhooks, [
    { accountId: 4, shop: null, merchant: late, environment: 'live' },
    { accountId: 8, shop: 'live', merchant: null, environment: 'live' },
  ]);
});

test('shows the rest while a database node does not respond, but no other failure', async () => {
  const failing = (error: Error) => contextWith({ files: { listRejectedFiles: () => Promise.reject(error) } });
  const home = await readHome(failing(new StoreUnavailableError('The node is down.')));
  assert.deepEqual([home.files, home.rises.length], [null, 1]);
  await assert.rejects(readHome(failing(new TypeError('A bug.'))), TypeError);
});

test('counts the live offers of merchants that are not suspended', async () => {
  const put: unknown[] = [];
  const offerList = {
    countOffersByAccount: async (day: number) => [1, 2, 4, 9].map((accountId) => ({ day, accountId })),
    putOfferDays: async (days: unknown) => void put.push(days),
  };
  const settings = { listMerchants: async () => MERCHANTS };
  const store = { settings, offerList } as unknown as Parameters<typeof countOffers>[0];
  await countOffers(store, () => NOW_DAY * DAY_MS + 5)(new AbortController().signal);
  assert.deepEqual(put, [[{ day: 100, accountId: 2 }]]);
});
