/** Tests that an account which adds history quickly waits while its history is measured, and that failures are reported. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { HistorySize, RecordSizes } from '../../port/history.ts';
import { HistoryBounds } from './bounded-history.ts';

const BYTES_MAX = 16_000;
const NONE: RecordSizes = { offer: [], seq: [], part: [], atMs: [], bytes: [], next: undefined };
/** More than a sixteenth of the bound. */
const STEP = [{ part: 'sku', skuId: 'a', document: 'x'.repeat(1000) }] as const;
const SMALL = [{ part: 'sku', skuId: 'a', document: 'x' }] as const;

function boundsOn(measure: () => Promise<RecordSizes>, onFailed: (error: unknown) => void) {
  const noted: HistorySize[] = [];
  const sizes = {
    async noteHistorySize(_: number, added: HistorySize) {
      noted.push(added);
      return { bytes: BYTES_MAX + 1, offers_bytes: 0 };
    },
    readHistorySizes: measure,
    readOffersSize: async () => ({ bytes: 0, next: undefined }),
    dropRecords: async () => 0,
  };
  return { bounds: new HistoryBounds(sizes, BYTES_MAX, (_, error) => onFailed(error)), noted };
}

it('lets the writes of an account wait if it adds another step while its history is measured', async () => {
  const measured = Promise.withResolvers<RecordSizes>();
  const { bounds } = boundsOn(
    () => measured.promise,
    (error) => assert.fail(error as Error),
  );
  assert.equal(bounds.note(1, STEP), undefined);
  await turn();
  assert.equal(bounds.note(1, SMALL), undefined);
  const waiting = bounds.note(1, STEP);
  assert.ok(waiting instanceof Promise);
  assert.equal(bounds.note(2, STEP), undefined);
  assert.equal(await Promise.race([waiting, turn('waits')]), 'waits');
  measured.resolve(NONE);
  assert.equal(await waiting, undefined);
});

it('reports an unexpected error, fails no write, and tries again after another step', async () => {
  const error = new Error('A bug.');
  const failed: unknown[] = [];
  const { bounds, noted } = boundsOn(
    () => Promise.reject(error),
    (each) => failed.push(each),
  );
  bounds.note(1, STEP);
  await bounds.note(1, STEP);
  assert.deepEqual(failed, [error]);
  bounds.note(1, SMALL);
  await turn();
  assert.equal(noted.length, 1);
  bounds.note(1, STEP);
  await turn();
  assert.deepEqual(failed, [error, error]);
  assert.equal(noted.length, 2);
});
