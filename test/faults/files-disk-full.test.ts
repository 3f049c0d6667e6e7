/** Tests a full disk under FILES_DIR: uploads get 503 and leave no trace, everything else works. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { finished, newUpload, sendFile, submitFile, upload } from '../api/fixtures/bulk-files.ts';
import { ApiClient, assertProblems, minimalSku, requestProblem } from '../harness/api-client.ts';
import { limitHits, scrape } from '../harness/metrics.ts';
import { CANNOT_MOUNT, smallDisk } from '../harness/small-disk.ts';
import { FIRST_VARIANT } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';

const FULL = requestProblem('disk_full', 'The server has no disk space for the file. Nothing was stored; retry later.');
const MEBIBYTE = 1_048_576;

it('a disk that fills up during an upload', { skip: CANNOT_MOUNT }, async (t) => {
  // An account may use a sixteenth of it for unprocessed files: 5 MiB.
  const { folder } = await smallDisk(80);
  const ballast = path.join(folder, 'ballast');
  await writeFile(ballast, Buffer.alloc(77 * MEBIBYTE));
  const settings = { FILES_DIR: folder, FILES_FREE_BYTES_MIN: '0', METRICS_PORT: '0' };
  const api = await ApiClient.open(FIRST_VARIANT, settings);
  t.after(() => api.server.close());
  const bytes = randomBytes(4 * MEBIBYTE);

  // With a Content-Length it is refused immediately, otherwise when the disk is full.
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
  assert.equal((await submitFile(api, url, 'Price')).status, 200);
});

it('errors of one merchant that would fill the disk wait for space, and single calls work', {
  skip: CANNOT_MOUNT,
}, async (t) => {
  // Large enough for error files of 4 MiB; all but 8 MiB must stay free.
  const { folder } = await smallDisk(1024);
  const ballast = path.join(folder, 'ballast');
  await writeFile(ballast, Buffer.alloc(20 * MEBIBYTE));
  const free_bytes_min = 996 * MEBIBYTE;
  const settings = {
    DATA_DIR: path.join(folder, 'data'),
    FILES_FREE_BYTES_MIN: String(free_bytes_min),
    METRICS_PORT: '0',
  };
  const api = await ApiClient.open(FIRST_VARIANT, settings);
  t.after(() => api.server.close());
  // About 350 KB, which become 3 MiB of errors and 4 MiB of retry rows, with 6 MiB of space.
  const row = (number: number) => `"s${number}":{"price":"${randomBytes(16).toString('hex')}${'x'.repeat(368)}"}`;
  const packed = gzipSync(`{${Array.from({ length: 12_000 }, (_, number) => row(number)).join()}}`);
  assert.ok(packed.length < 600_000);
  const fileId = await sendFile(api, 'Price', packed);
  await waitUntil('files that wait for room', 60_000, async () => {
    const hits = limitHits(await scrape(api.server.metricsUrl), 'files_room') ?? 0;
    return hits > 0 ? true : undefined;
  });
  const { bavail, bsize } = await statfs(folder);
  // The database may grow a little.
  assert.ok(bavail * bsize > free_bytes_min - 4 * MEBIBYTE, `${bavail * bsize} bytes are free`);
  const live = await api.inEnvironment('live');
  for (let time = 0; time < 20; time++) await live.uploadedSku();

  await rm(ballast);
  const record = await finished(api, fileId);
  assert.deepEqual([record.status, record.rows_failed], ['Processed with errors', 12_000]);
});
