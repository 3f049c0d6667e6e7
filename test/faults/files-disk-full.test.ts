/** A full disk under FILES_DIR: uploads are refused with 503 and leave no trace, everything else goes on. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { finished, handOver, newUpload, sendFile, upload } from '../api/fixtures/bulk-files.ts';
import { ApiClient, assertProblems, minimalSku, requestProblem } from '../harness/api-client.ts';
import { limitHits, scrape } from '../harness/metrics.ts';
import { CANNOT_MOUNT, smallDisk } from '../harness/small-disk.ts';
import { FIRST_VARIANT } from '../harness/variants.ts';

const FULL = requestProblem('disk_full', 'There is no room for the file now; nothing was kept. Try again later.');
const MEBIBYTE = 1_048_576;

it('a disk that fills up while a file is uploaded', { skip: CANNOT_MOUNT }, async (t) => {
  const { folder } = await smallDisk(8);
  const ballast = path.join(folder, 'ballast');
  await writeFile(ballast, Buffer.alloc(5 * MEBIBYTE));
  const settings = { FILES_DIR: folder, FILES_FREE_BYTES_MIN: '0', METRICS_PORT: '0' };
  const api = await ApiClient.open(FIRST_VARIANT, settings);
  t.after(() => api.server.close());
  const bytes = randomBytes(4 * MEBIBYTE);

  // Announced, it is refused at once; else when there is no more room.
  const { url } = await newUpload(api);
  assertProblems(await upload(api, url, bytes), [FULL], 503);
  const parts = Array.from({ length: 64 }, (_, part) => bytes.subarray(part * 65_536, (part + 1) * 65_536));
  assertProblems(await upload(api, url, ReadableStream.from(parts)), [FULL], 503);
  const left = (await readdir(folder, { recursive: true })).filter((name) => name.includes('.'));
  assert.deepEqual(left, []);
  assert.equal(limitHits(await scrape(api.server.metricsUrl), 'disk'), 2);

  const skuId = api.newSkuId();
  const record = await finished(api, await sendFile(api, 'MerchantSKUs', { [skuId]: minimalSku() }));
  assert.equal(record.status, 'Processed successfully');
  await rm(ballast);
  assert.equal((await upload(api, url, bytes)).status, 201);
  assert.equal((await handOver(api, url, 'Price')).status, 200);
});
