/** Tests the copy of offers from test to live: its preview, what it skips, and the bulk file; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiClient, skuPath } from '../harness/api-client.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

interface Copied {
  readonly offers: number;
  readonly skipped: number;
  readonly skus: readonly string[];
  readonly file?: { readonly marketplace_file_id: string; readonly file_name: string };
}

const EAST = 'demo-node-east';
const ONLY_TEST = 'only-test';

for (const variant of VARIANTS_BY_SCOPE) {
  describe(`portal: copy to live (${variant.store})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    let live: ApiClient;
    let admin: PortalClient;
    let viewer: PortalClient;

    before(async () => {
      api = await ApiClient.open(variant);
      live = await api.inEnvironment('live');
      admin = await PortalClient.signIn(api.server, 'merchant-admin');
      viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
      const node = { rate_kind: 'per_pound', shipping_methods: ['Freight'], service_levels: ['Standard'] };
      assert.ok((await admin.send('PUT', `/test/nodes/${ONLY_TEST}`, node)).status < 300);
      for (const skuId of ['good', 'unpriced', 'far', 'there', 'archived']) {
        await api.uploadedSku({ product_title: `Pot ${skuId}`, ...api.newProductCodes() }, skuId);
        if (skuId !== 'unpriced') await api.accepted('PUT', `${skuPath(skuId)}/price`, { price: 5 });
      }
      await stock('good', EAST);
      // The server notices a new location within 2 seconds.
      await waitToSee('the location', async () => {
        const quantities = { fulfillment_nodes: [{ fulfillment_node_id: ONLY_TEST, quantity: 4 }] };
        const { status } = await api.send('PATCH', `${skuPath('far')}/inventory`, quantities);
        return status === 202 || undefined;
      });
      await api.accepted('PUT', `${skuPath('archived')}/status/archive`, { is_archived: true });
      await live.uploadedSku({ product_title: 'Pot in live', ...api.newProductCodes() }, 'there');
    });
    after(() => api.server.close());

    const stock = (skuId: string, fulfillment_node_id: string) =>
      api.accepted('PATCH', `${skuPath(skuId)}/inventory`, {
        fulfillment_nodes: [{ fulfillment_node_id, quantity: 4 }],
      });
    const copy = async (body: object, query = '') => {
      const { file, ...copied } = await admin.found<Copied>('POST', `/live/offers/copy${query}`, body);
      if (file === undefined) return copied;
      const ended = await waitToSee('the end of the file', async () => {
        const path = `/live/files/${file.marketplace_file_id}`;
        const record = await admin.found<{ status: string; rows_failed: number }>('GET', path);
        return record.status.startsWith('Processed') ? record : undefined;
      });
      return { ...copied, name: file.file_name, failed: ended.rows_failed };
    };

    it('says which offers would be for sale in live, and why the others not', async () => {
      const preview = await admin.found('POST', '/live/offers/copy/preview', {});
      assert.deepEqual(preview, {
        ready: 1,
        with_issues: 1,
        skipped: 2,
        is_more: false,
        failing: [
          {
            sku: 'unpriced',
            title: 'Pot unpriced',
            // Its image would be checked after the copy.
            status: variant.settings.REVIEW_STATUS ?? 'Under Jet Review',
            sub_status: ['Missing price'],
            problems: [],
          },
          {
            sku: 'far',
            title: 'Pot far',
            status: null,
            sub_status: [],
            problems: [
              {
                code: 'fulfillment_node_unknown',
                field: '/inventory/fulfillment_nodes/0/fulfillment_node_id',
                message:
                  'inventory.fulfillment_nodes[0].fulfillment_node_id: must be one of your fulfillment nodes: see GET /fulfillment-nodes',
              },
            ],
          },
        ],
      });
      const chosen = await admin.found('POST', '/live/offers/copy/preview', { skus: ['good', 'never'] });
      assert.deepEqual(chosen, { ready: 1, with_issues: 0, skipped: 0, is_more: false, failing: [] });
    });

    it('copies data, price and stock of the good offers, and the others on request, once', async () => {
      const name = 'Copy from test (1 offer)';
      assert.deepEqual(await copy({}), { offers: 1, skipped: 4, skus: ['good'], name, failed: 0 });
      const read = async (path: string) => (await live.get(`${skuPath('good')}${path}`)).body as never;
      const { product_title } = await read('');
      const { price } = await read('/price');
      const { fulfillment_nodes } = await read('/inventory');
      const [{ quantity }] = fulfillment_nodes as { quantity: number }[] as [{ quantity: number }];
      assert.deepEqual([product_title, price, quantity], ['Pot good', 5, 4]);
      const withIssues = await copy({ with_issues: true });
      assert.deepEqual(withIssues, { offers: 1, skipped: 4, skus: ['unpriced'], name, failed: 0 });
      assert.deepEqual(await copy({ with_issues: true }), { offers: 0, skipped: 5, skus: [] });
      const { product_title: kept } = (await live.get(skuPath('there'))).body as { product_title: string };
      assert.equal(kept, 'Pot in live');
    });

    it('refuses viewers, unknown filters and malformed bodies', async () => {
      for (const path of ['/live/offers/copy', '/live/offers/copy/preview']) {
        assert.equal((await viewer.send('POST', path, {})).status, 403);
        assert.equal((await admin.send('POST', `${path}?status=Sold`, {})).status, 400);
        await admin.refused('POST', path, { skus: [] }, [['too_few', '/skus', 'skus: must have 1 to 200 entries']]);
      }
    });
  });
}
