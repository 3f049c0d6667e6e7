/** Tests advice: what the review and the report say about an offer that is for sale and could be better. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { ApiClient } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { startImageHost } from './fixtures/image-host.ts';
import { WEST } from './fixtures/merchant-setup.ts';
import type { Fields } from './fixtures/sku-bounds.ts';

const AVAILABLE = ['Available For Purchase', []];
const BULLETS = {
  code: 'bullets_missing',
  field: '/bullets',
  text: 'Add bullets: up to 5 short texts about the product.',
};

const host = await startImageHost();
after(() => host.close());

async function pricedSku(api: ApiClient, fields: Fields, skuId = api.newSkuId()): Promise<string> {
  const image = { main_image_url: host.address('good') };
  const path = await api.uploadedSku({ ...api.newProductCodes(), ...image, ...fields }, skuId);
  await api.accepted('PUT', `${path}/price`, { price: 5 });
  return path;
}

/** Also checks that the offer is for sale: advice does not change the status. */
async function adviceOn(api: ApiClient, path: string): Promise<unknown> {
  const { status, sub_status } = await api.found(path);
  const { advice, next, ...review } = await api.found(`${path}/review`);
  assert.deepEqual([status, sub_status, review.status, review.sub_status, next], [...AVAILABLE, ...AVAILABLE, null]);
  return advice;
}

describeApi(
  'advice',
  ({ accepts }) => {
    accepts('ADVICE-01', 'missing bullets and a title in capitals, until they are corrected', async (api) => {
      const path = await pricedSku(api, { main_image_url: host.address('good'), product_title: 'CAST-IRON POT, 5 L' });
      assert.deepEqual(
        ((await adviceOn(api, path)) as { code: string; field: string }[]).map(({ code, field }) => [code, field]),
        [
          ['title_in_capitals', '/product_title'],
          ['bullets_missing', '/bullets'],
          ['image_below_recommended', '/main_image_url'],
        ],
      );
    });
    accepts('ADVICE-02', 'images that are small, with their size', async (api) => {
      const alternate_images = [{ image_slot_id: 4, image_url: host.address('least') }];
      const path = await pricedSku(api, { bullets: ['Holds 5 l'], alternate_images });
      assert.deepEqual(await adviceOn(api, path), [
        {
          code: 'image_below_recommended',
          field: '/main_image_url',
          text: 'The main image has 600 x 600 pixels. Use at least 1500 x 1500.',
        },
        {
          code: 'alternate_image_small',
          field: '/alternate_images/0/image_url',
          text: 'Image 4 has 400 x 100 pixels. Use at least 500 x 500.',
        },
      ]);
    });
    accepts('ADVICE-03', 'freight without a shipping exception, until it has one', async (api) => {
      const path = await pricedSku(api, { bullets: ['Heavy'], shipping_weight_pounds: 151 });
      const codes = async () => ((await adviceOn(api, path)) as { code: string }[]).map(({ code }) => code);
      assert.deepEqual(await codes(), ['image_below_recommended', 'freight_without_exception']);
      const exception = { service_level: 'Scheduled (freight)', shipping_exception_type: 'exclusive' };
      await api.accepted('PUT', `${path}/shippingexception`, {
        fulfillment_nodes: [{ fulfillment_node_id: WEST, shipping_exceptions: [exception] }],
      });
      assert.deepEqual(await codes(), ['image_below_recommended']);
    });
    accepts('ADVICE-04', 'the report names the advice on each offer', async (api) => {
      const skuId = api.newSkuId();
      const path = await pricedSku(api, {}, skuId);
      assert.deepEqual(await adviceOn(api, path), [
        BULLETS,
        {
          code: 'image_below_recommended',
          field: '/main_image_url',
          text: 'The main image has 600 x 600 pixels. Use at least 1500 x 1500.',
        },
      ]);
      // The report shows what the review has stored, which may lag behind.
      await waitUntil('the review in the report', 60_000, async () => {
        const { body } = await api.send('POST', '/reports/ProductStatus');
        const { report_id } = body as { report_id: string };
        const url = await waitUntil('the report', 60_000, async () => {
          const { report_url } = await api.foundNow(`/reports/state/${report_id}`);
          return report_url === undefined ? undefined : new URL(String(report_url), api.server.url);
        });
        const lines = (await (await fetch(url)).text()).split('\r\n');
        const line = lines.find((one) => one.startsWith(`${skuId},`));
        return line?.endsWith(',bullets_missing; image_below_recommended,') || undefined;
      });
    });
  },
  { IMAGE_CHECK: 'on', IMAGE_ALLOWED_HOSTS: host.host },
);
