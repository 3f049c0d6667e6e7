/**
 * Tests stop signals: the first requests a stop, an immediate repetition is ignored, and a later one ends the process.
 */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { ECHO_MS, endWithin, watchStopSignals } from './stop-signals.ts';

function watch(onHangUp?: () => void) {
  const source = new EventEmitter();
  const seen = { nowMs: 1000, ends: 0 };
  const endAtOnce = () => {
    seen.ends++;
  };
  const signals = watchStopSignals({ endAtOnce, onHangUp, source, monotonicMs: () => seen.nowMs });
  return { source, seen, signals };
}

describe('stop signals', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    it(`${signal} requests a stop`, async () => {
      const { source, seen, signals } = watch();
      source.emit(signal);
      await signals.wished;
      assert.equal(seen.ends, 0);
    });
  }

  it('SIGHUP requests no stop if it has another meaning', async () => {
    let hangUps = 0;
    const { source, seen, signals } = watch(() => hangUps++);
    source.emit('SIGHUP');
    seen.nowMs += ECHO_MS + 1;
    source.emit('SIGHUP');
    assert.deepEqual([hangUps, seen.ends], [2, 0]);
    assert.equal(await Promise.race([signals.wished, Promise.resolve('running')]), 'running');
    signals.release();
    assert.equal(source.listenerCount('SIGHUP'), 0);
  });

  it('an immediate second signal is ignored, and a later one ends the process', () => {
    const { source, seen } = watch();
    source.emit('SIGINT');
    seen.nowMs += ECHO_MS;
    source.emit('SIGINT');
    assert.equal(seen.ends, 0);
    seen.nowMs += 1;
    source.emit('SIGTERM');
    assert.equal(seen.ends, 1);
  });

  it('a stop that takes too long is aborted, one that ends in time is not', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const hanging = Promise.withResolvers<void>();
    let givenUp = 0;
    const ended = endWithin(10, hanging.promise, () => givenUp++);
    t.mock.timers.tick(9_999);
    assert.equal(givenUp, 0);
    t.mock.timers.tick(1);
    assert.equal(givenUp, 1);
    hanging.resolve();
    await ended;
    await endWithin(10, Promise.resolve(), () => givenUp++);
    t.mock.timers.tick(20_000);
    assert.equal(givenUp, 1);
  });

  it('after the release no signal handler is left', () => {
    const { source, signals } = watch();
    signals.release();
    assert.deepEqual(source.eventNames(), []);
  });
});
