/** Tests that times at any depth of the evidence become ISO texts and all other values stay the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownEvidence } from '../endpoints/review.ts';

describe('evidence', () => {
  it('has its times as ISO texts, at any depth', () => {
    const shown = shownEvidence({
      checked_at_ms: 0,
      next_at_ms: null,
      images: [{ slot: 3, checked_at_ms: 1_700_000_000_123 }, 'a'],
    });
    assert.deepEqual(shown, {
      checked_at: '1970-01-01T00:00:00.000Z',
      next_at: null,
      images: [{ slot: 3, checked_at: '2023-11-14T22:13:20.123Z' }, 'a'],
    });
  });

  it('is otherwise as it was', () => {
    const evidence = {
      checked_at_ms: 'never',
      format_ms: 5,
      id: 2n ** 62n,
      placeholder: null,
      nested: { list: [1, [2]] },
    };
    assert.deepEqual(shownEvidence(evidence), evidence);
  });
});
