/** Tests that threads change nothing about a file but its speed: its rows, their order, its errors, its end and its resumption. */
import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { NEUTRAL_NAMES } from '../../domain/names.ts';
import { ENDLESS, FileEngine, SKU_BODY } from '../testing/file-engine.ts';
import { MemoryFilePlace } from '../testing/memory-file-storage.ts';
import type { RowBatch } from './check-messages.ts';
import { CheckThreads, type CheckThreadsOptions } from './check-threads.ts';

const ROWS = 600;
/** The pieces of a test file, small enough that the file has many. */
const PIECE_BYTES = 1_000;
const TAXONOMY = { node: (id: number | bigint) => (Number(id) === 100 ? {} : undefined) };
const MORTAL = new URL('../testing/mortal-check-thread.ts', import.meta.url);

const newThreads = (options: Partial<CheckThreadsOptions> = {}) =>
  new CheckThreads({ threads_max: 1, names: NEUTRAL_NAMES, taxonomy: TAXONOMY, ...options });

/** Waits until all threads are ready. */
async function allReady(threads: CheckThreads, threads_max: number): Promise<CheckThreads> {
  // Started again each time, because on a busy machine idle threads may end before the next check.
  for (; threads.batches_max < 2 * threads_max; await setTimeout(1)) threads.start();
  return threads;
}

/** Starts one thread of the test's own. */
async function startedOne(t: TestContext, options: Partial<CheckThreadsOptions> = {}): Promise<CheckThreads> {
  const threads = newThreads(options);
  t.after(() => threads.close());
  return allReady(threads, 1);
}

function engineWith(checkThreads?: CheckThreads): FileEngine {
  const storage = new MemoryFilePlace(PIECE_BYTES);
  return new FileEngine({ parts: { storage, ...(checkThreads && { checkThreads }) } });
}

function send(engine: FileEngine, content: string) {
  // The engine stores the upload in its own storage, where the runs of these tests do not read.
  return engine.send('MerchantSKUs', content).then((file) => {
    const { files } = engine.parts.storage as MemoryFilePlace;
    for (const [name, bytes] of engine.storage.files) files.set(name, bytes);
    return file;
  });
}

/** Rows with every kind of result. */
function bodyOf(index: number): string {
  const changes: readonly object[] = [
    {},
    { marketplace_browse_node_id: 100, brand: 'Café "Größe" \u{1f600}' },
    { marketplace_browse_node_id: 'LARGE' },
    { prize: 1, colour: { shade: 'red' } },
    { brand: '' },
    { product_title: 't'.repeat(400) },
    { prize: 1, brand: 5 },
  ];
  return JSON.stringify({ ...SKU_BODY, ...changes[index % changes.length] }).replace('"LARGE"', '9223372036854775807');
}

const keyOf = (index: number) => (index % 11 === 0 ? `caf\\u00e9${index}` : index % 13 === 0 ? '' : `s${index}`);
const CONTENTS: readonly (readonly [format: string, content: string])[] = [
  ['JSON', `{${Array.from({ length: ROWS }, (_, index) => `"${keyOf(index)}": ${bodyOf(index)}`).join(',\n')}`],
  [
    'NDJSON',
    Array.from({ length: ROWS }, (_, index) => {
      const rest = bodyOf(index).slice(1);
      if (index % 17 === 0) return `{${rest.slice(0, -1)}, "sku": "${keyOf(index)}"}\n`;
      return index % 19 === 0 ? 'oops\n' : `{"sku": "${keyOf(index)}",${rest}\n`;
    }).join(''),
  ],
];

/** Returns everything that a file leaves behind. */
async function resultOf(engine: FileEngine, file: Awaited<ReturnType<typeof send>>) {
  const { files } = engine.parts.storage as MemoryFilePlace;
  const stored = [...files].filter(([name]) => !name.includes('upload')).map(([, bytes]) => bytes.toString());
  const { bytesRead: _, ...progress } = await engine.progress(file);
  return { applied: engine.applied, stored, progress, status: await engine.status(file) };
}

describe('threads that check rows', () => {
  const shared = newThreads({ threads_max: 2 });
  after(() => shared.close());
  const started = () => allReady(shared, 2);

  for (const [format, content] of CONTENTS) {
    it(`leave the rows, errors and retry rows of ${format} as they are`, async () => {
      const [alone, helped] = [engineWith(), engineWith(await started())];
      const files = [await send(alone, content), await send(helped, content)] as const;
      for (const [index, engine] of [alone, helped].entries()) {
        assert.equal(await engine.run(files[index] as (typeof files)[0]), 'ended');
      }
      const expected = await resultOf(alone, files[0]);
      assert.ok(expected.progress.rowsFailed > ROWS / 4);
      assert.ok(expected.applied.length > ROWS / 4);
      assert.ok(expected.progress.ignoredFields.length > 0);
      assert.deepEqual(await resultOf(helped, files[1]), expected);
    });
  }

  it('check rows that the bulk file thread does not check again', async (t) => {
    const threads = await started();
    let rows = 0;
    const { check } = threads;
    t.mock.method(threads, 'check', (batch: RowBatch) => {
      rows += batch.offsets.length / 5;
      return check.call(threads, batch);
    });
    const engine = engineWith(threads);
    const [, content] = CONTENTS[0] as (typeof CONTENTS)[0];
    await engine.run(await send(engine, content));
    // The row that begins in one piece and ends in the next is not sent.
    assert.ok(rows > ROWS / 4, `${rows}`);
    assert.ok(rows < ROWS);
  });

  it('start only for a large file, which does not wait for them', async (t) => {
    const threads = newThreads();
    t.after(() => threads.close());
    let starts = 0;
    threads.start = () => {
      starts++;
    };
    const engine = engineWith(threads);
    const rows = (count: number) => `{${Array.from({ length: count }, (_, i) => `"r${i}":${bodyOf(0)}`).join(',')}}`;
    await engine.run(await send(engine, rows(100)));
    assert.equal(starts, 0);
    await engine.run(await send(engine, rows(ROWS)));
    assert.ok(starts > 0);
    assert.equal(engine.applied.length, 100 + ROWS);
  });

  it('read no more pieces ahead than they may have in flight', async (t) => {
    const threads = await started();
    let most = 0;
    let inFlight = 0;
    const { check } = threads;
    t.mock.method(threads, 'check', (batch: RowBatch) => {
      most = Math.max(most, ++inFlight);
      return check.call(threads, batch).finally(() => inFlight--);
    });
    const engine = engineWith(threads);
    const [, content] = CONTENTS[0] as (typeof CONTENTS)[0];
    await engine.run(await send(engine, content));
    assert.ok(most > 1 && most <= threads.batches_max + 1, `${most}`);
  });

  it('fail the run when one dies, and the next run resumes without them', async (t) => {
    const threads = await startedOne(t, { threadFile: MORTAL });
    const engine = engineWith(threads);
    const [, content] = CONTENTS[0] as (typeof CONTENTS)[0];
    const file = await send(engine, content);
    await assert.rejects(engine.run(file), /Out of luck/);
    assert.equal(threads.batches_max, 0);
    threads.start();
    await setTimeout(50);
    assert.equal(threads.batches_max, 0, 'they pause');
    assert.equal(await engine.run(file), 'ended');
    const alone = engineWith();
    const other = await send(alone, content);
    await alone.run(other);
    const [ended, expected] = [await resultOf(engine, file), await resultOf(alone, other)];
    assert.deepEqual([ended.progress, ended.stored], [expected.progress, expected.stored]);
    assert.deepEqual(
      new Map(ended.applied.map((row) => [row.skuId, row])),
      new Map(expected.applied.map((row) => [row.skuId, row])),
    );
  });

  it('let a file be cancelled, and its lease be lost, while they work', async () => {
    const threads = await started();
    const engine = engineWith(threads);
    const [, content] = CONTENTS[1] as (typeof CONTENTS)[0];
    const cancelled = await send(engine, content);
    engine.beforeRows = () => engine.cancel(cancelled);
    assert.equal(await engine.run(cancelled), 'stale');
    engine.beforeRows = () => {};
    const file = await send(engine, content);
    const lost = AbortSignal.abort(new Error('The lease was lost.'));
    await assert.rejects(engine.run(file, { ...ENDLESS, signal: lost }), /The lease was lost/);
    assert.equal(await engine.run(file), 'ended');
  });

  it('end when no file uses them, and start again', async (t) => {
    const threads = await startedOne(t, { idle_ms: 20 });
    while (threads.batches_max > 0) await setTimeout(5);
    for (; threads.batches_max === 0; await setTimeout(1)) threads.start();
  });

  it('get no batch while they end', async (t) => {
    const threads = await startedOne(t);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    threads.start();
    t.mock.timers.tick(5_000);
    assert.equal(threads.batches_max, 0);
  });

  it('are not started after the close, and a batch in flight fails', async (t) => {
    const threads = await startedOne(t);
    const checking = threads.check({ format: 'JSON', bytes: new Uint8Array(), offsets: new Int32Array() });
    await Promise.all([assert.rejects(checking, /The thread ended/), threads.close()]);
    threads.start();
    assert.equal(threads.batches_max, 0);
  });
});
