/** Tests the operator's overview of merchants: users, offers and requests, per environment. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { merchant, NOW_MS, openSetupContext } from '../../../test/harness/setup-context.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { ALL_RIGHTS } from '../../domain/setup/key-scopes.ts';
import type { Status } from '../../domain/vocabulary/statuses.ts';
import { AccountUnavailableError, StoreUnavailableError } from '../../store/port/errors.ts';
import { listMerchantsWithUse, type MerchantsContext, readMerchantDetails } from './merchants-overview.ts';

const MINUTE = Math.floor(NOW_MS / 60_000);

/**
 * Every account has as many offers as its number, plus one that was never reviewed. Only the live account of acme sends
 * requests.
 */
async function openContext(t: TestContext): Promise<MerchantsContext> {
  const setup = await openSetupContext(t);
  for (const id of ['acme', 'shop']) await setup.store.settings.addMerchant(merchant(id), NOW_MS);
  const link = { tokenHash: Uint8Array.of(1), endsMs: NOW_MS + 1 };
  const person = { email: 'ann@acme.example', role: 'merchant-admin', merchantId: 'acme', createdMs: NOW_MS } as const;
  await setup.store.people.addPortalUser(person, link);
  const asking = (await setup.store.settings.readMerchant('acme'))?.accounts.live ?? 0;
  return {
    setup,
    requestsPerMinute: 3000,
    store: {
      offerList: {
        readOfferCounts: async (accountId) => ({
          byStatus: new Map<Status, number>([
            ['missing', accountId - 1],
            ['available', 1],
          ]),
          bySubStatus: new Map(),
          due: 1,
          unreviewed: 1,
        }),
      },
      files: { listFiles: async () => ({ files: [{ fileId: 'last' } as BulkFile], total: 1 }) },
      traffic: {
        readRequestLog: async () => [],
        readMinute: async (minute) =>
          minute === MINUTE - 1 ? [{ accountId: asking, minute, requests: 9, errors: 2, refused: 1 }] : [],
        readRequestCounts: async (accountId) =>
          accountId === asking ? [{ minute: MINUTE, requests: 5, errors: 1, refused: 0 }] : [],
      },
    },
  };
}

async function summaryOf({ setup }: MerchantsContext, merchantId: string, users: number) {
  const accounts = (await setup.store.settings.readMerchant(merchantId))?.accounts ?? { test: 0, live: 0 };
  return {
    merchantId,
    name: `The ${merchantId} company`,
    createdMs: NOW_MS,
    suspended: false,
    users,
    offers: { test: accounts.test + 1, live: accounts.live + 1 },
  };
}

describe('merchants-overview', () => {
  it('lists every merchant with its users, offers and requests of the last whole minute', async (t) => {
    const context = await openContext(t);
    assert.deepEqual(await listMerchantsWithUse(context), {
      ok: true,
      value: [
        { ...(await summaryOf(context, 'acme', 1)), lastMinute: { test: 0, live: 9 } },
        { ...(await summaryOf(context, 'shop', 0)), lastMinute: { test: 0, live: 0 } },
      ],
      ignored: [],
    });
  });

  it('leaves out the offers of accounts whose database node does not respond', async (t) => {
    const context = await openContext(t);
    const { accounts } = (await context.setup.store.settings.readMerchant('acme')) ?? assert.fail();
    const { readOfferCounts } = context.store.offerList;
    const failing = (error: Error): MerchantsContext => ({
      ...context,
      store: {
        ...context.store,
        offerList: {
          readOfferCounts: (accountId) =>
            accountId === accounts.test ? Promise.reject(error) : readOfferCounts(accountId),
        },
      },
    });
    const unavailable = failing(new AccountUnavailableError('The node does not respond.'));
    const offers = { test: null, live: accounts.live + 1 };
    const listed = await listMerchantsWithUse(unavailable);
    assert.ok(listed.ok);
    const shop = await summaryOf(context, 'shop', 0);
    assert.deepEqual(
      listed.value.map((one) => [one.merchantId, one.offers]),
      [
        ['acme', offers],
        ['shop', shop.offers],
      ],
    );
    const details = await readMerchantDetails(unavailable, 'acme');
    assert.ok(details.ok);
    assert.deepEqual(details.value.offers, offers);

    const down = failing(new StoreUnavailableError('The database does not respond.'));
    await assert.rejects(listMerchantsWithUse(down), /The database does not respond/);
    await assert.rejects(readMerchantDetails(down, 'acme'), /The database does not respond/);
  });

  it('shows one with an hour of requests, its returns and its keys', async (t) => {
    const context = await openContext(t);
    const details = await readMerchantDetails(context, 'acme');
    assert.ok(details.ok);
    const { minutes, keys, activity, ...rest } = details.value;
    const { lastFile, lastRequest } = activity.live ?? assert.fail();
    assert.deepEqual([lastFile?.fileId, lastRequest], ['last', undefined]);
    assert.deepEqual(rest, {
      ...(await summaryOf(context, 'acme', 1)),
      note: '',
      timeToReturnDays: 30,
      returnShippingMethods: ['<carrier_2> Ground'],
    });
    assert.deepEqual([minutes.test.length, minutes.live.length], [60, 60]);
    assert.deepEqual(minutes.live.at(-1), { atMs: MINUTE * 60_000, requests: 5, errors: 1, refused: 0 });
    const key = { name: '', createdMs: NOW_MS, endsMs: null, lastUsedMs: null, ...ALL_RIGHTS, planLimits: null };
    assert.deepEqual(keys, [
      { environment: 'test', user: 'acme-test-user', ...key },
      { environment: 'live', user: 'acme-live-user', ...key },
    ]);
  });

  it('refuses a merchant that was never added', async (t) => {
    assert.deepEqual(await readMerchantDetails(await openContext(t), 'nobody'), {
      ok: false,
      problems: [{ code: 'merchant_unknown', field: '', message: 'No merchant "nobody".' }],
      ignored: [],
    });
  });
});
