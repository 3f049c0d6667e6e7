/** Tests the regular expressions for decimals against comparing the numbers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decimalPattern } from './decimal-pattern.ts';

const BOUNDS = [null, -120.25, -9, -0.5, 0, 0.05, 1, 9.99, 10, 100, 1_000_000];

function* texts(): Generator<string> {
  for (const whole of ['0', '00', '1', '08', '9', '10', '11', '99', '100', '119', '120', '121', '999999', '1000000']) {
    for (const fraction of [
      '',
      '.0',
      '.00',
      '.04',
      '.05',
      '.06',
      '.25',
      '.251',
      '.49',
      '.5',
      '.50',
      '.9',
      '.99',
      '.991',
    ]) {
      for (const sign of ['', '+', '-']) yield `${sign}${whole}${fraction}`;
    }
  }
}

it('a decimal pattern matches exactly the numbers in its range', () => {
  for (const min of BOUNDS) {
    for (const max of BOUNDS) {
      for (const type of ['number', 'integer'] as const) {
        const pattern = new RegExp(decimalPattern(type, min, max), 'u');
        for (const text of texts()) {
          const value = Number(text);
          const isInRange = (min === null || value >= min) && (max === null || value <= max);
          const isExpected = isInRange && (type === 'number' || Number.isInteger(value));
          assert.equal(pattern.test(text), isExpected, `${text} as ${type} from ${min} to ${max}`);
        }
      }
    }
  }
});

it('a decimal pattern accepts white space around the number, and no other notation', () => {
  const pattern = new RegExp(decimalPattern('number', 0, 9), 'u');
  for (const text of ['5', ' 5 ', '\u30005.5']) assert.match(text, pattern);
  for (const text of ['', '5.', '.5', '1e0', '1,5', '5 5', '٣']) assert.doesNotMatch(text, pattern);
});
