/** Tests a connection that breaks between commit and response: the outcome is unknown, so the response is 503. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { openPostgresWire } from '../harness/postgres-wire.ts';
import { PATIENCE } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';

/** A write returns the SKUs it wrote, by which its response is recognized. */
const SKU_ID = 'sku-of-the-lost-answer';

it('a write whose response is lost gets 503, is stored here, and can be sent again', {
  skip: postgresSkipped(),
}, async (t) => {
  const { url: databaseUrl } = await createReadyDatabase();
  const wire = await cuttableWire(t, databaseUrl);
  const place = { DATA_DIR: await tempFolder(), DATABASE_URL: wire.url, ...PATIENCE };
  // Runs without the review, which also reads the SKU and might lose its response instead.
  await withOfferbook(place, { demo: true, role: 'api' }, async (url) => {
    const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
    const put = (part: string, body: unknown) =>
      fetch(`${url}${skuPath(SKU_ID)}${part}`, { method: 'PUT', headers, body: JSON.stringify(body) });
    assert.equal((await put('', minimalSku())).status, 202);
    assert.equal((await put('/price', { price: 1 })).status, 202);
    wire.loseAnswer(SKU_ID);
    const lost = await put('/price', { price: 2 });
    assert.equal(lost.status, 503);
    assert.match(lost.headers.get('retry-after') ?? '', /^\d+$/);
    const price = await fetch(`${url}${skuPath(SKU_ID)}/price`, { headers });
    assert.equal(((await price.json()) as { price: number }).price, 2, 'PostgreSQL had committed it');
    assert.equal((await put('/price', { price: 2 })).status, 202);
  });
});

it('a repeat with the same key, after a newer write, keeps the newer one', {
  skip: postgresSkipped(),
}, async (t) => {
  const { url: databaseUrl } = await createReadyDatabase();
  const wire = await cuttableWire(t, databaseUrl);
  const place = { DATA_DIR: await tempFolder(), DATABASE_URL: wire.url, ...PATIENCE };
  await withOfferbook(place, { demo: true, role: 'api' }, async (url) => {
    const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
    const put = (part: string, body: unknown, key = {}) =>
      fetch(`${url}${skuPath(SKU_ID)}${part}`, {
        method: 'PUT',
        headers: { ...headers, ...key },
        body: JSON.stringify(body),
      });
    assert.equal((await put('', minimalSku())).status, 202);
    const key = { 'idempotency-key': 'lost' };
    wire.loseAnswer(SKU_ID);
    assert.equal((await put('/price', { price: 2 }, key)).status, 503);
    assert.equal((await put('/price', { price: 3 })).status, 202);
    assert.equal((await put('/price', { price: 2 }, key)).status, 202, 'it runs at once, without waiting for a lease');
    const price = await fetch(`${url}${skuPath(SKU_ID)}/price`, { headers });
    assert.equal(((await price.json()) as { price: number }).price, 3);
  });
});

/** Proxy to PostgreSQL that can drop a response and break the connection. */
async function cuttableWire(t: TestContext, databaseUrl: string) {
  let lost: string | undefined;
  const url = await openPostgresWire(t, databaseUrl, () => (chunk, near) => {
    // PostgreSQL sends the response after the commit, in the same packet.
    if (lost !== undefined && chunk.includes(lost)) {
      lost = undefined;
      near.destroy();
    } else {
      near.write(chunk);
    }
  });
  return {
    url,
    loseAnswer: (text: string) => {
      lost = text;
    },
  };
}
