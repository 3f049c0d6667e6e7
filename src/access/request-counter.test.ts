/** Tests that requests are counted by account and minute, and none is lost or counted twice on the way to the store. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RequestCounter } from './request-counter.ts';

const START_MS = 60_000 * 1000;

function counterAt(startMs = START_MS) {
  let nowMs = startMs;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { counter: new RequestCounter(() => nowMs), pass };
}

describe('RequestCounter', () => {
  test('counts errors and refusals separately, and both as requests', () => {
    const { counter } = counterAt();
    for (const status of [200, 202, 304, 399, 400, 404, 429, 500, 503]) counter.count(1, status, undefined);
    counter.count(2, 429, undefined);
    assert.deepEqual(counter.take({ isEnd: false }), {
      counts: [
        { accountId: 1, minute: 1000, requests: 9, errors: 4, refused: 1 },
        { accountId: 2, minute: 1000, requests: 1, errors: 0, refused: 1 },
      ],
      uses: [],
    });
    assert.deepEqual(counter.take({ isEnd: false }), { counts: [], uses: [] });
  });

  test('a dry run is not a request, but uses the account and its key', () => {
    const { counter } = counterAt();
    counter.count(1, 200, 'key:a', true);
    counter.count(1, 400, 'key:a', true);
    assert.deepEqual(counter.take({ isEnd: false }), {
      counts: [{ accountId: 1, minute: 1000, requests: 0, errors: 0, refused: 0 }],
      uses: [{ user: 'a', usedMs: START_MS }],
    });
  });

  test('a minute lasts until its last millisecond', () => {
    const { counter, pass } = counterAt();
    pass(59_999);
    counter.count(1, 200, undefined);
    pass(1);
    counter.count(1, 200, undefined);
    assert.deepEqual(
      counter.take({ isEnd: false }).counts.map(({ minute, requests }) => [minute, requests]),
      [
        [1000, 1],
        [1001, 1],
      ],
    );
  });

  test('counts that could not be stored are returned again', () => {
    const { counter } = counterAt();
    counter.count(1, 200, 'key:a');
    const taken = counter.take({ isEnd: false });
    counter.putBack(taken);
    assert.deepEqual(counter.take({ isEnd: false }), taken);
  });

  test('reports the use of a key once a minute, and at the end', () => {
    const { counter, pass } = counterAt();
    const uses = (isEnd = false) => counter.take({ isEnd }).uses;
    counter.count(1, 200, 'key:a');
    assert.deepEqual(uses(), [{ user: 'a', usedMs: START_MS }]);
    pass(59_999);
    counter.count(1, 200, 'key:a');
    assert.deepEqual(uses(), []);
    pass(1);
    assert.deepEqual(uses(), [{ user: 'a', usedMs: START_MS + 59_999 }]);
    counter.count(1, 200, 'key:a');
    assert.deepEqual(uses(), []);
    assert.deepEqual(uses(true), [{ user: 'a', usedMs: START_MS + 60_000 }]);
    assert.deepEqual(uses(true), []);
  });
});
