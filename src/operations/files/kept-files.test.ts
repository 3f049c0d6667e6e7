/**
 * Tests that the oldest files are deleted when an account exceeds its limit, and that sizes are not summed for every
 * file.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { KeptFile } from '../../domain/bulk-files.ts';
import { KeptFiles } from './kept-files.ts';

const DAY_MS = 86_400_000;

it('deletes what exceeds the limit, bytes before records, batch by batch', async () => {
  const beyond: KeptFile[] = [
    { kind: 'file', accountId: 7, id: 'a' },
    { kind: 'report', accountId: 7, id: 'b' },
  ];
  const calls: unknown[] = [];
  const kept = new KeptFiles({
    store: {
      files: {
        listKeptBeyond: async (...asked) => {
          calls.push(['list', ...asked]);
          return beyond.slice(0, 1);
        },
        dropKept: async ({ kind, accountId, id }) => {
          calls.push(['drop', kind, accountId, id]);
          beyond.shift();
        },
      },
    },
    storage: { remove: async (name) => void calls.push(['remove', name]) },
    kept_bytes_max: 1600,
    nowMs: () => 8 * DAY_MS,
  });
  const list = ['list', 7, 1600, DAY_MS, 100];
  await kept.add(7, 1);
  assert.deepEqual(calls.splice(0), [
    list,
    ...['7/a.upload', '7/a.errors', '7/a.retry', '7/a.deferred'].map((name) => ['remove', name]),
    ['drop', 'file', 7, 'a'],
    list,
    ['remove', '7/b.csv'],
    ['drop', 'report', 7, 'b'],
    list,
  ]);
  // The next sum is due after a sixteenth of the limit.
  await kept.add(7, 60);
  await kept.add(7, 39);
  assert.deepEqual(calls.splice(0), []);
  await kept.add(7, 1);
  assert.deepEqual(calls.splice(0), [list]);
  await kept.add(8, 0);
  assert.deepEqual(calls.splice(0), [['list', 8, 1600, DAY_MS, 100]]);
});
