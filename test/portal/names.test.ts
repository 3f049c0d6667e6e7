/** Tests that API clients see the marketplace's own field names, and portal pages the neutral ones. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { startTestServer } from '../harness/test-server.ts';

it('the portal uses neutral field names, but the carriers and statuses of the marketplace', async (t) => {
  const server = await startTestServer({
    MARKETPLACE_NAME: 'bazaar',
    REVIEW_STATUS: 'Under Bazaar Review',
    CARRIER_NAMES: 'North,South,East,West,Post',
  });
  t.after(() => server.close());
  const person = await PortalBrowser.merchantOf(server.url);
  const sku = {
    product_title: 'Stoneware mug',
    brand: 'Potter & Sons',
    multipack_quantity: 1,
    standard_product_codes: [{ standard_product_code: '012345678905', standard_product_code_type: 'UPC' }],
    main_image_url: 'https://images.example/mug.jpg',
    marketplace_browse_node_id: 1010100,
  };
  assert.equal((await person.send('PUT', '/test/merchant-skus/mug', sku)).status, 202);
  const shown = (await person.get('/test/merchant-skus/mug')).body as Record<string, unknown>;
  assert.equal(shown.marketplace_browse_node_id, 1010100);
  const nodes = (await person.get('/test/fulfillment-nodes')).body as {
    fulfillment_nodes: { shipping_methods: string[] }[];
  };
  assert.deepEqual(nodes.fulfillment_nodes[0]?.shipping_methods, ['South Ground', 'South 2 Day', 'West Ground']);
  const upload = (await person.get('/test/files/uploadToken')).body as Record<string, unknown>;
  assert.deepEqual(Object.keys(upload), ['url', 'marketplace_file_id', 'expires_in_seconds']);

  const { user, secret: pass } = DEMO_CREDENTIALS.test;
  const token = await fetch(`${server.url}/token`, { method: 'POST', body: JSON.stringify({ user, pass }) });
  const { id_token } = (await token.json()) as { id_token: string };
  const headers = { authorization: `Bearer ${id_token}` };
  const told = (await (await fetch(`${server.url}/merchant-skus/mug`, { headers })).json()) as Record<string, unknown>;
  assert.equal(told.bazaar_browse_node_id, 1010100);
});
