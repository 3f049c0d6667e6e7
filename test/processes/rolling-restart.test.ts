/** Tests that while processes with two settings run, the one that started last reviews the offers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { startImageHost } from '../api/fixtures/image-host.ts';
import { ApiClient, requestToken } from '../harness/api-client.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { withPlace } from '../harness/store-place.ts';
import type { TestServer } from '../harness/test-server.ts';
import { STORE_VARIANTS } from '../harness/variants.ts';

const SKUS = ['one', 'two', 'three', 'four', 'five'];

describe('a rolling restart with another IMAGE_CHECK', { skip: postgresSkipped() }, () => {
  it('leaves all reviews to the process that started last, whichever received the upload', async () => {
    const host = await startImageHost();
    const [, variant] = STORE_VARIANTS;
    const clientOf = async (url: string) =>
      new ApiClient({ url } as TestServer, variant, await requestToken(url, 'test'));
    const started = (IMAGE_CHECK: 'on' | 'off') => ({
      demo: true,
      settings: { IMAGE_CHECK, IMAGE_ALLOWED_HOSTS: host.host },
    });
    try {
      await withPlace('postgres', async (place) => {
        await withOfferbook(place, started('off'), async (olderUrl) => {
          const older = await clientOf(olderUrl);
          await withOfferbook(place, started('on'), async (newerUrl) => {
            const newer = await clientOf(newerUrl);
            for (const sku of SKUS) await older.uploadedSku({ main_image_url: host.address('blank') }, sku);
            // An offer that waits for an image that is not queued does not appear as reviewed.
            for (const sku of SKUS) {
              const { sub_status } = await newer.found(`/merchant-skus/${sku}`);
              assert.ok((sub_status as readonly string[]).includes('Missing image'), sku);
            }
          });
        });
      });
    } finally {
      await host.close();
    }
  });
});
