/** Tests the write of a whole offer: several parts of a SKU in one call. */
import assert from 'node:assert/strict';
import {
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
});
