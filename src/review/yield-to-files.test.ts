/** Promise: the review makes room for bulk files while there are some, and not longer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { YieldToFiles } from './yield-to-files.ts';

/** At a time that passes only when it is told to: a busy machine may stand still for longer than rows are under way. */
function wayInTime() {
  let nowMs = 1_000;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { way: new YieldToFiles(() => nowMs), pass };
}

/** How many turns of the event loop it takes. */
async function turnsOf(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  const turn = setImmediate(() => turns++);
  await work();
  clearImmediate(turn);
  return turns;
}

describe('giving way', () => {
  const { signal } = new AbortController();

  it('takes no time while no rows are written', async () => {
    const { way } = wayInTime();
    const turns = await turnsOf(async () => {
      for (let batch = 0; batch < 1_000; batch++) await way.wait(signal);
    });
    assert.equal(turns, 0, 'not even one turn of the event loop');
  });

  it('is a few offers at a time while they are, at most as many as there may be', () => {
    const { way, pass } = wayInTime();
    assert.equal(way.batchOf(200), 200);
    way.noteRows();
    pass(99);
    assert.equal(way.batchOf(200), 50);
    assert.equal(way.batchOf(10), 10);
    pass(1);
    assert.equal(way.batchOf(200), 200);
  });

  it('is a pause while they are, and none after them', async () => {
    const { way, pass } = wayInTime();
    way.noteRows();
    const startMs = performance.now();
    await way.wait(signal);
    const waited_ms = performance.now() - startMs;
    assert.ok(waited_ms > 200, `${waited_ms} ms`);
    pass(100);
    assert.equal(await turnsOf(() => way.wait(signal)), 0);
  });

  it('ends when the work is given up', async () => {
    const { way } = wayInTime();
    way.noteRows();
    await assert.rejects(way.wait(AbortSignal.abort(new Error('The lease is lost.'))), { name: 'AbortError' });
  });
});
