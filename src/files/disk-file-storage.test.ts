/** Tests the storage of files in a folder. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, readlink, rename, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { CANNOT_MOUNT, smallDisk } from '../../test/harness/small-disk.ts';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import { DiskFileStorage } from './disk-file-storage.ts';
import { FileGoneError, StorageFullError } from './file-storage.ts';

const NAME = '7/0a-1b.upload';

async function newPlace(): Promise<{ storage: DiskFileStorage; folder: string }> {
  const folder = path.join(await tempFolder(), 'deep', 'files');
  return { storage: new DiskFileStorage(folder), folder };
}

async function put(storage: DiskFileStorage, name: string, text: string): Promise<'kept' | 'exists'> {
  const draft = await storage.create(name);
  await draft.write(Buffer.from(text));
  return draft.keep();
}

async function textOf(storage: DiskFileStorage, name: string, from?: number, to?: number): Promise<string> {
  return (await buffer(storage.read(name, from, to))).toString();
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Other tests of the process have files open too. */
async function openFilesIn(folder: string): Promise<string[]> {
  const handles = await readdir('/proc/self/fd');
  // The handle that read the list is closed by now.
  const files = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')));
  return files.filter((file) => file.startsWith(folder));
}

describe('drafts', () => {
  it('have no name until they are kept, and then hold everything that was written', async () => {
    const { storage } = await newPlace();
    const draft = await storage.create(NAME);
    await draft.write(Buffer.from('one '));
    assert.equal(await storage.size(NAME), undefined);
    await draft.write(Buffer.from('two'));
    assert.equal(await draft.keep(), 'kept');
    assert.equal(await textOf(storage, NAME), 'one two');
    assert.equal(await storage.size(NAME), 7);
  });

  it('leave no file when they are discarded, also twice and after they were kept', async () => {
    const { storage, folder } = await newPlace();
    const draft = await storage.create(NAME);
    await draft.write(Buffer.from('lost'));
    await draft.discard();
    await draft.discard();
    assert.deepEqual(await namesIn(folder), []);
    const kept = await storage.create(NAME);
    await kept.keep();
    await kept.discard();
    assert.deepEqual(await namesIn(folder), ['0a-1b.upload']);
  });

  it('never replace a file: of two at once the first one that is kept stays', async () => {
    const { storage, folder } = await newPlace();
    const [one, other] = [await storage.create(NAME), await storage.create(NAME)];
    await one.write(Buffer.from('one'));
    await other.write(Buffer.from('other'));
    assert.deepEqual([await other.keep(), await one.keep()], ['kept', 'exists']);
    assert.equal(await textOf(storage, NAME), 'other');
    assert.deepEqual(await namesIn(folder), ['0a-1b.upload']);
  });

  it('whose folder was removed report that', async () => {
    const { storage, folder } = await newPlace();
    const draft = await storage.create(NAME);
    await rename(path.join(folder, '7'), path.join(folder, 'gone'));
    await assert.rejects(draft.keep(), FileGoneError);
  });

  it('can be read only by their owner', async () => {
    const { storage, folder } = await newPlace();
    await put(storage, NAME, 'x');
    const modes = await Promise.all(
      [folder, path.join(folder, '7'), path.join(folder, NAME)].map((file) => stat(file)),
    );
    assert.deepEqual(
      modes.map(({ mode }) => (mode & 0o777).toString(8)),
      ['700', '700', '600'],
    );
  });
});

describe('reads', () => {
  it('give a range, and less where the file is shorter', async () => {
    const { storage } = await newPlace();
    await put(storage, NAME, '0123456789');
    assert.equal(await textOf(storage, NAME), '0123456789');
    assert.equal(await textOf(storage, NAME, 3), '3456789');
    assert.equal(await textOf(storage, NAME, 3, 5), '34');
    assert.equal(await textOf(storage, NAME, 3, 3), '');
    assert.equal(await textOf(storage, NAME, 8, 100), '89');
    assert.equal(await textOf(storage, NAME, 100), '');
  });

  it('give more than one chunk, in order', async () => {
    const { storage } = await newPlace();
    const bytes = Buffer.alloc(700_001, 'abcdefg');
    const draft = await storage.create(NAME);
    await draft.write(bytes);
    await draft.keep();
    assert.ok((await buffer(storage.read(NAME))).equals(bytes));
    assert.ok((await buffer(storage.read(NAME, 262_143, 524_290))).equals(bytes.subarray(262_143, 524_290)));
  });

  it('of a missing file fail, and it has no size', async () => {
    const { storage } = await newPlace();
    await assert.rejects(textOf(storage, NAME), FileGoneError);
    assert.equal(await storage.size(NAME), undefined);
  });

  it('that are abandoned close the file', async () => {
    const { storage, folder } = await newPlace();
    await put(storage, NAME, 'x'.repeat(1_000_000));
    for (let time = 0; time < 20; time++) {
      const read = storage.read(NAME);
      // The stream closes the file after the loop, once the chunk that it reads ahead has arrived.
      const closed = new Promise((resolve) => read.once('close', resolve));
      for await (const _chunk of read) break;
      await closed;
    }
    assert.deepEqual(await openFilesIn(folder), []);
  });
});

describe('appends', () => {
  it('create a file, append to it, and leave later bytes unchanged', async () => {
    const { storage } = await newPlace();
    await storage.append(NAME, 0, Buffer.from('abc'));
    await storage.append(NAME, 3, Buffer.from('def'));
    assert.equal(await textOf(storage, NAME), 'abcdef');
    await storage.append(NAME, 3, Buffer.from('X'));
    assert.equal(await textOf(storage, NAME), 'abcXef');
  });

  it('beyond the end of the file are refused', async () => {
    const { storage } = await newPlace();
    await assert.rejects(storage.append(NAME, 1, Buffer.from('x')), FileGoneError);
    await storage.append(NAME, 0, Buffer.from('abc'));
    await assert.rejects(storage.append(NAME, 4, Buffer.from('x')), FileGoneError);
    assert.equal(await textOf(storage, NAME), 'abc');
  });
});

describe('removing and sweeping', () => {
  it('removes a file, and ignores a missing one', async () => {
    const { storage } = await newPlace();
    await put(storage, NAME, 'x');
    await storage.remove(NAME);
    await storage.remove(NAME);
    assert.equal(await storage.size(NAME), undefined);
  });

  it('sweeps old files of the given kind, and nothing that an operator put there', async (t) => {
    const { storage, folder } = await newPlace();
    assert.equal(await storage.sweep('all', Date.now()), 0);
    for (const name of ['7/a.upload', '7/b.csv', '8/c.csv']) await put(storage, name, 'x');
    const draft = await storage.create('7/d.upload');
    t.after(() => draft.discard());
    await mkdir(path.join(folder, 'notes'));
    await writeFile(path.join(folder, 'notes', 'e.csv'), 'x');
    await writeFile(path.join(folder, 'f.csv'), 'x');
    // Has a name like the folder of an account.
    await writeFile(path.join(folder, '20260131'), 'x');
    const [old_s, now_s] = [1_000_000, 2_000_000];
    for (const name of ['7/a.upload', '7/b.csv', 'notes/e.csv', 'f.csv'])
      await utimes(path.join(folder, name), old_s, old_s);
    await utimes(path.join(folder, '8/c.csv'), now_s, now_s);
    assert.equal(await storage.sweep('drafts', now_s * 1000), 0);
    assert.equal(await storage.sweep('drafts', Number.POSITIVE_INFINITY), 1);
    assert.equal(await storage.sweep('reports', now_s * 1000), 1);
    assert.deepEqual((await namesIn(folder)).toSorted(), ['20260131', 'a.upload', 'c.csv', 'e.csv', 'f.csv']);
    assert.equal(await storage.sweep('all', now_s * 1000), 1);
    assert.equal(await storage.sweep('all', now_s * 1000 + 1), 1);
    assert.deepEqual((await namesIn(folder)).toSorted(), ['20260131', 'e.csv', 'f.csv']);
  });
});

describe('the folder', () => {
  it('is created with its parents, also by several at once', async () => {
    const { storage, folder } = await newPlace();
    await Promise.all(Array.from({ length: 8 }, () => storage.prepare()));
    assert.ok((await stat(folder)).isDirectory());
    assert.ok((await storage.freeBytes()) > 0);
  });

  it('that is a file, or is below one, is refused', async () => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, 'file'), '');
    for (const bad of [path.join(folder, 'file'), path.join(folder, 'file', 'below')]) {
      await assert.rejects(new DiskFileStorage(bad).prepare(), /ENOTDIR|EEXIST/);
    }
  });

  it('that cannot be a folder is refused', async () => {
    const file = path.join(await tempFolder(), 'file');
    await writeFile(file, '');
    await assert.rejects(new DiskFileStorage(path.join(file, 'files')).prepare(), /ENOTDIR/);
  });

  it('refuses names that lead elsewhere', async () => {
    const { storage } = await newPlace();
    for (const name of ['', 'a.upload', '../a.upload', '7/../a.upload', '7/a/b.upload', '7/.upload', '7/a', '/7/a.b']) {
      await assert.rejects(storage.size(name), /is not a valid file name/);
    }
  });
});

it('leaves the required bytes free on the disk, for every kind of write', { skip: CANNOT_MOUNT }, async () => {
  const { folder } = await smallDisk(8);
  const storage = new DiskFileStorage(folder, 4_194_304);
  assert.equal(await storage.hasRoom(), true);
  const draft = await storage.create(NAME);
  const chunk = Buffer.alloc(524_288);
  const fill = async (write: (at: number) => Promise<void>) => {
    for (let at = 0; ; at += chunk.length) await write(at);
  };
  await assert.rejects(
    fill(() => draft.write(chunk)),
    StorageFullError,
  );
  const free = await storage.freeBytes();
  assert.ok(free >= 4_194_304 && free < 5_242_880, `${free}`);
  await draft.discard();
  await assert.rejects(
    fill((at) => storage.append('7/a.errors', at, chunk)),
    StorageFullError,
  );
  assert.ok((await storage.freeBytes()) >= 4_194_304);
  await writeFile(path.join(folder, 'of-others'), Buffer.alloc(1_048_576));
  await setTimeout(300);
  assert.equal(await storage.hasRoom(), false);
});

it('a full disk is reported as such, by drafts and by appends', { skip: CANNOT_MOUNT }, async () => {
  const { folder } = await smallDisk(1);
  const storage = new DiskFileStorage(folder);
  const draft = await storage.create(NAME);
  const fill = async () => {
    for (let time = 0; time < 20; time++) await draft.write(Buffer.alloc(100_000));
    await draft.keep();
  };
  await assert.rejects(fill(), StorageFullError);
  await assert.rejects(storage.append('7/a.errors', 0, Buffer.alloc(2_000_000)), StorageFullError);
  await draft.discard();
  assert.deepEqual(await readdir(path.join(folder, '7')), []);
  await storage.append('7/a.errors', 0, Buffer.from('fits'));
  assert.equal(await readFile(path.join(folder, '7/a.errors'), 'utf8'), 'fits');
});
