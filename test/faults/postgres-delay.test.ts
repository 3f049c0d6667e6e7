/**
 * Tests a PostgreSQL whose responses are delayed: no single call exceeds its time limit, but all calls of one request together
 * would. The promised time applies to the whole request.
 */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { LostTime } from '../harness/lost-time.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { openPostgresWire } from '../harness/postgres-wire.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Promised time, plus some for a test machine with two busy cores. */
const ANSWER_MS_MAX = 2_000 + 1_000;
const CLIENTS = 4;

it('responses that are delayed by 100 ms to more than a call may take: every request gets a response in time', {
  skip: postgresSkipped(),
}, async (t) => {
  const { url: databaseUrl } = await createReadyDatabase();
  const wire = await slowWire(t, databaseUrl);
  const place = { DATA_DIR: await tempFolder(), DATABASE_URL: wire.url };
  await withOfferbook(place, { demo: true }, async (url) => {
    const headers = { authorization: '' };
    const renewToken = async () => {
      headers.authorization = `Bearer ${await requestToken(url, 'test')}`;
    };
    await renewToken();
    const price = `${url}${skuPath('shirt')}/price`;
    const put = (address: string, body: unknown) =>
      timed(fetch(address, { method: 'PUT', headers, body: JSON.stringify(body) }));
    await stored(() => put(`${url}${skuPath('shirt')}`, minimalSku()));
    await stored(() => put(price, { price: 1 }));

    const statuses = new Map<number, number>();
    const sendInTurn = async (amount: number) => {
      for (const { status } of [await put(price, { price: amount }), await timed(fetch(price, { headers }))]) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    for (const delay_ms of [100, 400, 600, 2_000]) {
      wire.delay_ms = 0;
      // An unknown token, which must be looked up.
      await renewToken();
      wire.delay_ms = delay_ms;
      await Promise.all(Array.from({ length: CLIENTS }, (_, client) => sendInTurn(1 + client)));
    }
    assert.ok((statuses.get(202) ?? 0) > 0 && (statuses.get(503) ?? 0) > 0, JSON.stringify([...statuses]));
    assert.deepEqual([...statuses.keys()].sort(), [200, 202, 503]);

    wire.delay_ms = 0;
    await stored(() => put(price, { price: 77 }));
    // A read may use another connection than the write, which may still be delayed.
    const read = await waitUntil('the price to be read', 60_000, async () => {
      const response = await timed(fetch(price, { headers }));
      return response.status === 503 ? undefined : response;
    });
    assert.equal(((await read.json()) as { price: number }).price, 77);
  });
});

it('the time in which a client sends its body does not count', { skip: postgresSkipped() }, async () => {
  const { url: databaseUrl } = await createReadyDatabase();
  const limits = { DATABASE_CALL_MS_MAX: '1900', DATABASE_STATEMENT_MS_MAX: '1800', DATABASE_LOCK_MS_MAX: '1700' };
  const place = { DATA_DIR: await tempFolder(), DATABASE_URL: databaseUrl };
  await withOfferbook(place, { demo: true, settings: limits }, async (url) => {
    const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
    const text = JSON.stringify(minimalSku());
    const slowly = () =>
      new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(Buffer.from(text.slice(0, 10)));
          await new Promise((resolve) => setTimeout(resolve, 2_200));
          controller.enqueue(Buffer.from(text.slice(10)));
          controller.close();
        },
      });
    await stored(() => {
      const request = { method: 'PUT', headers, body: slowly(), duplex: 'half' } as RequestInit;
      return fetch(`${url}${skuPath('slow')}`, request);
    });
  });
});

/** A machine that loses time may exceed the time limit of the database, but not in each of many tries. */
function stored(put: () => Promise<Response>): Promise<true> {
  return waitUntil('a write to be stored', 60_000, async () => (await put()).status === 202 || undefined);
}

async function timed(answering: Promise<Response>): Promise<Response> {
  using lost = new LostTime();
  const startMs = performance.now();
  const response = await answering;
  const took_ms = performance.now() - startMs - lost.ms;
  assert.ok(took_ms < ANSWER_MS_MAX, `${response.status} after ${took_ms} ms`);
  if (response.status === 503) assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
  else await response.clone().arrayBuffer();
  return response;
}

/** Proxy to PostgreSQL that delays all responses by `delay_ms`, in order. */
async function slowWire(t: TestContext, databaseUrl: string): Promise<{ readonly url: string; delay_ms: number }> {
  const state = { url: '', delay_ms: 0 };
  state.url = await openPostgresWire(t, databaseUrl, () => {
    // Timers of equal delay fire in order; with a shorter delay a chunk waits for earlier ones.
    let before = Promise.resolve();
    return (chunk, near) => {
      const delayed = new Promise<void>((resolve) => setTimeout(resolve, state.delay_ms).unref());
      before = Promise.all([before, delayed]).then(() => {
        if (!near.destroyed) near.write(chunk);
      });
    };
  });
  return state;
}
