/** Tests that a start with another IMAGE_CHECK re-reviews offers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { startImageHost } from '../api/fixtures/image-host.ts';
import { ApiClient, requestToken } from '../harness/api-client.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { type StoreKind, withPlace } from '../harness/store-place.ts';
import type { TestServer } from '../harness/test-server.ts';
import { STORE_VARIANTS, type Variant } from '../harness/variants.ts';

for (const store of ['sqlite', 'postgres'] as const satisfies readonly StoreKind[]) {
  const skip = store === 'postgres' ? postgresSkipped() : false;
  describe(`IMAGE_CHECK (${store})`, { skip }, () => {
    it('off, on, off: images count only while it is on', async () => {
      const host = await startImageHost();
      const variant = STORE_VARIANTS.find((one) => one.store === store) as Variant;
      const subStatuses: unknown[] = [];
      try {
        await withPlace(store, async (place) => {
          for (const IMAGE_CHECK of ['off', 'on', 'off'] as const) {
            const settings = { IMAGE_CHECK, IMAGE_ALLOWED_HOSTS: host.host };
            await withOfferbook(place, { demo: true, settings }, async (url) => {
              const api = new ApiClient({ url } as TestServer, variant, await requestToken(url, 'test'));
              if (subStatuses.length === 0) {
                const sku = await api.uploadedSku({ main_image_url: host.address('blank') }, 'kept');
                await api.accepted('PUT', `${sku}/price`, { price: 5 });
              }
              subStatuses.push((await api.found('/merchant-skus/kept')).sub_status);
            });
          }
        });
      } finally {
        await host.close();
      }
      assert.deepEqual(subStatuses, [[], ['Missing image'], []]);
    });
  });
}
