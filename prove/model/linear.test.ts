/** Tests the search for one order of calls that were made at the same time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLinear, type TimedCall } from './linear.ts';

type Call = { readonly write: number } | 'read';
type Answer = number | 'done';

const step = (state: number, call: Call): readonly [Answer, number] =>
  call === 'read' ? [state, state] : ['done', call.write];
const at = (startMs: number, endMs: number, call: Call, answer: Answer): TimedCall<Call, Answer> => ({
  ...{ call, answer, startMs, endMs },
});

describe('isLinear', () => {
  it('accepts a read of either value while a write runs', () => {
    for (const seen of [0, 1]) {
      assert.equal(isLinear([at(0, 10, { write: 1 }, 'done'), at(2, 3, 'read', seen)], 0, step), true);
    }
  });

  it('refuses a read of the old value after the write has ended', () => {
    assert.equal(isLinear([at(0, 1, { write: 1 }, 'done'), at(2, 3, 'read', 0)], 0, step), false);
  });

  it('refuses reads that see two values in both orders', () => {
    const writes = [at(0, 10, { write: 1 }, 'done'), at(0, 10, { write: 2 }, 'done')];
    const reads = [at(1, 2, 'read', 1), at(3, 4, 'read', 2), at(5, 6, 'read', 1)];
    assert.equal(isLinear([...writes, ...reads.slice(0, 2)], 0, step), true);
    assert.equal(isLinear([...writes, ...reads], 0, step), false);
  });

  it('refuses a value that nobody wrote', () => {
    assert.equal(isLinear([at(0, 1, 'read', 7)], 0, step), false);
  });
});
