/** Tests that MemoryFileStore does what the SQLite store does, for the calls that the bulk engine makes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BulkFile } from '../../domain/bulk-files.ts';
import type { PartWrite } from '../../domain/offers/part.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import type { FileStore } from '../../store/port/files.ts';
import type { Store } from '../../store/port.ts';
import { openStoreFor } from '../../store/sqlite/testing/open-for.ts';
import { MemoryFileStore } from './memory-file-store.ts';

const BY = 'key:test';
const NOW_MS = 1_000;
const GROUP = { refinements: '[1]', title: null };

interface Subject {
  readonly accountId: number;
  readonly files: Pick<
    FileStore,
    'listUnfinishedFiles' | 'hasUnfinishedBefore' | 'startFile' | 'applyRows' | 'moveFile' | 'finishFile'
  >;
  receive(type: FileType): Promise<BulkFile>;
  cancel(file: BulkFile): Promise<unknown>;
  /** Makes a single call. */
  put(row: PartWrite): Promise<unknown>;
  stateOf(skuId: string): Promise<unknown>;
}

function inMemory(accountId: number): Subject {
  const store = new MemoryFileStore();
  let files = 0;
  return {
    accountId,
    files: store,
    receive: async (type) => store.addReceived(accountId, type, `file-${++files}`, 10),
    cancel: async ({ fileId }) => store.cancel(fileId),
    put: async (row) => store.put(accountId, row),
    stateOf: (skuId) => store.readSkuState({ accountId, skuId }),
  };
}

function onSqlite({ files, offers }: Store, accountId: number): Subject {
  let count = 0;
  return {
    accountId,
    files,
    receive: async (type) => {
      const key = { accountId, fileId: `file-${++count}` };
      await files.addFile({ ...key, createdMs: NOW_MS });
      await files.noteUploaded(key.accountId, key.fileId, 10);
      const file = await files.receiveFile({ ...key, type, name: 'rows.json' }, NOW_MS, 0);
      return file === 'unknown' ? assert.fail('The file was just added.') : file;
    },
    cancel: ({ fileId }) => files.cancelFile(accountId, fileId, NOW_MS),
    put: (row) => offers.write({ accountId, skuId: row.skuId, by: BY }, [row], NOW_MS),
    stateOf: async (skuId) => offers.readSkuState({ accountId, skuId }),
  };
}

const sku = (skuId: string): PartWrite => ({ skuId, kind: 'sku', document: '{}' });
const price = (skuId: string): PartWrite => ({ skuId, kind: 'price', price: 2, nodes: [] });
const archive = (skuId: string, archived: boolean): PartWrite => ({ skuId, kind: 'archive', archived });
const group = (skuId: string, ...childrenSkus: string[]): PartWrite => {
  return { skuId, kind: 'variation', group: { ...GROUP, childrenSkus } };
};

async function started({ files, receive }: Subject, type: FileType): Promise<BulkFile> {
  const file = await receive(type);
  assert.equal(await files.startFile(file, NOW_MS), 'stored');
  return file;
}

/** Each case returns what it observed, which must equal the expected value with both stores. */
const CASES: Readonly<Record<string, [run: (subject: Subject) => Promise<unknown>, expected: unknown]>> = {
  'rows of unknown, archived and changed SKUs': [
    async (subject) => {
      for (const skuId of ['open', 'archived', 'changed']) await subject.put(sku(skuId));
      await subject.put(archive('archived', true));
      const file = await started(subject, 'Price');
      await subject.put(price('changed'));
      const rows = ['open', 'unknown', 'archived', 'changed'].map(price);
      return subject.files.applyRows(file, file.progress, rows, NOW_MS);
    },
    ['stored', 'unknown', 'archived', 'superseded'],
  ],
  'uploads of new, archived and changed SKUs': [
    async (subject) => {
      await subject.put(sku('archived'));
      await subject.put(archive('archived', true));
      const file = await started(subject, 'MerchantSKUs');
      await subject.put(sku('changed'));
      return subject.files.applyRows(file, file.progress, ['new', 'archived', 'changed'].map(sku), NOW_MS);
    },
    ['stored', 'archived', 'superseded'],
  ],
  'rows that archive, and what they leave': [
    async (subject) => {
      for (const skuId of ['open', 'changed']) await subject.put(sku(skuId));
      const file = await started(subject, 'Archive');
      await subject.put(archive('changed', false));
      const rows = [archive('open', true), archive('changed', true), archive('unknown', true)];
      const outcomes = await subject.files.applyRows(file, file.progress, rows, NOW_MS);
      return [outcomes, await subject.stateOf('open'), await subject.stateOf('changed')];
    },
    [['stored', 'superseded', 'unknown'], 'archived', 'open'],
  ],
  'groups with children that cannot be in one': [
    async (subject) => {
      for (const skuId of ['parent', 'child', 'archived']) await subject.put(sku(skuId));
      await subject.put(archive('archived', true));
      const file = await started(subject, 'Variation');
      const rows = [group('parent', 'child'), group('parent', 'unknown', 'archived'), group('unknown', 'child')];
      return subject.files.applyRows(file, file.progress, rows, NOW_MS);
    },
    [
      'stored',
      {
        refused: [
          { skuId: 'unknown', state: 'unknown' },
          { skuId: 'archived', state: 'archived' },
        ],
      },
      'unknown',
    ],
  ],
  'progress that has moved, and the end of a file': [
    async (subject) => {
      const { files } = subject;
      const file = await started(subject, 'Price');
      const moved = { ...file.progress, offset: 7 };
      const later = { ...file, progress: moved };
      return [
        await files.moveFile(file, moved),
        await files.moveFile(file, moved),
        await files.applyRows(file, moved, [price('a')], NOW_MS),
        await files.moveFile(later, moved, 'Cancelled'),
        await files.finishFile(later, 'Processed successfully', moved, NOW_MS),
        await files.finishFile(later, 'Processed successfully', moved, NOW_MS),
        await files.startFile(later, NOW_MS),
      ];
    },
    ['stored', 'stale', 'stale', 'stale', 'stored', 'stale', 'stale'],
  ],
  'a file that is not started, and one that is cancelled': [
    async (subject) => {
      const { files } = subject;
      const waiting = await subject.receive('Price');
      const cancelled = await started(subject, 'Price');
      await subject.cancel(cancelled);
      return [
        await files.applyRows(waiting, waiting.progress, [price('a')], NOW_MS),
        await files.applyRows(cancelled, cancelled.progress, [price('a')], NOW_MS),
        await files.finishFile(cancelled, 'Processed successfully', cancelled.progress, NOW_MS),
        await files.moveFile(cancelled, { ...cancelled.progress, offset: 7 }, 'Cancelled'),
        await files.moveFile(cancelled, cancelled.progress, 'Cancelled'),
      ];
    },
    ['stale', 'stale', 'stale', 'stored', 'stale'],
  ],
  'unfinished files': [
    async (subject) => {
      const { accountId, files, receive } = subject;
      const [first, second, other] = [
        await receive('Price'),
        await started(subject, 'Price'),
        await receive('Archive'),
      ];
      const cancelled = await receive('Price');
      await subject.cancel(cancelled);
      const waiting = { ...second, progress: { ...second.progress, phase: 'waiting' as const } };
      await files.moveFile(second, waiting.progress);
      const listed = await files.listUnfinishedFiles(accountId, 'Price', 10);
      const hasBefore = (number: number) => files.hasUnfinishedBefore(accountId, 'Price', number);
      return [
        listed.map(({ fileId }) => fileId),
        (await files.listUnfinishedFiles(accountId, 'Price', 1)).length,
        [await hasBefore(first.number), await hasBefore(second.number), await hasBefore(other.number)],
      ];
    },
    [['file-1', 'file-2'], 1, [false, true, true]],
  ],
};

test('MemoryFileStore and the SQLite store agree on', async (t) => {
  const store = await openStoreFor(t);
  for (const [place, [name, [run, expected]]] of Object.entries(CASES).entries()) {
    await t.test(name, async () => {
      assert.deepEqual(await run(onSqlite(store, place)), expected, 'on SQLite');
      assert.deepEqual(await run(inMemory(place)), expected, 'in memory');
    });
  }
});
