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

it('a whole number is digits and nothing else, within its bounds', () => {
  const parse = wholeNumber({ from: 2, to: 999_999_999 });
  for (const [text, number] of Object.entries({ '2': 2, '007': 7, '999999999': 999_999_999 })) {
    assert.equal(parse(text), number, text);
  }
  const message = 'It must be a whole number from 2 to 999999999.';
  for (const text of ['', ' 2', '2.0', '-5', '+5', '0x5', '1e3', '1_000', '1', '1000000000', '9999999999']) {
    assert.throws(() => parse(text), new InvalidArgumentError(message), text);
  }
  assert.equal(wholeNumber()('-5'), -5);
  assert.throws(() => wholeNumber()('1.5'), new InvalidArgumentError('It must be a whole number.'));
});
