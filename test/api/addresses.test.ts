/** Tests addresses: how they may be written, and which part is the SKU id. */
import assert from 'node:assert/strict';
import {
  type ApiClient,
  assertProblems,
  minimalSku,
  noSuchAddress,
  requestProblem,
  skuPath,
} from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer, withSetupStore } from '../harness/own-server.ts';
import { sendBytes, sendRaw } from '../harness/raw-http.ts';
import { waitUntil } from '../harness/wait-until.ts';

const skuIdProblem = (text: string) => requestProblem('sku_id_invalid', `The SKU id in the path ${text}.`);
const TOO_LONG = skuIdProblem('must have at most 64 characters');
const EMPTY = skuIdProblem('must not be empty');

/** Sends a GET with exactly this target, which fetch would normalize. */
const get = (api: ApiClient, target: string) =>
  sendRaw(api.server.url, { target, headers: { authorization: `Bearer ${api.token}` } });

const put = (api: ApiClient, target: string, body: unknown) =>
  sendRaw(api.server.url, {
    method: 'PUT',
    target,
    headers: { authorization: `Bearer ${api.token}` },
    body: JSON.stringify(body),
  });

async function nothingAt(api: ApiClient, ...targets: string[]): Promise<void> {
  for (const target of targets) {
    const [path = ''] = target.split('?');
    assertProblems(await get(api, target), [noSuchAddress('GET', path)], 404);
  }
}

async function authorizedAt(api: ApiClient, ...targets: string[]): Promise<void> {
  for (const target of targets) {
    const { status, text } = await get(api, target);
    assert.deepEqual({ target, status, text }, { target, status: 200, text: '"This message is authorized."' });
  }
}

/** Uploads a SKU under each spelling of an id in the address and reads it back from the list. */
async function uploadedAs(api: ApiClient, segment: string, skuId: string): Promise<void> {
  const body = { ...minimalSku(), marketplace_browse_node_id: undefined };
  const answer = await put(api, `/merchant-skus/${segment}`, body);
  assert.deepEqual({ segment, status: answer.status, text: answer.text }, { segment, status: 202, text: '' });
  const { sku_urls: urls } = await api.found('/merchant-skus?limit=1000');
  assert.ok((urls as string[]).includes(skuPath(skuId).slice(1)), `${skuId} is not listed`);
  assert.equal((await api.get(skuPath(skuId))).status, 200);
}

describeApi('addresses', ({ accepts, refuses }) => {
  accepts('ADDR-01', 'every address also under /api', async (api) => {
    const path = await api.uploadedSku();
    assert.deepEqual(await api.found(`/api${path}`), await api.found(path));
    await authorizedAt(api, '/api/authcheck');
    await api.accepted('PUT', `/api${path}/price`, { price: 5 });
  });

  refuses('ADDR-01', 'a second /api, and words that only start like it', async (api) => {
    await nothingAt(api, '/api/api/authcheck', '/apiauthcheck', '/apis/authcheck', '/api');
  });

  accepts('ADDR-02', 'fixed words in any letter case', async (api) => {
    const path = await api.uploadedSku();
    const skuId = path.split('/')[2];
    await authorizedAt(api, '/AUTHCHECK', '/AuthCheck', '/API/aUTHCHECK');
    await api.accepted('PATCH', `/MERCHANT-SKUS/${skuId}/Inventory`, { fulfillment_nodes: [] });
    await api.accepted('PUT', `/Merchant-Skus/${skuId}/PRICE`, { price: 5 });
    assert.equal((await api.get(`/merchant-skus/${skuId}/Price`)).status, 200);
    assert.equal((await api.get('/Setup/FULFILLMENTNODES')).status, 200);
  });

  refuses('ADDR-02', 'words that are not those of the API', async (api) => {
    await nothingAt(api, '/merchant_skus', '/merchant-skus/x/prices', '/merchant-skus/x/price/y', '/tokens');
  });

  refuses('ADDR-02', 'with the method and the path in the message, shortened and without the query', async (api) => {
    const shown = [
      ['/nowhere?signature=secret', '/nowhere'],
      [`/${'x'.repeat(99)}`, `/${'x'.repeat(99)}`],
      [`/${'x'.repeat(100)}`, `/${'x'.repeat(99)}…`],
      ['/now"here<b>%0a', '/now"here<b>%0a'],
    ] as const;
    for (const [target, path] of shown) assertProblems(await get(api, target), [noSuchAddress('GET', path)], 404);
    assert.equal((await sendBytes(api.server.url, 'GET /größe HTTP/1.1\r\nHost: x\r\n\r\n')).status, 400);
  });

  accepts('ADDR-03', 'a trailing slash', async (api) => {
    const path = await api.uploadedSku();
    await authorizedAt(api, '/authcheck/', '/api/authcheck/');
    assert.equal((await get(api, `${path}/`)).status, 200);
    assert.equal((await get(api, `${path}/inventory/?x=1`)).status, 200);
    assert.equal((await get(api, '/merchant-skus/')).status, 200);
  });

  refuses('ADDR-03', 'more than one trailing slash', async (api) => {
    await nothingAt(api, '/authcheck//', `${await api.uploadedSku()}//`);
  });

  accepts('ADDR-04', 'repeated slashes at the start and after /api', async (api) => {
    await authorizedAt(api, '//authcheck', '////authcheck', '//api//authcheck', '/api////authcheck/');
  });

  refuses('ADDR-04', 'repeated slashes elsewhere', async (api) => {
    const path = await api.uploadedSku();
    await nothingAt(api, `${path}//price`, `${path}/status//archive`, '/setup//fulfillmentNodes');
  });

  accepts('ADDR-05', 'the list with its trailing slash, which has no SKU segment', async (api) => {
    assert.deepEqual((await get(api, '/merchant-skus/')).body, (await get(api, '/merchant-skus')).body);
  });

  refuses('ADDR-05', 'an empty SKU segment, which never matches another route', async (api) => {
    for (const rest of ['', 'v2', 'price', 'variation', 'status/archive', 'shippingexception', 'returnsexception'])
      assertProblems(await put(api, `/merchant-skus//${rest}`, minimalSku()), [EMPTY]);
    for (const rest of ['', 'price', 'inventory', 'inventory/'])
      assertProblems(await get(api, `//api//merchant-skus//${rest}`), [EMPTY]);
  });

  accepts('ADDR-06', 'a SKU id of any characters and keeps its bytes', async (api) => {
    const mark = api.newSkuId();
    for (const rest of [
      'Aa',
      'aA',
      'a/b',
      'a b',
      'a+b',
      'a%2Fb',
      '%',
      '?#',
      'ü',
      'u\u0308',
      '東',
      '"\\',
      "'()*!~",
      '\n',
    ])
      await uploadedAs(api, encodeURIComponent(`${mark}${rest}`), `${mark}${rest}`);
    await uploadedAs(api, `${mark}+%2b:@&=$,;`, `${mark}++:@&=$,;`);
    await uploadedAs(api, 'v2', 'v2');
    await uploadedAs(api, 'api', 'api');
  });

  refuses('ADDR-06', 'an id that differs in letter case or composition: that is another SKU', async (api) => {
    const mark = api.newSkuId();
    await api.uploadedSku({}, `${mark}-ü`);
    for (const other of [`${mark}-Ü`, `${mark}-u\u0308`, `${mark}-ü `, mark]) {
      const problem = requestProblem('sku_unknown', `SKU ${other} not found.`);
      await api.refused('GET', skuPath(other), undefined, [problem], 404);
    }
  });

  accepts('ADDR-07', 'ids of 1 and of 64 code points', async (api) => {
    for (const skuId of ['x', 'y'.repeat(64), '😀'.repeat(64), 'ü'.repeat(64)])
      await uploadedAs(api, encodeURIComponent(skuId), skuId);
  });

  refuses('ADDR-07', 'ids of 65 code points, written or encoded', async (api) => {
    for (const skuId of ['y'.repeat(65), '😀'.repeat(65), 'ü'.repeat(65)]) {
      assertProblems(await put(api, skuPath(skuId), minimalSku()), [TOO_LONG]);
      assertProblems(await get(api, `${skuPath(skuId)}/price`), [TOO_LONG]);
    }
  });

  accepts('ADDR-08', '768 encoded characters', async (api) => {
    const segment = encodeURIComponent('🦆'.repeat(64));
    assert.equal(segment.length, 768);
    await uploadedAs(api, segment, '🦆'.repeat(64));
  });

  refuses('ADDR-08', 'more encoded characters', async (api) => {
    for (const segment of ['a'.repeat(769), '%61'.repeat(257), 'a'.repeat(8000)])
      assertProblems(await get(api, `/merchant-skus/${segment}`), [TOO_LONG]);
  });

  accepts('ADDR-09', 'ids that contain dots and other characters', async (api) => {
    for (const skuId of ['...', '.a', 'a.', '. .']) await uploadedAs(api, encodeURIComponent(skuId), skuId);
  });

  refuses('ADDR-09', 'the ids . and ..', async (api) => {
    for (const segment of ['.', '..', '%2E', '%2e%2E', '.%2e'])
      assertProblems(await put(api, `/merchant-skus/${segment}`, minimalSku()), [
        skuIdProblem('must not be "." or ".."'),
      ]);
    assertProblems(await get(api, '/merchant-skus/../price'), [skuIdProblem('must not be "." or ".."')]);
  });

  refuses('ADDR-10', 'NUL, and percent-encoding that is not UTF-8', async (api) => {
    const forbidden = skuIdProblem('must not contain NUL characters or unpaired surrogates');
    for (const segment of ['%00', 'a%00b']) assertProblems(await get(api, `/merchant-skus/${segment}`), [forbidden]);
    const undecodable = skuIdProblem('must be percent-encoded UTF-8');
    for (const segment of ['%', '%2', '%zz', '%ff', 'a%c3', '%ed%a0%80', '%c0%af', '%u0041'])
      assertProblems(await get(api, `/merchant-skus/${segment}`), [undecodable]);
  });

  refuses('ADDR-11', 'raw non-ASCII bytes in the request line', async (api) => {
    for (const raw of [Buffer.from('ü'), Buffer.from([0xfc]), Buffer.from('😀'), Buffer.from([0x7f])]) {
      const line = Buffer.concat([Buffer.from('GET /merchant-skus/'), raw, Buffer.from(' HTTP/1.1\r\n')]);
      const head = Buffer.from(`host: offerbook.example\r\nauthorization: Bearer ${api.token}\r\n\r\n`);
      const answer = await sendBytes(api.server.url, Buffer.concat([line, head]));
      assertProblems(answer, [requestProblem('request_malformed', 'The request is not valid HTTP.')]);
    }
  });

  accepts('ADDR-12', 'a request target in absolute form, whatever host it names', async (api) => {
    await authorizedAt(
      api,
      `${api.server.url}/authcheck`,
      'http://other.example/api/authcheck?x=/y',
      'HTTPS://o//authcheck/',
    );
  });

  refuses('ADDR-12', 'an absolute target of another scheme or without a path', async (api) => {
    await nothingAt(
      api,
      'ftp://other.example/authcheck',
      'http://other.example',
      'http://other.example?/authcheck',
      '*',
    );
  });

  accepts('ADDR-13', 'unknown query parameters and ignores them', async (api) => {
    const path = await api.uploadedSku();
    await authorizedAt(api, '/authcheck?', '/authcheck?sku=x&limit=0', '/authcheck?%zz=%zz', '/authcheck?a?b=/c');
    await api.accepted('PUT', `${path}/price?price=7&validate_only=true`, { price: 5 });
    assert.equal((await api.found(`${path}/price?price=9`)).price, 5);
    assert.deepEqual(await api.found(`${path}?fields=brand`), await api.found(path));
    const body = JSON.stringify({ user: 'demo-test-user', pass: 'demo-test-secret' });
    assert.equal((await sendRaw(api.server.url, { method: 'POST', target: '/token?user=x', body })).status, 200);
  });

  accepts('ADDR-22', 'encoded names, and lists with commas and repetition', async (api) => {
    await api.uploadedSku();
    const list = (await api.found('/merchant-skus?l%69mit=1')) as { sku_urls: readonly string[] };
    assert.equal(list.sku_urls.length, 1);
    const types = [
      'types=offer.updated,report.ready',
      'types=offer.updated&types=report.ready',
      'types=&types=offer.updated',
    ];
    for (const query of types) {
      const { events } = (await api.found(`/events?${query}`)) as { events: readonly { type: string }[] };
      assert.ok(
        events.some(({ type }) => type === 'offer.updated'),
        query,
      );
    }
  });
  refuses('ADDR-22', 'a repeated parameter that is not a list', async (api) => {
    for (const query of ['limit=1&limit=1', 'limit=1&offset=0&%6cimit=2']) {
      await api.refused('GET', `/merchant-skus?${query}`, undefined, [
        requestProblem('query_invalid', 'limit: must be sent only once.'),
      ]);
    }
  });

  accepts('ADDR-14', 'a page link that starts with PUBLIC_URL, never with the Host header', async (api) => {
    const nextLink = async (client: ApiClient) => {
      await client.uploadedSku();
      await client.uploadedSku();
      const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
      const headers = { authorization: `Bearer ${client.token}`, ...evil };
      const answer = await sendRaw(client.server.url, { target: '/merchant-skus?limit=1', headers });
      return answer.headers.get('link')?.replace(/\?.*/, '');
    };
    assert.equal(await nextLink(api), `<${api.server.url}/merchant-skus`);
    await withOwnServer(api.variant, { PUBLIC_URL: 'http://localhost:9/shop/' }, async (own) => {
      assert.equal(await nextLink(own), '<http://localhost:9/shop/merchant-skus');
    });
  });

  accepts('ADDR-15', 'a percent-encoded fulfillment node id in an address', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      const id = 'höhe 7/b';
      await withSetupStore(own.server.place, async (store) => {
        const merchant = await store.settings.readMerchant('demo');
        assert.ok(merchant);
        await store.settings.putNode(merchant.accounts.test, {
          id,
          rateKind: 'flat',
          methods: ['Freight'],
          levels: ['Standard'],
        });
      });
      const path = `/fulfillment-nodes/${encodeURIComponent(id)}`;
      await waitUntil('the new node', 60_000, async () => (await own.get(path)).status === 200 || undefined);
      assert.deepEqual(await own.found(path), {
        fulfillment_node_id: id,
        rate_kind: 'flat',
        shipping_methods: ['Freight'],
        service_levels: ['Standard'],
      });
    });
  });

  refuses('ADDR-15', 'a node id that is not set up', async (api) => {
    const problem = requestProblem('fulfillment_node_not_found', 'You have no fulfillment node with this id.');
    for (const id of ['nowhere', 'DEMO-NODE-EAST', '']) {
      await api.refused('GET', `/fulfillment-nodes/${id}${id === '' ? '/' : ''}`, undefined, [problem], 404);
    }
  });
});
