/** Tests when words are indexed after the review. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexWords } from './index-words.ts';

/** A store whose steps return these results, then `done`. */
function scripted(...results: readonly (() => 'more' | 'done')[]) {
  const left = [...results];
  const calls: number[] = [];
  return {
    calls,
    indexWords: async () => {
      calls.push(calls.length);
      return left.shift()?.() ?? 'done';
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('words are indexed together after a pause, until none are left, and at the start', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = scripted(
    () => 'done',
    () => 'more',
    () => 'more',
  );
  const indexing = indexWords(store, { observe: assert.fail });
  t.mock.timers.tick(250);
  await settled();
  assert.equal(store.calls.length, 1);
  for (let offer = 0; offer < 100; offer++) indexing.wake();
  t.mock.timers.tick(249);
  await settled();
  assert.equal(store.calls.length, 1);
  t.mock.timers.tick(1);
  await settled();
  assert.equal(store.calls.length, 4);
  await indexing.close();
  indexing.wake();
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(store.calls.length, 4, 'closed');
});

test('words that come while others are indexed are not forgotten', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { promise, resolve } = Promise.withResolvers<'done'>();
  const results: ('done' | Promise<'done'>)[] = [promise];
  let calls = 0;
  const indexWordsOnce = async () => {
    calls++;
    return results.shift() ?? 'done';
  };
  const indexing = indexWords({ indexWords: indexWordsOnce }, { observe: assert.fail });
  t.mock.timers.tick(250);
  indexing.wake();
  t.mock.timers.tick(250);
  assert.equal(calls, 1, 'the first call has not ended');
  resolve('done');
  await settled();
  t.mock.timers.tick(250);
  await settled();
  assert.equal(calls, 2);
  await indexing.close();
});

test('a failure is reported, and the next wake-up tries again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const observed: unknown[] = [];
  const store = scripted(() => {
    throw new Error('The disk is full.');
  });
  const indexing = indexWords(store, {
    observe: (event, fields) => observed.push([event, 'kind' in fields && fields.kind]),
  });
  t.mock.timers.tick(250);
  await settled();
  assert.deepEqual(observed, [['work_stalled', 'word-index']]);
  indexing.wake();
  t.mock.timers.tick(250);
  await settled();
  assert.equal(store.calls.length, 2);
  await indexing.close();
});
