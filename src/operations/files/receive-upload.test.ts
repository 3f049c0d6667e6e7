/** Tests parts of receive-upload.ts that the API tests cannot trigger. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { tempFolder } from '../../../test/harness/temp-folder.ts';
import type { Account } from '../../domain/account.ts';
import { DiskFileStorage } from '../../files/disk-file-storage.ts';
import { type FileStorage, fileName, StorageFullError } from '../../files/file-storage.ts';
import type { FileContext } from './file-context.ts';
import { receiveUpload } from './receive-upload.ts';
import { UploadsUnderWay } from './uploads-under-way.ts';

const ACCOUNT = { accountId: 7 } as Account;
const FILE = { accountId: 7, fileId: '0b5b1c8e-0000-4000-8000-000000000001' };
const MEBIBYTE = 1_048_576;

/** File storage with some methods replaced, and a record that accepts one upload. */
async function setup(change: (storage: DiskFileStorage) => Partial<FileStorage> = () => ({})) {
  const disk = new DiskFileStorage(await tempFolder());
  const changed = change(disk);
  const storage = new Proxy(disk as FileStorage, {
    get: (target, key: keyof FileStorage) => {
      const method = changed[key] ?? target[key];
      return changed[key] === undefined ? method.bind(target) : method;
    },
  });
  const record: { bytes: number | undefined; isGone: boolean } = { bytes: undefined, isGone: false };
  const store = {
    readWaitingBytes: async () => record.bytes ?? 0,
    noteUploaded: async (_accountId: number, _fileId: string, bytes: number) => {
      if (record.isGone) return 'unknown' as const;
      if (record.bytes !== undefined) return 'repeated' as const;
      record.bytes = bytes;
      return 'stored' as const;
    },
  };
  const limits = {
    fileBytesMax: 1000,
    fileUnpackedBytesMax: 100 * MEBIBYTE,
    filesFreeBytesMin: 0,
    filesWaitingBytesMax: 200 * MEBIBYTE,
  };
  const records = { files: store } as unknown as FileContext['store'];
  const context = {
    store: records,
    storage,
    limits,
    uploads: new UploadsUnderWay(),
    readKeys: () => assert.fail(),
    kept: { add: async () => {} },
  } as Partial<FileContext> as FileContext;
  const send = (...chunks: Uint8Array[]) => sendAll(chunks, undefined);
  const sendAll = (chunks: Iterable<Uint8Array>, announcedBytes: number | undefined) =>
    receiveUpload(context, ACCOUNT, FILE.fileId, {
      announcedBytes,
      chunks: (async function* () {
        yield* chunks;
      })(),
    });
  return { storage: disk, context, record, send, sendAll };
}

const codeOf = (outcome: Awaited<ReturnType<typeof receiveUpload>>) =>
  outcome.ok ? 'accepted' : outcome.problems.map(({ code }) => code).join();

describe('an upload', () => {
  it('is recorded when it is sent again after a process died before it could record it', async () => {
    const { storage, record, send } = await setup();
    await storage.append(fileName(FILE, 'upload'), 0, Buffer.from('{"a":1}'));
    assert.equal(codeOf(await send(Buffer.from('{}'))), 'file_uploaded_before');
    assert.equal(record.bytes, 7);
    assert.equal(await storage.size(fileName(FILE, 'upload')), 7);
  });

  it('whose record was deleted in the meantime is removed', async () => {
    const { storage, record, send } = await setup();
    record.isGone = true;
    assert.equal(codeOf(await send(Buffer.from('{}'))), 'file_not_found');
    assert.equal(await storage.size(fileName(FILE, 'upload')), undefined);
  });

  it('is recognized as compressed even if its first bytes arrive one by one', async () => {
    const { send } = await setup();
    const packed = Buffer.concat([gzipSync('{}'), Buffer.alloc(2000)]);
    assert.equal(
      codeOf(await send(packed.subarray(0, 1), packed.subarray(1, 2), packed.subarray(2))),
      'file_too_large',
    );
    const plain = Buffer.alloc(2000, 0x1f);
    assert.equal(codeOf(await send(plain.subarray(0, 1), plain.subarray(1))), 'accepted');
  });

  it('that declares too large a size is refused before a byte is read', async () => {
    const { send, sendAll } = await setup();
    const never: Iterable<Uint8Array> = {
      [Symbol.iterator]() {
        throw new Error('It was read.');
      },
    };
    assert.equal(codeOf(await sendAll(never, 100 * MEBIBYTE + 1)), 'file_too_large');
    assert.equal(codeOf(await send(Buffer.from('{}'))), 'accepted');
  });

  it('that does not fit on the disk is refused at once, and one byte less is accepted', async () => {
    const { storage, context, sendAll } = await setup(() => ({ freeBytes: async () => 5000 }));
    const limits = { ...context.limits, filesFreeBytesMin: 4000 };
    const small = { ...context, limits };
    const take = (announcedBytes: number) =>
      receiveUpload(small, ACCOUNT, FILE.fileId, {
        announcedBytes,
        chunks: (async function* () {
          yield Buffer.from('{}');
        })(),
      });
    assert.equal(codeOf(await take(1001)), 'disk_full');
    assert.equal(await storage.size(fileName(FILE, 'upload')), undefined);
    assert.equal(codeOf(await take(1000)), 'accepted');
    assert.equal(codeOf(await sendAll([Buffer.from('{}')], 2)), 'file_uploaded_before');
  });

  it('beyond the limit of unprocessed bytes is refused at once if it declares its size; at the limit it is accepted', async () => {
    const { context, record, storage, send } = await setup();
    const small = { ...context, limits: { ...context.limits, filesWaitingBytesMax: 1000 } };
    const take = (announcedBytes: number | undefined, bytes: number) =>
      receiveUpload(small, ACCOUNT, FILE.fileId, {
        announcedBytes,
        chunks: (async function* () {
          yield Buffer.alloc(bytes, 32);
        })(),
      });
    assert.equal(codeOf(await take(1001, 0)), 'files_waiting_too_large');
    assert.equal(codeOf(await take(undefined, 1001)), 'files_waiting_too_large');
    assert.deepEqual([record.bytes, await storage.sweep('all', Number.POSITIVE_INFINITY)], [undefined, 0]);
    assert.equal(codeOf(await take(1000, 1000)), 'accepted');
    assert.equal(codeOf(await send(Buffer.from('{}'))), 'file_uploaded_before');
  });

  it('that exceeds the limit together with an earlier one is refused, and the earlier one continues', async () => {
    const { context } = await setup();
    const small = { ...context, limits: { ...context.limits, filesWaitingBytesMax: 1000 } };
    const release = Promise.withResolvers<void>();
    const take = (fileId: string, announcedBytes: number) =>
      receiveUpload(small, ACCOUNT, fileId, {
        announcedBytes,
        chunks: (async function* () {
          await release.promise;
          yield Buffer.alloc(announcedBytes, 32);
        })(),
      });
    const first = take(FILE.fileId, 600);
    const second = take(FILE.fileId.replace(/1$/, '2'), 401);
    assert.equal(codeOf(await second), 'files_waiting_too_large');
    release.resolve();
    assert.equal(codeOf(await first), 'accepted');
  });

  it('fails as a whole when the bytes of the account cannot be counted', async () => {
    const { storage, context, record } = await setup();
    const down = new Error('down');
    const failing = { ...context, kept: { add: () => Promise.reject(down) } };
    const chunks = (async function* () {
      yield Buffer.from('{}');
    })();
    await assert.rejects(receiveUpload(failing, ACCOUNT, FILE.fileId, { announcedBytes: undefined, chunks }), down);
    assert.deepEqual([record.bytes, await storage.sweep('all', Number.POSITIVE_INFINITY)], [undefined, 0]);
  });

  it('that grows beyond the limit of unprocessed bytes is aborted', async () => {
    const { context, record, sendAll } = await setup();
    let looks = 0;
    Object.assign(context.store.files, { readWaitingBytes: async () => (looks++ < 2 ? 0 : 200 * MEBIBYTE) });
    const chunk = Buffer.alloc(8 * MEBIBYTE, 32);
    assert.equal(codeOf(await sendAll(new Array(12).fill(chunk), undefined)), 'files_waiting_too_large');
    assert.deepEqual([looks, record.bytes], [3, undefined]);
  });

  it('that uses up the free space is aborted, and leaves no file', async () => {
    let looks = 0;
    const { storage, record, sendAll } = await setup((disk) => {
      disk.freeBytes = async () => (looks++ < 2 ? 8 * MEBIBYTE : 1);
      return {};
    });
    const chunk = Buffer.alloc(8 * MEBIBYTE, 32);
    assert.equal(codeOf(await sendAll(new Array(12).fill(chunk), undefined)), 'disk_full');
    // The free space is read before the first byte, with the first 8 MiB and with the second.
    assert.equal(looks, 3);
    assert.deepEqual([record.bytes, await storage.sweep('all', Number.POSITIVE_INFINITY)], [undefined, 0]);
  });

  it('that fills the disk is aborted, and leaves no file', async () => {
    const { storage, sendAll } = await setup((disk) => ({
      create: async (name) => {
        const draft = await disk.create(name);
        return {
          write: () => Promise.reject(new StorageFullError('full')),
          keep: () => draft.keep(),
          discard: () => draft.discard(),
        };
      },
    }));
    assert.equal(codeOf(await sendAll([Buffer.from('{}')], undefined)), 'disk_full');
    assert.equal(await storage.sweep('all', Number.POSITIVE_INFINITY), 0);
  });

  it('whose client disconnects fails and leaves no file', async () => {
    const { storage, context, record } = await setup();
    const aborted = new Error('aborted');
    const chunks = (async function* () {
      yield Buffer.from('{');
      throw aborted;
    })();
    await assert.rejects(receiveUpload(context, ACCOUNT, FILE.fileId, { announcedBytes: undefined, chunks }), aborted);
    assert.deepEqual([record.bytes, await storage.sweep('all', Number.POSITIVE_INFINITY)], [undefined, 0]);
    await context.uploads.settled();
  });
});
