/** Tests parts of undo-file.ts that the API tests cannot observe. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Account } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { refuseRequest } from '../../domain/outcome.ts';
import { undoFile } from './undo-file.ts';
import { UploadsUnderWay } from './uploads-under-way.ts';

const FILE_ID = '0b5b1c8e-0000-4000-8000-000000000001';
const ACCOUNT = { accountId: 1 } as Account;

/** A cancelled file: its progress names no row. */
function contextOf(pages: number) {
  const read = { keys: 0 };
  const order: string[] = [];
  const file = { fileId: FILE_ID, type: 'Price', createdMs: 1, endedMs: 1, progress: { rowsProcessed: 0 }, name: 'n' };
  const uploads = new UploadsUnderWay();
  const files = {
    uploads,
    store: { files: { readFile: async () => file, drawNumber: async () => order.push('number') } },
    nowMs: () => 2,
    async *readKeys() {
      for (let page = 0; page < pages; page++) {
        read.keys += 100_000;
        yield Array.from({ length: 100_000 }, () => 'a');
      }
    },
  };
  const readChangesBy = async () => {
    order.push('values');
    return [];
  };
  const history = { store: { readChangesBy } };
  return { context: { files, history } as unknown as Parameters<typeof undoFile>[0], read, uploads, order };
}

it('refuses a cancelled file with too many rows as soon as they are counted', async () => {
  const { context } = contextOf(LIMITS.undo_rows_max / 100_000);
  const nothing = { offers: 0, skipped: 0, left: [], file: undefined };
  assert.deepEqual(await undoFile(context, ACCOUNT, FILE_ID), { ok: true, value: nothing, ignored: [] });
  const { context: larger, read } = contextOf(100);
  assert.deepEqual(
    await undoFile(larger, ACCOUNT, FILE_ID),
    refuseRequest('change_not_undoable', 'Files with more than 1000000 rows cannot be undone.'),
  );
  assert.equal(read.keys, LIMITS.undo_rows_max + 100_000);
});

it('draws its number before it reads the values, so that it does not overwrite later ones', async () => {
  const { context, order } = contextOf(1);
  assert.equal((await undoFile(context, ACCOUNT, FILE_ID)).ok, true);
  assert.deepEqual(order.slice(0, 2), ['number', 'values']);
});

it('counts as an upload while it runs', async () => {
  const { context, uploads } = contextOf(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = Array.from({ length: LIMITS.uploads_at_once_max }, () => uploads.run(1, () => promise));
  assert.deepEqual(await undoFile(context, ACCOUNT, FILE_ID), refuseRequest('uploads_too_many'));
  resolve();
  await Promise.all(running);
  assert.equal((await undoFile(context, ACCOUNT, FILE_ID)).ok, true);
});
