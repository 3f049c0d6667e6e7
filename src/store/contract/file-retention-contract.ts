/** Contract tests for bulk file deadlines: how long a file can be submitted, is listed, and is kept. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Store } from '../port.ts';
import { applied, movedTo, receivedFile, startedFile, uploadedFile } from './bulk-files.ts';
import type { ClearedStores } from './subject.ts';
import { LATER_MS, NOW_MS, newAccountId, newMerchant } from './subject.ts';

export function fileRetentionContract(store: () => Store, emptied: ClearedStores): void {
  describe('retention of bulk files', () => {
    test('refuses to submit expired uploads, and does not change submitted ones', async () => {
      const accountId = newAccountId();
      const fileId = await uploadedFile(store(), accountId);
      const receive = (madeAfterMs: number) =>
        store().files.receiveFile({ accountId, fileId, type: 'Price', name: 'p.json' }, LATER_MS, madeAfterMs);
      assert.equal(await receive(NOW_MS), 'unknown');
      const file = await receive(NOW_MS - 1);
      assert.ok(file !== 'unknown');
      assert.deepEqual(await receive(NOW_MS), file);
    });

    test('leaves expired files out of the list', async () => {
      const accountId = newAccountId();
      const file = await receivedFile(store(), 'Price', accountId);
      assert.deepEqual(await store().files.listFiles(accountId, { madeAfterMs: NOW_MS - 1, offset: 0, limit: 10 }), {
        files: [file],
        total: 1,
      });
      assert.deepEqual(await store().files.listFiles(accountId, { madeAfterMs: NOW_MS, offset: 0, limit: 10 }), {
        files: [],
        total: 0,
      });
    });

    test('lists the files of an account beyond a size limit, oldest first, never the newest', async () => {
      const accountId = newAccountId();
      const ids: string[] = [];
      const addEnded = async (place: number, errorBytes: number) => {
        const fileId = randomUUID();
        ids.push(fileId);
        await store().files.addFile({ accountId, fileId, createdMs: NOW_MS + place });
        await store().files.noteUploaded(accountId, fileId, 1000);
        const file = await store().files.receiveFile({ accountId, fileId, type: 'Price', name: 'p.json' }, LATER_MS, 0);
        assert.ok(file !== 'unknown');
        await store().files.startFile(file, LATER_MS);
        const progress = movedTo(file, { errorBytes, retryBytes: 1 });
        assert.equal(await store().files.finishFile(file, 'Processed with errors', progress, LATER_MS), 'stored');
      };
      const beyond = async (bytes_max: number, reportsAfterMs = 0, limit = 10) => {
        const found = await store().files.listKeptBeyond(accountId, bytes_max, reportsAfterMs, limit);
        return found.map(({ kind, id }) => `${kind} ${ids.indexOf(id)}`);
      };
      await addEnded(0, 499);
      await addEnded(1, 0);
      const reportId = randomUUID();
      ids.push(reportId);
      await store().reports.addReport({ accountId, reportId, type: 'ProductStatus' }, NOW_MS + 2, 1);
      const report = (await store().reports.readReport(accountId, reportId)) ?? assert.fail('The report must exist.');
      await store().reports.endReport(report, 'Ready', 2 ** 33, LATER_MS);
      await addEnded(3, 2 ** 33);
      // None of these may be listed: an upload, an unfinished file, and a file of another account.
      await uploadedFile(store(), accountId);
      await startedFile(store(), 'Price', accountId);
      await store().files.cancelFile(newAccountId(), ids[0] ?? '', LATER_MS);
      assert.deepEqual(await beyond(1), ['file 0', 'file 1', 'report 2']);
      assert.deepEqual(await beyond(1, 0, 2), ['file 0', 'file 1']);
      assert.deepEqual(await beyond(2 ** 33 + 1001), ['file 0', 'file 1', 'report 2']);
      assert.deepEqual(await beyond(2 ** 33 + 1002), ['file 0', 'file 1']);
      assert.deepEqual(await beyond(2 ** 34 + 1002), ['file 0']);
      assert.deepEqual(await beyond(2 ** 34 + 2002), ['file 0']);
      assert.deepEqual(await beyond(2 ** 34 + 2003), []);
      assert.deepEqual(await beyond(2 ** 33 + 1002, LATER_MS), ['file 0'], 'a report that has expired has no bytes');
    });

    test('counts deferred rows only of cancelled files towards the limit, because their list stays', async () => {
      for (const [isCancelled, beyond] of [
        [true, 1],
        [false, 0],
      ] as const) {
        const accountId = newAccountId();
        for (const createdMs of [NOW_MS, NOW_MS + 1]) {
          const fileId = randomUUID();
          await store().files.addFile({ accountId, fileId, createdMs });
          await store().files.noteUploaded(accountId, fileId, 10);
          const key = { accountId, fileId, type: 'Price', name: 'p.json' } as const;
          const file = await store().files.receiveFile(key, LATER_MS, 0);
          assert.ok(file !== 'unknown');
          await store().files.startFile(file, LATER_MS);
          const progress = movedTo(file, { deferredBytes: 800 });
          await store().files.moveFile(file, progress);
          if (isCancelled) await store().files.cancelFile(accountId, fileId, LATER_MS);
          else await store().files.finishFile(file, 'Processed successfully', progress, LATER_MS);
        }
        assert.equal((await store().files.listKeptBeyond(accountId, 810, 0, 10)).length, beyond);
      }
    });

    test('lists files created before a time, submitted or not, and drops them', async () => {
      const own = await emptied.openOne();
      const accountIds = [newAccountId(), newAccountId(), newAccountId()];
      const files = accountIds.map((accountId, place) => {
        return { accountId, fileId: randomUUID(), createdMs: NOW_MS + place };
      });
      for (const file of files) await own.files.addFile(file);
      const [first, second] = files;
      assert.ok(first !== undefined && second !== undefined);
      await own.files.noteUploaded(second.accountId, second.fileId, 1);
      await own.files.receiveFile(
        { accountId: second.accountId, fileId: second.fileId, type: 'Price', name: 'p.json' },
        LATER_MS,
        0,
      );
      const listed = (beforeMs: number, limit: number) => own.files.listKeptBefore(beforeMs, 0, limit);
      const kept = files.map(({ accountId, fileId }) => ({ kind: 'file', accountId, id: fileId }) as const);
      const [keptFirst, keptSecond] = kept;
      assert.ok(keptFirst !== undefined && keptSecond !== undefined);
      assert.deepEqual(await listed(NOW_MS, 10), []);
      assert.deepEqual(await listed(NOW_MS + 1, 10), [keptFirst]);
      assert.deepEqual(await listed(NOW_MS + 2, 10), [keptFirst, keptSecond]);
      assert.equal((await listed(LATER_MS, 2)).length, 2);
      await own.files.dropKept({ ...keptFirst, accountId: second.accountId });
      assert.deepEqual(await listed(LATER_MS, 10), kept, 'the discarded file belongs to another account');
      for (let time = 0; time < 2; time++) await own.files.dropKept(keptSecond);
      assert.equal(await own.files.readFile(second.accountId, second.fileId), undefined);
      assert.deepEqual(await own.files.listFiles(second.accountId, { madeAfterMs: 0, offset: 0, limit: 10 }), {
        files: [],
        total: 0,
      });
      assert.deepEqual(await listed(LATER_MS, 10), [keptFirst, kept[2]]);
    });

    test('drops unsubmitted files earlier', async () => {
      const own = await emptied.openOne();
      const [first, second] = [newAccountId(), newAccountId()];
      const received = await receivedFile(own, 'Price', first);
      const uploads = [
        { kind: 'file', accountId: first, id: await uploadedFile(own, first) } as const,
        { kind: 'file', accountId: second, id: randomUUID() } as const,
      ];
      await own.files.addFile({ accountId: second, fileId: uploads[1]?.id ?? '', createdMs: NOW_MS });
      assert.deepEqual(await own.files.listKeptBefore(0, NOW_MS, 10), []);
      const found = await own.files.listKeptBefore(0, NOW_MS + 1, 10);
      assert.deepEqual(
        found.toSorted((a, b) => a.accountId - b.accountId),
        uploads.toSorted((a, b) => a.accountId - b.accountId),
      );
      assert.equal((await own.files.listKeptBefore(0, NOW_MS + 1, 1)).length, 1);
      for (const kept of found) await own.files.dropKept(kept);
      assert.deepEqual(await own.files.listKeptBefore(0, NOW_MS + 1, 10), []);
      assert.deepEqual(await own.files.readFile(first, received.fileId), received);
    });

    test('drops discarded files, which can no longer be read or processed', async (t) => {
      const own = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const merchant = newMerchant();
      await own.settings.addMerchant(merchant, NOW_MS);
      const { accounts } = (await own.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
      const kept = await receivedFile(own, 'Price');
      for (const discard of [
        () => moves.discardFiles(accounts.test),
        async () => assert.equal(await moves.eraseMerchant(merchant.merchantId), 'erased'),
      ]) {
        const accountId = accounts.test;
        const file = await startedFile(own, 'Price', accountId);
        const uploaded = await uploadedFile(own, accountId);
        await discard();
        assert.equal(await own.files.readFile(accountId, file.fileId), undefined);
        assert.deepEqual(await own.files.listFiles(accountId, { madeAfterMs: 0, offset: 0, limit: 10 }), {
          files: [],
          total: 0,
        });
        assert.deepEqual(await own.files.listUnfinishedFiles(accountId, 'Price', 10), []);
        assert.equal(await own.files.hasUnfinishedBefore(accountId, ['Price'], file.number + 1), false);
        assert.equal(await own.files.cancelFile(accountId, file.fileId, NOW_MS), undefined);
        assert.equal(await own.files.moveFile(file, movedTo(file, { offset: 1 })), 'stale');
        assert.equal(await own.files.moveFile(file, movedTo(file, { offset: 1 }), 'Cancelled'), 'stale');
        assert.equal(await own.files.readWaitingBytes(accountId), 0);
        assert.deepEqual(await own.files.listKeptBefore(0, LATER_MS, 10), []);
        assert.equal(await own.files.startFile(file, NOW_MS), 'stale');
        assert.equal(await own.files.noteUploaded(accountId, uploaded, 5), 'unknown');
        assert.equal(
          await own.files.receiveFile({ accountId, fileId: uploaded, type: 'Price', name: 'p.json' }, NOW_MS, 0),
          'unknown',
        );
        const found = await own.files.listKeptBefore(1, 0, 10);
        assert.deepEqual(found.map(({ id }) => id).toSorted(), [file.fileId, uploaded].toSorted());
        for (const kept of found) await own.files.dropKept(kept);
        assert.deepEqual(await own.files.listKeptBefore(1, 0, 10), []);
      }
      assert.deepEqual(await own.files.readFile(kept.accountId, kept.fileId), kept);
      assert.deepEqual(await applied(own, await startedFile(own, 'Price', accounts.test)), []);
    });
  });
}
