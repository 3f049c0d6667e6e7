/** Tests that retry delays grow and end. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nextAttemptMs } from './inspect-image.ts';

it('delays grow from half a minute to six hours and end', () => {
  const pauses: number[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const pause = nextAttemptMs(attempt);
    if (pause === undefined) break;
    pauses.push(pause);
  }
  assert.deepEqual(pauses, [30_000, 120_000, 600_000, 3_600_000, 21_600_000]);
  assert.equal(nextAttemptMs(100), undefined);
});
