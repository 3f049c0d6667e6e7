/** Contract tests for the request log: which requests reads return, and which are dropped. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import type { NewLoggedRequest, RequestLogFilter } from '../port/traffic.ts';
import type { Store } from '../port.ts';
import { type ClearedStores, NOW_MS, newAccountId, newMerchant } from './subject.ts';

const DAY_MS = 86_400_000;
const MINUTE = Math.floor(NOW_MS / 60_000);
const ALL = { sinceMs: 0, limit: 100 };

const PUT_PRICE = 'PUT /merchant-skus/{user_defined_sku_id}/price';

function logged(requestId: string, differences: Partial<NewLoggedRequest> = {}): NewLoggedRequest {
  return {
    requestId,
    atMs: NOW_MS,
    call: 'GET /merchant-skus',
    status: 200,
    took_us: 1_500,
    codes: [],
    skuId: null,
    user: 'test-key',
    unlogged: 0,
    url: null,
    problems: null,
    body: null,
    ...differences,
  };
}

export function requestLogContract(store: () => Store, emptied: ClearedStores): void {
  const idsOf = async (accountId: number, filter: RequestLogFilter = {}, from = store()) =>
    (await from.traffic.readRequestLog(accountId, { ...ALL, ...filter })).map(({ requestId }) => requestId);

  describe('the request log', () => {
    test('lists the requests of an account newest first, page by page', async () => {
      const [accountId, other] = [newAccountId(), newAccountId()];
      const requests = ['a', 'b', 'c'].map((id, place) => logged(id, { atMs: NOW_MS + Math.max(0, place - 1) }));
      await store().traffic.addRequestLog(accountId, requests);
      // A caller that loses the response retries with the same requests. They must not be stored twice.
      await store().traffic.addRequestLog(accountId, requests);
      await store().traffic.addRequestLog(accountId, []);
      await store().traffic.addRequestLog(other, [logged('d')]);
      const { unlogged: _, ...first } = requests[2] ?? assert.fail();
      const page = await store().traffic.readRequestLog(accountId, { ...ALL, limit: 2 });
      assert.deepEqual(page[0], first);
      assert.deepEqual(
        page.map(({ requestId }) => requestId),
        ['c', 'b'],
      );
      const next = await store().traffic.readRequestLog(accountId, { ...ALL, after: page[1] });
      assert.deepEqual(
        next.map(({ requestId }) => requestId),
        ['a'],
      );
      const since = await store().traffic.readRequestLog(accountId, { ...ALL, sinceMs: NOW_MS + 1 });
      assert.equal(since.length, 1);
      assert.deepEqual(await idsOf(other), ['d']);
    });

    test('has URL and errors of failed requests, also where no bodies are kept', async () => {
      const accountId = newAccountId();
      const problems = [{ code: 'too_small', field: '/price', message: 'price: must be at least 0.01' }];
      const failed = { status: 400, url: '/merchant-skus/a?q=%C3%A9', problems };
      await store().traffic.addRequestLog(accountId, [logged('b', failed), logged('a')]);
      const [first, second] = await store().traffic.readRequestLog(accountId, ALL);
      assert.deepEqual([first?.url, first?.problems, first?.body], [failed.url, problems, null]);
      assert.deepEqual([second?.url, second?.problems], [null, null]);
    });

    test('is filtered by every column that a developer looks for', async () => {
      const accountId = newAccountId();
      await store().traffic.addRequestLog(accountId, [
        logged('read', { user: 'first-key' }),
        logged('refused', { status: 400, call: PUT_PRICE, skuId: 'shirt-1', codes: ['too_small', 'field_missing'] }),
        logged('similar', { status: 404, call: PUT_PRICE, skuId: 'shirt-10', codes: ['field-missing'] }),
        logged('failed', { status: 503, user: null, codes: ['store_unavailable'] }),
      ]);
      const found: [RequestLogFilter, string[]][] = [
        [{ call: PUT_PRICE }, ['similar', 'refused']],
        [{ statusMin: 400 }, ['similar', 'refused', 'failed']],
        [{ statusMin: 400, statusMax: 499 }, ['similar', 'refused']],
        [{ statusMax: 399 }, ['read']],
        [{ code: 'field_missing' }, ['refused']],
        [{ code: 'too_small' }, ['refused']],
        [{ code: 'field' }, []],
        [{ id: 'shirt-1' }, ['refused']],
        [{ user: 'first-key' }, ['read']],
        [{ id: 'failed' }, ['failed']],
        [{ id: 'failed', statusMax: 399 }, []],
      ];
      for (const [filter, ids] of found) assert.deepEqual(await idsOf(accountId, filter), ids, JSON.stringify(filter));
    });

    test('has a summary of its calls, keys, codes and of the requests that it leaves out', async () => {
      const accountId = newAccountId();
      const refused = { call: PUT_PRICE, codes: ['too_small'], status: 400 };
      await store().traffic.addRequestLog(accountId, [
        logged('a', { unlogged: 20 }),
        logged('b', { unlogged: 3 }),
        logged('c', { ...refused, user: null }),
        logged('old', { atMs: NOW_MS - 1, unlogged: 7 }),
      ]);
      const groups = await store().traffic.summarizeRequestLog(accountId, NOW_MS);
      assert.deepEqual(
        groups.toSorted((one, other) => one.requests - other.requests),
        [
          { call: PUT_PRICE, user: null, codes: ['too_small'], requests: 1, unlogged: 0 },
          { call: 'GET /merchant-skus', user: 'test-key', codes: [], requests: 2, unlogged: 23 },
        ],
      );
      assert.deepEqual(await store().traffic.summarizeRequestLog(newAccountId(), NOW_MS), []);
    });

    test('has bodies of accounts that keep them, until they are dropped', async () => {
      const merchant = newMerchant();
      await store().settings.addMerchant(merchant, NOW_MS);
      const { accounts } = (await store().settings.readMerchant(merchant.merchantId)) ?? assert.fail();
      const { test: accountId, live: other } = accounts;
      const failed = { status: 400, body: '{"price":-1}' };
      for (const id of [accountId, other]) {
        await store().settings.setLogsBodies(id, true);
        await store().traffic.addRequestLog(id, [logged('a', failed), logged('b'), logged('c', { status: 404 })]);
      }
      const bodies = async (id: number) => (await store().traffic.readRequestLog(id, ALL)).map(({ body }) => body);
      assert.deepEqual(await bodies(accountId), [null, null, '{"price":-1}']);
      await store().traffic.dropBodiesInRequestLog(accountId);
      assert.deepEqual(await bodies(accountId), [null, null, null]);
      assert.deepEqual(await bodies(other), [null, null, '{"price":-1}']);
      // A process may store its last requests after body logging was turned off. Their bodies must be dropped.
      await store().settings.setLogsBodies(accountId, false);
      await store().traffic.addRequestLog(accountId, [logged('d', failed)]);
      assert.deepEqual(await bodies(accountId), [null, null, null, null]);
    });

    test('keeps the last 10,000 requests of an account', async () => {
      const own = await emptied.openOne();
      const { request_log_requests_max: max } = LIMITS;
      const numbered = (count: number, from: number) =>
        Array.from({ length: count }, (_, place) => logged(`r${from + place}`, { atMs: NOW_MS + from + place }));
      await own.traffic.addRequestLog(1, numbered(max, 0));
      await own.traffic.addRequestLog(2, [logged('other')]);
      const oldest = async () => await idsOf(1, { id: 'r0' }, own);
      assert.equal(await own.traffic.dropRequestLog(1, 0), false);
      assert.deepEqual(await oldest(), ['r0']);
      await own.traffic.addRequestLog(1, numbered(1, max));
      // The oldest request is now beyond the limit. It is not dropped yet, but reads no longer return it.
      assert.deepEqual(await oldest(), []);
      assert.deepEqual((await own.traffic.listLoggingAccounts(NOW_MS + 1, MINUTE)).toSorted(), [1, 2]);
      const total = async () => (await own.traffic.summarizeRequestLog(1, 0))[0]?.requests;
      assert.equal(await total(), max);
      assert.equal(await own.traffic.dropRequestLog(1, 0), false);
      assert.deepEqual(await own.traffic.listLoggingAccounts(NOW_MS + 1, MINUTE), [2]);
      assert.deepEqual(await idsOf(1, { id: 'r1' }, own), ['r1']);
      assert.equal(await total(), max);
      assert.deepEqual(await idsOf(2, {}, own), ['other']);
    });

    test('is dropped by age, in accounts that are named for it', async () => {
      const own = await emptied.openOne();
      const beforeMs = NOW_MS - 7 * DAY_MS;
      await own.traffic.addRequestLog(1, [logged('old', { atMs: beforeMs - 1 }), logged('kept', { atMs: beforeMs })]);
      await own.traffic.addRequestLog(2, [logged('new')]);
      assert.deepEqual(await own.traffic.listLoggingAccounts(beforeMs, MINUTE), [1]);
      await own.traffic.addRequestCounts([{ accountId: 2, minute: MINUTE, requests: 1, errors: 0, refused: 0 }]);
      assert.deepEqual((await own.traffic.listLoggingAccounts(beforeMs, MINUTE)).toSorted(), [1, 2]);
      assert.equal(await own.traffic.dropRequestLog(1, beforeMs), false);
      assert.deepEqual(await idsOf(1, {}, own), ['kept']);
      assert.deepEqual(await own.traffic.listLoggingAccounts(beforeMs, MINUTE + 1), []);
    });

    test('is erased with its merchant, or alone, in slices', async (t) => {
      const own = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const merchant = newMerchant();
      await own.settings.addMerchant(merchant, NOW_MS);
      const { live, test: sandbox } =
        (await own.settings.readMerchant(merchant.merchantId))?.accounts ?? assert.fail('no merchant');
      const many = Array.from({ length: 2_500 }, (_, place) => logged(`r${place}`));
      await own.traffic.addRequestLog(sandbox, many);
      await own.traffic.addRequestLog(live, [logged('live')]);
      assert.equal(await moves.eraseRequests(sandbox), true);
      assert.equal(await moves.eraseRequests(sandbox), false);
      assert.deepEqual(await idsOf(sandbox, {}, own), []);
      assert.deepEqual(await idsOf(live, {}, own), ['live']);
      assert.equal(await moves.eraseMerchant(merchant.merchantId), 'erased');
      assert.deepEqual(await idsOf(live, {}, own), []);
    });

    test('stores per account whether bodies are logged; off by default', async () => {
      const merchant = newMerchant();
      await store().settings.addMerchant(merchant, NOW_MS);
      const { live, test: sandbox } =
        (await store().settings.readMerchant(merchant.merchantId))?.accounts ?? assert.fail('no merchant');
      const logsBodies = async (accountId: number) => (await store().settings.readAccount(accountId))?.logsBodies;
      const version = await store().settings.readSetupVersion();
      assert.equal(await logsBodies(live), undefined);
      assert.equal(await store().settings.setLogsBodies(live, true), 'stored');
      assert.equal(await logsBodies(live), true);
      assert.equal(await logsBodies(sandbox), undefined);
      assert.ok((await store().settings.readSetupVersion()) > version);
      assert.equal(await store().settings.setLogsBodies(live, false), 'stored');
      assert.equal(await logsBodies(live), undefined);
      assert.equal(await store().settings.setLogsBodies(newAccountId() + 1_000_000, true), 'unknown');
    });
  });
}
