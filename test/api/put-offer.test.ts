/** Tests the calls on a whole offer, which read all parts of a SKU and write several. */
import assert from 'node:assert/strict';
import {
  type ApiAnswer,
  type ApiClient,
  assertProblems,
  minimalSku,
  problemAt,
  requestProblem,
  skuPath,
} from '../harness/api-client.ts';
import { describeSharedOnBoth } from '../harness/contract-cases.ts';
import { archivedSku, refusesArchivedSku, refusesUnknownSku, skuArchived, skuUnknown } from './fixtures/check-order.ts';
import { EAST, RETURNS_EAST } from './fixtures/merchant-setup.ts';
import { together } from './fixtures/parallel.ts';
import { INCLUDE, nodeWith } from './fixtures/shipping-bodies.ts';

const PARTS = 'sku, price, inventory, shipping_exception, returns_exception';
const AMOUNT = 'must be a number from 0.01 to 1000000000';
const NODE_UNKNOWN = 'must be one of your fulfillment nodes: see GET /fulfillment-nodes';

const stock = (quantity: unknown, node = EAST) => ({ fulfillment_nodes: [{ fulfillment_node_id: node, quantity }] });
const ofParts = (n: number) => ({ price: { price: n }, inventory: stock(n) });
const NEW_ONLY = { 'If-None-Match': '*' };
const exceptions = {
  shipping_exception: { fulfillment_nodes: [nodeWith(EAST, INCLUDE)] },
  returns_exception: { return_location_ids: [RETURNS_EAST] },
};

const INT64_MAX = 9_223_372_036_854_775_807n;
const SKU = { ...minimalSku(), prop_65: false };
const PRICE_MISSING = {
  check: 'price',
  code: 'missing_price',
  sub_status: 'Missing price',
  next: 'merchant',
  remedy: 'Add a price.',
};

/** Reads the whole offer after its review. */
async function readOffer(api: ApiClient, path: string): Promise<Record<string, unknown>> {
  await api.found(path);
  const answer = await api.get(`${path}/offer`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as Record<string, unknown>;
}

/** Price, quantity and title as they are stored; undefined for a part that is not. */
async function stored(api: ApiClient, path: string) {
  const read = async (part: string) => ((await api.get(path + part)).body ?? {}) as Record<string, unknown>;
  const [sku, price, inventory] = [await read(''), await read('/price'), await read('/inventory')];
  const [node] = (inventory.fulfillment_nodes ?? []) as { quantity: number }[];
  return { title: sku.product_title, price: price.price, quantity: node?.quantity };
}

const bodyOf = (parts: Record<string, unknown>) => async (api: ApiClient) =>
  api.put(`${await api.uploadedSku()}/offer`, parts);

describeSharedOnBoth('whole offer', ({ accepts, refuses, bounds }) => {
  accepts('OFFER-01', 'all parts of a new SKU', async (api) => {
    const path = skuPath(api.newSkuId());
    await api.accepted('PUT', `${path}/offer`, {
      sku: { ...minimalSku(), ...api.newProductCodes() },
      ...ofParts(7),
      ...exceptions,
    });
    assert.deepEqual(await stored(api, path), { title: minimalSku().product_title, price: 7, quantity: 7 });
    const { status, return_location_ids, fulfillment_nodes } = await api.found(path);
    assert.equal(status, 'Available For Purchase');
    assert.deepEqual(
      { return_location_ids, fulfillment_nodes },
      {
        ...exceptions.returns_exception,
        ...exceptions.shipping_exception,
      },
    );
  });
  accepts('OFFER-01', 'some parts of an existing SKU, and leaves the others alone', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/offer`, ofParts(7));
    await api.accepted('PUT', `${path}/offer`, { sku: { ...minimalSku(), product_title: 'Another title' } });
    await api.accepted('PUT', `${path}/offer`, { inventory: stock(8), price: null });
    assert.deepEqual(await stored(api, path), { title: 'Another title', price: 7, quantity: 8 });
  });
  accepts('OFFER-01', 'a shoe, and empty exceptions, which clear', async (api) => {
    const path = skuPath(api.newSkuId());
    const shoe = { ...minimalSku(), product_type_id: 37_005_032_000, marketplace_browse_node_id: undefined };
    await api.accepted('PUT', `${path}/offer`, { sku: shoe, ...exceptions });
    await api.accepted('PUT', `${path}/offer`, { shipping_exception: {}, returns_exception: {} });
    const read = await api.foundNow(path);
    assert.equal(read.product_type_id, 37_005_032_000);
    assert.deepEqual([read.fulfillment_nodes, read.return_location_ids], [undefined, undefined]);
  });

  bounds('OFFER-02', {
    send: (api, parts) => bodyOf(parts)(api),
    accepted: { 'one part': { price: { price: 5 } } },
    refused: {
      'no part': { body: {}, problems: [requestProblem('required', `The body must have at least one of: ${PARTS}`)] },
      'unknown and null parts only': {
        body: { prices: {}, price: null },
        problems: [requestProblem('required', `The body must have at least one of: ${PARTS}`)],
      },
      'parts that are not objects': {
        body: { price: 5, inventory: [] },
        problems: [
          problemAt('wrong_type', 'price', 'must be an object'),
          problemAt('wrong_type', 'inventory', 'must be an object'),
        ],
      },
    },
  });

  accepts('OFFER-03', 'unknown parts and fields, which are ignored and named', async (api) => {
    const body = { variation: {}, price: { price: 5, note: 1 } };
    const { headers } = await api.accepted('PUT', `${await api.uploadedSku()}/offer`, body);
    assert.equal(headers.get('x-ignored-fields'), '%2Fvariation, %2Fprice%2Fnote');
  });

  refuses('OFFER-04', 'the problems of all parts at once, and stores none of them', async (api) => {
    const path = await api.uploadedSku();
    const before = await stored(api, path);
    const body = {
      sku: { ...minimalSku(), brand: '', product_title: 'x' },
      price: { price: 0 },
      inventory: stock(-1),
      shipping_exception: { fulfillment_nodes: null },
      returns_exception: { return_location_ids: ['nowhere'] },
    };
    const { status, body: answer } = await api.put(`${path}/offer`, body);
    const fields = (answer as { details: { field: string }[] }).details.map(({ field }) => field);
    assert.equal(status, 400);
    assert.deepEqual(fields, [
      '/sku/product_title',
      '/sku/brand',
      '/price/price',
      '/inventory/fulfillment_nodes/0/quantity',
      '/shipping_exception/fulfillment_nodes',
      '/returns_exception/return_location_ids/0',
    ]);
    await api.refused('PUT', `${path}/offer`, { price: { price: 0 }, inventory: stock(1, 'nowhere') }, [
      problemAt('too_small', 'price.price', AMOUNT),
      problemAt('fulfillment_node_unknown', 'inventory.fulfillment_nodes[0].fulfillment_node_id', NODE_UNKNOWN),
    ]);
    assert.deepEqual(await stored(api, path), before);
  });
  refuses('OFFER-04', 'at most 100 problems of all parts', async (api) => {
    const nodes = Array(80).fill({ fulfillment_node_id: 'nowhere', quantity: 1, fulfillment_node_price: 1 });
    const body = { price: { price: 5, fulfillment_nodes: nodes }, inventory: { fulfillment_nodes: nodes } };
    const answer = await api.put(`${await api.uploadedSku()}/offer`, body);
    const { details } = answer.body as { details: { code: string; field: string }[] };
    assert.equal(details.length, 100);
    assert.deepEqual([details.at(-1)?.code, details.at(-1)?.field], ['more_problems', '']);
  });
  refuses('OFFER-04', 'forbidden characters, wherever they are', async (api) => {
    const body = '{"price":{"price":5},"sku":{"brand":"\\u0000"},"x\\u0000":1}';
    const answer = await api.put(`${await api.uploadedSku()}/offer`, body);
    assert.equal(answer.status, 400);
    assert.match(answer.text, /"code":"forbidden_character","field":"\/sku\/brand"/);
  });

  refuses('OFFER-05', 'an unknown SKU without its data, and an archived one', async (api) => {
    await refusesUnknownSku(api, 'PUT', 'offer', ofParts(1));
    await refusesArchivedSku(api, 'PUT', 'offer', { sku: minimalSku(), ...ofParts(1) });
  });
  refuses('OFFER-05', 'in the order of checks', async (api) => {
    const misfit = { price: { price: 5 }, inventory: stock(1, 'nowhere') };
    const problem = problemAt(
      'fulfillment_node_unknown',
      'inventory.fulfillment_nodes[0].fulfillment_node_id',
      NODE_UNKNOWN,
    );
    const unknown = api.newSkuId();
    await api.refused('PUT', `${skuPath(unknown)}/offer`, misfit, [skuUnknown(unknown)], 404);
    await api.refused('PUT', `${skuPath(unknown)}/offer`, { sku: minimalSku(), ...misfit }, [problem]);
    assert.equal((await api.get(skuPath(unknown))).status, 404);
    const archived = await archivedSku(api);
    await api.refused('PUT', `${skuPath(archived)}/offer`, { sku: minimalSku(), ...misfit }, [skuArchived(archived)]);
    await api.refused('PUT', `${await api.uploadedSku()}/offer`, misfit, [problem]);
  });

  accepts('OFFER-06', '40 offers at once to one SKU, of which one is stored completely', async (api) => {
    const path = skuPath(api.newSkuId());
    await together(40, (n) =>
      api.accepted('PUT', `${path}/offer`, {
        sku: { ...minimalSku(), product_title: `Title ${n + 1}` },
        ...ofParts(n + 1),
      }),
    );
    const { title, price, quantity } = await stored(api, path);
    assert.deepEqual([title, quantity], [`Title ${price}`, price]);
  });

  accepts('OFFER-07', 'a new SKU with If-None-Match, of 10 at once exactly one', async (api) => {
    const path = skuPath(api.newSkuId());
    const offer = (n: number) => ({ sku: { ...minimalSku(), product_title: `Title ${n + 1}` }, ...ofParts(n + 1) });
    const tried = await api.send('PUT', `${path}/offer?dry_run=true`, offer(0), NEW_ONLY);
    assert.equal(tried.status, 200);
    const statuses: number[] = [];
    await together(10, async (n) => {
      statuses.push((await api.send('PUT', `${path}/offer`, offer(n), NEW_ONLY)).status);
    });
    assert.deepEqual(statuses.sort(), [202, ...Array(9).fill(412)]);
    const { title, price, quantity } = await stored(api, path);
    assert.deepEqual([title, quantity], [`Title ${price}`, price]);
  });
  refuses('OFFER-07', 'an existing SKU with If-None-Match, and changes no part of it', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/offer`, ofParts(7));
    const before = await stored(api, path);
    const body = { sku: { ...minimalSku(), product_title: 'Another title' }, ...ofParts(8) };
    for (const query of ['', '?dry_run=true']) {
      const answer = await api.send('PUT', `${path}/offer${query}`, body, NEW_ONLY);
      assert.equal(answer.status, 412);
      assert.match(String(answer.headers.get('etag')), /^"[\w-]{27}"$/);
    }
    assert.deepEqual(await stored(api, path), before);
  });
  accepts('OFFER-09', 'a chain of whole offers under the tag of the last response, without reads', async (api) => {
    const path = `${skuPath(api.newSkuId())}/offer`;
    const bodies = [
      { sku: minimalSku(), ...ofParts(1), ...exceptions },
      ofParts(2),
      { inventory: stock(3) },
      { price: { price: 4 } },
      { shipping_exception: {}, returns_exception: {} },
    ];
    const tags: (string | null)[] = [];
    for (const body of bodies) {
      const headers = tags.length === 0 ? NEW_ONLY : { 'If-Match': String(tags.at(-1)) };
      assert.equal((await api.send('PUT', `${path}?dry_run=true`, body, headers)).status, 200);
      const answer = await api.send('PUT', path, body, headers);
      assert.deepEqual([answer.status, answer.text], [202, '']);
      tags.push(answer.headers.get('etag'));
    }
    assert.equal(new Set(tags).size, bodies.length);
    assert.equal((await api.put(path, bodies[3])).headers.get('etag'), tags.at(-1), 'the same content, the same tag');
  });
  refuses('OFFER-09', 'a whole offer if any of its parts has changed, and changes nothing', async (api) => {
    const path = await api.uploadedSku();
    const { headers } = await api.put(`${path}/offer`, { ...ofParts(7), ...exceptions });
    const tag = String(headers.get('etag'));
    await api.accepted('PUT', `${path}/status/archive`, { is_archived: false });
    for (const [method, part, body] of [
      ['PUT', '', { ...minimalSku(), product_title: 'Another title' }],
      ['PUT', '/price', { price: 8 }],
      ['PATCH', '/inventory', stock(8)],
      ['PUT', '/shippingexception', {}],
      ['PUT', '/returnsexception', {}],
    ] as const) {
      await api.accepted(method, path + part, body);
      const before = await stored(api, path);
      for (const query of ['', '?dry_run=true']) {
        const answer = await api.send('PUT', `${path}/offer${query}`, ofParts(9), { 'If-Match': tag });
        assert.equal(answer.status, 412, part);
        assert.notEqual(answer.headers.get('etag'), tag);
        assert.deepEqual(await stored(api, path), before);
      }
      // Restores the state that the tag stands for.
      const current = await api.put(`${path}/offer`, { sku: minimalSku(), ...ofParts(7), ...exceptions });
      assert.equal(current.headers.get('etag'), tag, part);
    }
  });
  refuses('OFFER-07', 'If-None-Match without the SKU, and malformed headers', async (api) => {
    const path = `${await api.uploadedSku()}/offer`;
    for (const [headers, body, text] of [
      [NEW_ONLY, ofParts(1), 'If-None-Match: is only supported with sku in the body.'],
      [{ 'If-None-Match': '"x"' }, { sku: minimalSku() }, 'If-None-Match: must be * on a write.'],
      [{ 'If-Match': 'x' }, ofParts(1), 'If-Match: must be * or a comma-separated list of ETags in double quotes.'],
    ] as const) {
      assertProblems(await api.send('PUT', path, body, headers), [requestProblem('header_invalid', text)]);
    }
  });

  accepts('OFFER-08', 'a whole offer as one request towards the limit', async (api) => {
    const path = await api.uploadedSku();
    const remaining = async () => {
      const { headers } = await api.accepted('PUT', `${path}/offer`, { sku: minimalSku(), ...ofParts(1) });
      return Number(headers.get('ratelimit-remaining'));
    };
    const first = await remaining();
    assert.ok(first - (await remaining()) <= 1);
  });

  accepts('OFFER-10', 'a SKU with its data alone, without the parts that are not set', async (api) => {
    const skuId = api.newSkuId();
    await api.uploadedSku({}, skuId);
    assert.deepEqual(await readOffer(api, skuPath(skuId)), {
      merchant_sku: skuId,
      is_archived: false,
      status: 'Missing Listing Data',
      sub_status: ['Missing price'],
      issues: [PRICE_MISSING],
      sku: SKU,
      inventory: { fulfillment_nodes: [] },
    });
  });
  accepts('OFFER-10', 'all parts, each as the body of its own call, and the variation group', async (api) => {
    const skuId = `a/b "c" é ${api.newSkuId()}`;
    const path = skuPath(skuId);
    const attributes_node_specific = (attribute_value: string) => [{ attribute_id: INT64_MAX, attribute_value }];
    const data = { ...minimalSku(), ...api.newProductCodes(), attributes_node_specific: attributes_node_specific('S') };
    const price = { price: 7, fulfillment_nodes: [{ fulfillment_node_id: EAST, fulfillment_node_price: 6.5 }] };
    const parts = { sku: data, price, inventory: stock(8), ...exceptions };
    await api.accepted('PUT', `${path}/offer`, parts);
    const child = api.newSkuId();
    await api.uploadedSku({ attributes_node_specific: attributes_node_specific('M') }, child);
    const variation = { relationship: 'Variation', variation_refinements: [INT64_MAX], children_skus: [child] };
    await api.accepted('PUT', `${path}/variation`, variation);
    const read = { merchant_sku: skuId, is_archived: false, ...parts, sku: { ...data, prop_65: false }, variation };
    assert.deepEqual(await readOffer(api, path), {
      ...read,
      status: 'Available For Purchase',
      sub_status: [],
      issues: [],
    });
    await api.accepted('PUT', `${path}/status/archive`, { is_archived: true });
    const { issues, ...archived } = await readOffer(api, path);
    assert.deepEqual(archived, { ...read, is_archived: true, status: 'Archived', sub_status: [], inventory: stock(0) });
    assert.deepEqual(
      (issues as { code: string }[]).map(({ code }) => code),
      ['archived'],
    );
  });
  refuses('OFFER-10', 'a SKU that was never uploaded', async (api) => {
    const skuId = api.newSkuId();
    await api.refused('GET', `${skuPath(skuId)}/offer`, undefined, [skuUnknown(skuId)], 404);
  });

  accepts('OFFER-11', 'the response and its tag as the next write, which then changes nothing', async (api) => {
    const path = await api.uploadedSku();
    const { headers } = await api.put(`${path}/offer`, { ...ofParts(7), ...exceptions });
    const read = await api.get(`${path}/offer`);
    assert.equal(read.headers.get('etag'), headers.get('etag'));
    const ifMatch = { 'If-Match': String(read.headers.get('etag')) };
    const dryRun = await api.send('PUT', `${path}/offer?dry_run=true`, read.body, ifMatch);
    assert.deepEqual([dryRun.status, (dryRun.body as { changes: unknown }).changes], [200, []]);
    const written = await api.send('PUT', `${path}/offer`, read.body, ifMatch);
    assert.deepEqual([written.status, written.headers.get('etag')], [202, headers.get('etag')]);
    const ignored = 'merchant_sku, is_archived, status, sub_status, issues';
    assert.equal(written.headers.get('x-ignored-fields'), ignored.replaceAll(/\w+/g, '%2F$&'));
  });
  accepts('OFFER-11', 'If-None-Match, and returns the data, because the tag does not cover the status', async (api) => {
    const path = await api.uploadedSku();
    const tag = String((await api.get(`${path}/offer`)).headers.get('etag'));
    await api.accepted('PUT', `${path}/status/archive`, { is_archived: true });
    const read = await api.send('GET', `${path}/offer`, undefined, { 'If-None-Match': tag });
    const { status } = read.body as { status: string };
    assert.deepEqual([read.status, read.headers.get('etag'), status], [200, tag, 'Archived']);
  });
  refuses('OFFER-11', 'the tag once a part has changed, with the tag that the next read returns', async (api) => {
    const path = await api.uploadedSku();
    const read = await api.get(`${path}/offer`);
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    const ifMatch = { 'If-Match': String(read.headers.get('etag')) };
    const answer = await api.send('PUT', `${path}/offer`, read.body, ifMatch);
    assert.equal(answer.status, 412);
    assert.equal(answer.headers.get('etag'), (await api.get(`${path}/offer`)).headers.get('etag'));
  });

  accepts('OFFER-12', 'reads during writes, which return all parts of one of them', async (api) => {
    const path = skuPath(api.newSkuId());
    const offer = (n: number) => ({ sku: { ...minimalSku(), product_title: `Title ${n}` }, ...ofParts(n) });
    const tags = new Map<number, string | null>();
    const write = async (n: number) =>
      tags.set(n, (await api.accepted('PUT', `${path}/offer`, offer(n))).headers.get('etag'));
    await write(1);
    const reads: ApiAnswer[] = [];
    await together(60, async (n) => {
      if (n % 2 === 0) await write(n + 2);
      else reads.push(await api.get(`${path}/offer`));
    });
    for (const { body, headers } of reads) {
      const { sku, price, inventory } = body as { sku: object; price: { price: number }; inventory: object };
      const n = price.price;
      assert.deepEqual(
        { sku, price: price.price, inventory },
        { ...offer(n), sku: { ...offer(n).sku, prop_65: false }, price: n },
      );
      assert.equal(headers.get('etag'), tags.get(n));
    }
  });

  accepts('OFFER-13', 'an offer with several issues, which the read lists with what to do', async (api) => {
    const path = await api.uploadedSku({ brand: ' ' });
    await api.found(path);
    const { checks } = (await api.get(`${path}/review`)).body as { checks: Record<string, unknown>[] };
    const failed = checks.filter(({ state }) => state === 'failed').map(({ state, evidence, ...issue }) => issue);
    const { issues, sub_status } = await readOffer(api, path);
    assert.deepEqual(issues, failed);
    assert.deepEqual(sub_status, ['Missing price', 'Missing brand']);
    assert.deepEqual(
      (issues as unknown[]).find((issue) => (issue as { check: string }).check === 'price'),
      PRICE_MISSING,
    );
  });
});
