/** Tests the request log in the portal: what it records of each request, filters, bodies without secrets, limits; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { type ApiAnswer, ApiClient, skuPath } from '../harness/api-client.ts';
import { offerbookJson } from '../harness/command-line.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

interface Logged {
  readonly id: string;
  readonly at: string;
  readonly call: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly codes: readonly string[];
  readonly sku: string | null;
  readonly key: string | null;
  readonly url: string | null;
  readonly errors: readonly { readonly code: string; readonly field: string; readonly message: string }[];
  readonly body: string | null;
}

interface Log {
  readonly requests: readonly Logged[];
  readonly next: string | null;
  readonly recorded: number;
  readonly unrecorded: number;
  readonly keeps_bodies: boolean;
  readonly calls: readonly string[];
  readonly keys: readonly string[];
  readonly codes: readonly string[];
}

const DAY_MS = 86_400_000;
const PUT_PRICE = 'PUT /merchant-skus/{user_defined_sku_id}/price';
const KEY = DEMO_CREDENTIALS.test.user;

for (const variant of VARIANTS_BY_SCOPE) {
  describe(`portal: request log (${variant.title})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    let admin: PortalClient;
    let viewer: PortalClient;

    before(async () => {
      api = await ApiClient.open(variant);
      admin = await PortalClient.signIn(api.server, 'merchant-admin');
      viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
    });
    after(() => api.server.close());

    /** The server stores requests of the last seconds before it responds, but once a second at most. */
    const read = (query = '', environment = 'test'): Promise<Log> => {
      api.server.passTime(1_000);
      return viewer.found<Log>('GET', `/${environment}/requests${query}`);
    };
    const requestId = ({ headers }: ApiAnswer) => headers.get('x-request-id') ?? assert.fail('no request id');
    const logged = async (answer: ApiAnswer): Promise<Logged> => {
      const { requests } = await read(`?q=${requestId(answer)}`);
      assert.equal(requests.length, 1);
      return requests[0] ?? assert.fail();
    };
    const refusedPrice = (body: unknown = { price: -1 }) => api.put(`${skuPath('mug / é')}/price`, body);

    it('has time, call, status, duration, error codes, SKU and key of each request', async () => {
      const answer = await refusedPrice();
      const { at, duration_ms, ...request } = await logged(answer);
      assert.deepEqual(request, {
        id: requestId(answer),
        call: PUT_PRICE,
        status: 400,
        codes: ['too_small'],
        sku: 'mug / é',
        key: KEY,
        url: `${skuPath('mug / é')}/price`,
        errors: [{ code: 'too_small', field: '/price', message: 'price: must be a number from 0.01 to 1000000000' }],
        body: null,
      });
      assert.ok(duration_ms > 0 && duration_ms < 60_000, String(duration_ms));
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 600_000, at);
      const { status, codes, sku, url, errors } = await logged(await api.get('/merchant-skus?limit=1'));
      assert.deepEqual(
        { status, codes, sku, url, errors },
        { status: 200, codes: [], sku: null, url: null, errors: [] },
      );
    });

    it('has successful token requests and signed URLs, but no portal requests or requests without a token', async () => {
      const { requests } = await read('?call=POST+/token');
      assert.deepEqual([requests[0]?.status, requests[0]?.key], [200, KEY]);

      const { recorded } = await read();
      await admin.send('PUT', '/test/merchant-skus/none/price', { price: -1 });
      await fetch(`${api.server.url}/merchant-skus`).then((answer) => answer.text());
      await fetch(`${api.server.url}/nothing-here`, { headers: { authorization: `Bearer ${api.token}` } });
      const wrong = JSON.stringify({ user: KEY, pass: 'wrong' });
      await fetch(`${api.server.url}/token`, { method: 'POST', body: wrong }).then((answer) => answer.text());
      assert.equal((await read()).recorded, recorded);

      const { url } = (await api.get('/files/uploadToken')).body as { url: string };
      const sent = await fetch(url, { method: 'PUT', body: '{}' });
      await sent.text();
      const upload = (await read(`?q=${sent.headers.get('x-request-id')}`)).requests[0];
      assert.equal(upload?.key, null);
      assert.doesNotMatch(JSON.stringify(await read()), /signature/);
    });

    it('is filtered by SKU, request id, result, call, error code and key, page by page', async () => {
      const failed = await api.put(`${skuPath('filtered')}/price`, { price: -1 });
      const missing = await api.get(skuPath('filtered'));
      const ids = async (query: string) => (await read(query)).requests.map(({ id }) => id);
      assert.deepEqual(await ids('?q=filtered'), [requestId(missing), requestId(failed)]);
      assert.deepEqual(await ids(`?q=filtered&call=${encodeURIComponent(PUT_PRICE)}`), [requestId(failed)]);
      assert.deepEqual(await ids('?q=filtered&code=sku_unknown'), [requestId(missing)]);
      assert.deepEqual(await ids('?q=filtered&status=succeeded'), []);
      assert.deepEqual((await ids('?q=filtered&status=4xx')).length, 2);
      assert.deepEqual(await ids('?q=filtered&status=5xx'), []);
      assert.deepEqual((await ids(`?q=filtered&key=${KEY}&status=failed`)).length, 2);
      assert.deepEqual(await ids('?q=filtered&key=another'), []);
      const first = await read('?q=filtered&limit=1');
      assert.deepEqual(
        first.requests.map(({ id }) => id),
        [requestId(missing)],
      );
      assert.deepEqual(await ids(`?q=filtered&limit=1&after=${first.next}`), [requestId(failed)]);
      assert.equal((await read('?q=filtered&limit=2')).next, null);

      const { calls, keys, codes, recorded, unrecorded } = await read();
      assert.ok(calls.includes(PUT_PRICE) && calls.includes('POST /token'), calls.join());
      assert.deepEqual(keys, [KEY]);
      assert.ok(codes.includes('sku_unknown'), codes.join());
      assert.ok(recorded > 4);
      assert.equal(unrecorded, 0);
    });

    it('refuses filters that are too long, unknown results and bad pages', async () => {
      const long = 'must have at most 200 characters, and no NUL character.';
      await viewer.found('GET', `/test/requests?q=${'x'.repeat(200)}`);
      await viewer.refused('GET', `/test/requests?q=${'x'.repeat(201)}`, undefined, [
        ['query_invalid', '', `q: ${long}`],
      ]);
      await viewer.refused('GET', '/test/requests?code=%00', undefined, [['query_invalid', '', `code: ${long}`]]);
      await viewer.refused('GET', '/test/requests?status=3xx&after=x&limit=201', undefined, [
        ['query_invalid', '', 'status: must be one of succeeded, failed, 4xx, 5xx.'],
        ['query_invalid', '', 'after: must be the `next` value of a page.'],
        ['query_invalid', '', 'limit: must be a whole number from 1 to 200.'],
      ]);
      await viewer.found('GET', '/test/requests?limit=200');
    });

    it('keeps no body of a token request, not even of one that is over the rate limit', async () => {
      const own = await ApiClient.open(variant, { REQUESTS_PER_MINUTE: '3' });
      try {
        const people = await PortalClient.signIn(own.server, 'merchant-admin');
        await people.accepted('PUT', '/test/request-log', { keep_bodies: true });
        const body = JSON.stringify({ user: KEY, pass: DEMO_CREDENTIALS.test.secret, note: 'of a token request' });
        const request = () => fetch(`${own.server.url}/token`, { method: 'POST', body });
        while ((await request()).status !== 429);
        own.server.passTime(1_000);
        const { requests } = await people.found<Log>('GET', '/test/requests?limit=200');
        assert.deepEqual(
          requests.filter(({ status }) => status === 429).map(({ call, body }) => ({ call, body })),
          [{ call: 'POST /token', body: null }],
        );
      } finally {
        await own.server.close();
      }
    });

    it('keeps bodies of failed requests once an administrator turns that on, in one environment, without secrets', async () => {
      const before = await refusedPrice();
      assert.equal((await read()).keeps_bodies, false);
      await admin.accepted('PUT', '/test/request-log', { keep_bodies: true });
      assert.equal((await read()).keeps_bodies, true);
      assert.equal((await read('', 'live')).keeps_bodies, false);

      const secret = { price: -1, user: 'merchant', pass: 'hunter2', note: `Bearer ${api.token}` };
      const masked = '{"price":-1,"user":"[removed]","pass":"[removed]","note":"[removed]"}';
      assert.equal((await logged(await refusedPrice(secret))).body, masked);
      assert.equal((await logged(before)).body, null);
      assert.equal((await logged(await refusedPrice('{"pass":"hunter2",'))).body, null, 'not JSON');
      const skuId = api.newSkuId();
      const uploaded = await api.uploadedSku({}, skuId);
      assert.deepEqual(
        (await read(`?q=${skuId}`)).requests.map(({ body }) => body),
        [null],
        `${uploaded} succeeded`,
      );
      const long = await refusedPrice({ price: -1, text: 'x'.repeat(10_000) });
      assert.equal((await logged(long)).body?.length, 4_097);

      const credentials = { user: KEY, pass: DEMO_CREDENTIALS.test.secret };
      const issued = await fetch(`${api.server.url}/token`, { method: 'POST', body: JSON.stringify(credentials) });
      assert.equal(issued.status, 200);
      const wrong = { user: KEY, pass: 'hunter2' };
      await fetch(`${api.server.url}/token`, { method: 'POST', body: JSON.stringify(wrong) });
      const all = JSON.stringify(await read('?limit=200'));
      for (const kept of ['hunter2', DEMO_CREDENTIALS.test.secret, api.token]) assert.ok(!all.includes(kept), kept);

      await admin.accepted('PUT', '/test/request-log', { keep_bodies: false });
      assert.doesNotMatch(JSON.stringify(await read('?limit=200')), /removed/);
      await admin.accepted('PUT', '/test/request-log', { keep_bodies: true });
      assert.doesNotMatch(JSON.stringify(await read('?limit=200')), /removed/, 'stored bodies were deleted');
      await admin.accepted('PUT', '/test/request-log', { keep_bodies: false });
    });

    it('only an administrator turns bodies on', async () => {
      const answer = await viewer.send('PUT', '/test/request-log', { keep_bodies: true });
      assert.equal(answer.status, 403);
      await admin.refused('PUT', '/test/request-log', {}, [['required', '/keep_bodies', 'keep_bodies: is required']]);
      await admin.refused('PUT', '/test/request-log', { keep_bodies: 1 }, [
        ['wrong_type', '/keep_bodies', 'keep_bodies: must be true or false'],
      ]);
    });

    it('is erased with the sandbox, while the log of the live environment stays', async () => {
      await api.inEnvironment('live');
      assert.ok((await read()).recorded > 0);
      await offerbookJson(api.server.place, 'sandbox', 'reset', '--merchant', 'demo', '--yes');
      assert.equal((await read()).recorded, 0);
      assert.equal((await read('', 'live')).recorded, 1);
    });

    it('shows 7 days', async () => {
      const answer = await refusedPrice();
      const { at } = await logged(answer);
      api.server.passTime(7 * DAY_MS - 60_000 - (Date.now() - Date.parse(at)));
      viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
      assert.ok((await read('?limit=200')).requests.some(({ id }) => id === requestId(answer)));
      api.server.passTime(120_000);
      assert.deepEqual((await read()).requests, []);
    });

    it('has dry runs, which count as a use of their key', async () => {
      const later = await api.inEnvironment('test');
      const dryRun = () => later.put(`${skuPath('dry')}?dry_run=true`, {});
      const { call } = await logged(await dryRun());
      assert.equal(call, 'PUT /merchant-skus/{user_defined_sku_id}?dry_run=true');
      type Keys = { keys: { user: string; last_used: string | null }[] };
      const lastUsed = async () => {
        const { keys } = await viewer.found<Keys>('GET', '/test/keys');
        return Date.parse(keys.find(({ user }) => user === KEY)?.last_used ?? '');
      };
      const before = await lastUsed();
      api.server.passTime(120_000);
      await dryRun();
      await read();
      assert.ok((await lastUsed()) >= before + 120_000);
    });
  });
}
