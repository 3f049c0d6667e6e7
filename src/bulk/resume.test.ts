/**
 * Tests that a file can be killed at any point. For every call to the store and the file storage, one run is killed
 * just before the call and one just after it. A resumed file ends with the same totals, errors and offers.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BulkFile } from '../domain/bulk-files.ts';
import { FILE_FORMATS, type FileFormat } from '../domain/vocabulary/file-types.ts';
import { type FileResult, type ProcessFileParts, processFile } from './process-file.ts';
import { ENDLESS, FileEngine } from './testing/file-engine.ts';

class Killed extends Error {}

/** Lets this many calls through; the next one fails, before or after it takes effect. */
function killedAfter(parts: ProcessFileParts, calls: number, wasMade: boolean): ProcessFileParts {
  let made = 0;
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const member = Reflect.get(object, name, object) as unknown;
        if (typeof member !== 'function') return member;
        if (name === 'read') return member.bind(object) as unknown;
        return async (...args: unknown[]) => {
          made++;
          if (made > calls + 1 || (made === calls + 1 && !wasMade)) throw new Killed();
          const result = await (member as (...args: unknown[]) => unknown).apply(object, args);
          if (made === calls + 1) throw new Killed();
          return result;
        };
      },
    });
  const { files, offers } = parts.store;
  return { ...parts, store: { files: mortal(files), offers: mortal(offers) }, storage: mortal(parts.storage) };
}

/** A file of prices in each format. It ends with a broken part if the format allows. */
const FILE_TEXT: Readonly<
  Record<FileFormat, (rows: readonly (readonly [string, string])[], isBroken: boolean) => string>
> = {
  JSON: (rows, isBroken) =>
    `{${rows.map(([sku, price]) => `"${sku}": {"price": ${price}}`).join(', ')}${isBroken ? ', oops' : '}'}`,
  NDJSON: (rows) => rows.map(([sku, price]) => `{"sku": "${sku}", "price": ${price}}\n`).join(''),
  CSV: (rows, isBroken) =>
    `sku;price\r\n${rows.map(([sku, price]) => `"${sku}";${price.split(',')[0]}\r\n`).join('')}${isBroken ? '"oops' : ''}`,
};

/** The price of single calls that were made after the file was sent. */
const LATER_PRICE = 999;

/** Rows that are stored, refused, superseded or unknown, and a broken end. */
async function sendMixture(engine: FileEngine, format: FileFormat = 'JSON'): Promise<BulkFile> {
  const rows = Array.from({ length: 30 }, (_, index): [string, string] => {
    if (index % 7 === 0) return [`bad${index}`, '"x", "prize": 1'];
    return [`${index % 5 === 0 ? 'new' : 's'}${index}`, String(index)];
  });
  await engine.upload(...Array.from({ length: 30 }, (_, index) => `s${index}`));
  const file = await engine.send('Price', gzipSync(FILE_TEXT[format](rows, true)));
  for (const skuId of ['s3', 's23']) await engine.put({ skuId, part: 'price', price: LATER_PRICE, nodes: [] });
  return file;
}

async function outcome(engine: FileEngine, file: BulkFile) {
  return {
    status: await engine.status(file),
    progress: await engine.progress(file),
    errors: await engine.errors(file),
    retry: await engine.retry(file),
    prices: await engine.prices(),
  };
}

/** Returns how many prices of the file were stored. */
async function writtenRows(engine: FileEngine): Promise<number> {
  return [...(await engine.prices()).values()].filter((price) => price !== undefined && price !== LATER_PRICE).length;
}

/** Returns whether the run ended; false if it was killed. */
async function hasEnded(run: Promise<FileResult>): Promise<boolean> {
  try {
    await run;
    return true;
  } catch (error) {
    if (error instanceof Killed) return false;
    throw error;
  }
}

describe('a file that is killed', () => {
  for (const [format, wasMade] of FILE_FORMATS.flatMap((one) => [[one, false] as const, [one, true] as const])) {
    it(`at any call, which was ${wasMade ? '' : 'not '}made, reaches the same end (${format})`, async () => {
      const whole = new FileEngine({ slice_rows_max: 4 });
      const wholeFile = await sendMixture(whole, format);
      assert.equal(await whole.run(wholeFile), 'ended');
      const wanted = await outcome(whole, wholeFile);
      assert.deepEqual(
        [wanted.progress.rowsProcessed, wanted.progress.rowsFailed, wanted.progress.rowsSuperseded],
        [30, 10, 2],
      );
      const ignored = format === 'CSV' ? [] : [{ field: '/prize', rows: 5 }];
      assert.deepEqual(wanted.progress.ignoredFields, ignored);
      assert.deepEqual([wanted.progress.format, wanted.progress.compression], [format, 'gzip']);
      assert.deepEqual(wanted.progress.fileFaults, format === 'NDJSON' ? 0 : 1);
      let kills = 0;
      for (let calls = 0; ; calls++) {
        const engine = new FileEngine({ slice_rows_max: 4 });
        const file = await sendMixture(engine, format);
        const run = processFile(killedAfter(engine.parts, calls, wasMade), await engine.file(file), ENDLESS);
        if (await hasEnded(run)) break;
        kills++;
        if ((await engine.status(file)) !== 'Processed with errors') assert.equal(await engine.run(file), 'ended');
        assert.deepEqual(await outcome(engine, file), wanted, `killed at call ${calls + 1}`);
      }
      assert.ok(kills >= 20, `only ${kills} places to be killed at`);
    });
  }

  it('again and again still finishes', async () => {
    const whole = new FileEngine({ slice_rows_max: 4 });
    const wholeFile = await sendMixture(whole);
    await whole.run(wholeFile);
    const engine = new FileEngine({ slice_rows_max: 4 });
    const file = await sendMixture(engine);
    for (let kills = 0; (await engine.status(file)) !== 'Processed with errors'; kills++) {
      assert.ok(kills < 200, 'It does not come forward.');
      const parts = killedAfter(engine.parts, 4 + (kills % 7), kills % 2 === 0);
      await hasEnded(processFile(parts, await engine.file(file), ENDLESS));
    }
    assert.deepEqual(await outcome(engine, file), await outcome(whole, wholeFile));
  });

  it('while rows are retried leads to the same result', async () => {
    const prepare = async () => {
      const engine = new FileEngine({ slice_rows_max: 3 });
      const skus = await engine.send('MerchantSKUs', {});
      const rows = Array.from({ length: 20 }, (_, index) => [`s${index}`, { price: index + 1 }]);
      const file = await engine.send('Price', Object.fromEntries(rows));
      await engine.upload('s1', 's7');
      assert.equal(await engine.run(file), 'waiting');
      await engine.upload('s2', 's3', 's11', 's19');
      await engine.run(skus);
      return { engine, file };
    };
    const whole = await prepare();
    await whole.engine.run(whole.file);
    const wanted = await outcome(whole.engine, whole.file);
    assert.deepEqual([wanted.progress.rowsProcessed, wanted.progress.rowsFailed], [20, 14]);
    for (let calls = 0; ; calls++) {
      const { engine, file } = await prepare();
      const parts = killedAfter(engine.parts, calls, calls % 2 === 0);
      const ended = await hasEnded(processFile(parts, await engine.file(file), ENDLESS));
      if (!ended && (await engine.status(file)) === 'Processing') assert.equal(await engine.run(file), 'ended');
      assert.deepEqual(await outcome(engine, file), wanted, `killed at call ${calls + 1}`);
      if (ended) break;
    }
  });
});

describe('rows that were deferred', () => {
  /** The SKU is added while the file is processed, after some of its rows were deferred. */
  const prepare = async (format: FileFormat) => {
    const engine = new FileEngine({ slice_rows_max: 3 });
    await engine.upload('s0', 's1', 's2');
    const skus = await engine.send('MerchantSKUs', {});
    const rows = Array.from({ length: 15 }, (_, index): [string, string] => {
      return [index % 3 === 0 ? 'new' : `s${index % 3}`, String(index + 1)];
    });
    const file = await engine.send('Price', gzipSync(FILE_TEXT[format](rows, false)));
    engine.beforeRows = async ({ progress }) => {
      if (progress.rowsWaiting >= 2) await engine.upload('new');
    };
    return { engine, skus, file };
  };

  for (const [format, wasMade] of FILE_FORMATS.flatMap((one) => [[one, false] as const, [one, true] as const])) {
    const call = `a call that was ${wasMade ? '' : 'not '}made`;
    it(`stay in the order of the ${format} file if it is killed at ${call}`, async () => {
      for (let calls = 0; ; calls++) {
        const { engine, skus, file } = await prepare(format);
        const parts = killedAfter(engine.parts, calls, wasMade);
        const ended = await hasEnded(processFile(parts, await engine.file(file), ENDLESS));
        if (!ended && (await engine.progress(file)).phase === 'rows') await engine.run(file);
        assert.equal((await engine.progress(file)).phase, 'waiting');
        await engine.cancel(skus);
        assert.equal(await engine.run(file), 'ended');
        const { rowsProcessed, rowsFailed, rowsWaiting } = await engine.progress(file);
        assert.deepEqual([rowsProcessed, rowsFailed, rowsWaiting], [15, 0, 0], `killed at call ${calls + 1}`);
        assert.equal(await engine.price('new'), 13, `killed at call ${calls + 1}`);
        if (ended) break;
      }
    });
  }
});

describe('two processes on one file', () => {
  it('write no row twice and count none twice: one of them is stopped', async () => {
    const engine = new FileEngine({ slice_rows_max: 4 });
    const whole = new FileEngine({ slice_rows_max: 4 });
    const wholeFile = await sendMixture(whole);
    await whole.run(wholeFile);
    const file = await sendMixture(engine);
    const results = await Promise.all([engine.run(file), engine.run(file), engine.run(file)]);
    assert.equal(results.filter((result) => result === 'ended').length, 1, String(results));
    assert.deepEqual(await outcome(engine, file), await outcome(whole, wholeFile));
  });
});

describe('a cancelled file', () => {
  it('stops within a slice, and keeps the applied rows', async () => {
    const engine = new FileEngine({ slice_rows_max: 4 });
    const file = await sendMixture(engine);
    let slices = 0;
    engine.beforeRows = async () => {
      if (++slices === 3) await engine.cancel(file);
    };
    assert.equal(await engine.run(file), 'stale');
    assert.equal(await engine.status(file), 'Cancelled');
    assert.equal(slices, 3);
    assert.ok((await engine.progress(file)).rowsProcessed > 0);
    assert.equal(await engine.price('s1'), 1);
    assert.equal(await engine.price('s29'), undefined);
  });

  for (const when of ['before', 'behind']) {
    it(`counts and reports all rows that were applied, cancelled ${when} any slice`, async () => {
      for (let last = 1, isOver = false; !isOver; last++) {
        const engine = new FileEngine({ slice_rows_max: 4 });
        const file = await sendMixture(engine);
        let slices = 0;
        const { applyRows } = engine.files;
        engine.files.applyRows = async (...args) => {
          slices++;
          if (when === 'before' && slices === last) await engine.cancel(file);
          const outcomes = await applyRows(...args);
          if (when === 'behind' && slices === last) await engine.cancel(file);
          return outcomes;
        };
        const result = await engine.run(file);
        isOver = slices < last;
        assert.equal(result, isOver ? 'ended' : 'stale');
        const { rowsProcessed, rowsFailed, rowsSuperseded } = await engine.progress(file);
        assert.equal(
          rowsProcessed - rowsFailed - rowsSuperseded,
          await writtenRows(engine),
          `cancelled ${when} slice ${last}`,
        );
        const failed = Object.keys(await engine.errors(file)).filter((key) => key !== '');
        assert.equal(failed.length, rowsFailed);
        assert.equal(Object.keys((await engine.retry(file)) as object).length, rowsFailed);
      }
    });
  }

  it('counts nothing when another process has advanced it', async () => {
    const engine = new FileEngine({ slice_rows_max: 4 });
    const file = await sendMixture(engine);
    let slices = 0;
    engine.beforeRows = async () => {
      if (++slices !== 3) return;
      engine.beforeRows = async () => {
        if (++slices === 8) await engine.cancel(file);
      };
      assert.equal(await engine.run(file), 'stale');
    };
    assert.equal(await engine.run(file), 'stale');
    const { rowsProcessed, rowsFailed, rowsSuperseded } = await engine.progress(file);
    assert.equal(rowsProcessed - rowsFailed - rowsSuperseded, await writtenRows(engine));
  });

  it('is not started', async () => {
    const engine = new FileEngine();
    const file = await sendMixture(engine);
    const seen = await engine.file(file);
    await engine.cancel(file);
    assert.equal(await processFile(engine.parts, seen, ENDLESS), 'stale');
    assert.equal((await engine.progress(file)).rowsProcessed, 0);
  });
});

describe('a time slice that has ended', () => {
  it('keeps the position in the file, and the next one continues there', async () => {
    const whole = new FileEngine({ slice_rows_max: 4 });
    const wholeFile = await sendMixture(whole);
    await whole.run(wholeFile);
    const engine = new FileEngine({ slice_rows_max: 4 });
    const file = await sendMixture(engine);
    let turns = 0;
    const seen: number[] = [];
    for (;;) {
      turns++;
      let slices = 0;
      const result = await engine.run(file, { ...ENDLESS, mayContinue: () => ++slices < 2 });
      seen.push((await engine.progress(file)).rowsProcessed);
      if (result === 'ended') break;
      assert.equal(result, 'paused');
    }
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
    assert.ok(turns > 3, String(turns));
    assert.deepEqual(await outcome(engine, file), await outcome(whole, wholeFile));
  });

  it('ends at once when it is aborted', async () => {
    const engine = new FileEngine({ slice_rows_max: 4 });
    const file = await sendMixture(engine);
    const controller = new AbortController();
    engine.beforeRows = () => controller.abort(new Error('The process stops.'));
    await assert.rejects(engine.run(file, { ...ENDLESS, signal: controller.signal }), new Error('The process stops.'));
  });
});
