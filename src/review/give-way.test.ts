/** Promise: the review makes room for bulk files while there are some, and not longer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GiveWay } from './give-way.ts';

describe('giving way', () => {
  const { signal } = new AbortController();

  it('takes no time while no rows are written', async () => {
    const way = new GiveWay();
    let turns = 0;
    const turn = setImmediate(() => turns++);
    for (let batch = 0; batch < 1_000; batch++) await way.wait(signal);
    clearImmediate(turn);
    assert.equal(turns, 0, 'not even one turn of the event loop');
  });

  it('is a few offers at a time while they are, at most as many as there may be', () => {
    const way = new GiveWay();
    assert.equal(way.batchOf(200), 200);
    way.noteRows();
    assert.equal(way.batchOf(200), 50);
    assert.equal(way.batchOf(10), 10);
  });

  it('is a pause while they are, and none after them', async () => {
    const way = new GiveWay();
    way.noteRows();
    const startMs = performance.now();
    await way.wait(signal);
    const waited_ms = performance.now() - startMs;
    assert.ok(waited_ms > 200, `${waited_ms} ms`);
    const nextMs = performance.now();
    await way.wait(signal);
    assert.ok(performance.now() - nextMs < waited_ms);
  });

  it('ends when the work is given up', async () => {
    const way = new GiveWay();
    way.noteRows();
    await assert.rejects(way.wait(AbortSignal.abort(new Error('The lease is lost.'))), { name: 'AbortError' });
  });
});
