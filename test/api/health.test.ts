/** Tests the health checks for supervisors and load balancers: /healthz and /readyz. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { healthEndpoints } from '../../src/http/endpoints/server.ts';
import { Readiness } from '../../src/http/readiness.ts';
import { StoreUnavailableError } from '../../src/store/port/errors.ts';
import { assertProblems, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withEdgeServer } from '../harness/edge-server.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { RawConnection, requestBytes, sendRaw } from '../harness/raw-http.ts';

/** For cases that do not test the time limit, and may wait for the machine. */
const PATIENCE_MS = 60_000;
const OK = [200, '{"status":"ok"}'];
const NOT_READY = requestProblem(
  'store_unavailable',
  'The database is damaged, does not respond, is locked, or its disk is full.',
);

describeApi('health', ({ accepts, refuses }) => {
  accepts('HEALTH-01', 'healthz without a token, in any spelling of the address', async (api) => {
    for (const target of ['/healthz', '/api/healthz', '/HealthZ/']) {
      const { status, text, headers } = await sendRaw(api.server.url, { target });
      assert.deepEqual([status, text], OK);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.ok(headers.has('x-request-id') && !headers.has('ratelimit-limit'));
    }
    assert.equal((await sendRaw(api.server.url, { method: 'HEAD', target: '/healthz' })).status, 200);
  });

  accepts('HEALTH-01', 'healthz with a token, and does not count it', async (api) => {
    await withOwnServer(api.variant, { REQUESTS_PER_MINUTE: '3' }, async (own) => {
      for (let time = 0; time < 5; time++) assert.equal((await own.get('/healthz')).status, 200);
      for (let time = 0; time < 5; time++) assert.equal((await own.get('/readyz')).status, 200);
      // The token request was the first of the three.
      assert.equal((await own.get('/authcheck')).headers.get('ratelimit-remaining'), '1');
    });
  });

  accepts('HEALTH-01', 'healthz when the store is down', async () => {
    const readiness = new Readiness(() => Promise.reject(new StoreUnavailableError('down')));
    await withEdgeServer({ endpoints: healthEndpoints, services: { readiness } }, async (url) => {
      assert.equal((await sendRaw(url, { target: '/healthz' })).status, 200);
    });
  });

  accepts('HEALTH-02', 'readyz when the store responds', async (api) => {
    const { status, text } = await sendRaw(api.server.url, { target: '/readyz' });
    assert.deepEqual([status, text], OK);
  });

  accepts('HEALTH-02', 'many requests at once, with one query to the database', async () => {
    let pings = 0;
    const answered = Promise.withResolvers<void>();
    const readiness = new Readiness(() => {
      pings++;
      return answered.promise;
    }, PATIENCE_MS);
    await withEdgeServer({ endpoints: healthEndpoints, services: { readiness } }, async (url) => {
      const asked = Array.from({ length: 5 }, () => sendRaw(url, { target: '/readyz' }));
      await sendRaw(url, { target: '/healthz' });
      answered.resolve();
      for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
      assert.ok(pings < 5, `the store was asked ${pings} times`);
    });
  });

  accepts(
    'HEALTH-02',
    'a response that arrives in time, although the server itself was paused for longer',
    async () => {
      const readiness = new Readiness(() => stat('.').then(() => {}), 100);
      const isReady = readiness.isReady();
      const startMs = performance.now();
      while (performance.now() - startMs < 200);
      assert.equal(await isReady, true);
    },
  );

  for (const [what, readiness] of [
    ['the store is down', new Readiness(() => Promise.reject(new StoreUnavailableError('down')))],
    ['the store does not respond in time', new Readiness(() => new Promise(() => {}), 20)],
  ] as const) {
    refuses('HEALTH-02', `readyz when ${what}`, async () => {
      await withEdgeServer({ endpoints: healthEndpoints, services: { readiness } }, async (url) => {
        const answer = await sendRaw(url, { target: '/readyz' });
        assertProblems(answer, [NOT_READY], 503);
        assert.equal(answer.headers.get('retry-after'), '1');
      });
    });
  }

  refuses('HEALTH-03', 'readyz while the server stops', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      const path = await own.uploadedSku();
      const headers = { authorization: `Bearer ${own.token}` };
      const request = requestBytes({ method: 'PUT', target: `${path}/price`, headers, body: '{"price":5}' });
      const connection = await RawConnection.open(own.server.url);
      connection.write(request.subarray(0, -1));
      // Once this request has its response, the server has read the head of the previous one.
      await own.get('/healthz');
      const closed = own.server.close();
      connection.write(Buffer.concat([request.subarray(-1), requestBytes({ target: '/readyz' })]));
      assert.equal((await connection.answer('PUT'))?.status, 202);
      const late = await connection.answer();
      await closed;
      // Closing the connection without a response is also correct.
      if (late === undefined) return;
      assert.equal(late.status, 503);
      assert.deepEqual(
        (late.body as { details: { code: string }[] }).details.map(({ code }) => code),
        ['stopping'],
      );
    });
  });
});
