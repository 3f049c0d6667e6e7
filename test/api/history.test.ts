/** Tests the history of a SKU and restoring versions with the API. test/portal/history.test.ts tests every part. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { skuUnknown } from './fixtures/check-order.ts';

interface Change {
  readonly id: number;
  readonly at: string;
  readonly by: unknown;
  readonly part: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface History {
  readonly changes: readonly Change[];
  readonly next: string | null;
}

const BY = { kind: 'key', name: 'demo-test-user' };
const price = (amount: number) => ({ price: amount, fulfillment_nodes: [] });

async function read(api: ApiClient, path: string, query = ''): Promise<History> {
  return (await api.foundNow(`${path}/history${query}`)) as unknown as History;
}

async function pricedTwice(api: ApiClient): Promise<{ readonly path: string; readonly id: number }> {
  const path = await api.uploadedSku();
  for (const amount of [1, 2]) await api.accepted('PUT', `${path}/price`, { price: amount });
  const { changes } = await read(api, path);
  return { path, id: changes[0]?.id ?? 0 };
}

describeSharedApi('history', ({ accepts, refuses }) => {
  accepts('HIST-01', 'every change, newest first, in pages', async (api) => {
    const { path } = await pricedTwice(api);
    const { changes, next } = await read(api, path);
    assert.deepEqual(
      changes.map(({ id, at, ...change }) => change),
      [
        { by: BY, part: 'price', before: price(1), after: price(2) },
        { by: BY, part: 'price', before: null, after: price(1) },
        { by: BY, part: 'sku', before: null, after: { ...minimalSku(), prop_65: false } },
      ],
    );
    assert.equal(next, null);
    const paged: Change[] = [];
    let query = '?limit=1';
    for (;;) {
      const page = await read(api, path, query);
      assert.equal(page.changes.length, 1);
      paged.push(...page.changes);
      if (page.next === null) break;
      query = `?limit=1&after=${page.next}`;
    }
    assert.deepEqual(paged, changes);
    assert.deepEqual((await read(api, path, '?limit=200')).changes, changes);
  });

  refuses('HIST-01', 'an unknown SKU, one of the other environment, and a page beyond the limit', async (api) => {
    await api.refused('GET', '/merchant-skus/nobody/history', undefined, [skuUnknown('nobody')], 404);
    const path = await api.uploadedSku();
    const live = await api.inEnvironment('live');
    assert.equal((await live.get(`${path}/history`)).status, 404);
    const text = 'limit: must be a whole number from 1 to 200.';
    for (const limit of [0, 201]) {
      const problem = requestProblem('query_invalid', text);
      await api.refused('GET', `${path}/history?limit=${limit}`, undefined, [problem]);
    }
  });

  accepts('HIST-02', 'a restore of the value before a change, as a new change', async (api) => {
    const { path, id } = await pricedTwice(api);
    await api.accepted('POST', `${path}/history/${id}/restore`, undefined);
    const [change] = (await read(api, path)).changes;
    assert.deepEqual([change?.by, change?.before, change?.after], [BY, price(2), price(1)]);
    assert.equal((await api.foundNow(`${path}/price`)).price, 1);
  });

  refuses('HIST-02', 'unknown changes, and what the current rules refuse', async (api) => {
    const { path, id } = await pricedTwice(api);
    const sku = decodeURIComponent(path.split('/')[2] ?? '');
    const unknown = `SKU ${sku} has no change 999999999999999, or the history of that change has expired.`;
    for (const [change, text] of [
      ['999999999999999', unknown],
      ['0', 'No such change.'],
      ['x', 'No such change.'],
      ['', 'No such change.'],
    ]) {
      const problem = requestProblem('change_unknown', text ?? '');
      await api.refused('POST', `${path}/history/${change}/restore`, undefined, [problem], 404);
    }
    await api.refused('POST', `/merchant-skus/nobody/history/${id}/restore`, undefined, [skuUnknown('nobody')], 404);
    await api.accepted('PUT', `${path}/status/archive`, { is_archived: true });
    const archived = `SKU ${sku} is archived and cannot be updated. Unarchive it first.`;
    const problem = requestProblem('sku_archived', archived);
    await api.refused('POST', `${path}/history/${id}/restore`, undefined, [problem]);
  });

  accepts('HIST-02', 'a restore with the tag of the part', async (api) => {
    const { path, id } = await pricedTwice(api);
    const tag = String((await api.get(`${path}/price`)).headers.get('etag'));
    const restored = await api.send('POST', `${path}/history/${id}/restore`, undefined, { 'if-match': tag });
    assert.equal(restored.status, 202, restored.text);
    assert.equal((await api.foundNow(`${path}/price`)).price, 1);
  });
  refuses('HIST-02', 'a restore with an old tag of the part, or for a part that is not set', async (api) => {
    const { path, id } = await pricedTwice(api);
    const tag = String((await api.get(`${path}/price`)).headers.get('etag'));
    await api.accepted('PUT', `${path}/price`, { price: 3 });
    for (const headers of [{ 'if-match': tag }, { 'if-none-match': '*' }]) {
      for (const query of ['', '?dry_run=true']) {
        const answer = await api.send('POST', `${path}/history/${id}/restore${query}`, undefined, headers);
        assert.equal(answer.status, 412, answer.text);
      }
    }
    const malformed = await api.send('POST', `${path}/history/${id}/restore`, undefined, { 'if-match': 'x' });
    assert.equal(malformed.status, 400);
    assert.equal((await api.foundNow(`${path}/price`)).price, 3);
  });

  refuses('HIST-02', 'a restore of another change with the same Idempotency-Key', async (api) => {
    const { path, id } = await pricedTwice(api);
    const created = (await read(api, path)).changes.at(-1)?.id;
    const restore = (change: unknown, query = '') =>
      api.send('POST', `${path}/history/${change}/restore${query}`, undefined, { 'idempotency-key': path });
    assert.equal((await restore(id, '?dry_run=true')).status, 200, 'a dry run does not use the key');
    assert.equal((await restore(id)).status, 202);
    assert.equal((await restore(created)).status, 422);
  });

  accepts('HIST-03', 'a dry run of a restore, which stores nothing', async (api) => {
    const { path, id } = await pricedTwice(api);
    const before = await read(api, path);
    const { status, body } = await api.send('POST', `${path}/history/${id}/restore?dry_run=true`);
    assert.equal(status, 200);
    const { changes } = body as { changes: unknown };
    assert.deepEqual(changes, [{ pointer: '/price/price', before: 2, after: 1 }]);
    assert.deepEqual(await read(api, path), before);
  });

  refuses('HIST-03', 'a dry run of a restore that would be refused', async (api) => {
    const { path } = await pricedTwice(api);
    const created = (await read(api, path)).changes.at(-1)?.id;
    const text = 'There is no earlier version to restore: this change created the value.';
    const problem = requestProblem('version_empty', text);
    await api.refused('POST', `${path}/history/${created}/restore?dry_run=true`, undefined, [problem]);
  });
});
