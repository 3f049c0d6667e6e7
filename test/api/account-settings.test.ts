/** Tests the settings that a merchant can read: fulfillment nodes and return locations. */
import assert from 'node:assert/strict';
import { LIMITS } from '../../src/domain/limits.ts';
import { requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import {
  accountIdOf,
  addMerchant,
  changeSetup,
  EAST,
  eventually,
  flatNode,
  putDemoNodes,
  WEST,
} from './fixtures/merchant-setup.ts';

const EAST_READ = {
  fulfillment_node_id: EAST,
  rate_kind: 'flat',
  shipping_methods: ['<carrier_2> Ground', '<carrier_2> 2 Day', '<carrier_4> Ground'],
  service_levels: ['Standard', 'Second Day', 'Expedited'],
};
const WEST_READ = {
  fulfillment_node_id: WEST,
  rate_kind: 'per_pound',
  shipping_methods: ['<carrier_4> Ground', 'Freight'],
  service_levels: ['Standard', 'Scheduled (freight)'],
};
const SETUP_ADDRESSES = [
  '/fulfillment-nodes',
  `/fulfillment-nodes/${EAST}`,
  '/setup/fulfillmentNodes',
  '/setup/returnsLocations',
];
const noSuchNode = requestProblem('fulfillment_node_not_found', 'You have no fulfillment node with this id.');

describeApi('setup reads', ({ accepts, refuses }) => {
  for (const address of ['/fulfillment-nodes', '/setup/fulfillmentNodes', '/SETUP/fulfillmentnodes']) {
    accepts('NODE-01', `a list of all nodes at ${address}`, async (api) => {
      assert.deepEqual(await api.found(address), { fulfillment_nodes: [EAST_READ, WEST_READ] });
    });
  }

  accepts('NODE-02', 'a read of one node', async (api) => {
    assert.deepEqual(await api.found(`/fulfillment-nodes/${EAST}`), EAST_READ);
    assert.deepEqual(await api.found(`/fulfillment-nodes/${WEST}`), WEST_READ);
  });
  for (const id of ['nowhere', EAST.toUpperCase(), 'demo-returns-east', '__proto__', '%F0%9F%A7%A6']) {
    refuses('NODE-02', `to read the node ${id}, which does not exist`, async (api) => {
      await api.refused('GET', `/fulfillment-nodes/${id}`, undefined, [noSuchNode], 404);
    });
  }

  for (const id of ['Lager Süd 1', 'a/b', '100%', 'ß'.repeat(64)]) {
    accepts('NODE-03', `a read of the node "${id}" by its percent-encoded id`, async (api) => {
      const { test } = await addMerchant(api, {}, (store, accounts) =>
        store.settings.putNode(accounts.test, flatNode(id)),
      );
      const read = await test.found(`/fulfillment-nodes/${encodeURIComponent(id)}`);
      assert.equal(read.fulfillment_node_id, id);
    });
  }

  accepts('NODE-04', 'a list of return locations with days and methods of return', async (api) => {
    assert.deepEqual(await api.found('/setup/returnsLocations'), {
      return_locations: [{ return_location_id: 'demo-returns-east' }, { return_location_id: 'demo-returns-west' }],
      time_to_return: 30,
      return_shipping_methods: ['<carrier_2> Ground'],
    });
  });

  accepts('NODE-05', 'a merchant without any setup', async (api) => {
    const { test } = await addMerchant(api, { timeToReturnDays: 7, returnShippingMethods: ['Freight'] });
    assert.deepEqual(await test.found('/fulfillment-nodes'), { fulfillment_nodes: [] });
    assert.deepEqual(await test.found('/setup/returnsLocations'), {
      return_locations: [],
      time_to_return: 7,
      return_shipping_methods: ['Freight'],
    });
  });

  accepts('NODE-06', 'equal ids of different merchants, each of which sees its own', async (api) => {
    const own = flatNode(EAST, { levels: ['Priority'] });
    const { test } = await addMerchant(api, {}, (store, accounts) => store.settings.putNode(accounts.test, own));
    const { fulfillment_nodes } = await test.found('/fulfillment-nodes');
    assert.deepEqual(fulfillment_nodes, [
      { fulfillment_node_id: EAST, rate_kind: 'flat', shipping_methods: ['Freight'], service_levels: ['Priority'] },
    ]);
    assert.deepEqual(await api.found(`/fulfillment-nodes/${EAST}`), EAST_READ);
  });
  refuses('NODE-06', "to read or use another merchant's node or return location", async (api) => {
    const { test } = await addMerchant(api);
    await test.refused('GET', `/fulfillment-nodes/${EAST}`, undefined, [noSuchNode], 404);
    const path = await test.uploadedSku();
    const stock = { fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 1 }] };
    assert.equal((await test.patch(`${path}/inventory`, stock)).status, 400);
    const returns = { return_location_ids: ['demo-returns-east'] };
    assert.equal((await test.put(`${path}/returnsexception`, returns)).status, 400);
  });

  for (const address of SETUP_ADDRESSES) {
    refuses('NODE-07', `to change anything at ${address}`, async (api) => {
      const problem = requestProblem('method_not_allowed', 'This path accepts only GET, HEAD.');
      for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
        const answer = await api.refused(method, address, undefined, [problem], 405);
        assert.equal(answer.headers.get('allow'), 'GET, HEAD');
      }
    });
    refuses('NODE-08', `to serve ${address} without a token`, async (api) => {
      const response = await fetch(`${api.server.url}${address}`);
      assert.equal(response.status, 401);
    });
    accepts('NODE-08', `${address} with a token`, async (api) => {
      assert.equal((await api.get(address)).status, 200);
    });
  }
});

describeApi('a setup that changes', ({ accepts }) => {
  /** The promised time, plus some for a busy machine. */
  const deadlineMs = LIMITS.setup_notice_seconds_max * 1000 + 8_000;

  accepts('NODE-09', 'new and changed nodes within two seconds', async (api) => {
    const path = await api.uploadedSku();
    const price = { price: 5, fulfillment_nodes: [{ fulfillment_node_id: 'new-node', fulfillment_node_price: 4 }] };
    assert.equal((await api.put(`${path}/price`, price)).status, 400);
    await putDemoNodes(api, 'test', [flatNode('new-node')], deadlineMs);
    await api.accepted('PUT', `${path}/price`, price);
    await putDemoNodes(api, 'test', [flatNode('new-node', { methods: ['<carrier_5> Media Mail'] })], deadlineMs);
    const { shipping_methods } = await api.found('/fulfillment-nodes/new-node');
    assert.deepEqual(shipping_methods, ['<carrier_5> Media Mail']);
  });
  accepts('NODE-09', 'a new return location within two seconds', async (api) => {
    const path = await api.uploadedSku();
    const returns = { return_location_ids: ['new-returns'] };
    assert.equal((await api.put(`${path}/returnsexception`, returns)).status, 400);
    await changeSetup(api, async (store) =>
      store.settings.addReturnLocation(await accountIdOf(store, 'test'), 'new-returns'),
    );
    const isKnown = async () => (await api.put(`${path}/returnsexception`, returns)).status === 202;
    await eventually(isKnown, 'the location is known', deadlineMs);
  });
});
