/** Tests that a mark and its announcement share a transaction, even if the transaction is repeated. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { REVIEW_KIND } from '../../port/review.ts';
import { openForWriting } from '../engine/engine.ts';
import { migrate } from '../engine/migrations.ts';
import { writeTransaction } from '../engine/transactions.ts';
import { WriteNumbers } from '../engine/write-numbers.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';
import { commitTogether } from '../threads/group-commit.ts';
import { reviewMarks } from './review-marks.ts';

function openMarks(t: { after(end: () => void): void }) {
  const connection = openForWriting(join(temporaryDir(), 'marks.db'));
  t.after(() => connection.close());
  migrate(connection);
  const numbers = new WriteNumbers(connection);
  const transaction = writeTransaction(connection, numbers);
  const marks = reviewMarks(connection, numbers);
  const commit = (...commands: (() => void)[]) => commitTogether(transaction, commands.length, (n) => commands[n]?.());
  const announced = () =>
    connection.query<[kind: string, accountId: number]>('SELECT kind, account_id FROM work_lease').all();
  const due = () =>
    connection.query<[sku: number, mark: number]>('SELECT sku, mark FROM review_due ORDER BY sku').all();
  return { connection, marks, commit, announced, due };
}

test('offers that are marked together are announced once per account', async (t) => {
  const { connection, marks, commit, announced, due } = openMarks(t);
  await commit(
    () => marks.mark(7, [1]),
    () => marks.mark(8, [2]),
    () => {
      const changes = connection.query<[number]>('SELECT total_changes()');
      const before = changes.get()?.[0] ?? 0;
      marks.mark(7, [3]);
      assert.equal(changes.get()?.[0], before + 1, 'only the mark is written');
    },
  );
  assert.deepEqual(announced(), [
    [REVIEW_KIND, 7],
    [REVIEW_KIND, 8],
  ]);
  assert.deepEqual(
    due().map(([sku]) => sku),
    [1, 2, 3],
  );
});

test('a command that is repeated after a failure announces again, even with the same number', async (t) => {
  const { marks, commit, announced, due } = openMarks(t);
  const fail = () => {
    throw new Error('not stored');
  };
  const { failures } = await commit(() => marks.mark(7, [1]), fail);
  assert.equal(failures?.size, 1);
  assert.deepEqual(due(), [[1, 1]], 'it has the number of the rolled-back transaction');
  assert.deepEqual(announced(), [[REVIEW_KIND, 7]]);
});

test('a rolled-back write neither marks nor announces', async (t) => {
  const { marks, commit, announced, due } = openMarks(t);
  await commit(() => {
    marks.mark(7, [1]);
    throw new Error('not stored');
  });
  assert.deepEqual([due(), announced()], [[], []]);
});
