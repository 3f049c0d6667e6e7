/** Tests that queued calls have limits on number and time, which leaves connections for other calls. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { StoreOverloadedError, StoreUnavailableError } from '../../port/errors.ts';
import { CallQueue } from './waiting-calls.ts';

const LIMITS = { waiting_calls_max: 3, waiting_characters_max: 100, running_max: 1 };

/** A queue of calls that return when the test tells them to. */
function heldCalls({ limits = {}, call_ms_max = 10_000 } = {}) {
  const answers: (() => void)[] = [];
  const queue = new CallQueue({ ...LIMITS, ...limits }, call_ms_max);
  let accountId = 0;
  /** Each call is of another account, unless the test names one. */
  const call = (result = 'done', characters = 0, account = ++accountId) =>
    queue.run(account, characters, () => new Promise<string>((resolve) => answers.push(() => resolve(result))));
  return { answers, call, waiting: queue.waiting };
}

describe('queued calls', () => {
  test('run one after the other if only one may run', async () => {
    const { answers, call, waiting } = heldCalls();
    const calls = [call('first'), call('second')];
    await eventLoopTick();
    assert.equal(answers.length, 1);
    assert.equal(waiting.figures().waiting, 2);
    answers[0]?.();
    await eventLoopTick();
    assert.equal(answers.length, 2);
    answers[1]?.();
    assert.deepEqual(await Promise.all(calls), ['first', 'second']);
    assert.equal(waiting.figures().waiting, 0);
  });

  test('run concurrently if several may run', async () => {
    const { answers, call } = heldCalls({ limits: { running_max: 2 } });
    const calls = [call(), call()];
    await eventLoopTick();
    assert.equal(answers.length, 2);
    for (const answer of answers) answer();
    await Promise.all(calls);
  });

  test('of one account run one after the other, and delay no other account', async () => {
    const { answers, call } = heldCalls({ limits: { running_max: 2 } });
    const calls = [call('first', 0, -1), call('second', 0, -1), call('other', 0, -2)];
    await eventLoopTick();
    assert.equal(answers.length, 2, 'the first call of each account runs');
    answers[1]?.();
    assert.equal(await calls[2], 'other');
    await eventLoopTick();
    assert.equal(answers.length, 2, 'the second call waits for the first, although a slot is free');
    answers[0]?.();
    await eventLoopTick();
    answers[2]?.();
    assert.deepEqual(await Promise.all(calls), ['first', 'second', 'other']);
  });

  test('are refused beyond the queue limits, by number and by characters', async () => {
    const { answers, call } = heldCalls();
    const calls = [call(), call(), call()];
    await assert.rejects(call(), StoreOverloadedError);
    for (let answered = 0; answered < 3; answered++) {
      await eventLoopTick();
      answers[answered]?.();
    }
    await Promise.all(calls);
    await assert.rejects(call('', 101), StoreOverloadedError);
  });

  test('a call that cannot start in time is refused, and does not delay the next', async () => {
    const { answers, call } = heldCalls({ call_ms_max: 1_000 });
    const first = call();
    await assert.rejects(call(), StoreUnavailableError);
    const next = call('next');
    answers[0]?.();
    await first;
    await eventLoopTick();
    answers[1]?.();
    assert.equal(await next, 'next');
  });

  test('closing finishes accepted calls and refuses the rest', async () => {
    const { answers, call, waiting } = heldCalls();
    const taken = call();
    const closed = waiting.close();
    await assert.rejects(call(), StoreUnavailableError);
    answers[0]?.();
    await taken;
    await closed;
  });
});
