/** Tests that the reader can stop inside long stretches of a file without a row. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_PROGRESS } from '../../domain/bulk-files.ts';
import { fileName } from '../../files/file-storage.ts';
import { ENDLESS, FileEngine } from '../testing/file-engine.ts';
import { deferredBytes } from './deferred-rows.ts';
import type { Entry } from './entry.ts';

describe('a file with a long stretch without rows', () => {
  /** Many times the amount that is unpacked between two checks. */
  const long = 200_000;
  const files: readonly [name: string, content: string | Buffer][] = [
    ['of one huge row', `{"a": "${'x'.repeat(long)}"}`],
    ['of blanks', `{${' '.repeat(long)}}`],
    ['of rows with blanks behind them', `{"a": {"price": 1}${' '.repeat(long)}}`],
  ];
  for (const [name, content] of files) {
    it(`${name} stops when it is cancelled`, async () => {
      const engine = new FileEngine();
      await engine.upload('a');
      const file = await engine.send('Price', content);
      const moves = onMove(engine, 2, () => engine.cancel(file));
      assert.equal(await engine.run(file), 'stale');
      assert.equal(moves.count, 2);
      assert.ok((await engine.progress(file)).bytesRead < long / 2, 'it was not read to its end');
    });

    it(`${name} shows how far it was read`, async () => {
      const engine = new FileEngine();
      await engine.upload('a');
      const file = await engine.send('Price', content);
      const seen: number[] = [];
      onMove(engine, undefined, async () => seen.push((await engine.progress(file)).bytesRead));
      assert.equal(await engine.run(file), 'ended');
      assert.ok(new Set(seen).size > 5, String(seen));
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => a - b),
      );
    });

    it(`${name} pauses when the process stops, and nothing is lost`, async () => {
      const engine = new FileEngine();
      await engine.upload('a');
      const file = await engine.send('Price', content);
      assert.equal(await engine.run(file, { ...ENDLESS, mustEnd: () => true }), 'paused');
      assert.equal(await engine.run(file), 'ended');
      assert.ok((await engine.progress(file)).rowsProcessed <= 1);
      assert.equal((await engine.progress(file)).bytesRead, file.bytes);
    });
  }

  it('does not yield to other accounts, which would lose its position', async () => {
    const engine = new FileEngine();
    const file = await engine.send('Price', `{"a": "${'x'.repeat(long)}", "b": "${'x'.repeat(long)}"}`);
    const limits = { ...ENDLESS, mayContinue: () => false };
    assert.equal(await engine.run(file, limits), 'paused');
    assert.equal((await engine.progress(file)).rowsProcessed, 1, 'a row in each turn at least');
    assert.equal(await engine.run(file, limits), 'ended');
    assert.equal((await engine.progress(file)).rowsProcessed, 2);
  });

  it('stops if it is cancelled before it reaches its position or its deferred rows', async () => {
    for (const phase of ['rows', 'again'] as const) {
      const engine = new FileEngine();
      const file = await engine.send('Price', `{"a": "${'x'.repeat(long)}", "b": {"price": 1}}`);
      const deferred = deferredBytes([{ entry: { offset: long + 10 } as Entry, key: 'b' }]);
      engine.storage.files.set(fileName(file, 'deferred'), deferred);
      const offset = phase === 'rows' ? long + 8 : 0;
      const progress = { ...NO_PROGRESS, phase, offset, rowsWaiting: 1, deferredBytes: deferred.length };
      await engine.files.startFile(file, 0);
      await engine.files.moveFile(file, progress);
      const moves = onMove(engine, 2, () => engine.cancel(file));
      assert.equal(await engine.run(file), 'stale');
      assert.equal(moves.count, 2);
    }
  });
});

/** Calls back before the progress of a running file advances without rows: the n-th time, or each time. */
function onMove(engine: FileEngine, at: number | undefined, callBack: () => unknown): { count: number } {
  const moves = { count: 0 };
  const { moveFile } = engine.files;
  engine.files.moveFile = async (file, progress, status) => {
    if (status !== 'Cancelled' && (++moves.count === at || at === undefined)) await callBack();
    return moveFile(file, progress, status);
  };
  return moves;
}
