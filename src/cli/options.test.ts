/** Tests how options parse times and numbers, and refuse other values. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { durationSeconds, wholeNumber } from './options.ts';

it('a duration is a whole number and a unit', () => {
  const durations = { '0s': 0, '90s': 90, '30m': 1800, '2h': 7200, '1d': 86_400 };
  for (const [text, seconds] of Object.entries(durations)) assert.equal(durationSeconds(text), seconds, text);
  for (const text of ['', '5', 'm', '1.5h', '-1h', '1 h', '1w', '1H', '1h30m', '1e3s', '1234567890s', 'constructor']) {
    assert.throws(() => durationSeconds(text), InvalidArgumentError, text);
  }
});

it('a whole number is digits and nothing else', () => {
  for (const [text, number] of Object.entries({ '0': 0, '007': 7, '999999999': 999_999_999 })) {
    assert.equal(wholeNumber(text), number, text);
  }
  for (const text of ['', ' 1', '1.0', '-1', '+1', '0x1', '1e3', '1_000', '1000000000']) {
    assert.throws(() => wholeNumber(text), InvalidArgumentError, text);
  }
});
