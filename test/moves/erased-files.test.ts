/** Tests that files and reports are removed with their sandbox or merchant. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { dropOldFiles } from '../../src/bulk/drop-old-files.ts';
import { readSettings } from '../../src/config/settings.ts';
import { DiskFileStorage } from '../../src/files/disk-file-storage.ts';
import { openStore } from '../../src/store/open-store.ts';
import { finished, NO_FILE, sendFile } from '../api/fixtures/bulk-files.ts';
import { ApiClient, minimalSku, requestToken } from '../harness/api-client.ts';
import { offerbookJson } from '../harness/command-line.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { type StorePlace, withPlace } from '../harness/store-place.ts';
import { FIRST_VARIANT, STORE_VARIANTS } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';

async function filesIn(place: StorePlace): Promise<string[]> {
  const names = await readdir(path.join(place.DATA_DIR, 'files'), { recursive: true });
  return names.filter((name) => name.includes('.')).map((name) => path.basename(name));
}

/** The housekeeping that a server runs every ten minutes. */
async function sweep(place: StorePlace): Promise<void> {
  const store = await openStore(readSettings(place), (error) => {
    throw error;
  });
  try {
    const files = new DiskFileStorage(path.join(place.DATA_DIR, 'files'));
    await dropOldFiles({ store, storage: files, nowMs: () => Date.now() });
  } finally {
    await store.close();
  }
}

/** A file with an error, and a report, both finished. */
async function fileAndReport(api: ApiClient): Promise<{ fileId: string; reportId: string }> {
  const fileId = await sendFile(api, 'MerchantSKUs', { [api.newSkuId()]: minimalSku(), bad: {} });
  assert.equal((await finished(api, fileId)).status, 'Processed with errors');
  const { report_id: reportId } = (await api.send('POST', '/reports/ProductStatus')).body as { report_id: string };
  await waitUntil('the report', 60_000, async () => {
    const { report_status } = await api.foundNow(`/reports/state/${reportId}`);
    return report_status === 'Ready' || undefined;
  });
  return { fileId, reportId };
}

for (const { store: kind, skip } of STORE_VARIANTS) {
  describe(`files (${kind})`, { skip }, () => {
    it('are removed with the sandbox, and those of the live account stay', async () => {
      await withPlace(kind, async (place) => {
        let live = { fileId: '', reportId: '' };
        await withOfferbook(place, { demo: true }, async (url) => {
          const clientOf = async (environment: 'test' | 'live') =>
            new ApiClient({ url, place } as ApiClient['server'], FIRST_VARIANT, await requestToken(url, environment));
          const [inTest, inLive] = [await clientOf('test'), await clientOf('live')];
          const { fileId, reportId } = await fileAndReport(inTest);
          live = await fileAndReport(inLive);
          await offerbookJson(place, 'sandbox', 'reset', '--merchant', 'demo', '--yes');
          await inTest.refused('GET', `/files/${fileId}`, undefined, [NO_FILE], 404);
          assert.equal((await inTest.get(`/reports/state/${reportId}`)).status, 404);
          assert.deepEqual(await inTest.foundNow('/files'), { files: [], total: 0 });
          assert.equal((await inLive.foundNow('/files')).total, 1);
        });
        await sweep(place);
        const { fileId, reportId } = live;
        const kept = [`${fileId}.upload`, `${fileId}.errors`, `${fileId}.retry`, `${reportId}.csv`];
        assert.deepEqual((await filesIn(place)).toSorted(), kept.toSorted());
      });
    });

    it('are removed with the merchant, including one that was never submitted', async () => {
      await withPlace(kind, async (place) => {
        await withOfferbook(place, { demo: true }, async (url) => {
          const server = { url, place } as ApiClient['server'];
          const api = new ApiClient(server, FIRST_VARIANT, await requestToken(url, 'live'));
          await fileAndReport(api);
          const { url: address } = (await api.get('/files/uploadToken')).body as { url: string };
          assert.equal((await fetch(address, { method: 'PUT', body: '{}' })).status, 201);
          const exported = path.join(place.DATA_DIR, 'demo.ndjson');
          await offerbookJson(place, 'merchant', 'remove', 'demo', '--export', exported, '--yes');
          assert.equal((await fetch(address, { method: 'PUT', body: '{}' })).status, 403);
        });
        assert.notDeepEqual(await filesIn(place), []);
        await sweep(place);
        assert.deepEqual(await filesIn(place), []);
      });
    });
  });
}
