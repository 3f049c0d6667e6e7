/** Tests the storage of files in a folder. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { CANNOT_MOUNT, smallDisk } from '../../test/harness/small-disk.ts';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import { DiskFilePlace } from './disk-file-place.ts';
import { FileGoneError, PlaceFullError } from './file-place.ts';

const NAME = '7/0a-1b.upload';

async function newPlace(): Promise<{ place: DiskFilePlace; folder: string }> {
  const folder = path.join(await tempFolder(), 'deep', 'files');
  return { place: new DiskFilePlace(folder), folder };
}

async function put(place: DiskFilePlace, name: string, text: string): Promise<'kept' | 'exists'> {
  const draft = await place.create(name);
  await draft.write(Buffer.from(text));
  return draft.keep();
}

async function textOf(place: DiskFilePlace, name: string, from?: number, to?: number): Promise<string> {
  return (await buffer(place.read(name, from, to))).toString();
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('drafts', () => {
  it('have no name until they are kept, and then hold everything that was written', async () => {
    const { place } = await newPlace();
    const draft = await place.create(NAME);
    await draft.write(Buffer.from('one '));
    assert.equal(await place.size(NAME), undefined);
    await draft.write(Buffer.from('two'));
    assert.equal(await draft.keep(), 'kept');
    assert.equal(await textOf(place, NAME), 'one two');
    assert.equal(await place.size(NAME), 7);
  });

  it('leave no file when they are discarded, also twice and after they were kept', async () => {
    const { place, folder } = await newPlace();
    const draft = await place.create(NAME);
    await draft.write(Buffer.from('lost'));
    await draft.discard();
    await draft.discard();
    assert.deepEqual(await namesIn(folder), []);
    const kept = await place.create(NAME);
    await kept.keep();
    await kept.discard();
    assert.deepEqual(await namesIn(folder), ['0a-1b.upload']);
  });

  it('never replace a file: of two at once the first one that is kept stays', async () => {
    const { place, folder } = await newPlace();
    const [one, other] = [await place.create(NAME), await place.create(NAME)];
    await one.write(Buffer.from('one'));
    await other.write(Buffer.from('other'));
    assert.deepEqual([await other.keep(), await one.keep()], ['kept', 'exists']);
    assert.equal(await textOf(place, NAME), 'other');
    assert.deepEqual(await namesIn(folder), ['0a-1b.upload']);
  });

  it('whose folder was removed report that', async () => {
    const { place, folder } = await newPlace();
    const draft = await place.create(NAME);
    await rename(path.join(folder, '7'), path.join(folder, 'gone'));
    await assert.rejects(draft.keep(), FileGoneError);
  });

  it('can be read only by their owner', async () => {
    const { place, folder } = await newPlace();
    await put(place, NAME, 'x');
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
    const { place } = await newPlace();
    await put(place, NAME, '0123456789');
    assert.equal(await textOf(place, NAME), '0123456789');
    assert.equal(await textOf(place, NAME, 3), '3456789');
    assert.equal(await textOf(place, NAME, 3, 5), '34');
    assert.equal(await textOf(place, NAME, 3, 3), '');
    assert.equal(await textOf(place, NAME, 8, 100), '89');
    assert.equal(await textOf(place, NAME, 100), '');
  });

  it('give more than one chunk, in order', async () => {
    const { place } = await newPlace();
    const bytes = Buffer.alloc(700_001, 'abcdefg');
    const draft = await place.create(NAME);
    await draft.write(bytes);
    await draft.keep();
    assert.ok((await buffer(place.read(NAME))).equals(bytes));
    assert.ok((await buffer(place.read(NAME, 262_143, 524_290))).equals(bytes.subarray(262_143, 524_290)));
  });

  it('of a missing file fail, and it has no size', async () => {
    const { place } = await newPlace();
    await assert.rejects(textOf(place, NAME), FileGoneError);
    assert.equal(await place.size(NAME), undefined);
  });

  it('that are abandoned close the file', async () => {
    const { place } = await newPlace();
    await put(place, NAME, 'x'.repeat(1_000_000));
    const open = async () => (await readdir('/proc/self/fd')).length;
    const before = await open();
    for (let time = 0; time < 20; time++) {
      for await (const _chunk of place.read(NAME)) break;
    }
    assert.ok((await open()) <= before + 1, 'handles were left open');
  });
});

describe('appends', () => {
  it('create a file, append to it, and leave later bytes unchanged', async () => {
    const { place } = await newPlace();
    await place.append(NAME, 0, Buffer.from('abc'));
    await place.append(NAME, 3, Buffer.from('def'));
    assert.equal(await textOf(place, NAME), 'abcdef');
    await place.append(NAME, 3, Buffer.from('X'));
    assert.equal(await textOf(place, NAME), 'abcXef');
  });

  it('beyond the end of the file are refused', async () => {
    const { place } = await newPlace();
    await assert.rejects(place.append(NAME, 1, Buffer.from('x')), FileGoneError);
    await place.append(NAME, 0, Buffer.from('abc'));
    await assert.rejects(place.append(NAME, 4, Buffer.from('x')), FileGoneError);
    assert.equal(await textOf(place, NAME), 'abc');
  });
});

describe('removing and sweeping', () => {
  it('removes a file, and ignores a missing one', async () => {
    const { place } = await newPlace();
    await put(place, NAME, 'x');
    await place.remove(NAME);
    await place.remove(NAME);
    assert.equal(await place.size(NAME), undefined);
  });

  it('sweeps old files of the given kind, and nothing that an operator put there', async (t) => {
    const { place, folder } = await newPlace();
    assert.equal(await place.sweep('all', Date.now()), 0);
    for (const name of ['7/a.upload', '7/b.csv', '8/c.csv']) await put(place, name, 'x');
    const draft = await place.create('7/d.upload');
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
    assert.equal(await place.sweep('drafts', now_s * 1000), 0);
    assert.equal(await place.sweep('drafts', Number.POSITIVE_INFINITY), 1);
    assert.equal(await place.sweep('reports', now_s * 1000), 1);
    assert.deepEqual((await namesIn(folder)).toSorted(), ['20260131', 'a.upload', 'c.csv', 'e.csv', 'f.csv']);
    assert.equal(await place.sweep('all', now_s * 1000), 1);
    assert.equal(await place.sweep('all', now_s * 1000 + 1), 1);
    assert.deepEqual((await namesIn(folder)).toSorted(), ['20260131', 'e.csv', 'f.csv']);
  });
});

describe('the folder', () => {
  it('is created with its parents, also by several at once', async () => {
    const { place, folder } = await newPlace();
    await Promise.all(Array.from({ length: 8 }, () => place.prepare()));
    assert.ok((await stat(folder)).isDirectory());
    assert.ok((await place.freeBytes()) > 0);
  });

  it('that is a file, or is below one, is refused', async () => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, 'file'), '');
    for (const bad of [path.join(folder, 'file'), path.join(folder, 'file', 'below')]) {
      await assert.rejects(new DiskFilePlace(bad).prepare(), /ENOTDIR|EEXIST/);
    }
  });

  it('that cannot be a folder is refused', async () => {
    const file = path.join(await tempFolder(), 'file');
    await writeFile(file, '');
    await assert.rejects(new DiskFilePlace(path.join(file, 'files')).prepare(), /ENOTDIR/);
  });

  it('refuses names that lead elsewhere', async () => {
    const { place } = await newPlace();
    for (const name of ['', 'a.upload', '../a.upload', '7/../a.upload', '7/a/b.upload', '7/.upload', '7/a', '/7/a.b']) {
      await assert.rejects(place.size(name), /is not a valid file name/);
    }
  });
});

it('leaves the required bytes free on the disk, for every kind of write', { skip: CANNOT_MOUNT }, async () => {
  const { folder } = await smallDisk(8);
  const place = new DiskFilePlace(folder, 4_194_304);
  assert.equal(await place.hasRoom(), true);
  const draft = await place.create(NAME);
  const chunk = Buffer.alloc(524_288);
  const fill = async (write: (at: number) => Promise<void>) => {
    for (let at = 0; ; at += chunk.length) await write(at);
  };
  await assert.rejects(
    fill(() => draft.write(chunk)),
    PlaceFullError,
  );
  const free = await place.freeBytes();
  assert.ok(free >= 4_194_304 && free < 5_242_880, `${free}`);
  await draft.discard();
  await assert.rejects(
    fill((at) => place.append('7/a.errors', at, chunk)),
    PlaceFullError,
  );
  assert.ok((await place.freeBytes()) >= 4_194_304);
  await writeFile(path.join(folder, 'of-others'), Buffer.alloc(1_048_576));
  await setTimeout(300);
  assert.equal(await place.hasRoom(), false);
});

it('a full disk is reported as such, by drafts and by appends', { skip: CANNOT_MOUNT }, async () => {
  const { folder } = await smallDisk(1);
  const place = new DiskFilePlace(folder);
  const draft = await place.create(NAME);
  const fill = async () => {
    for (let time = 0; time < 20; time++) await draft.write(Buffer.alloc(100_000));
    await draft.keep();
  };
  await assert.rejects(fill(), PlaceFullError);
  await assert.rejects(place.append('7/a.errors', 0, Buffer.alloc(2_000_000)), PlaceFullError);
  await draft.discard();
  assert.deepEqual(await readdir(path.join(folder, '7')), []);
  await place.append('7/a.errors', 0, Buffer.from('fits'));
  assert.equal(await readFile(path.join(folder, '7/a.errors'), 'utf8'), 'fits');
});
