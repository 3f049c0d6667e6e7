/** Tests that background work yields to foreground calls, is never starved, and runs at most once per tick. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Lanes, SLICE_WAIT_MS_MAX } from './lanes.ts';

describe('lanes', () => {
  test('foreground calls run before background work, and each lane keeps its order', async () => {
    const lanes = new Lanes();
    const log: string[] = [];
    lanes.add('background', () => log.push('slice 1'));
    lanes.add('background', () => log.push('slice 2'));
    lanes.add('foreground', () => log.push('call 1'));
    lanes.add('foreground', () => log.push('call 2'));
    await new Promise<void>((resolve) => lanes.add('background', resolve));
    assert.deepEqual(log, ['call 1', 'call 2', 'slice 1', 'slice 2']);
  });

  test('nothing runs when it is added, and a call that arrives during a slice runs before the next one', async () => {
    const lanes = new Lanes();
    const log: string[] = [];
    lanes.add('background', () => {
      log.push('slice 1');
      lanes.add('foreground', () => log.push('call'));
      log.push('end of slice 1');
    });
    lanes.add('background', () => log.push('slice 2'));
    assert.deepEqual(log, []);
    await new Promise<void>((resolve) => lanes.add('background', resolve));
    assert.deepEqual(log, ['slice 1', 'end of slice 1', 'call', 'slice 2']);
  });

  test('while every tick has a call, one slice runs after a wait of 25 ms', async () => {
    const lanes = new Lanes();
    let isOver = false;
    let calls = 0;
    const call = () => {
      calls++;
      if (!isOver) lanes.add('foreground', call);
    };
    call();
    let before = { atMs: performance.now(), calls };
    const slices = Array.from({ length: 3 }, () => {
      const { promise, resolve } = Promise.withResolvers<{ atMs: number; calls: number }>();
      lanes.add('background', () => resolve({ atMs: performance.now(), calls }));
      return promise;
    });
    for (const slice of slices) {
      const ran = await slice;
      const wait_ms = ran.atMs - before.atMs;
      assert.ok(wait_ms >= SLICE_WAIT_MS_MAX - 1 && wait_ms < 400 * SLICE_WAIT_MS_MAX, `${wait_ms} ms`);
      // Only one call is required, because on a busy machine a single tick may take the whole wait.
      assert.ok(ran.calls > before.calls, 'calls continued meanwhile');
      before = ran;
    }
    isOver = true;
  });

  test('close drops waiting work', async () => {
    const lanes = new Lanes();
    for (const lane of ['foreground', 'background'] as const) lanes.add(lane, () => assert.fail('must not run'));
    lanes.close();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  });
});
