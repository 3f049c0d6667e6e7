/** Tests that repeats with an `Idempotency-Key` after kill -9 finish what was interrupted, and keep newer data. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { lapseLeases } from '../harness/lapsed-leases.ts';
import { disconnected, runSql, statementsEnded } from '../harness/run-sql.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { createPlace, type StoreKind } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';

const WRITERS = 8;
const WAIT_MS_MAX = 60_000;
const SENT = 1;
const NEWER = 2;
/** The body of a whole offer: on SQLite, a write to one part stores its key in the same commit, so nothing is ever left between. */
const priced = (price: number) => ({ price: { price } });
/** Keys are SKU ids. */
const WRITTEN_UNANSWERED: Readonly<Record<StoreKind, string>> = {
  sqlite: `SELECT k.key FROM idempotency_key k JOIN sku s ON s.sku_id = k.key JOIN price p ON p.sku = s.id
    WHERE k.answer IS NULL`,
  postgres: `SELECT k.key FROM idempotency_key k JOIN offer o ON o.account_id = k.account_id AND o.sku_id = k.key
    WHERE k.answer IS NULL AND o.price IS NOT NULL`,
};

for (const store of ['sqlite', 'postgres'] as const) {
  const skip = store === 'postgres' ? postgresSkipped() : false;
  const what = 'kill -9 between a write and its stored response: repeats write once, and never over newer data';
  it(`${what} (${store})`, { skip }, () => killAndRepeat(store));
}

async function killAndRepeat(store: StoreKind): Promise<void> {
  await using ending = new AsyncDisposableStack();
  const { place, remove } = await createPlace(store, createReadyDatabase);
  ending.defer(remove);
  const variables = { ...place, REQUESTS_PER_MINUTE: '1000000' };
  const first = await startServeProcess(variables);
  ending.defer(async () => void (await first.stop('SIGKILL')));
  const put = await writerTo(first);
  const sent: string[] = [];
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 0; ; n++) {
      const skuId = `sku-${writer}-${n}`;
      if ((await put(skuId, '', minimalSku())) !== 202) return;
      sent.push(skuId);
      if ((await put(skuId, '/offer', priced(SENT), skuId)) !== 202) return;
    }
  });
  const keys = async (sql: string) => (await runSql(place, sql)).map(String);
  const unanswered = () => keys(WRITTEN_UNANSWERED[store]);
  await waitUntil('a write without its response', WAIT_MS_MAX, async () => {
    if ((await unanswered()).length === 0) return undefined;
    first.process.kill('SIGSTOP');
    await statementsEnded(place);
    if ((await unanswered()).length > 0) return true;
    first.process.kill('SIGCONT');
    return undefined;
  });
  assert.equal(await first.stop('SIGKILL'), 'SIGKILL');
  await Promise.all(writers);
  await disconnected(place);
  const interrupted = await unanswered();
  assert.ok(interrupted.length > 0);
  // A request that died before its claim left no trace, so its repeat is a new request.
  const claimed = new Set(await keys('SELECT key FROM idempotency_key'));
  await lapseLeases(place);

  const second = await startServeProcess(variables);
  ending.defer(async () => void (await second.stop('SIGKILL')));
  const putAgain = await writerTo(second);
  const repeated = new Set([...sent.slice(-4 * WRITERS), ...interrupted]);
  const newer = new Set([...interrupted, ...[...repeated].filter((skuId, n) => claimed.has(skuId) && n % 2 === 0)]);
  for (const skuId of repeated) {
    if (newer.has(skuId)) assert.equal(await putAgain(skuId, '/offer', priced(NEWER)), 202);
    for (const _ of [1, 2]) assert.equal(await putAgain(skuId, '/offer', priced(SENT), skuId), 202);
  }
  const headers = { authorization: `Bearer ${await requestToken(second.url, 'test')}` };
  for (const skuId of repeated) {
    const read = await fetch(`${second.url}${skuPath(skuId)}/price`, { headers });
    const { price } = (await read.json()) as { price: number };
    assert.equal(price, newer.has(skuId) ? NEWER : SENT, skuId);
  }
  assert.equal(await second.stop(), 0);
}

/** Resolves with the status, or undefined if the server was killed. */
async function writerTo(server: ServeProcess) {
  const authorization = `Bearer ${await requestToken(server.url, 'test')}`;
  return async (skuId: string, part: string, body: unknown, key?: string): Promise<number | undefined> => {
    try {
      const response = await fetch(`${server.url}${skuPath(skuId)}${part}`, {
        method: 'PUT',
        headers: { authorization, ...(key === undefined ? {} : { 'idempotency-key': key }) },
        body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      return response.status;
    } catch (error) {
      // fetch fails with a TypeError when the connection breaks, which is what the kill does.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  };
}
