/** Tests that a plan whose server is killed while it is applied is completed once, and never over newer data. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { minimalSku, requestToken } from '../harness/api-client.ts';
import { BulkFiles } from '../harness/bulk-files.ts';
import { lapseLeases } from '../harness/lapsed-leases.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { type StorePlace, withPlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';

const OFFERS = 1000;
const WAIT_MS_MAX = 120_000;

interface Answered extends Readonly<Record<string, unknown>> {
  readonly id?: string;
  readonly state?: string;
  readonly left_alone?: readonly object[];
  readonly changes?: readonly { readonly part: string }[];
  readonly price?: number;
}

for (const store of ['sqlite', 'postgres'] as const) {
  const skip = store === 'postgres' ? postgresSkipped() : false;
  it(`kill -9 while a plan is applied (${store})`, { timeout: 400_000, skip }, (t) =>
    withPlace(store, (place) => killAndFinish(t, place)),
  );
}

async function killAndFinish(t: TestContext, place: StorePlace): Promise<void> {
  const variables = { ...place, REQUESTS_PER_MINUTE: '1000000' };
  const running: ServeProcess[] = [];
  t.after(() => Promise.all(running.map((server) => server.stop('SIGKILL'))));
  const start = async () => {
    const server = await startServeProcess(variables);
    running.push(server);
    const token = await requestToken(server.url, 'test');
    const send = async (method: string, path: string, body?: object): Promise<Answered> => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.ok(response.ok, `${method} ${path}: ${text}`);
      return text === '' ? {} : JSON.parse(text);
    };
    return { server, send, files: new BulkFiles(server.url, token) };
  };
  const skuIds = Array.from({ length: OFFERS }, (_, index) => `sku-${index}`);
  const first = await start();
  const offers = skuIds.map((skuId) => [skuId, { sku: minimalSku(), price: { price: 10 } }]);
  await first.files.ended(await first.files.send('Offers', JSON.stringify(Object.fromEntries(offers))), WAIT_MS_MAX);
  const changes = skuIds.map((merchant_sku) => ({ merchant_sku, offer: { price: { price: 12 } } }));
  const { id } = await first.send('POST', '/plans', { offers: changes });
  await first.send('PUT', '/merchant-skus/sku-7/price', { price: 11 });
  await first.send('POST', `/plans/${id}/apply`);
  await first.server.stop('SIGKILL');
  await lapseLeases(place);

  const second = await start();
  await second.send('PUT', '/merchant-skus/sku-999/price', { price: 13 });
  await second.send('POST', `/plans/${id}/apply`);
  const plan = await waitUntil('the plan', WAIT_MS_MAX, async () => {
    const read = await second.send('GET', `/plans/${id}`);
    return read.state === 'applied' ? read : undefined;
  });
  const newer = new Map([
    ['sku-7', 11],
    ['sku-999', 13],
  ]);
  assert.ok(JSON.stringify(plan.left_alone).includes('"sku-7"'));
  for (const skuId of skuIds.filter((_, index) => index % 37 === 0 || newer.has(`sku-${index}`))) {
    assert.equal((await second.send('GET', `/merchant-skus/${skuId}/price`)).price, newer.get(skuId) ?? 12, skuId);
    const { changes: history = [] } = await second.send('GET', `/merchant-skus/${skuId}/history`);
    const prices = history.filter(({ part }) => part === 'price').length;
    assert.ok(skuId === 'sku-999' ? prices <= 3 : prices === 2, `${skuId}: ${prices}`);
  }
  await second.server.stop();
}
