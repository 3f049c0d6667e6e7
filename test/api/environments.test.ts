/** Tests the two environments of a merchant: separate credentials, setup, data and limits at one address. */
import assert from 'node:assert/strict';
import { storedCredential } from '../../src/access/tokens/secrets.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { type ApiClient, problemAt, requestProblem, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { archive, skuUnknown } from './fixtures/check-order.ts';
import {
  accountIdOf,
  addMerchant,
  changeSetup,
  EAST,
  eventually,
  flatNode,
  RETURNS_EAST,
  tokenFor,
} from './fixtures/merchant-setup.ts';
import { together } from './fixtures/parallel.ts';
import { attribute, groupOf, putGroup, SIZE, uploadMember, variationPath } from './fixtures/variation-members.ts';

const stock = (quantity: number) => ({ fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity }] });
const shipping = (shipping_charge_amount: number) => ({
  fulfillment_nodes: [
    {
      fulfillment_node_id: EAST,
      shipping_exceptions: [
        {
          service_level: 'Standard',
          override_type: 'Override charge',
          shipping_charge_amount,
          shipping_exception_type: 'include',
        },
      ],
    },
  ],
});
const PARTS = ['', '/price', '/inventory', '/variation', '/shippingexception', '/returnsexception'];

/** Uploads a SKU with every part; `n` in each part identifies the sender. */
async function uploadWhole(api: ApiClient, skuId: string, childId: string, n: number): Promise<void> {
  const path = skuPath(skuId);
  await uploadMember(api, [attribute(SIZE, `${n}`)], { product_title: `Pot number ${n}` }, skuId);
  await uploadMember(api, [attribute(SIZE, 'child')], {}, childId);
  await api.accepted('PUT', `${path}/price`, { price: n });
  await api.accepted('PATCH', `${path}/inventory`, stock(n));
  await api.accepted('PUT', `${path}/shippingexception`, shipping(n));
  await api.accepted('PUT', `${path}/returnsexception`, { return_location_ids: [RETURNS_EAST] });
  await putGroup(api, skuId, [childId], { group_title: `Pots ${n}` });
}

async function readWhole(api: ApiClient, skuId: string): Promise<readonly unknown[]> {
  await api.found(skuPath(skuId));
  return Promise.all(PARTS.map(async (part) => (await api.get(`${skuPath(skuId)}${part}`)).text));
}

describeApi('environments', ({ accepts, refuses }) => {
  accepts('ENV-01', 'each credential set at the same address', async (api) => {
    for (const { user, secret } of Object.values(DEMO_CREDENTIALS)) assert.ok(await tokenFor(api, user, secret));
  });
  refuses('ENV-01', 'the secret of the other environment', async (api) => {
    const body = { user: DEMO_CREDENTIALS.test.user, pass: DEMO_CREDENTIALS.live.secret };
    const problem = requestProblem('credentials_wrong', 'Incorrect user or secret.');
    await api.refused('POST', '/token', body, [problem]);
  });

  for (const [here, there] of [
    ['test', 'live'],
    ['live', 'test'],
  ] as const) {
    refuses('ENV-02', `to find in ${there} what was uploaded in ${here}`, async (api) => {
      const [skuId, childId] = [api.newSkuId(), api.newSkuId()];
      const [mine, other] = [await api.inEnvironment(here), await api.inEnvironment(there)];
      await uploadWhole(mine, skuId, childId, 1);
      for (const part of PARTS) {
        await other.refused('GET', `${skuPath(skuId)}${part}`, undefined, [skuUnknown(skuId)], 404);
      }
      await other.refused('PUT', `${skuPath(skuId)}/price`, { price: 2 }, [skuUnknown(skuId)], 404);
      await other.refused('PUT', `${skuPath(skuId)}/status/archive`, { is_archived: true }, [skuUnknown(skuId)], 404);
      assert.ok(!JSON.stringify(await other.found('/merchant-skus?limit=1000')).includes(`/${skuId}"`));
    });
  }

  accepts('ENV-03', 'one SKU id in both, each with its own data', async (api) => {
    const [skuId, childId] = [api.newSkuId(), api.newSkuId()];
    const live = await api.inEnvironment('live');
    await uploadWhole(api, skuId, childId, 1);
    const before = await readWhole(api, skuId);
    await uploadWhole(live, skuId, childId, 2);
    assert.deepEqual(await readWhole(api, skuId), before);
    assert.equal((await live.found(skuPath(skuId))).product_title, 'Pot number 2');
    assert.equal((await live.found(`${skuPath(skuId)}/price`)).price, 2);
    assert.deepEqual(await live.found(`${skuPath(skuId)}/shippingexception`), shipping(2));
    assert.equal((await live.found(variationPath(skuId))).group_title, 'Pots 2');
  });

  accepts('ENV-04', 'clearing and archiving in one, which leaves the other as it is', async (api) => {
    const [skuId, childId] = [api.newSkuId(), api.newSkuId()];
    const live = await api.inEnvironment('live');
    for (const [n, client] of [api, live].entries()) await uploadWhole(client, skuId, childId, n + 1);
    const before = await readWhole(live, skuId);
    await api.accepted('PUT', `${skuPath(skuId)}/shippingexception`, {});
    await api.accepted('PUT', `${skuPath(skuId)}/returnsexception`, {});
    await archive(api, skuPath(childId));
    await archive(api, skuPath(skuId));
    assert.deepEqual(await readWhole(live, skuId), before);
    await live.accepted('PATCH', `${skuPath(skuId)}/inventory`, stock(7));
  });

  refuses('ENV-05', 'children that were uploaded in the other environment', async (api) => {
    const live = await api.inEnvironment('live');
    const parent = await uploadMember(api, [attribute(SIZE, 'S')]);
    const child = await uploadMember(live, [attribute(SIZE, 'M')]);
    await api.refused('PUT', variationPath(parent), groupOf([child]), [
      problemAt('child_unknown', 'children_skus[0]', `SKU ${child} not found`),
    ]);
  });

  accepts('ENV-06', 'nodes and return locations where they were set up', async (api) => {
    const { live } = await merchantWithLiveSetup(api);
    const path = await live.uploadedSku();
    await live.accepted('PATCH', `${path}/inventory`, {
      fulfillment_nodes: [{ fulfillment_node_id: 'live-node', quantity: 1 }],
    });
    await live.accepted('PUT', `${path}/returnsexception`, { return_location_ids: ['live-returns'] });
  });
  refuses('ENV-06', 'nodes and return locations of the other environment', async (api) => {
    const { test } = await merchantWithLiveSetup(api);
    assert.deepEqual(await test.found('/fulfillment-nodes'), { fulfillment_nodes: [] });
    assert.deepEqual((await test.found('/setup/returnsLocations')).return_locations, []);
    const path = await test.uploadedSku();
    const inventory = { fulfillment_nodes: [{ fulfillment_node_id: 'live-node', quantity: 1 }] };
    await test.refused('PATCH', `${path}/inventory`, inventory, [
      problemAt(
        'fulfillment_node_unknown',
        'fulfillment_nodes[0].fulfillment_node_id',
        'must be one of your fulfillment nodes: see GET /fulfillment-nodes',
      ),
    ]);
    await test.refused('PUT', `${path}/returnsexception`, { return_location_ids: ['live-returns'] }, [
      problemAt('return_location_unknown', 'return_location_ids[0]', 'must be one of your return locations'),
    ]);
  });

  accepts('ENV-07', 'tokens of one environment after the credentials of the other were replaced', async (api) => {
    const { merchantId, test, live } = await addMerchant(api);
    await changeSetup(api, async (store) => {
      const accountId = await accountIdOf(store, 'test', merchantId);
      const next = storedCredential(`${merchantId}-next`, 'secret');
      await store.settings.rollCredential(accountId, null, next, Date.now(), Date.now());
    });
    await eventually(async () => (await test.get('/authcheck')).status === 401, 'the old test token ends');
    assert.equal((await live.get('/authcheck')).status, 200);
    assert.ok(await tokenFor(api, `${merchantId}-live`, 'secret'));
  });
  refuses('ENV-07', 'tokens of the environment whose credentials were replaced', async (api) => {
    const { merchantId, live } = await addMerchant(api);
    await changeSetup(api, async (store) => {
      const accountId = await accountIdOf(store, 'live', merchantId);
      await store.settings.rollCredential(
        accountId,
        null,
        storedCredential(`${merchantId}-next`, 'x'),
        Date.now(),
        Date.now(),
      );
    });
    await eventually(async () => (await live.get('/authcheck')).status === 401, 'the old live token ends');
  });
});

async function merchantWithLiveSetup(api: ApiClient) {
  return addMerchant(api, {}, async (store, accounts) => {
    await store.settings.putNode(accounts.live, flatNode('live-node'));
    await store.settings.addReturnLocation(accounts.live, 'live-returns');
  });
}

describeApi(
  'limits of environments',
  ({ accepts, refuses }) => {
    refuses('ENV-08', 'only the environment that used up its requests', async (api) => {
      const { test, live } = await addMerchant(api);
      const statuses = await together(20, async () => (await test.get('/authcheck')).status);
      // The token call was the first of the 20 that are allowed.
      assert.deepEqual(statuses.sort(), [...Array(19).fill(200), 429]);
      assert.equal((await live.get('/authcheck')).status, 200);
    });
    accepts('ENV-08', 'as many requests in live as in test', async (api) => {
      const { test, live } = await addMerchant(api);
      for (const client of [test, live]) {
        const { headers } = await client.get('/authcheck');
        assert.equal(headers.get('ratelimit-remaining'), '18');
      }
    });
  },
  { REQUESTS_PER_MINUTE: '20' },
);
