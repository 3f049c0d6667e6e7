/** Tests the deletion of expired files and reports. */
import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import type { KeptFile, NewFile, Report } from '../domain/bulk-files.ts';
import { DiskFileStorage } from '../files/disk-file-storage.ts';
import { type FileStorage, fileName, namesOfFile, reportName } from '../files/file-storage.ts';
import { dropOldFiles } from './drop-old-files.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 100 * DAY_MS;

/** Records that exist until they are deleted; one response has at most two. */
class Records {
  files: readonly NewFile[] = [];
  reports: readonly Report[] = [];

  /** Ids of files that were not submitted. */
  readonly uploads = new Set<string>();

  async listKeptBefore(beforeMs: number, uploadsBeforeMs: number): Promise<readonly KeptFile[]> {
    const isOld = ({ fileId, createdMs }: NewFile) =>
      createdMs < beforeMs || (this.uploads.has(fileId) && createdMs < uploadsBeforeMs);
    const files = this.files.filter(isOld).map(({ accountId, fileId }) => ['file', accountId, fileId] as const);
    const reports = this.reports
      .filter(({ requestedMs }) => requestedMs < beforeMs)
      .map(({ accountId, reportId }) => ['report', accountId, reportId] as const);
    return [...files, ...reports].slice(0, 2).map(([kind, accountId, id]) => ({ kind, accountId, id }));
  }

  async dropKept({ kind, accountId, id }: KeptFile): Promise<void> {
    const isOther = (one: { accountId: number }, oneId: string) => one.accountId !== accountId || oneId !== id;
    if (kind === 'file') this.files = this.files.filter((file) => isOther(file, file.fileId));
    else this.reports = this.reports.filter((report) => isOther(report, report.reportId));
  }
}

async function setup() {
  const folder = await tempFolder();
  const storage = new DiskFileStorage(folder);
  const write = async (name: string, changedMs: number) => {
    await storage.append(name, 0, Buffer.from('x'));
    await utimes(path.join(folder, name), changedMs / 1000, changedMs / 1000);
  };
  return { storage, records: new Records(), write };
}

const file = (fileId: string, createdMs: number): NewFile => ({ accountId: 7, fileId, createdMs });

const report = (reportId: string, requestedMs: number): Report => ({
  accountId: 7,
  reportId,
  type: 'ProductStatus',
  format: 'CSV',
  feedCursor: null,
  requestedMs,
  status: 'Ready',
  endedMs: requestedMs,
  bytes: 1,
});

const sizes = (storage: FileStorage, names: readonly string[]) => Promise.all(names.map((name) => storage.size(name)));

it('deletes files with their error and retry files after 30 days, and keeps the others', async () => {
  const { storage, records, write } = await setup();
  const old = ['a1', 'a2', 'a3'].map((id) => file(id, NOW_MS - 30 * DAY_MS - 1));
  const kept = file('b', NOW_MS - 30 * DAY_MS);
  records.files = [...old, kept];
  for (const one of [...old, kept]) for (const name of namesOfFile(one)) await write(name, NOW_MS - 29 * DAY_MS);
  await dropOldFiles({ store: { files: records }, storage, nowMs: () => NOW_MS });
  assert.deepEqual(records.files, [kept]);
  assert.deepEqual(await sizes(storage, old.flatMap(namesOfFile)), new Array(12).fill(undefined));
  assert.deepEqual(await sizes(storage, namesOfFile(kept)), [1, 1, 1, 1]);
});

it('deletes uploads that were never submitted, a day and an hour later', async () => {
  const { storage, records, write } = await setup();
  const dayMs = DAY_MS + 3_600_000;
  const old = ['a', 'b'].map((id) => file(id, NOW_MS - dayMs - 1));
  const kept = [file('young', NOW_MS - dayMs), file('received', NOW_MS - 2 * DAY_MS)];
  records.files = [...old, ...kept];
  for (const { fileId } of [...old, kept[0] as NewFile]) records.uploads.add(fileId);
  for (const one of records.files) await write(fileName(one, 'upload'), NOW_MS);
  await dropOldFiles({ store: { files: records }, storage, nowMs: () => NOW_MS });
  assert.deepEqual(records.files, kept);
  assert.deepEqual(
    await sizes(
      storage,
      [...old, ...kept].map((one) => fileName(one, 'upload')),
    ),
    [undefined, undefined, 1, 1],
  );
});

it('deletes reports after 7 days and their records after 30', async () => {
  const { storage, records, write } = await setup();
  const gone = report('a', NOW_MS - 30 * DAY_MS - 1);
  const expired = report('b', NOW_MS - 7 * DAY_MS - 1000);
  const kept = report('c', NOW_MS - 7 * DAY_MS);
  records.reports = [gone, expired, kept];
  for (const one of records.reports) await write(reportName(one), one.requestedMs);
  await dropOldFiles({ store: { files: records }, storage, nowMs: () => NOW_MS });
  assert.deepEqual(records.reports, [expired, kept]);
  assert.deepEqual(await sizes(storage, [gone, expired, kept].map(reportName)), [undefined, undefined, 1]);
});

it('deletes orphaned files after 31 days, and drafts after two hours', async (t) => {
  const { storage, records, write } = await setup();
  const [old, young] = [file('a', 0), file('b', 0)];
  await write(fileName(old, 'errors'), NOW_MS - 31 * DAY_MS - 1000);
  await write(fileName(young, 'errors'), NOW_MS - 31 * DAY_MS);
  const draft = await storage.create(fileName(young, 'upload'));
  t.after(() => draft.discard());
  await dropOldFiles({ store: { files: records }, storage, nowMs: () => NOW_MS });
  assert.deepEqual(await sizes(storage, [fileName(old, 'errors'), fileName(young, 'errors')]), [undefined, 1]);
  await dropOldFiles({
    store: { files: records },
    storage,
    nowMs: () => Date.now() + 7_200_000 + 60_000,
  });
  await assert.rejects(draft.keep(), /was deleted/);
});

it('retries after being killed between deleting the bytes and the record', async () => {
  const { storage, records, write } = await setup();
  const one = file('a', 0);
  records.files = [one];
  await write(fileName(one, 'upload'), NOW_MS);
  const dropKept = () => Promise.reject(new Error('killed'));
  const store = { files: Object.assign(Object.create(records) as Records, { dropKept }) };
  await assert.rejects(dropOldFiles({ store, storage, nowMs: () => NOW_MS }), /killed/);
  assert.equal(await storage.size(fileName(one, 'upload')), undefined);
  await dropOldFiles({ store: { files: records }, storage, nowMs: () => NOW_MS });
  assert.deepEqual(records.files, []);
});
