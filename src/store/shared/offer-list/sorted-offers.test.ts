/** Tests how the runs of a sorted list are read, and how long a sorted list is used. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { LIST_LIMITS, type ListLimits, NO_FILTER } from '../../../domain/offers/offer-list.ts';
import { type RunRequest, SortedOffers } from './sorted-offers.ts';

const REQUEST = { ...NO_FILTER, order: 'price', unpriced: -1 } as const;
const NONE = new Float64Array();
const LIMITS: ListLimits = { ...LIST_LIMITS, sorted_max: 2, sorted_runs_max: 3 };

/** A store with this many offers that records its reads. */
function listOf(offers: number, beforeRun: () => Promise<unknown> = async () => {}) {
  const reads: RunRequest[] = [];
  const sorted = new SortedOffers(async (_account, request) => {
    reads.push(request);
    await beforeRun();
    const from = request.after + 1;
    const orders = Array.from(
      { length: Math.min(request.examined_max, offers - from) },
      (_, position) => from + position,
    );
    const end = orders.length === request.examined_max ? orders.at(-1) : undefined;
    // The values are negative, so that the last offer comes first.
    const sorted = Float64Array.from(orders.toReversed());
    return { values: sorted.map((order) => -order), orders: sorted, end };
  });
  const list = (isFirstPage: boolean, limits = LIMITS) => sorted.read(1, REQUEST, ['upload'], isFirstPage, limits);
  const read = async (...asked: Parameters<typeof list>) => (await list(...asked))?.sorted;
  return { reads, read, list, sorted };
}

it('reads a list of one run again for each page', async () => {
  const { reads, read } = listOf(1);
  for (const isFirst of [true, false]) assert.equal((await read(isFirst))?.length, 1);
  assert.equal(reads.length, 2);
});

it('reads a longer list once for all its pages, and again for a first page when it is no longer fresh', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { reads, read } = listOf(5);
  const now = clock(t);
  const reading = read(true);
  now.ms += 100;
  assert.equal((await reading)?.length, 3);
  assert.deepEqual(
    reads.map(({ after }) => after),
    [-1, 1, 3],
  );
  now.ms += 899;
  await read(true);
  assert.equal(reads.length, 3);
  now.ms += 2;
  await read(false);
  assert.equal(reads.length, 3);
  await read(true);
  assert.equal(reads.length, 6);
});

it('says when a longer list was sorted, and from when on it is sorted again', async (t) => {
  const now = clock(t);
  const { list } = listOf(5);
  const sorting = list(true);
  now.ms += 100;
  const first = { sortedMs: 1_000, againFromMs: 2_000 };
  assert.deepEqual((await sorting)?.held, first);
  now.ms += 901;
  assert.deepEqual((await list(false))?.held, first);
  assert.equal((await list(true))?.held?.sortedMs, 2_001);
  assert.equal((await listOf(1).list(true))?.held, undefined);
});

it('drops a kept list after ten minutes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { reads, read } = listOf(5);
  await read(true);
  t.mock.timers.tick(599_999);
  await read(false);
  assert.equal(reads.length, 3);
  t.mock.timers.tick(1);
  await read(false);
  assert.equal(reads.length, 6);
});

it('returns undefined while sorting takes longer than the limit, and later calls share the sort', async () => {
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const { reads, read } = listOf(5, () => (runs++ === 0 ? Promise.resolve() : gate.promise));
  const limits = { ...LIMITS, sort_ms_max: 1 };
  assert.equal(await read(true, limits), undefined);
  assert.equal(await read(false, limits), undefined);
  gate.resolve();
  assert.equal((await read(false, { ...limits }))?.length, 3);
  assert.equal(reads.length, 3);
});

it('refuses lists beyond the limit, and forgets a sort that failed', async () => {
  assert.equal((await listOf(5).read(true))?.length, 3);
  assert.equal(await listOf(6).read(true), 'too_many');
  let runs = 0;
  const { read } = listOf(5, async () => {
    if (runs++ === 1) throw new Error('The database is gone.');
  });
  await assert.rejects(read(true), /gone/);
  assert.equal((await read(false))?.length, 3);
});

it('keeps two million offers, and drops the oldest list beyond', async () => {
  const asked: number[] = [];
  const half = new Float64Array(1_000_001);
  const sorted = new SortedOffers(async (accountId, { after }) => {
    asked.push(accountId);
    return after === -1 ? { values: NONE, orders: NONE, end: 0 } : { values: half, orders: half, end: undefined };
  });
  for (const accountId of [1, 2, 2, 1]) await sorted.read(accountId, REQUEST, ['upload'], false, LIMITS);
  assert.deepEqual(asked, [1, 1, 2, 2, 1, 1]);
});

it('takes the first path with few enough offers', async () => {
  const { reads, sorted } = listOf(5);
  await sorted.read(1, REQUEST, ['words', 'status'], true, LIMITS);
  assert.deepEqual(
    reads.map(({ path }) => path),
    ['words', 'status', 'status', 'status'],
  );
  const few = listOf(1);
  await few.sorted.read(1, REQUEST, ['words', 'status'], true, LIMITS);
  assert.deepEqual(
    few.reads.map(({ path }) => path),
    ['words'],
  );
});

function clock(t: TestContext): { ms: number } {
  const now = { ms: 1_000 };
  for (const source of [performance, Date]) t.mock.method(source, 'now', () => now.ms);
  return now;
}
