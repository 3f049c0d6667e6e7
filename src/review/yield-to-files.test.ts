/** Tests that the review yields to bulk files only while rows are written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { YieldToFiles } from './yield-to-files.ts';

/** Uses a fake clock, because a busy machine may stall for longer than ROWS_RECENT_MS. */
function wayInTime() {
  let nowMs = 1_000;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { way: new YieldToFiles(() => nowMs), pass };
}

/** Returns how many event loop ticks the work takes. */
async function ticksOf(work: () => Promise<void>): Promise<number> {
  let ticks = 0;
  const immediate = setImmediate(() => ticks++);
  await work();
  clearImmediate(immediate);
  return ticks;
}

describe('yielding to files', () => {
  const { signal } = new AbortController();

  it('takes no time while no rows are written', async () => {
    const { way } = wayInTime();
    const ticks = await ticksOf(async () => {
      for (let batch = 0; batch < 1_000; batch++) await way.wait(signal);
    });
    assert.equal(ticks, 0, 'not even one tick of the event loop');
  });

  it('limits batches while rows are written', () => {
    const { way, pass } = wayInTime();
    assert.equal(way.batchOf(200), 200);
    way.noteRows();
    pass(99);
    assert.equal(way.batchOf(200), 50);
    assert.equal(way.batchOf(10), 10);
    pass(1);
    assert.equal(way.batchOf(200), 200);
  });

  it('pauses while rows are written, and not after', async () => {
    const { way, pass } = wayInTime();
    way.noteRows();
    const startMs = performance.now();
    await way.wait(signal);
    const waited_ms = performance.now() - startMs;
    assert.ok(waited_ms > 200, `${waited_ms} ms`);
    pass(100);
    assert.equal(await ticksOf(() => way.wait(signal)), 0);
  });

  it('ends when the work is aborted', async () => {
    const { way } = wayInTime();
    way.noteRows();
    await assert.rejects(way.wait(AbortSignal.abort(new Error('The lease is lost.'))), { name: 'AbortError' });
  });
});
