/** Tests of at-most.ts: places, and works that do not end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AtMost, OutOfTimeError } from './at-most.ts';

const LONG_MS = 600_000;

describe('AtMost', () => {
  it('runs so many at once, and goes on after a failure', async () => {
    const atMost = new AtMost({ at_once_max: 2, threads_max: 3, work_ms_max: LONG_MS });
    let running = 0;
    let most = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) =>
        atMost.run(async () => {
          running += 1;
          most = Math.max(most, running);
          await turn();
          running -= 1;
          if (index % 3 === 0) throw new Error('no');
        }),
      ),
    );
    assert.equal(most, 2);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 6);
  });

  it('gives the place of a work that does not end to others, until too many linger', async () => {
    const atMost = new AtMost({ at_once_max: 2, threads_max: 3, work_ms_max: 5 });
    const hung = Array.from({ length: 3 }, () => Promise.withResolvers<string>());
    for (const [place, { promise }] of hung.entries()) {
      await assert.rejects(
        atMost.run(() => promise),
        OutOfTimeError,
      );
      if (place < 2) assert.equal(await atMost.run(async () => 'done'), 'done', `${place + 1} linger`);
    }
    const control = new AbortController();
    const refused = assert.rejects(
      atMost.run(() => assert.fail('There is no place.'), control.signal),
      { message: 'given up' },
    );
    await turn();
    control.abort(new Error('given up'));
    await refused;
    const waiting = atMost.run(async () => 'done');
    hung[1]?.resolve('at last');
    assert.equal(await waiting, 'done');
  });

  it('runs fewer at once while works linger, so that a thread is left', async () => {
    const atMost = new AtMost({ at_once_max: 2, threads_max: 3, work_ms_max: 20 });
    for (let place = 0; place < 2; place++) {
      await assert.rejects(
        atMost.run(() => new Promise(() => {})),
        OutOfTimeError,
      );
    }
    const begun: number[] = [];
    const ends = [0, 1].map(() => Promise.withResolvers<void>());
    const works = ends.map(({ promise }, place) =>
      atMost.run(() => {
        begun.push(place);
        return promise;
      }),
    );
    await turn();
    assert.deepEqual(begun, [0]);
    ends[0]?.resolve();
    await works[0];
    ends[1]?.resolve();
    await works[1];
    assert.deepEqual(begun, [0, 1]);
  });

  it('lets go of whoever gives up while it waits, and of whoever has before', async () => {
    const atMost = new AtMost({ at_once_max: 1, threads_max: 1, work_ms_max: LONG_MS });
    const end = Promise.withResolvers<void>();
    const first = atMost.run(() => end.promise);
    const control = new AbortController();
    const waiting = assert.rejects(
      atMost.run(() => assert.fail('It was given up.'), control.signal),
      { message: 'given up' },
    );
    const behind = atMost.run(async () => 'behind');
    await turn();
    control.abort(new Error('given up'));
    await waiting;
    await assert.rejects(
      atMost.run(() => assert.fail('It was given up.'), control.signal),
      { message: 'given up' },
    );
    end.resolve();
    await first;
    assert.equal(await behind, 'behind');
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
