/** Contract tests for the list of bulk files: its order, pages, search and total. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BulkFile } from '../../domain/bulk-files.ts';
import type { FileStatus } from '../../domain/vocabulary/file-types.ts';
import type { Store } from '../port.ts';
import { receivedFile, startedFile, uploadedFile } from './bulk-files.ts';
import { LATER_MS, NOW_MS, newAccountId } from './subject.ts';

export function fileListContract(store: () => Store): void {
  describe('listed bulk files', () => {
    test('are listed newest first, page by page, for their account', async () => {
      const accountId = newAccountId();
      const files: BulkFile[] = [];
      for (const type of ['Price', 'Archive', 'Price', 'Inventory'] as const) {
        files.unshift(await receivedFile(store(), type, accountId));
      }
      await uploadedFile(store(), accountId);
      await receivedFile(store(), 'Price');
      const [first, second, third, fourth] = files;
      assert.deepEqual(await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 0, limit: 10 }), {
        files,
        total: 4,
      });
      assert.deepEqual(await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 0, limit: 4 }), {
        files,
        total: 4,
      });
      assert.deepEqual(await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 0, limit: 2 }), {
        files: [first, second],
        total: 4,
      });
      assert.deepEqual(await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 1, limit: 2 }), {
        files: [second, third],
        total: 4,
      });
      assert.deepEqual(await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 3, limit: 2 }), {
        files: [fourth],
        total: 4,
      });
      assert.deepEqual(await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 4, limit: 2 }), {
        files: [],
        total: 4,
      });
    });

    test('without a single applied row are listed for all accounts, newest first', async () => {
      const accountId = newAccountId();
      const ended = async (status: FileStatus, rowsProcessed: number, rowsFailed: number) => {
        const file = await startedFile(store(), 'Price', accountId);
        const progress = { ...file.progress, rowsProcessed, rowsFailed };
        assert.equal(await store().files.finishFile(file, status, progress, NOW_MS), 'stored');
        return file.fileId;
      };
      await ended('Processed successfully', 2, 0);
      await ended('Processed with errors', 2, 1);
      const rejected = [await ended('Processed with errors', 0, 0), await ended('Processed with errors', 2, 2)];
      const listed = await store().files.listRejectedFiles(NOW_MS - 1, 10_000);
      const own = listed.filter((file) => file.accountId === accountId).map(({ fileId }) => fileId);
      assert.deepEqual(own.sort(), rejected.sort());
      assert.deepEqual(await store().files.listRejectedFiles(LATER_MS, 10), []);
    });

    test('that are only validated say so until their end, and keep no file waiting', async () => {
      const accountId = newAccountId();
      const fileId = await uploadedFile(store(), accountId);
      const submitted = { accountId, fileId, type: 'MerchantSKUs', name: 's.json' } as const;
      const file = await store().files.receiveFile({ ...submitted, validateOnly: true }, NOW_MS, 0);
      assert.ok(file !== 'unknown' && file.validateOnly);
      assert.deepEqual(await store().files.receiveFile(submitted, NOW_MS, 0), file, 'a repeat does not change it');
      assert.deepEqual(await store().files.listUnfinishedFiles(accountId, 'MerchantSKUs', 10), [file]);
      const next = await receivedFile(store(), 'MerchantSKUs', accountId);
      assert.equal(await store().files.hasUnfinishedBefore(accountId, ['MerchantSKUs'], next.number), false);
      assert.equal(await store().files.hasUnfinishedBefore(accountId, ['MerchantSKUs'], next.number + 1), true);
      for (const [validateOnly, ...files] of [
        [true, file],
        [false, next],
        [undefined, next, file],
      ] as const) {
        const page = { madeAfterMs: 0, offset: 0, limit: 10, validateOnly };
        assert.deepEqual(await store().files.listFiles(accountId, page), { files, total: files.length });
      }
      const ended = await store().files.cancelFile(accountId, fileId, NOW_MS);
      assert.deepEqual(ended, { ...file, status: 'Cancelled', endedMs: NOW_MS });
    });

    test('are found by id, and by a part of their name', async () => {
      const accountId = newAccountId();
      const names = ['Prices 100%.csv', 'prices_2.json', 'PRICES!.json', 'Ärger.csv'];
      const found = new Map<string, BulkFile>();
      for (const name of names) {
        const fileId = await uploadedFile(store(), accountId);
        const file = await store().files.receiveFile({ accountId, fileId, type: 'Price', name }, NOW_MS, 0);
        assert.ok(file !== 'unknown');
        found.set(name, file);
      }
      for (const [search, ...expected] of [
        ['prices', 'PRICES!.json', 'prices_2.json', 'Prices 100%.csv'],
        ['0%', 'Prices 100%.csv'],
        ['s_', 'prices_2.json'],
        ['s!', 'PRICES!.json'],
        ['Ärg', 'Ärger.csv'],
        [found.get('Ärger.csv')?.fileId ?? '', 'Ärger.csv'],
        ['stock'],
      ]) {
        const files = expected.map((name) => found.get(name));
        assert.deepEqual(
          await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 0, limit: 10, search }),
          { files, total: files.length },
          search,
        );
      }
      const page = await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 1, limit: 1, search: 'prices' });
      assert.deepEqual(page, { files: [found.get('prices_2.json')], total: 3 });
    });

    test('are listed with a consistent total while others are submitted', async () => {
      const accountId = newAccountId();
      let isDone = false;
      const submitting = (async () => {
        for (let file = 0; file < 40; file++) await receivedFile(store(), 'Price', accountId);
      })().finally(() => {
        isDone = true;
      });
      while (!isDone) {
        const { files, total } = await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 0, limit: 100 });
        assert.equal(files.length, total);
      }
      await submitting;
      assert.equal((await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 0, limit: 100 })).total, 40);
    });
  });
}
