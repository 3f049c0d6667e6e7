/** Tests texts of numbers in the portal. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { durationText } from '../../portal/src/ui/numbers.ts';

it('durations round up to the next whole unit', () => {
  for (const [seconds, text] of [
    [0, '0 s'],
    [58.2, '59 s'],
    [59.5, '1 min'],
    [61, '2 min'],
    [3541, '1 h 0 min'],
    [3600, '1 h 0 min'],
    [7199, '2 h 0 min'],
    [7201, '2 h 1 min'],
  ] as const)
    assert.equal(durationText(seconds), text, `${seconds} s`);
});
