/** Tests the rate limit of an account, and the limit on wrong secrets. */
import assert from 'node:assert/strict';
import { type ApiAnswer, type ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { pipeline, sendRaw } from '../harness/raw-http.ts';
import { waitUntil } from '../harness/wait-until.ts';

const LIMIT = 3000;
const SMALL_LIMIT = 10;
const FAILURES_MAX = 20;
const FAILURES_PER_CLIENT_MAX = 100;
const WINDOW_MS = 60_000;
const TOO_MANY_FAILURES = requestProblem(
  'too_many_failures',
  'Too many wrong secrets for this user. Retry after the number of seconds in Retry-After.',
);
const WRONG = requestProblem('credentials_wrong', 'Incorrect user or secret.');
const limited = (limit: number) =>
  requestProblem(
    'rate_limited',
    `Too many requests: more than ${limit} in 60 seconds. Retry after the number of seconds in Retry-After.`,
  );

const wrongSecret = (api: ApiClient, user = 'demo-test-user', headers: Record<string, string> = {}) =>
  api.send('POST', '/token', { user, pass: 'wrong' }, { authorization: '', ...headers });

const rightSecret = (api: ApiClient, headers: Record<string, string> = {}) =>
  api.send('POST', '/token', { user: 'demo-test-user', pass: 'demo-test-secret' }, { authorization: '', ...headers });

/** Number of concurrent requests that the server accepts under any load. */
const TOGETHER_MAX = 100;

/** Makes this many calls; returns how many had each status. */
async function callMany(api: ApiClient, count: number): Promise<Record<number, number>> {
  const headers = { authorization: `Bearer ${api.token}` };
  const counts: Record<number, number> = {};
  for (let left = count; left > 0; left -= TOGETHER_MAX) {
    const together = Array(Math.min(left, TOGETHER_MAX)).fill({ target: '/authcheck', headers });
    for (const { status } of await pipeline(api.server.url, together)) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

function rateHeaders({ headers }: ApiAnswer): Record<'limit' | 'remaining' | 'reset', number> {
  const read = (name: string) => Number(headers.get(`ratelimit-${name}`) ?? Number.NaN);
  const values = { limit: read('limit'), remaining: read('remaining'), reset: read('reset') };
  // The headers of the current draft say the same.
  const has = headers.has('ratelimit-limit');
  assert.equal(headers.get('ratelimit-policy'), has ? `"requests";q=${values.limit};w=60` : null);
  assert.equal(headers.get('ratelimit'), has ? `"requests";r=${values.remaining};t=${values.reset}` : null);
  return values;
}

function assertLimited(answer: ApiAnswer, limit: number): void {
  assertProblems(answer, [limited(limit)], 429);
  const { reset, ...rest } = rateHeaders(answer);
  assert.deepEqual(rest, { limit, remaining: 0 });
  assert.ok(reset >= 1 && reset <= 60, `${reset}`);
  assert.equal(answer.headers.get('retry-after'), String(reset));
}

async function failTimes(api: ApiClient, count: number, user?: string, headers?: Record<string, string>) {
  for (let n = 0; n < count; n++) assertProblems(await wrongSecret(api, user, headers), [WRONG]);
}

/** Advances the clock until earlier requests no longer count. */
const newWindow = (api: ApiClient) => api.server.passTime(WINDOW_MS);

describeApi(
  'rate with a small limit',
  ({ accepts, refuses }) => {
    refuses('RATE-01', 'every request beyond the limit', async (api) => {
      newWindow(api);
      assert.deepEqual(await callMany(api, SMALL_LIMIT + 5), { 200: SMALL_LIMIT, 429: 5 });
      for (const target of ['/merchant-skus/%00', '/merchant-skus', '/fulfillment-nodes'])
        assertLimited(await api.get(target), SMALL_LIMIT);
      assertLimited(await api.put('/merchant-skus/x', '{'), SMALL_LIMIT);
    });

    accepts('RATE-02', 'requests in any 60 seconds, not in fixed minutes', async (api) => {
      newWindow(api);
      assert.deepEqual(await callMany(api, 4), { 200: 4 });
      api.server.passTime(40_000);
      assert.deepEqual(await callMany(api, 8), { 200: 6, 429: 2 });
      api.server.passTime(10_000);
      assertLimited(await api.get('/authcheck'), SMALL_LIMIT);
      api.server.passTime(10_000);
      assert.deepEqual(await callMany(api, 6), { 200: 4, 429: 2 });
      api.server.passTime(40_000);
      assert.deepEqual(await callMany(api, 8), { 200: 6, 429: 2 });
    });

    accepts('RATE-03', 'requests that were refused without counting them', async (api) => {
      newWindow(api);
      assert.deepEqual(await callMany(api, 100), { 200: 10, 429: 90 });
      api.server.passTime(30_000);
      assert.deepEqual(await callMany(api, 100), { 429: 100 });
      api.server.passTime(30_000);
      assert.deepEqual(await callMany(api, 10), { 200: 10 });
    });

    accepts('RATE-04', 'the requests of each environment, counted separately', async (api) => {
      newWindow(api);
      const live = await api.inEnvironment('live');
      assert.deepEqual(await callMany(api, 12), { 200: 10, 429: 2 });
      assert.deepEqual(await callMany(live, 12), { 200: 9, 429: 3 });
    });

    accepts('RATE-05', 'wrong secrets, bad tokens and open addresses without counting them', async (api) => {
      newWindow(api);
      await failTimes(api, 3);
      await api.get('/openapi.json');
      await api.get('/nowhere');
      await api.send('DELETE', '/authcheck');
      await api.send('GET', '/authcheck', undefined, { authorization: 'Bearer x' });
      assert.deepEqual(await callMany(api, 11), { 200: 10, 429: 1 });
    });

    refuses('RATE-05', 'the token call as well, because successful ones count', async (api) => {
      newWindow(api);
      assert.deepEqual(await callMany(api, 7), { 200: 7 });
      for (const remaining of [2, 1, 0]) {
        const answer = await rightSecret(api);
        assert.deepEqual([answer.status, rateHeaders(answer).remaining], [200, remaining]);
      }
      assertLimited(await rightSecret(api), SMALL_LIMIT);
      assertLimited(await api.get('/authcheck'), SMALL_LIMIT);
    });

    accepts('RATE-06', 'a valid token with the rate headers of its account on every response', async (api) => {
      newWindow(api);
      const path = await api.uploadedSku();
      const seen = [
        await api.get(path),
        await api.put(`${path}/price`, { price: 5 }),
        await api.put(`${path}/price`, { price: 0 }),
        await api.put(`${path}/price`, '{'),
        await api.put(`${path}/price`, ' '.repeat(1_100_000)),
        await api.send('PUT', `${path}/price`, '{}', { 'content-encoding': 'gzip' }),
        await api.get('/merchant-skus/%00'),
        await api.get(`${path}/variation`),
        await api.send('HEAD', path),
      ].map(rateHeaders);
      for (const { limit, reset } of seen) assert.ok(limit === SMALL_LIMIT && reset > 0 && reset <= 60);
      const remaining = seen.map((headers) => headers.remaining);
      assert.deepEqual(remaining, [8, 7, 6, 5, 4, 3, 2, 1, 0]);
    });

    accepts('RATE-06', 'a suspended merchant with its rate headers, without counting it', async (api) => {
      await withSetupStore(api.server.place, (store) => store.settings.setSuspended('demo', true));
      await waitUntil('the suspension', 60_000, async () => {
        newWindow(api);
        return (await api.get('/authcheck')).status === 403 || undefined;
      });
      newWindow(api);
      for (let n = 0; n < 3; n++) {
        const answer = await api.get('/authcheck');
        assert.deepEqual([answer.status, rateHeaders(answer)], [403, { limit: 10, remaining: 10, reset: 0 }]);
      }
      await withSetupStore(api.server.place, (store) => store.settings.setSuspended('demo', false));
    });

    refuses('RATE-06', 'an unknown token without rate headers', async (api) => {
      for (const authorization of ['', 'Bearer x']) {
        const answer = await api.send('GET', '/authcheck', undefined, { authorization });
        assert.deepEqual(rateHeaders(answer), { limit: Number.NaN, remaining: Number.NaN, reset: Number.NaN });
      }
    });
  },
  { REQUESTS_PER_MINUTE: String(SMALL_LIMIT) },
);

describeApi(
  'rate',
  ({ accepts, refuses }) => {
    accepts('RATE-01', 'exactly 3000 requests in 60 seconds', async (api) => {
      newWindow(api);
      assert.deepEqual(await callMany(api, LIMIT), { 200: LIMIT });
      assertLimited(await api.get('/authcheck'), LIMIT);
    });

    accepts('RATE-07', 'the right secret, however many wrong ones came before', async (api) => {
      newWindow(api);
      await failTimes(api, FAILURES_MAX);
      for (let n = 0; n < 3; n++) assert.equal((await wrongSecret(api)).status, 429);
      assert.equal((await rightSecret(api)).status, 200);
      assert.equal((await wrongSecret(api)).status, 429);
      assert.equal((await api.get('/authcheck')).status, 200);
    });

    refuses('RATE-07', 'wrong secrets with 429 after 20 in 60 seconds, for known and unknown users', async (api) => {
      newWindow(api);
      for (const user of ['demo-test-user', 'nobody']) {
        await failTimes(api, FAILURES_MAX, user);
        const answer = await wrongSecret(api, user);
        assertProblems(answer, [TOO_MANY_FAILURES], 429);
        const retry_seconds = Number(answer.headers.get('retry-after'));
        assert.ok(retry_seconds >= 1 && retry_seconds <= 60, `${retry_seconds}`);
      }
      await failTimes(api, 1, 'somebody else');
      newWindow(api);
      await failTimes(api, FAILURES_MAX);
      assertProblems(await wrongSecret(api), [TOO_MANY_FAILURES], 429);
    });

    accepts('RATE-10', 'right secrets, however many wrong ones came from the address', async (api) => {
      newWindow(api);
      for (let n = 0; n < FAILURES_PER_CLIENT_MAX; n++) await failTimes(api, 1, `nobody-${n}`);
      for (let n = 0; n < 3; n++) {
        assert.equal((await rightSecret(api)).status, 200);
        assert.equal((await wrongSecret(api, `somebody-${n}`)).status, 429);
      }
    });

    refuses('RATE-10', 'wrong secrets with 429 after 100 from one address, over all users', async (api) => {
      newWindow(api);
      for (let n = 0; n < FAILURES_PER_CLIENT_MAX; n++) await failTimes(api, 1, `nobody-${n}`);
      const text = 'Too many wrong secrets from this address. Retry after the number of seconds in Retry-After.';
      for (const user of ['demo-test-user', 'nobody-0', 'another']) {
        const answer = await wrongSecret(api, user);
        assertProblems(answer, [requestProblem('too_many_failures', text)], 429);
        const retry_seconds = Number(answer.headers.get('retry-after'));
        assert.ok(retry_seconds >= 1 && retry_seconds <= 60, `${retry_seconds}`);
      }
      newWindow(api);
      await failTimes(api, 1, 'another');
    });

    refuses('RATE-08', 'to trust X-Forwarded-For if no proxy is trusted', async (api) => {
      newWindow(api);
      for (let n = 0; n < FAILURES_MAX; n++)
        await failTimes(api, 1, undefined, { 'x-forwarded-for': `203.0.113.${n}`, forwarded: `for=203.0.113.${n}` });
      const answer = await wrongSecret(api, undefined, { 'x-forwarded-for': '203.0.113.99' });
      assertProblems(answer, [TOO_MANY_FAILURES], 429);
    });

    accepts('RATE-09', 'invalid token requests without counting them as failed attempts', async (api) => {
      newWindow(api);
      for (let n = 0; n < FAILURES_MAX + 5; n++) {
        const body = n % 2 === 0 ? '{"user":"demo-test-user"}' : '{';
        assert.equal((await sendRaw(api.server.url, { method: 'POST', target: '/token', body })).status, 400);
      }
      await failTimes(api, FAILURES_MAX);
    });
  },
  { REQUESTS_PER_MINUTE: String(LIMIT) },
);

describeApi(
  'guessing secrets behind proxies',
  ({ accepts }) => {
    accepts('RATE-08', 'wrong secrets of other addresses, distinguished behind a trusted proxy', async (api) => {
      const from = (address: string) => ({ 'x-forwarded-for': address });
      await failTimes(api, FAILURES_MAX, undefined, from('203.0.113.7'));
      assertProblems(await wrongSecret(api, undefined, from('203.0.113.7')), [TOO_MANY_FAILURES], 429);
      await failTimes(api, 1, undefined, from('203.0.113.8'));
      await failTimes(api, 1, undefined, from('203.0.113.7, 203.0.113.9, 10.1.2.3'));
      const spoofed = from('203.0.113.8, 203.0.113.7');
      assertProblems(await wrongSecret(api, undefined, spoofed), [TOO_MANY_FAILURES], 429);
    });
  },
  { TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' },
);
