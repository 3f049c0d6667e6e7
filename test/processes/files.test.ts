/** Tests that each call for a file may reach another process, because processes share the files on disk. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { finished, follow, newUpload, submitFile, UPLOADED_BEFORE, upload } from '../api/fixtures/bulk-files.ts';
import { ApiClient, assertProblems, minimalSku, requestToken } from '../harness/api-client.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { withPlace } from '../harness/store-place.ts';
import { FIRST_VARIANT } from '../harness/variants.ts';

it('a file passes through three processes, one of which does background work only', {
  skip: postgresSkipped(),
}, async () => {
  await withPlace('postgres', async (place) => {
    // URLs have the address of the first process, as they would have the address of a proxy.
    await withOfferbook(place, { demo: true, role: 'api' }, async (url) => {
      const settings = { PUBLIC_URL: url };
      await withOfferbook(place, { demo: true, role: 'api', settings }, async (otherUrl) => {
        await withOfferbook(place, { demo: true, role: 'worker', settings }, async () => {
          const token = await requestToken(url, 'test');
          const clientAt = (at: string) =>
            new ApiClient({ url: at, place } as ApiClient['server'], FIRST_VARIANT, token);
          const [one, other] = [clientAt(url), clientAt(otherUrl)];
          const there = (address: string) => address.replace(url, otherUrl);
          const { url: address, fileId } = await newUpload(one);
          const rows = JSON.stringify({ [one.newSkuId()]: minimalSku(), bad: {} });
          assert.equal((await upload(other, there(address), rows)).status, 201);
          assertProblems(await upload(one, address, rows), [UPLOADED_BEFORE], 403);
          assert.equal((await submitFile(other, address, 'MerchantSKUs')).status, 200);
          const record = await finished(one, fileId);
          assert.deepEqual([record.status, record.rows_failed], ['Processed with errors', 1]);
          const errors = await follow(other, there(String(record.error_url)));
          assert.deepEqual(Object.keys(errors.body as object), ['bad']);
        });
      });
    });
  });
});
