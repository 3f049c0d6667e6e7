/**
 * Tests that an account which adds history quickly waits while its history is measured, that measuring does not take longer and longer, and
 * that failures are reported.
 */
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

const DOCUMENT = { part: 'sku', skuId: 'a', document: 'x'.repeat(1400) } as const;
const RECORD_BYTES = 64;
/** With 16 records in a step. */
const COUNTED_MAX = 256 * RECORD_BYTES * 100;

/** Counts the records that are read while an account writes documents. Each document adds `recordsEach` records to its history. */
async function recordsRead(
  writes: number,
  before: number,
  recordsEach: number,
  offerBytes: (records: number) => number,
) {
  const size = { bytes: before * RECORD_BYTES, offers_bytes: 0 };
  let records = before;
  let read = 0;
  const bounds = new HistoryBounds(
    {
      async noteHistorySize(_, { bytes, offers_bytes }) {
        size.bytes += bytes;
        size.offers_bytes = offers_bytes || size.offers_bytes;
        return { ...size };
      },
      async readHistorySizes() {
        read += records;
        const each = (value: number) => Array.from({ length: records }, () => value);
        return {
          offer: each(1),
          seq: each(1),
          part: each(1),
          atMs: each(1),
          bytes: each(RECORD_BYTES),
          next: undefined,
        };
      },
      readOffersSize: async () => ({ bytes: offerBytes(records), next: undefined }),
      dropRecords: async () => assert.fail('The history is within its bound.'),
    },
    COUNTED_MAX,
    (_, error) => assert.fail(error as Error),
  );
  for (let write = 0; write < writes; write++) {
    await bounds.note(1, [DOCUMENT]);
    records += recordsEach;
    // Only what an account adds while its history is measured makes it wait.
    if (write % 16 === 0) for (let turns = 0; turns < 8; turns++) await turn();
  }
  return read;
}

it('reads each record a few times at most while new offers are uploaded', async () => {
  const offers = 2 * (COUNTED_MAX / RECORD_BYTES);
  const read = await recordsRead(offers, 0, 1, (records) => records * 1656);
  assert.ok(read < 4 * offers, `${read} records were read for ${offers} offers`);
});

it('measures a history that almost fills its bound again only after an eighth of the bound', async () => {
  const records = Math.floor((COUNTED_MAX / RECORD_BYTES) * 0.99);
  const writes = Math.floor(COUNTED_MAX / 1464);
  const read = await recordsRead(writes, records, 0, () => 1000);
  assert.ok(read <= 8 * records, `${read / records} measurements`);
  assert.ok(read >= 2 * records, 'It was not measured.');
});
