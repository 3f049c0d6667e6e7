/** Tests when uploads and bulk files expire. One server passes through all their days. */
import assert from 'node:assert/strict';
import { assertProblems } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import {
  emptyFile,
  type FileRecord,
  fileRecord,
  finished,
  follow,
  ids,
  NO_FILE,
  NO_UPLOAD,
  priceFile,
  submitFile,
  uploaded,
} from './fixtures/bulk-files.ts';

const DAY_MS = 86_400_000;

// At the start of each case, the tokens and files of the case before have expired.
describeApi('expired files', ({ accepts, refuses }) => {
  accepts('FILE-21', 'an upload in the last moment of a day, and the same again later', async (api) => {
    const own = await api.inEnvironment('test');
    const { url, fileId } = await uploaded(own, '{}');
    own.server.passTime(DAY_MS - 60_000);
    const late = await own.inEnvironment('test');
    assert.equal((await submitFile(late, url, 'Price')).status, 200);
    await finished(late, fileId);
    own.server.passTime(DAY_MS);
    const later = await own.inEnvironment('test');
    assert.equal(((await submitFile(later, url, 'Price')).body as FileRecord).status, 'Processed successfully');
    own.server.passTime(29 * DAY_MS);
    const tooLate = await own.inEnvironment('test');
    assertProblems(await submitFile(tooLate, url, 'Price'), [NO_UPLOAD], 404);
  });

  refuses('FILE-21', 'an upload that is a day old', async (api) => {
    const own = await api.inEnvironment('test');
    const { url } = await uploaded(own, '{}');
    own.server.passTime(DAY_MS);
    const late = await own.inEnvironment('test');
    assertProblems(await submitFile(late, url, 'Price'), [NO_UPLOAD], 404);
  });

  accepts('FILE-14', 'a read in the last moment of 30 days', async (api) => {
    const own = await api.inEnvironment('test');
    const { record } = await priceFile(own);
    own.server.passTime(30 * DAY_MS - 60_000);
    const late = await own.inEnvironment('test');
    const { error_url } = await fileRecord(late, record.marketplace_file_id);
    assert.equal((await follow(late, String(error_url))).status, 200);
    assert.deepEqual(ids((await late.foundNow('/files')).files), [record.marketplace_file_id]);
    own.server.passTime(60_000);
    await late.refused('GET', `/files/${record.marketplace_file_id}`, undefined, [NO_FILE], 404);
    assert.deepEqual(await late.foundNow('/files'), { files: [], total: 0 });
    assertProblems(await follow(late, String(error_url)), [NO_FILE], 404);
  });

  refuses('FILE-14', 'a read after 30 days', async (api) => {
    const own = await api.inEnvironment('test');
    const fileId = await emptyFile(own);
    await finished(own, fileId);
    own.server.passTime(30 * DAY_MS);
    const late = await own.inEnvironment('test');
    await late.refused('GET', `/files/${fileId}`, undefined, [NO_FILE], 404);
    await late.refused('POST', `/files/${fileId}/cancel`, undefined, [NO_FILE], 404);
    assert.deepEqual(await late.foundNow('/files'), { files: [], total: 0 });
  });
});
