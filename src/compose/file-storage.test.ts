/** Tests file-storage.ts. */
import assert from 'node:assert/strict';
import { mkdir, readdir, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import { readSettings, SettingError } from '../config/settings.ts';
import { limitToDisk, openFileStorage } from './file-storage.ts';

const DRAFT = '7/a.upload.part-0123abcd';

describe('file storage', () => {
  it('is in the data folder unless FILES_DIR is set', async () => {
    const DATA_DIR = await tempFolder();
    await openFileStorage(readSettings({ DATA_DIR }));
    await openFileStorage(readSettings({ DATA_DIR, FILES_DIR: path.join(DATA_DIR, 'a', 'b') }));
    assert.deepEqual((await readdir(DATA_DIR, { recursive: true })).toSorted(), ['a', path.join('a', 'b'), 'files']);
  });

  it('limits an account to a sixteenth of the disk per limit, even without a folder, and to the settings', async () => {
    const DATA_DIR = await tempFolder();
    const { blocks, bsize } = await statfs(DATA_DIR);
    const share = Math.ceil((blocks * bsize) / 16);
    const limited = (bytes: number) =>
      limitToDisk(
        readSettings({ DATA_DIR, FILES_WAITING_BYTES_MAX: `${bytes}`, FILES_KEPT_BYTES_MAX: `${bytes + 1}` }),
      );
    const large = { ...(await limited(1000)), filesWaitingBytesMax: share + 1, filesKeptBytesMax: share * 2 };
    const { filesWaitingBytesMax, filesKeptBytesMax } = await limitToDisk(large);
    assert.deepEqual([filesWaitingBytesMax, filesKeptBytesMax], [share, share]);
    const small = await limited(1000);
    assert.deepEqual([small.filesWaitingBytesMax, small.filesKeptBytesMax], [1000, 1001]);
  });

  it('fails the start if the folder is unusable', async () => {
    const DATA_DIR = await tempFolder();
    const FILES_DIR = path.join(DATA_DIR, 'file');
    await writeFile(FILES_DIR, '');
    const message = `FILES_DIR must be a folder that this user may read and write (${FILES_DIR}: EEXIST)`;
    await assert.rejects(openFileStorage(readSettings({ DATA_DIR, FILES_DIR })), new SettingError(message));
  });

  for (const [what, DATABASE_URL, left] of [
    ['of the embedded store has no drafts of a process that died', '', []],
    ['of PostgreSQL keeps the drafts of other processes', 'postgres://db/offers', ['a.upload.part-0123abcd']],
  ] as const) {
    it(what, async () => {
      const DATA_DIR = await tempFolder();
      await mkdir(path.join(DATA_DIR, 'files', '7'), { recursive: true });
      await writeFile(path.join(DATA_DIR, 'files', DRAFT), 'half');
      await openFileStorage(readSettings({ DATA_DIR, DATABASE_URL }));
      assert.deepEqual(await readdir(path.join(DATA_DIR, 'files', '7')), left);
    });
  }
});
