/** Tests dry runs: their parameter, their responses, preconditions and rate. */
import assert from 'node:assert/strict';
import { minimalSku, requestProblem, skuPath } from '../harness/api-client.ts';
import { describeApi, describeSharedApi } from '../harness/contract-cases.ts';
import { follow, newUpload } from './fixtures/bulk-files.ts';
import { DRY, group, shipping, stock, tried, verdictOf } from './fixtures/dry-runs.ts';
import { EAST } from './fixtures/merchant-setup.ts';

const VALUE_INVALID = requestProblem('query_invalid', 'dry_run: must be true or false.');
const REPEATED = requestProblem('query_invalid', 'dry_run: must be sent only once.');
const MISSPELLED = requestProblem(
  'query_invalid',
  'dry_run: the name is misspelled in the query. Send dry_run=true for a dry run, or remove the misspelled parameter.',
);
const NOT_SUPPORTED = requestProblem('query_invalid', 'dry_run: not supported by this call. Nothing was changed.');

describeSharedApi('dry run', ({ accepts, refuses }) => {
  accepts('DRY-01', 'a call with `dry_run=false` as without it', async (api) => {
    const path = skuPath(api.newSkuId());
    await api.accepted('PUT', `${path}?dry_run=false`, minimalSku());
    assert.equal((await api.get(path)).status, 200);
  });

  refuses('DRY-01', 'another value of `dry_run`, and stores nothing', async (api) => {
    const path = skuPath(api.newSkuId());
    for (const query of ['dry_run', 'dry_run=', 'dry_run=yes', 'dry_run=TRUE', 'dry_run=1', 'dry%5Frun=+true'])
      await api.refused('PUT', `${path}?${query}`, minimalSku(), [VALUE_INVALID]);
    for (const query of ['dry_run=true&dry_run=false', 'dry_run=false&a=1&dry%5frun=false', 'dry_run=false&dry_run=0'])
      await api.refused('PUT', `/api${path}?${query}`, minimalSku(), [REPEATED]);
    const text = 'dry_run: must be percent-encoded UTF-8.';
    await api.refused('PUT', `${path}?dry_run=%ff`, minimalSku(), [requestProblem('query_invalid', text)]);
    assert.equal((await api.get(path)).status, 404);
  });

  accepts('DRY-06', 'an encoded name, and similar names of other parameters', async (api) => {
    const path = skuPath(api.newSkuId());
    for (const query of ['dry%5Frun=true', '%64ry_run=%74rue', 'a=b&dry_run=true&dry_runs=1']) {
      assert.equal((await api.put(`/api${path}?${query}`, minimalSku())).status, 200, query);
    }
    assert.equal((await api.get(path)).status, 404);
    assert.equal((await api.get(`/merchant-skus?dryRun=true&dry_run=yes`)).status, 200, 'a read stores nothing');
    await api.accepted('PUT', `${path}?dry_runs=true&dry=run`, minimalSku());
  });
  refuses('DRY-06', 'other spellings, whatever their value, and stores nothing', async (api) => {
    const path = skuPath(api.newSkuId());
    const names = ['dryRun', 'dry-run', 'DRY_RUN', 'Dry_run', 'dryrun', 'dry+run', 'dry%2Drun', 'dry_run%5B%5D'];
    for (const name of [...names, 'dry%255Frun', 'dry%ffrun', ' dry_run'.replace(' ', '%20')]) {
      for (const value of ['=true', '', '=', '=false', '=%ff']) {
        await api.refused('PUT', `${path}?${name}${value}`, minimalSku(), [MISSPELLED]);
      }
    }
    await api.refused('PUT', `/api${path}?dry_run=false&dryRun=true`, minimalSku(), [MISSPELLED]);
    assert.equal((await api.get(path)).status, 404);
  });

  accepts('DRY-07', '`dry_run=false` on a call without a dry run', async (api) => {
    const path = await api.uploadedSku();
    assert.equal((await api.send('POST', `${path}/review?dry_run=false`)).status, 202);
  });
  refuses('DRY-07', 'dry runs of calls that have none, and changes nothing', async (api) => {
    const live = await api.inEnvironment('live');
    const path = await live.uploadedSku();
    const { url, fileId } = await newUpload(live);
    await follow(live, url, { method: 'PUT', body: '{}' });
    const stored = async () => [await live.found('/webhooks'), (await live.get(`/files/${fileId}`)).status];
    const before = await stored();
    for (const [method, target, body] of [
      ['POST', '/files/uploaded', { url, file_type: 'Price', file_name: 'prices.json' }],
      ['POST', `/files/${fileId}/cancel`, undefined],
      ['POST', '/webhooks', { url: 'https://hooks.example/' }],
      ['POST', '/reports/ProductStatus', undefined],
      ['POST', `${path}/review`, undefined],
    ] as const) {
      for (const value of ['true', 'yes', '']) {
        await live.refused(method, `${target}?dry_run=${value}`, body, [NOT_SUPPORTED]);
      }
      await live.refused(method, `${target}?dryRun=true`, body, [MISSPELLED]);
    }
    assert.deepEqual(await stored(), before);
  });

  accepts('DRY-02', 'changes as pointers with the value before and after', async (api) => {
    const path = skuPath(api.newSkuId());
    const stored = { ...minimalSku(), prop_65: false };
    const { changes, status, sub_status, ...rest } = await tried(api, 'PUT', path, { ...minimalSku(), bulets: ['a'] });
    assert.deepEqual(changes, [{ pointer: '/sku', before: null, after: stored }]);
    assert.deepEqual([status, sub_status], ['Under Jet Review', ['Missing price']]);
    assert.deepEqual(rest, { ignored_fields: ['/bulets'], pending: ['catalog'] });

    await api.accepted('PUT', path, minimalSku());
    await api.found(path);
    const again = { ...minimalSku(), product_title: 'Another title', bullets: ['a', 'b'] };
    assert.deepEqual((await tried(api, 'PUT', path, again)).changes, [
      { pointer: '/sku/product_title', before: minimalSku().product_title, after: 'Another title' },
      { pointer: '/sku/bullets', before: null, after: ['a', 'b'] },
    ]);
    const priced = await tried(api, 'PUT', `${path}/price`, { price: 5 });
    assert.deepEqual(priced, {
      changes: [{ pointer: '/price', before: null, after: { price: 5, fulfillment_nodes: [] } }],
      ignored_fields: [],
      status: 'Available For Purchase',
      sub_status: [],
      pending: [],
      position: { product_code: 'gtin:00012345678905', is_shown: false },
    });
    await api.accepted('PATCH', `${path}/inventory`, stock(3, 0));
    assert.deepEqual((await tried(api, 'PATCH', `${path}/inventory`, stock(4, 0))).changes, [
      { pointer: `/inventory/${EAST}`, before: 3, after: 4 },
    ]);
    const archived = await tried(api, 'PUT', `${path}/status/archive`, { is_archived: true });
    assert.deepEqual(archived.changes, [
      { pointer: '/archive/is_archived', before: false, after: true },
      { pointer: `/inventory/${EAST}`, before: 3, after: 0 },
    ]);
    assert.deepEqual(
      [archived.status, archived.sub_status],
      ['Archived', ['Missing shipping weight', 'Missing price']],
    );
    const shipped = await tried(api, 'PUT', `${path}/shippingexception`, shipping('Standard'));
    assert.deepEqual(shipped.changes, [{ pointer: '/shipping_exception', before: null, after: shipping('Standard') }]);
    assert.deepEqual((await tried(api, 'PUT', `${path}/shippingexception`, {})).changes, []);
    assert.deepEqual((await tried(api, 'PUT', path, minimalSku())).changes, []);
  });

  accepts('DRY-02', 'ids beyond 2^53 exactly, and names of fields in the response', async (api) => {
    const path = skuPath(api.newSkuId());
    const attribute = '{"attribute_id":9223372036854775807,"attribute_value":"red"}';
    const body = JSON.stringify(minimalSku()).replace(/\}$/, `,"attributes_node_specific":[${attribute}]}`);
    const answer = await api.put(`${path}${DRY}`, body);
    assert.ok(answer.text.includes(`"attributes_node_specific":[${attribute}]`), answer.text);
    assert.ok(answer.text.includes('"marketplace_browse_node_id":1010100'), answer.text);
  });

  refuses('DRY-02', 'what the call would refuse, with the same status, errors and ignored fields', async (api) => {
    const path = await api.uploadedSku();
    const gone = await api.uploadedSku();
    await api.accepted('PUT', `${gone}/status/archive`, { is_archived: true });
    const rows: readonly (readonly [string, string, unknown])[] = [
      ['PUT', path, { product_title: 'x', unknown: 1 }],
      ['PUT', `${path}/v2`, minimalSku()],
      ['PUT', `${path}/price`, '{"price":'],
      ['PUT', `${path}/price`, { price: 0, was: 1 }],
      ['PUT', `${gone}/price`, { price: 1 }],
      ['PUT', `${skuPath('nobody')}/price`, { price: 1 }],
      ['PATCH', `${gone}/inventory`, { fulfillment_nodes: [{ fulfillment_node_id: 'nowhere', quantity: 1 }] }],
      ['PATCH', `${path}/inventory`, { fulfillment_nodes: [{ fulfillment_node_id: 'nowhere', quantity: 1 }] }],
      ['PUT', `${path}/variation`, group('nobody')],
      ['PUT', `${path}/shippingexception`, shipping('Next Day', 'restricted')],
      ['PUT', `${path}/returnsexception`, { return_location_ids: ['nowhere'] }],
      ['PUT', `${skuPath('nobody')}/status/archive`, { is_archived: true }],
      ['PUT', '/merchant-skus/%00', minimalSku()],
    ];
    for (const [method, target, body] of rows) {
      const dry = await api.send(method, `${target}${DRY}`, body);
      const real = await api.send(method, target, body);
      assert.ok(real.status >= 400, `${method} ${target}: ${real.text}`);
      assert.deepEqual(verdictOf(dry), verdictOf(real), `${method} ${target}`);
    }
  });
});

const LIMIT = 4;
describeSharedApi('dry run with a precondition', ({ accepts, refuses }) => {
  accepts('DRY-05', 'the `ETag` of the part, and all parts of an offer', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    const etag = (await api.get(`${path}/price`)).headers.get('etag') ?? '';
    const answer = await api.send('PUT', `${path}/price${DRY}`, { price: 6 }, { 'if-match': etag });
    assert.equal(answer.status, 200, answer.text);
    const offer = skuPath(api.newSkuId());
    const { changes, sub_status } = await tried(api, 'PUT', `${offer}/offer`, {
      sku: minimalSku(),
      price: { price: 6 },
      inventory: stock(2),
    });
    assert.deepEqual(
      changes.map(({ pointer, before }) => [pointer, before]),
      [
        ['/sku', null],
        ['/price', null],
        [`/inventory/${EAST}`, null],
      ],
    );
    assert.deepEqual(sub_status, []);
    assert.equal((await api.get(offer)).status, 404);
  });

  refuses('DRY-05', 'another `ETag` with 412 and the current one, as the call does', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    const etag = (await api.get(`${path}/price`)).headers.get('etag');
    for (const headers of [{ 'if-match': '"other"' }, { 'if-none-match': '*' }]) {
      const dry = await api.send('PUT', `${path}/price${DRY}`, { price: 6 }, headers);
      assert.deepEqual([dry.status, dry.headers.get('etag')], [412, etag]);
      const real = await api.send('PUT', `${path}/price`, { price: 6 }, headers);
      assert.deepEqual(verdictOf(dry), verdictOf(real));
    }
    const whole = (query: string) =>
      api.send('PUT', `${path}/offer${query}`, { price: { price: 6 } }, { 'if-match': String(etag) });
    const dry = await whole(DRY);
    assert.equal(dry.status, 412, 'the tag of a part is not the tag of the whole offer');
    assert.deepEqual(verdictOf(dry), verdictOf(await whole('')));
  });
});

describeApi(
  'rate of dry runs',
  ({ accepts, refuses }) => {
    accepts('DRY-04', 'dry runs apart from requests', async (api) => {
      const path = await api.uploadedSku();
      const before = (await api.get(path)).headers.get('ratelimit-remaining');
      const dry = await api.put(`${path}/price${DRY}`, { price: 1 });
      assert.deepEqual(
        ['limit', 'remaining'].map((name) => dry.headers.get(`ratelimit-${name}`)),
        [String(LIMIT), String(LIMIT - 1)],
      );
      assert.equal(dry.headers.get('ratelimit-policy'), `"dry-runs";q=${LIMIT};w=60`);
      assert.equal(dry.headers.get('ratelimit'), `"dry-runs";r=${LIMIT - 1};t=60`);
      assert.equal((await api.get(path)).headers.get('ratelimit-remaining'), String(Number(before) - 1));
    });

    refuses('DRY-04', 'a dry run beyond the limit, but not the call itself', async (api) => {
      api.server.passTime(60_000);
      const path = await api.uploadedSku();
      for (let n = 0; n < LIMIT; n++) await tried(api, 'PUT', `${path}/price`, { price: 1 });
      const refused = await api.put(`${path}/price${DRY}`, { price: 1 });
      assert.deepEqual([refused.status, refused.headers.get('ratelimit-remaining')], [429, '0']);
      await api.accepted('PUT', `${path}/price`, { price: 1 });
      api.server.passTime(60_000);
      await tried(api, 'PUT', `${path}/price`, { price: 1 });
    });
  },
  { DRY_RUNS_PER_MINUTE: String(LIMIT) },
);
