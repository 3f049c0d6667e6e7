/** Tests the price of a SKU: upload and read. */
import assert from 'node:assert/strict';
import { type ApiClient, problemAt, requestProblem } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { archive, assertCheckOrder, refusesArchivedSku, refusesUnknownSku } from './fixtures/check-order.ts';
import { EAST, WEST } from './fixtures/merchant-setup.ts';
import { together } from './fixtures/parallel.ts';

const RANGE = 'must be a number from 0.01 to 1000000000';
const NODE_UNKNOWN = 'must be one of your fulfillment nodes: see GET /fulfillment-nodes';

const sendPrice = async (api: ApiClient, body: Record<string, unknown>) =>
  api.put(`${await api.uploadedSku()}/price`, body);

const nodePrice = (fulfillment_node_id: unknown, fulfillment_node_price: unknown) => ({
  fulfillment_node_id,
  fulfillment_node_price,
});

/** Returns the price without its time. */
async function readPrice(api: ApiClient, path: string): Promise<unknown> {
  const { price_last_update: _time, ...rest } = await api.found(`${path}/price`);
  return rest;
}

describeSharedApi('price', ({ accepts, refuses, bounds }) => {
  bounds('PRICE-01', {
    send: sendPrice,
    accepted: { 'a price alone': { price: 5 } },
    refused: {
      'no price': { body: {}, problems: [problemAt('required', 'price', 'is required')] },
      'a misspelled price': {
        body: { prise: 1 },
        problems: [problemAt('required', 'price', 'is required (Did you send it as "prise"?)')],
      },
      'a null price': { body: { price: null }, problems: [problemAt('required', 'price', 'is required')] },
    },
  });

  bounds('PRICE-02', {
    send: sendPrice,
    accepted: { 'the least price': { price: 0.01 }, 'the greatest price': { price: 1e9 } },
    refused: {
      'a price below': { body: { price: 0.0099 }, problems: [problemAt('too_small', 'price', RANGE)] },
      'a negative price': { body: { price: -1 }, problems: [problemAt('too_small', 'price', RANGE)] },
      'a price above': { body: { price: 1_000_000_000.01 }, problems: [problemAt('too_large', 'price', RANGE)] },
    },
  });

  for (const [what, text, code] of [
    ['a number in quotes', '"10"', 'wrong_type'],
    ['a truth value', 'true', 'wrong_type'],
    ['a list', '[10]', 'wrong_type'],
    ['an object', '{}', 'wrong_type'],
    ['more than a double holds', '1e400', 'too_large'],
    ['less than a double holds', '-1e400', 'too_small'],
    ['a large whole number', '9007199254740993', 'too_large'],
  ] as const) {
    refuses('PRICE-03', `${what} as a price`, async (api) => {
      const path = await api.uploadedSku();
      await api.refused('PUT', `${path}/price`, `{"price": ${text}}`, [problemAt(code, 'price', RANGE)]);
    });
  }
  accepts('PRICE-03', 'every way to write a JSON number', async (api) => {
    const path = await api.uploadedSku();
    for (const [text, price] of [
      ['19', 19],
      ['19.0', 19],
      ['1.999e1', 19.99],
      ['0.1', 0.1],
    ] as const) {
      await api.accepted('PUT', `${path}/price`, `{"price": ${text}}`);
      assert.deepEqual(await readPrice(api, path), { price, fulfillment_nodes: [] });
    }
  });

  bounds('PRICE-04', {
    send: sendPrice,
    accepted: {
      'an empty list of nodes': { price: 5, fulfillment_nodes: [] },
      'a null list of nodes': { price: 5, fulfillment_nodes: null },
      'the price of a node': { price: 5, fulfillment_nodes: [nodePrice(EAST, 4)] },
    },
    refused: {
      'an object in place of the list': {
        body: { price: 5, fulfillment_nodes: nodePrice(EAST, 4) },
        problems: [problemAt('wrong_type', 'fulfillment_nodes', 'must be a list')],
      },
      'an entry that is not an object': {
        body: { price: 5, fulfillment_nodes: [EAST] },
        problems: [problemAt('wrong_type', 'fulfillment_nodes[0]', 'must be an object')],
      },
    },
  });

  bounds('PRICE-05', {
    send: sendPrice,
    accepted: { 'an element with both members': { price: 5, fulfillment_nodes: [nodePrice(WEST, 4.5)] } },
    refused: {
      'an element without its members': {
        body: { price: 5, fulfillment_nodes: [{}] },
        problems: [
          problemAt('required', 'fulfillment_nodes[0].fulfillment_node_id', 'is required'),
          problemAt('required', 'fulfillment_nodes[0].fulfillment_node_price', 'is required'),
        ],
      },
      'an id that is not a text': {
        body: { price: 5, fulfillment_nodes: [nodePrice(7, 4)] },
        problems: [problemAt('wrong_type', 'fulfillment_nodes[0].fulfillment_node_id', 'must be a string')],
      },
    },
  });

  bounds('PRICE-06', {
    send: sendPrice,
    accepted: {
      'the least node price': { price: 5, fulfillment_nodes: [nodePrice(EAST, 0.01)] },
      'the greatest node price': { price: 5, fulfillment_nodes: [nodePrice(EAST, 1e9)] },
    },
    refused: {
      'a node price below': {
        body: { price: 5, fulfillment_nodes: [nodePrice(EAST, 0.009)] },
        problems: [problemAt('too_small', 'fulfillment_nodes[0].fulfillment_node_price', RANGE)],
      },
      'a node price above': {
        body: { price: 5, fulfillment_nodes: [nodePrice(EAST, 4), nodePrice(WEST, 1_000_000_001)] },
        problems: [problemAt('too_large', 'fulfillment_nodes[1].fulfillment_node_price', RANGE)],
      },
      'a node price in quotes': {
        body: { price: 5, fulfillment_nodes: [nodePrice(EAST, '4')] },
        problems: [problemAt('wrong_type', 'fulfillment_nodes[0].fulfillment_node_price', RANGE)],
      },
    },
  });

  bounds('PRICE-07', {
    send: sendPrice,
    accepted: { '1,000 node prices': { price: 5, fulfillment_nodes: Array(1000).fill(nodePrice(EAST, 4)) } },
    refused: {
      '1,001 entries, and checks none of them': {
        body: { price: 5, fulfillment_nodes: Array(1001).fill({}) },
        problems: [problemAt('too_many', 'fulfillment_nodes', 'must have at most 1000 entries')],
      },
    },
  });

  bounds('PRICE-08', {
    send: sendPrice,
    accepted: {
      'all nodes of the merchant': { price: 5, fulfillment_nodes: [nodePrice(EAST, 4), nodePrice(WEST, 6)] },
    },
    refused: {
      'unknown nodes': {
        body: {
          price: 5,
          fulfillment_nodes: [nodePrice('nowhere', 4), nodePrice(EAST, 4), nodePrice(EAST.toUpperCase(), 4)],
        },
        problems: [0, 2].map((index) =>
          problemAt('fulfillment_node_unknown', `fulfillment_nodes[${index}].fulfillment_node_id`, NODE_UNKNOWN),
        ),
      },
      'an id of 2,000 characters for no node': {
        body: { price: 5, fulfillment_nodes: [nodePrice('é'.repeat(2000), 4)] },
        problems: [problemAt('fulfillment_node_unknown', 'fulfillment_nodes[0].fulfillment_node_id', NODE_UNKNOWN)],
      },
      'an id of 2,001 characters for its length': {
        body: { price: 5, fulfillment_nodes: [nodePrice('é'.repeat(2001), 4)] },
        problems: [
          problemAt('too_long', 'fulfillment_nodes[0].fulfillment_node_id', 'must have at most 2000 characters'),
        ],
      },
    },
  });

  accepts('PRICE-09', 'several prices of one level and keeps the last', async (api) => {
    const path = await api.uploadedSku();
    const nodes = JSON.stringify([nodePrice(EAST, 1), nodePrice(WEST, 2), nodePrice(EAST, 3)]);
    await api.accepted('PUT', `${path}/price`, `{"price": 4, "fulfillment_nodes": ${nodes}, "price": 5}`);
    assert.deepEqual(await readPrice(api, path), {
      price: 5,
      fulfillment_nodes: [nodePrice(EAST, 3), nodePrice(WEST, 2)],
    });
  });
  refuses('PRICE-09', 'a faulty price even when a good one for the same node follows', async (api) => {
    const body = { price: 5, fulfillment_nodes: [nodePrice(EAST, 0), nodePrice(EAST, 3)] };
    await api.refused('PUT', `${await api.uploadedSku()}/price`, body, [
      problemAt('too_small', 'fulfillment_nodes[0].fulfillment_node_price', RANGE),
    ]);
  });

  accepts('PRICE-10', 'node prices above and below the general one', async (api) => {
    const path = await api.uploadedSku();
    const body = { price: 5, fulfillment_nodes: [nodePrice(EAST, 0.01), nodePrice(WEST, 900.5)] };
    await api.accepted('PUT', `${path}/price`, body);
    assert.deepEqual(await readPrice(api, path), body);
  });

  accepts('PRICE-11', 'a second upload, which replaces node prices too', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/price`, { price: 5, fulfillment_nodes: [nodePrice(EAST, 4)] });
    await api.accepted('PUT', `${path}/price`, { price: 6, fulfillment_nodes: [nodePrice(WEST, 7)] });
    assert.deepEqual(await readPrice(api, path), { price: 6, fulfillment_nodes: [nodePrice(WEST, 7)] });
    await api.accepted('PUT', `${path}/price`, { price: 6 });
    assert.deepEqual(await readPrice(api, path), { price: 6, fulfillment_nodes: [] });
  });

  accepts('PRICE-12', 'a read with the time of the last upload', async (api) => {
    const path = await api.uploadedSku();
    const times: string[] = [];
    for (const price of [5, 5]) {
      await api.accepted('PUT', `${path}/price`, { price });
      const { fulfillment_nodes, price_last_update } = await api.found(`${path}/price`);
      assert.deepEqual(fulfillment_nodes, []);
      times.push(String(price_last_update));
      api.server.passTime(60_000);
    }
    for (const time of times) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const [first = '', second = ''] = times;
    assert.ok(Date.parse(second) - Date.parse(first) >= 60_000, `${first} and ${second}`);
    assert.equal((await api.found(`${path}/price`)).price_last_update, second);
  });

  refuses('PRICE-13', 'to read the price of a SKU that never had one', async (api) => {
    const skuId = api.newSkuId();
    const problem = requestProblem('price_unset', `SKU ${skuId} has no price yet.`);
    await api.refused('GET', `${await api.uploadedSku({}, skuId)}/price`, undefined, [problem], 404);
  });

  refuses('PRICE-14', 'a SKU that was never uploaded', async (api) => {
    await refusesUnknownSku(api, 'PUT', 'price', { price: 5 });
    await refusesUnknownSku(api, 'GET', 'price');
  });

  refuses('PRICE-15', 'to price an archived SKU', (api) => refusesArchivedSku(api, 'PUT', 'price', { price: 5 }));
  accepts('PRICE-15', 'to read the price that an archived SKU had', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    await archive(api, path);
    assert.equal((await api.put(`${path}/price`, { price: 6 })).status, 400);
    assert.deepEqual(await readPrice(api, path), { price: 5, fulfillment_nodes: [] });
  });

  refuses('PRICE-16', 'in the order of checks', (api) =>
    assertCheckOrder(api, 'PUT', 'price', {
      faulty: {
        body: { price: 0, fulfillment_nodes: [nodePrice('nowhere', 4)] },
        problems: [problemAt('too_small', 'price', RANGE)],
      },
      misfit: {
        body: { price: 5, fulfillment_nodes: [nodePrice('nowhere', 4)] },
        problems: [problemAt('fulfillment_node_unknown', 'fulfillment_nodes[0].fulfillment_node_id', NODE_UNKNOWN)],
      },
    }),
  );

  refuses('PRICE-17', 'a body, with all its problems in one response, and changes nothing', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/price`, { price: 5, fulfillment_nodes: [nodePrice(EAST, 4)] });
    const body = { price: '6', fulfillment_nodes: [nodePrice(EAST, 0), { fulfillment_node_id: WEST }] };
    await api.refused('PUT', `${path}/price`, body, [
      problemAt('wrong_type', 'price', RANGE),
      problemAt('too_small', 'fulfillment_nodes[0].fulfillment_node_price', RANGE),
      problemAt('required', 'fulfillment_nodes[1].fulfillment_node_price', 'is required'),
    ]);
    assert.deepEqual(await readPrice(api, path), { price: 5, fulfillment_nodes: [nodePrice(EAST, 4)] });
  });

  accepts('PRICE-18', '50 uploads at once to one SKU, of which one is stored completely', async (api) => {
    const path = await api.uploadedSku();
    await together(50, (i) =>
      api.accepted('PUT', `${path}/price`, { price: i + 1, fulfillment_nodes: [nodePrice(EAST, i + 1.5)] }),
    );
    const { price } = (await readPrice(api, path)) as { price: number };
    assert.deepEqual(await readPrice(api, path), { price, fulfillment_nodes: [nodePrice(EAST, price + 0.5)] });
  });
  accepts('PRICE-18', '50 uploads at once to 50 SKUs, and stores the price of each', async (api) => {
    await together(50, async (i) => {
      const path = await api.uploadedSku();
      await api.accepted('PUT', `${path}/price`, { price: i + 1 });
      assert.deepEqual(await readPrice(api, path), { price: i + 1, fulfillment_nodes: [] });
    });
  });

  refuses('PRICE-19', 'every price sent after the archiving was confirmed', async (api) => {
    await together(20, async () => raceArchive(api, await api.uploadedSku()));
  });
});

/** Sends prices while the SKU is archived; each accepted price must have been stored before the archiving. */
async function raceArchive(api: ApiClient, path: string): Promise<void> {
  const fire = async (price: number) => ({ price, status: (await api.put(`${path}/price`, { price })).status });
  const early = [fire(1), fire(2), fire(3)];
  const late = archive(api, path).then(() => Promise.all([fire(4), fire(5), fire(6)]));
  const answers = await Promise.all([...early, fire(7), fire(8)]);
  assert.deepEqual(
    (await late).map(({ status }) => status),
    [400, 400, 400],
  );
  assert.ok(answers.every(({ status }) => status === 202 || status === 400));

  const accepted = answers.filter(({ status }) => status === 202).map(({ price }) => price);
  const read = await api.get(`${path}/price`);
  if (accepted.length === 0) {
    assert.equal(read.status, 404);
  } else {
    const stored = read.body as { price: number; price_last_update: string };
    assert.ok(accepted.includes(stored.price), `${stored.price} is none of ${accepted}`);
    const { inventory_last_update: archivedAt } = await api.found(`${path}/inventory`);
    assert.ok(stored.price_last_update <= String(archivedAt), `${read.text}, archived at ${archivedAt}`);
  }
}
