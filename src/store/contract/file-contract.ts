/** Contract tests for bulk files: their records, which process may advance them, and that no step runs twice. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { type BulkFile, type FileProgress, NO_PROGRESS } from '../../domain/bulk-files.ts';
import { FILE_TYPES, type FileStatus, type FileType } from '../../domain/vocabulary/file-types.ts';
import { fileKind } from '../port/files.ts';
import type { Store } from '../port.ts';
import { movedTo, receivedFile, startedFile, uploadedFile } from './bulk-files.ts';
import { takeAnnounced, untilAnnounced } from './due-offers.ts';
import type { ClearedStores } from './subject.ts';
import { drawNumber, LATER_MS, NOW_MS, newAccountId, uploadedKey } from './subject.ts';

const ENDED: readonly FileStatus[] = ['Processed with errors', 'Processed successfully', 'Cancelled'];

export function fileContract(store: () => Store, emptied: ClearedStores): void {
  const stored = async ({ accountId, fileId }: BulkFile): Promise<BulkFile> =>
    (await store().files.readFile(accountId, fileId)) ?? assert.fail('The file must exist.');

  describe('bulk files', () => {
    test('can be read after they were submitted, which needs an upload', async () => {
      const accountId = newAccountId();
      const fileId = randomUUID();
      const receive = () => store().files.receiveFile({ accountId, fileId, type: 'Price', name: 'p.json' }, NOW_MS, 0);
      assert.equal(await receive(), 'unknown', 'no upload was requested');
      await store().files.addFile({ accountId, fileId, createdMs: NOW_MS });
      assert.equal(await receive(), 'unknown', 'it was not uploaded');
      assert.equal(await store().files.noteUploaded(accountId, fileId, 1000), 'stored');
      assert.equal(await store().files.readFile(accountId, fileId), undefined);
      assert.deepEqual(await store().files.listFiles(accountId, { madeAfterMs: 0, offset: 0, limit: 10 }), {
        files: [],
        total: 0,
      });
      assert.equal(await store().files.cancelFile(accountId, fileId, NOW_MS), undefined);
      assert.notEqual(await receive(), 'unknown');
      assert.equal((await store().files.readFile(accountId, fileId))?.fileId, fileId);
    });

    test('are uploaded once, and only by the account that requested the upload', async () => {
      const accountId = newAccountId();
      const fileId = randomUUID();
      assert.equal(await store().files.noteUploaded(accountId, fileId, 1), 'unknown');
      await store().files.addFile({ accountId, fileId, createdMs: NOW_MS });
      const other = newAccountId();
      assert.equal(await store().files.noteUploaded(other, fileId, 1), 'unknown');
      assert.equal(await store().files.noteUploaded(accountId, fileId, 0), 'stored', 'an empty upload counts too');
      assert.equal(await store().files.noteUploaded(accountId, fileId, 2), 'repeated');
      assert.equal(
        await store().files.receiveFile({ accountId: other, fileId, type: 'Price', name: 'p.json' }, NOW_MS, 0),
        'unknown',
      );
      const file = await store().files.receiveFile({ accountId, fileId, type: 'Price', name: 'p.json' }, NOW_MS, 0);
      assert.ok(file !== 'unknown');
      assert.equal(file.bytes, 0);
      assert.equal(await store().files.noteUploaded(accountId, fileId, 3), 'repeated');
      assert.equal(await store().files.readFile(other, fileId), undefined);
    });

    test('one of two concurrent uploads is stored', async () => {
      const accountId = newAccountId();
      const fileId = randomUUID();
      await store().files.addFile({ accountId, fileId, createdMs: NOW_MS });
      const outcomes = await Promise.all(
        [1, 2, 3].map((bytes) => store().files.noteUploaded(accountId, fileId, bytes)),
      );
      assert.deepEqual(outcomes.toSorted(), ['repeated', 'repeated', 'stored']);
    });

    for (const type of FILE_TYPES) {
      test(`files of type ${type} get their own number when they are submitted`, async () => {
        const accountId = newAccountId();
        const fileId = await uploadedFile(store(), accountId);
        const lowest = await drawNumber(store());
        const file = await store().files.receiveFile({ accountId, fileId, type, name: 'Ä "😀".json.gz' }, LATER_MS, 0);
        const highest = await drawNumber(store());
        assert.ok(file !== 'unknown');
        assert.ok(lowest < file.number && file.number < highest, `${lowest} < ${file.number} < ${highest}`);
        assert.deepEqual(file, {
          accountId,
          fileId,
          createdMs: NOW_MS,
          type,
          name: 'Ä "😀".json.gz',
          bytes: 1000,
          receivedMs: LATER_MS,
          number: file.number,
          status: 'Acknowledged',
          startedMs: null,
          endedMs: null,
          validateOnly: false,
          progress: NO_PROGRESS,
        });
        assert.deepEqual(await stored(file), file);
      });
    }

    test('take a number that was drawn before, if they are submitted with it', async () => {
      const accountId = newAccountId();
      const number = await store().files.drawNumber(accountId);
      const later = await receivedFile(store(), 'Price', accountId);
      assert.ok(later.number > number);
      const fileId = await uploadedFile(store(), accountId);
      const submitted = { accountId, fileId, type: 'Price', name: 'p.json' } as const;
      const file = await store().files.receiveFile({ ...submitted, number }, NOW_MS, 0);
      assert.equal(file !== 'unknown' && file.number, number);
      assert.deepEqual(await store().files.receiveFile({ ...submitted, number: number + 1 }, NOW_MS, 0), file);
    });

    test('files that are submitted again, even at the same time, do not change', async () => {
      const accountId = newAccountId();
      const fileId = await uploadedFile(store(), accountId);
      const [file, ...others] = await Promise.all(
        [1, 2, 3].map(() => store().files.receiveFile({ accountId, fileId, type: 'Price', name: 'p.json' }, NOW_MS, 0)),
      );
      assert.ok(file !== undefined && file !== 'unknown');
      assert.deepEqual(others, [file, file]);
      assert.deepEqual(
        await store().files.receiveFile({ accountId, fileId, type: 'Archive', name: 'a.json' }, LATER_MS, 0),
        file,
      );
      await store().files.startFile(file, LATER_MS);
      const started = { ...file, status: 'Processing', startedMs: LATER_MS };
      assert.deepEqual(
        await store().files.receiveFile({ accountId, fileId, type: 'Archive', name: 'a.json' }, LATER_MS, 0),
        started,
      );
    });

    test('count as waiting, with their bytes, from the upload to the end', async () => {
      const accountId = newAccountId();
      const waiting = () => store().files.readWaitingBytes(accountId);
      assert.equal(await waiting(), 0);
      const fileIds: string[] = [];
      for (const bytes of [2 ** 40, 20, 3]) {
        const fileId = randomUUID();
        await store().files.addFile({ accountId, fileId, createdMs: NOW_MS });
        await store().files.noteUploaded(accountId, fileId, bytes);
        fileIds.push(fileId);
      }
      await store().files.addFile({ accountId, fileId: randomUUID(), createdMs: NOW_MS });
      await receivedFile(store(), 'Price');
      assert.equal(await waiting(), 2 ** 40 + 23);
      const [large, finished, cancelled] = fileIds as [string, string, string];
      for (const fileId of [large, finished, cancelled]) {
        const file = await store().files.receiveFile({ accountId, fileId, type: 'Price', name: 'p.json' }, NOW_MS, 0);
        assert.ok(file !== 'unknown');
        if (fileId === finished) await store().files.startFile(file, NOW_MS);
      }
      assert.equal(await waiting(), 2 ** 40 + 23, 'whether or not they are being processed');
      const file = (await store().files.readFile(accountId, finished)) ?? assert.fail();
      await store().files.finishFile(file, 'Processed successfully', NO_PROGRESS, NOW_MS);
      assert.equal(await waiting(), 2 ** 40 + 3);
      await store().files.cancelFile(accountId, cancelled, NOW_MS);
      assert.equal(await waiting(), 2 ** 40);
    });

    test('can be cancelled while they are unfinished; finished ones do not change', async () => {
      const acknowledged = await receivedFile(store(), 'Price');
      const { accountId, fileId } = acknowledged;
      const cancelled = { ...acknowledged, status: 'Cancelled', endedMs: LATER_MS };
      assert.deepEqual(await store().files.cancelFile(accountId, fileId, LATER_MS), cancelled);
      assert.deepEqual(await stored(acknowledged), cancelled);
      assert.deepEqual(await store().files.cancelFile(accountId, fileId, LATER_MS + 1), cancelled);

      const processing = await startedFile(store(), 'Price');
      const progress = movedTo(processing, { offset: 7, rowsProcessed: 1 });
      assert.equal(await store().files.moveFile(processing, progress), 'stored');
      assert.deepEqual(await store().files.cancelFile(processing.accountId, processing.fileId, LATER_MS), {
        ...processing,
        progress,
        status: 'Cancelled',
        endedMs: LATER_MS,
      });

      const finished = await startedFile(store(), 'Price');
      await store().files.finishFile(finished, 'Processed successfully', finished.progress, NOW_MS);
      assert.deepEqual(await store().files.cancelFile(finished.accountId, finished.fileId, LATER_MS), {
        ...finished,
        status: 'Processed successfully',
        endedMs: NOW_MS,
      });
      assert.equal(await store().files.cancelFile(newAccountId(), fileId, LATER_MS), undefined);
      assert.equal(await store().files.cancelFile(accountId, randomUUID(), LATER_MS), undefined);
    });

    test('files that are unfinished are listed by type, oldest first', async () => {
      const accountId = newAccountId();
      const receive = (type: FileType) => receivedFile(store(), type, accountId);
      const start = (type: FileType) => startedFile(store(), type, accountId);
      const waiting = await start('Price');
      await store().files.moveFile(waiting, movedTo(waiting, { phase: 'waiting', rowsWaiting: 1 }));
      const working = await start('Price');
      const next = await receive('Price');
      for (const status of ENDED) await store().files.finishFile(await start('Price'), status, NO_PROGRESS, NOW_MS);
      await receive('Archive');
      await receivedFile(store(), 'Price');
      const all = [await stored(waiting), working, next];
      assert.deepEqual(await store().files.listUnfinishedFiles(accountId, 'Price', 10), all);
      assert.deepEqual(await store().files.listUnfinishedFiles(accountId, 'Price', 3), all);
      assert.deepEqual(await store().files.listUnfinishedFiles(accountId, 'Price', 2), all.slice(0, 2));
      assert.deepEqual(await store().files.listUnfinishedFiles(accountId, 'Inventory', 10), []);
    });

    test('files with a lower number that have not ended or were submitted since are found, also if they wait', async () => {
      const accountId = newAccountId();
      const file = await startedFile(store(), 'Price', accountId);
      const hasEarlier = (number: number, sinceMs: number) => store().files.hasEarlierSince(accountId, number, sinceMs);
      const waiting = movedTo(file, { phase: 'waiting', offset: 9 });
      await store().files.moveFile(file, waiting);
      assert.equal(await hasEarlier(file.number, NOW_MS), false);
      assert.equal(await hasEarlier(file.number + 1, NOW_MS + 1), true);
      await store().files.finishFile({ ...file, progress: waiting }, 'Processed successfully', waiting, NOW_MS);
      assert.equal(await hasEarlier(file.number + 1, NOW_MS + 1), false);
      assert.equal(await hasEarlier(file.number + 1, NOW_MS), true);
      assert.equal(await store().files.hasEarlierSince(newAccountId(), file.number + 1, NOW_MS), false);
    });

    test('files that were submitted earlier and are unfinished are found, unless they wait for others', async () => {
      const accountId = newAccountId();
      const file = await startedFile(store(), 'MerchantSKUs', accountId);
      const isBefore = (number: number, type: FileType = 'MerchantSKUs') =>
        store().files.hasUnfinishedBefore(accountId, [type], number);
      assert.equal(await isBefore(file.number), false, 'it is not before itself');
      assert.equal(await isBefore(file.number + 1), true);
      assert.equal(await isBefore(file.number + 1, 'Price'), false);
      for (const types of [
        ['MerchantSKUs', 'Offers'],
        ['Offers', 'MerchantSKUs'],
      ] as const) {
        assert.equal(await store().files.hasUnfinishedBefore(accountId, types, file.number + 1), true);
      }
      assert.equal(await store().files.hasUnfinishedBefore(newAccountId(), ['MerchantSKUs'], file.number + 1), false);
      const waiting = movedTo(file, { phase: 'waiting', offset: 9 });
      assert.equal(await store().files.moveFile(file, waiting), 'stored');
      assert.equal(await isBefore(file.number + 1), false);
      const again = movedTo(file, { phase: 'again', offset: 0 });
      assert.equal(await store().files.moveFile({ ...file, progress: waiting }, again), 'stored');
      assert.equal(await isBefore(file.number + 1), true);
      await store().files.finishFile({ ...file, progress: again }, 'Processed successfully', again, NOW_MS);
      assert.equal(await isBefore(file.number + 1), false);

      const later = await receivedFile(store(), 'MerchantSKUs', accountId);
      assert.equal(await isBefore(later.number + 1), true, 'a file that has not been started');
      await store().files.cancelFile(accountId, later.fileId, NOW_MS);
      assert.equal(await isBefore(later.number + 1), false);
    });
  });

  describe('the progress of a bulk file', () => {
    test('starts with the file; a new lease holder starts it again, and the first start time stays', async () => {
      const file = await receivedFile(store(), 'Price');
      assert.equal(await store().files.startFile(file, NOW_MS), 'stored');
      const started: BulkFile = { ...file, status: 'Processing', startedMs: NOW_MS };
      assert.deepEqual(await stored(file), started);
      const progress = movedTo(file, { offset: 5 });
      await store().files.moveFile(started, progress);
      assert.equal(await store().files.startFile(started, LATER_MS), 'stale');
      assert.equal(await store().files.startFile({ ...started, progress }, LATER_MS), 'stored');
      assert.deepEqual(await stored(file), { ...started, progress });
    });

    test('moves from the current position, as a whole', async () => {
      const file = await startedFile(store(), 'Inventory');
      const progress: FileProgress = {
        phase: 'again',
        format: 'NDJSON',
        compression: 'gzip',
        offset: 8 * 2 ** 30,
        bytesRead: 2 ** 30,
        rowsProcessed: 1_000_001,
        rowsFailed: 1_000_002,
        rowsSuperseded: 1_000_003,
        rowsWaiting: 1_000_004,
        fileFaults: 2,
        errorBytes: 2 ** 33 + 1,
        retryBytes: 2 ** 33 + 2,
        deferredBytes: 2 ** 33 + 3,
        errorExcerpt: ['Ä: "😀"'],
        ignoredFields: [{ field: '/prïce', rows: 1_000_005 }],
      };
      assert.equal(await store().files.moveFile(file, progress), 'stored');
      assert.deepEqual(await stored(file), { ...file, progress });
      const elsewhere = [
        file.progress,
        { ...progress, offset: progress.offset - 1 },
        { ...progress, phase: 'rows' as const },
      ];
      for (const place of elsewhere) {
        const stale = { ...file, progress: place };
        assert.equal(await store().files.moveFile(stale, { ...progress, offset: 1 }), 'stale');
        assert.equal(await store().files.finishFile(stale, 'Processed successfully', progress, LATER_MS), 'stale');
        assert.equal(await store().files.applyRows(stale, { ...progress, offset: 1 }, [], LATER_MS), 'stale');
        assert.equal(await store().files.startFile(stale, LATER_MS), 'stale');
      }
      assert.deepEqual(await stored(file), { ...file, progress });
    });

    test('ends with the file', async () => {
      const file = await startedFile(store(), 'Price');
      const progress = movedTo(file, { offset: 3, rowsProcessed: 2, rowsFailed: 1 });
      assert.equal(await store().files.finishFile(file, 'Processed with errors', progress, LATER_MS), 'stored');
      const finished = { ...file, progress, status: 'Processed with errors', endedMs: LATER_MS } as const;
      assert.deepEqual(await stored(file), finished);
      assert.equal(await store().files.finishFile(finished, 'Processed successfully', NO_PROGRESS, NOW_MS), 'stale');
      assert.deepEqual(await stored(file), finished);
    });

    test('progress of a file that is not being processed does not move, and none of its rows is written', async () => {
      const { accountId, skuId } = await uploadedKey(store());
      const acknowledged = await receivedFile(store(), 'Price', accountId);
      const cancelled = await startedFile(store(), 'Price', accountId);
      await store().files.cancelFile(accountId, cancelled.fileId, NOW_MS);
      const finished = await startedFile(store(), 'Price', accountId);
      await store().files.finishFile(finished, 'Processed successfully', finished.progress, NOW_MS);
      const dropped = await startedFile(store(), 'Price', accountId);
      await store().files.dropKept({ kind: 'file', accountId, id: dropped.fileId });
      const foreign = { ...(await startedFile(store(), 'Price')), accountId };
      const row = { part: 'price', skuId, price: 1, nodes: [] } as const;
      for (const file of [acknowledged, cancelled, finished, dropped, foreign]) {
        const before = await store().files.readFile(accountId, file.fileId);
        const progress = movedTo(file, { offset: 1 });
        assert.equal(await store().files.applyRows(file, progress, [row], NOW_MS), 'stale');
        assert.equal(await store().files.moveFile(file, progress), 'stale');
        assert.equal(await store().files.finishFile(file, 'Processed successfully', progress, NOW_MS), 'stale');
        if (file !== acknowledged) assert.equal(await store().files.startFile(file, NOW_MS), 'stale');
        if (file !== acknowledged) assert.deepEqual(await store().files.readFile(accountId, file.fileId), before);
      }
      assert.equal(await store().offers.readPrice({ accountId, skuId }), 'unset');
    });

    test('progress of a cancelled file is settled by its worker, from the current position', async () => {
      const file = await startedFile(store(), 'Price');
      const { accountId, fileId } = file;
      const progress = movedTo(file, { offset: 7, rowsProcessed: 3, fileFaults: 1 });
      assert.equal(await store().files.moveFile(file, progress, 'Cancelled'), 'stale', 'it is being processed');
      const cancelled = (await store().files.cancelFile(accountId, fileId, LATER_MS)) ?? assert.fail();
      const elsewhere = { ...file, progress: movedTo(file, { offset: 1 }) };
      assert.equal(await store().files.moveFile(elsewhere, progress, 'Cancelled'), 'stale');
      assert.deepEqual(await stored(file), cancelled);
      assert.equal(await store().files.moveFile(file, progress, 'Cancelled'), 'stored');
      assert.deepEqual(await stored(file), { ...cancelled, progress });
      assert.equal(await store().files.moveFile(file, progress, 'Cancelled'), 'stale');

      const finished = await startedFile(store(), 'Price');
      await store().files.finishFile(finished, 'Processed successfully', finished.progress, NOW_MS);
      assert.equal(await store().files.moveFile(finished, progress, 'Cancelled'), 'stale');
    });

    test('moves together with the rows before it', async () => {
      const { accountId, skuId } = await uploadedKey(store());
      const file = await startedFile(store(), 'Price', accountId);
      const progress = movedTo(file, { offset: 70, rowsProcessed: 4 });
      const row = { part: 'price', skuId, price: 2, nodes: [] } as const;
      assert.deepEqual(await store().files.applyRows(file, progress, [row], LATER_MS), ['stored']);
      assert.deepEqual(await stored(file), { ...file, progress });
      assert.deepEqual(await store().offers.readPrice({ accountId, skuId }), {
        price: 2,
        nodes: [],
        updatedMs: LATER_MS,
      });
    });

    test('is moved by one of two workers at the same position', async () => {
      const stores = await emptied.openTwo();
      const { accountId, skuId } = await uploadedKey(stores[0]);
      const file = await startedFile(stores[0], 'Price', accountId);
      for (let turn = 0; turn < 5; turn++) {
        const at = (await stores[0].files.readFile(accountId, file.fileId)) ?? assert.fail();
        const outcomes = await Promise.all(
          stores.map((each, place) => {
            const row = { part: 'price', skuId, price: turn * 2 + place + 1, nodes: [] } as const;
            return each.files.applyRows(at, movedTo(at, { offset: turn + 1, bytesRead: place }), [row], NOW_MS);
          }),
        );
        const winner = outcomes.findIndex((outcome) => outcome !== 'stale');
        assert.deepEqual(outcomes[winner], ['stored']);
        assert.equal(outcomes[1 - winner], 'stale');
        const after = await stores[1].files.readFile(accountId, file.fileId);
        assert.deepEqual([after?.progress.offset, after?.progress.bytesRead], [turn + 1, winner]);
        const price = await stores[1].offers.readPrice({ accountId, skuId });
        assert.equal(typeof price === 'object' && price.price, turn * 2 + winner + 1);
      }
    });
  });

  describe('the work of bulk files', () => {
    before(() => emptied.openOne());
    const [shared] = emptied.stores;

    test('is announced for the submitted type', async () => {
      const own = shared();
      const { accountId } = await receivedFile(own, 'Inventory');
      await untilAnnounced(own, accountId, fileKind('Inventory'));
      assert.deepEqual(await takeAnnounced(own, fileKind('Price')), []);
    });

    for (const [how, end] of [
      [
        'finished',
        (own: Store, file: BulkFile) => own.files.finishFile(file, 'Processed successfully', NO_PROGRESS, NOW_MS),
      ],
      ['cancelled', (own: Store, { accountId, fileId }: BulkFile) => own.files.cancelFile(accountId, fileId, NOW_MS)],
    ] as const) {
      test(`work of all types that may wait is announced when a file is ${how}`, async () => {
        const own = shared();
        const file = await startedFile(own, 'MerchantSKUs');
        const { accountId } = file;
        await receivedFile(own, 'Variation', accountId);
        const waiting = await startedFile(own, 'Price', accountId);
        await own.files.moveFile(waiting, movedTo(waiting, { phase: 'waiting' }));
        const types = ['MerchantSKUs', 'Variation', 'Price'] as const;
        for (const type of types) await untilAnnounced(own, accountId, fileKind(type));
        await receivedFile(own, 'MerchantSKUs', accountId);
        await untilAnnounced(own, accountId, fileKind('MerchantSKUs'));
        await end(own, file);
        for (const type of types) await untilAnnounced(own, accountId, fileKind(type));
        assert.deepEqual(await takeAnnounced(own, fileKind('Archive')), [], 'this type has no file');
      });
    }

    test('work that was lost is announced again, except for finished files', async () => {
      const own = shared();
      const [forgotten, finished] = [await receivedFile(own, 'Archive'), await startedFile(own, 'Archive')];
      await own.files.finishFile(finished, 'Processed successfully', NO_PROGRESS, NOW_MS);
      // Takes the work announced for both files.
      await untilAnnounced(own, finished.accountId, fileKind('Archive'));
      await own.review.announceForgotten();
      await own.review.announceForgotten();
      assert.deepEqual(await takeAnnounced(own, fileKind('Archive')), [forgotten.accountId]);
    });
  });
}
