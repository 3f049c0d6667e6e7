/** Tests the inventory of a SKU: update and read. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, problemAt, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { archive, assertCheckOrder, refusesArchivedSku, refusesUnknownSku } from './fixtures/check-order.ts';
import { EAST, flatNode, putDemoNodes, WEST } from './fixtures/merchant-setup.ts';
import { together } from './fixtures/parallel.ts';

const RANGE = 'must be an integer from 0 to 2147483647';
const NODE_UNKNOWN = 'must be one of your fulfillment nodes: see GET /fulfillment-nodes';
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface NodeRead {
  readonly fulfillment_node_id: string;
  readonly quantity: number;
  readonly inventory_last_update: string;
}

const stock = (fulfillment_node_id: unknown, quantity: unknown) => ({ fulfillment_node_id, quantity });

const sendInventory = async (api: ApiClient, body: Record<string, unknown>) =>
  api.patch(`${await api.uploadedSku()}/inventory`, body);

const patch = (api: ApiClient, path: string, ...fulfillment_nodes: unknown[]) =>
  api.accepted('PATCH', `${path}/inventory`, { fulfillment_nodes });

async function readNodes(api: ApiClient, path: string): Promise<readonly NodeRead[]> {
  return (await api.found(`${path}/inventory`)).fulfillment_nodes as NodeRead[];
}

/** Returns node ids and quantities, without the times. */
async function readStock(api: ApiClient, path: string): Promise<unknown> {
  return (await readNodes(api, path)).map(({ fulfillment_node_id, quantity }) => stock(fulfillment_node_id, quantity));
}

describeApi('inventory', ({ accepts, refuses, bounds }) => {
  bounds('INV-01', {
    send: sendInventory,
    accepted: { 'a list of nodes': { fulfillment_nodes: [stock(EAST, 1)] } },
    refused: {
      'no list': { body: {}, problems: [problemAt('required', 'fulfillment_nodes', 'is required')] },
      'a null list': {
        body: { fulfillment_nodes: null },
        problems: [problemAt('required', 'fulfillment_nodes', 'is required')],
      },
      'an object in place of the list': {
        body: { fulfillment_nodes: stock(EAST, 1) },
        problems: [problemAt('wrong_type', 'fulfillment_nodes', 'must be a list')],
      },
    },
  });

  bounds('INV-02', {
    send: sendInventory,
    accepted: { 'an element with both members': { fulfillment_nodes: [stock(WEST, 1)] } },
    refused: {
      'elements without their members': {
        body: { fulfillment_nodes: [{}, stock(null, null), WEST] },
        problems: [
          ...[0, 1].flatMap((index) => [
            problemAt('required', `fulfillment_nodes[${index}].fulfillment_node_id`, 'is required'),
            problemAt('required', `fulfillment_nodes[${index}].quantity`, 'is required'),
          ]),
          problemAt('wrong_type', 'fulfillment_nodes[2]', 'must be an object'),
        ],
      },
    },
  });

  const quantityFault = (code: string, quantity: unknown) => ({
    body: { fulfillment_nodes: [stock(EAST, quantity)] },
    problems: [problemAt(code, 'fulfillment_nodes[0].quantity', RANGE)],
  });
  bounds('INV-03', {
    send: sendInventory,
    accepted: {
      'no pieces': { fulfillment_nodes: [stock(EAST, 0)] },
      'the most pieces': { fulfillment_nodes: [stock(EAST, 2_147_483_647)] },
    },
    refused: {
      'fewer than none': quantityFault('too_small', -1),
      'one piece too many': quantityFault('too_large', 2_147_483_648),
      'more than a double holds exactly': quantityFault('too_large', 9_007_199_254_740_993n),
      'half a piece': quantityFault('wrong_type', 1.5),
      'a number in quotes': quantityFault('wrong_type', '3'),
      'a truth value': quantityFault('wrong_type', true),
    },
  });

  bounds('INV-04', {
    send: sendInventory,
    accepted: { '1,000 entries': { fulfillment_nodes: Array(1000).fill(stock(EAST, 1)) } },
    refused: {
      '1,001 entries, and checks none of them': {
        body: { fulfillment_nodes: Array(1001).fill({}) },
        problems: [problemAt('too_many', 'fulfillment_nodes', 'must have at most 1000 entries')],
      },
    },
  });

  bounds('INV-05', {
    send: sendInventory,
    accepted: { 'all nodes of the merchant': { fulfillment_nodes: [stock(EAST, 1), stock(WEST, 2)] } },
    refused: {
      'unknown nodes': {
        body: { fulfillment_nodes: [stock('nowhere', 1), stock(EAST, 1), stock(` ${EAST}`, 1)] },
        problems: [0, 2].map((index) =>
          problemAt('fulfillment_node_unknown', `fulfillment_nodes[${index}].fulfillment_node_id`, NODE_UNKNOWN),
        ),
      },
      'an id of 2,001 characters': {
        body: { fulfillment_nodes: [stock('x'.repeat(2001), 1)] },
        problems: [
          problemAt('too_long', 'fulfillment_nodes[0].fulfillment_node_id', 'must have at most 2000 characters'),
        ],
      },
    },
  });
  refuses('INV-05', 'a node that does not exist, without changing the other nodes of the body', async (api) => {
    const path = await api.uploadedSku();
    await patch(api, path, stock(EAST, 5));
    await api.refused('PATCH', `${path}/inventory`, { fulfillment_nodes: [stock(EAST, 9), stock('nowhere', 1)] }, [
      problemAt('fulfillment_node_unknown', 'fulfillment_nodes[1].fulfillment_node_id', NODE_UNKNOWN),
    ]);
    assert.deepEqual(await readStock(api, path), [stock(EAST, 5)]);
  });

  accepts('INV-06', 'one node and leaves quantity and time of the other', async (api) => {
    const path = await api.uploadedSku();
    await patch(api, path, stock(EAST, 5), stock(WEST, 7));
    const [eastBefore, westBefore] = await readNodes(api, path);
    api.server.passTime(60_000);
    await patch(api, path, stock(WEST, 8));
    const [east, west] = await readNodes(api, path);
    assert.deepEqual(east, eastBefore);
    assert.equal(west?.quantity, 8);
    const passed_ms = Date.parse(west.inventory_last_update) - Date.parse(westBefore?.inventory_last_update ?? '');
    assert.ok(passed_ms >= 60_000, `only ${passed_ms} ms`);
  });

  accepts('INV-07', 'quantity 0, which zeroes the node and keeps it listed', async (api) => {
    const path = await api.uploadedSku();
    await patch(api, path, stock(EAST, 5), stock(WEST, 7));
    await patch(api, path, stock(EAST, 0));
    assert.deepEqual(await readStock(api, path), [stock(EAST, 0), stock(WEST, 7)]);
  });

  accepts('INV-08', 'several quantities for one node and keeps the last', async (api) => {
    const path = await api.uploadedSku();
    await patch(api, path, stock(EAST, 1), stock(WEST, 2), stock(EAST, 3), stock(EAST, 0));
    assert.deepEqual(await readStock(api, path), [stock(EAST, 0), stock(WEST, 2)]);
  });

  accepts('INV-09', 'an empty list, which changes nothing', async (api) => {
    const path = await api.uploadedSku();
    const unset = await api.found(`${path}/inventory`);
    api.server.passTime(60_000);
    await patch(api, path);
    assert.deepEqual(await api.found(`${path}/inventory`), unset);
    await patch(api, path, stock(EAST, 5));
    const set = await api.found(`${path}/inventory`);
    api.server.passTime(60_000);
    await patch(api, path);
    assert.deepEqual(await api.found(`${path}/inventory`), set);
  });
  refuses('INV-09', 'an empty list for a SKU that accepts no update', async (api) => {
    await refusesUnknownSku(api, 'PATCH', 'inventory', { fulfillment_nodes: [] });
    await refusesArchivedSku(api, 'PATCH', 'inventory', { fulfillment_nodes: [] });
  });

  accepts('INV-10', 'a read with quantity and time of each node that was sent', async (api) => {
    const path = await api.uploadedSku();
    await patch(api, path, stock(WEST, 7));
    const body = await api.found(`${path}/inventory`);
    const [{ inventory_last_update: time = '' } = {}] = body.fulfillment_nodes as [NodeRead?];
    assert.match(time, ISO_TIME);
    assert.deepEqual(body, { fulfillment_nodes: [{ ...stock(WEST, 7), inventory_last_update: time }] });
  });

  accepts('INV-11', 'a read before any update, with the time of the first SKU upload', async (api) => {
    const skuId = api.newSkuId();
    const path = await api.uploadedSku({}, skuId);
    const first = await api.found(`${path}/inventory`);
    assert.match(String(first.inventory_last_update), ISO_TIME);
    assert.deepEqual(first, { fulfillment_nodes: [], inventory_last_update: first.inventory_last_update });
    api.server.passTime(60_000);
    await api.uploadedSku({ product_title: 'The same pot, described anew' }, skuId);
    assert.deepEqual(await api.found(`${path}/inventory`), first);
  });

  refuses('INV-12', 'a SKU that was never uploaded', async (api) => {
    await refusesUnknownSku(api, 'PATCH', 'inventory', { fulfillment_nodes: [stock(EAST, 1)] });
    await refusesUnknownSku(api, 'GET', 'inventory');
  });

  refuses('INV-13', 'to update an archived SKU', (api) =>
    refusesArchivedSku(api, 'PATCH', 'inventory', { fulfillment_nodes: [stock(EAST, 1)] }),
  );
  accepts('INV-13', 'to read the inventory of an archived SKU', async (api) => {
    const path = await api.uploadedSku();
    await patch(api, path, stock(EAST, 5));
    await archive(api, path);
    assert.deepEqual(await readStock(api, path), [stock(EAST, 0)]);
  });

  refuses('INV-14', 'in the order of checks', (api) =>
    assertCheckOrder(api, 'PATCH', 'inventory', {
      faulty: {
        body: { fulfillment_nodes: [stock('nowhere', -1)] },
        problems: [problemAt('too_small', 'fulfillment_nodes[0].quantity', RANGE)],
      },
      misfit: {
        body: { fulfillment_nodes: [stock('nowhere', 1)] },
        problems: [problemAt('fulfillment_node_unknown', 'fulfillment_nodes[0].fulfillment_node_id', NODE_UNKNOWN)],
      },
    }),
  );

  refuses('INV-15', 'the removed PUT, before any other check', async (api) => {
    const path = await api.uploadedSku();
    const problem = requestProblem('method_not_allowed', 'This path accepts only PATCH, GET, HEAD.');
    for (const body of [{ fulfillment_nodes: [stock(EAST, 1)] }, undefined, 'no JSON']) {
      const answer = await api.refused('PUT', `${path}/inventory`, body, [problem], 405);
      assert.equal(answer.headers.get('allow'), 'PATCH, GET, HEAD');
    }
    const withoutToken = await api.send('PUT', `${path}/inventory`, {}, { authorization: '' });
    assert.equal(withoutToken.status, 405);
    assert.deepEqual(await readStock(api, path), []);
  });

  accepts('INV-16', 'its address in any letter case', async (api) => {
    const path = await api.uploadedSku();
    for (const [quantity, word] of ['Inventory', 'inventory', 'INVENTORY'].entries()) {
      await api.accepted('PATCH', `${path}/${word}`, { fulfillment_nodes: [stock(EAST, quantity)] });
      const { fulfillment_nodes } = await api.found(`${path}/${word}`);
      assert.equal((fulfillment_nodes as NodeRead[])[0]?.quantity, quantity);
    }
  });

  accepts('INV-17', 'a SKU upload that also names quantities, and ignores these', async (api) => {
    const path = await api.uploadedSku();
    await patch(api, path, stock(EAST, 5));
    const answer = await api.put(path, { ...minimalSku(), fulfillment_nodes: [stock(EAST, 9), stock(WEST, 9)] });
    assert.equal(answer.status, 202);
    assert.equal(answer.headers.get('x-ignored-fields'), encodeURIComponent('/fulfillment_nodes'));
    assert.deepEqual(await readStock(api, path), [stock(EAST, 5)]);
  });
});

describeApi('inventory under parallel updates', ({ accepts, refuses }) => {
  accepts('INV-18', '50 updates at once to different nodes of one SKU, and keeps all', async (api) => {
    const ids = Array.from({ length: 50 }, (_, i) => `parallel-${String(i).padStart(2, '0')}`);
    const nodes = ids.map((id) => flatNode(id));
    await putDemoNodes(api, 'test', nodes);
    const path = await api.uploadedSku();
    await together(50, (i) => patch(api, path, stock(ids[i], i)));
    const expected = ids.map((id, i) => stock(id, i));
    assert.deepEqual(await readStock(api, path), expected);
  });
  accepts('INV-18', '50 updates at once to one node of one SKU, of which one is stored completely', async (api) => {
    const path = await api.uploadedSku();
    await together(50, (i) => patch(api, path, stock(EAST, i), stock(WEST, i)));
    const [east, west] = await readNodes(api, path);
    assert.equal(east?.quantity, west?.quantity);
    assert.equal(east?.inventory_last_update, west?.inventory_last_update);
  });
  accepts('INV-18', '50 updates at once to 50 SKUs, and stores the quantity of each', async (api) => {
    await together(50, async (i) => {
      const path = await api.uploadedSku();
      await patch(api, path, stock(EAST, i));
      assert.deepEqual(await readStock(api, path), [stock(EAST, i)]);
    });
  });

  refuses('INV-19', 'stock for a SKU that is being archived, whose stock ends at zero', async (api) => {
    await together(20, async () => raceArchive(api, await api.uploadedSku()));
  });
});

async function raceArchive(api: ApiClient, path: string): Promise<void> {
  const fire = async (nodeId: string) =>
    (await api.patch(`${path}/inventory`, { fulfillment_nodes: [stock(nodeId, 5)] })).status;
  await patch(api, path, stock(EAST, 9));
  const early = [fire(EAST), fire(WEST), fire(EAST)];
  const late = archive(api, path).then(() => Promise.all([fire(EAST), fire(WEST)]));
  const statuses = await Promise.all([...early, fire(WEST), fire(EAST)]);
  assert.deepEqual(await late, [400, 400]);
  assert.ok(statuses.every((status) => status === 202 || status === 400));

  const nodes = await readNodes(api, path);
  const archivedAt = nodes[0]?.inventory_last_update;
  assert.ok(archivedAt);
  for (const { quantity, inventory_last_update } of nodes) {
    assert.deepEqual({ quantity, inventory_last_update }, { quantity: 0, inventory_last_update: archivedAt });
  }
}
