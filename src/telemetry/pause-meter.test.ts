/** Tests pause-meter.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PauseMeter } from './pause-meter.ts';

describe('PauseMeter', () => {
  it('reports pauses of 100 ms and more, with the call that took most of the time', () => {
    const meter = new PauseMeter();
    assert.equal(meter.tick(1000), undefined, 'the first tick has nothing to compare with');
    meter.held(5, 'before', '/before');
    assert.equal(meter.tick(1020), undefined);
    meter.held(3, 'a', '/a');
    meter.held(90, 'b', '/b');
    meter.held(7, 'c', '/c');
    assert.deepEqual(meter.tick(1140), { pause_ms: 100, requestId: 'b', route: '/b' });
    assert.equal(meter.tick(1259.4), undefined, 'one below');
  });

  it('names no call if none took most of the pause', () => {
    const meter = new PauseMeter();
    meter.tick(0);
    meter.held(40, 'a', '/a');
    assert.deepEqual(meter.tick(320), { pause_ms: 300, requestId: undefined, route: undefined });
  });

  it('returns the longest pause since the last read', () => {
    const meter = new PauseMeter();
    for (const nowMs of [0, 20, 70, 90]) meter.tick(nowMs);
    assert.deepEqual([meter.takeLongest_ms(), meter.takeLongest_ms()], [30, 0]);
  });
});
