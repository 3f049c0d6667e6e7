/** Tests how the portal reads and writes numbers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readNumber } from '../../portal/src/ui/forms/read-number.ts';
import '../harness/portal-alias.ts';

const { countText, decimalText, durationText, millisecondsText, ordinalText, percentText, priceText } = await import(
  '../../portal/src/ui/numbers.ts'
);

it('ranks have the ending of their last digits', () => {
  const texts = [1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 1003].map(ordinalText).join(' ');
  assert.equal(texts, '1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 101st 1,003rd');
});

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

it('reads a typed number with either decimal separator', () => {
  for (const [text, number] of [
    ['18,50', 18.5],
    ['18.50', 18.5],
    ['18', 18],
    ['018', 18],
    ['18,', 18],
    ['18.', 18],
    [',5', 0.5],
    ['.05', 0.05],
    ['0,125', 0.125],
    ['0.125', 0.125],
    ['1234,567', 1234.567],
    ['1.2345', 1.2345],
    ['1,234.56', 1234.56],
    ['1.234,56', 1234.56],
    ['1,234.5', 1234.5],
    ['1,234.567', 1234.567],
    ['1,234,567', 1_234_567],
    ['1.234.567', 1_234_567],
    ['1.234.567,8', 1_234_567.8],
    ['1 234,5', 1234.5],
    ['1 234', 1234],
    ['1\u00a0234,50', 1234.5],
    ['1\u202f234,50', 1234.5],
    ["1'234.50", 1234.5],
    ['1’234’567', 1_234_567],
    ['1 234,567', 1234.567],
    ['-5', -5],
    ['−5,5', -5.5],
    ['- 5', 'unclear'],
    ['+5', 5],
    [' 18,50 ', 18.5],
    ['', 'empty'],
    ['   ', 'empty'],
    ['-', 'unclear'],
    ['.', 'unclear'],
    ['1,234,56', 'unclear'],
    ['1.234.56', 'unclear'],
    ['1,2,3', 'unclear'],
    ['1.234,567.8', 'unclear'],
    ['1 23', 'unclear'],
    ['1 234 56', 'unclear'],
    ['0 123', 'unclear'],
    ['12a', 'unclear'],
    ['1e5', 'unclear'],
    ['0x10', 'unclear'],
    ['(5)', 'unclear'],
    ['5-', 'unclear'],
    ['€ 5', 'unclear'],
    ['$5', 'unclear'],
    ['1,234', { ambiguous: [1234, 1.234] }],
    ['1.234', { ambiguous: [1234, 1.234] }],
    ['-1,234', { ambiguous: [-1234, -1.234] }],
    ['999,999', { ambiguous: [999_999, 999.999] }],
  ] as const)
    assert.deepEqual(readNumber(text), number, JSON.stringify(text));
});

it('reads a sign before or after the number, and no other', () => {
  for (const [text, sign, number] of [
    ['$18.50', '$', 18.5],
    ['$ 18,50', '$', 18.5],
    ['18,50 $', '$', 18.5],
    ['-$5', '$', -5],
    ['$-5', '$', -5],
    ['$', '$', 'empty'],
    ['-$', '$', 'unclear'],
    ['$$5', '$', 'unclear'],
    ['5 %', '%', 5],
    ['-5,5%', '%', -5.5],
    ['5%', '$', 'unclear'],
    ['$1,234', '$', { ambiguous: [1234, 1.234] }],
  ] as const)
    assert.deepEqual(readNumber(text, { sign }), number, JSON.stringify(text));
});

it('reads a separator in a whole number as thousands', () => {
  for (const [text, number] of [
    ['1,234', 1234],
    ['1.234', 1234],
    ['1 234', 1234],
    ['1,500,000', 1_500_000],
    ['12', 12],
    ['-3', -3],
    ['1,5', 'unclear'],
    ['1.0', 'unclear'],
    ['1,234.5', 'unclear'],
  ] as const)
    assert.deepEqual(readNumber(text, { isWhole: true }), number, JSON.stringify(text));
});

it('writes numbers in one format, which can be typed again', () => {
  assert.deepEqual([0.05, -0.125, 0.0004].map(percentText), ['+5%', '-12.5%', '']);
  assert.equal(countText(1_234_567), '1,234,567');
  assert.equal(millisecondsText(1234.5), '1,230 ms');
  for (const [price, text] of [
    [18.5, '$18.50'],
    [1234.5, '$1,234.50'],
    [-0.5, '-$0.50'],
    [1234, '$1,234.00'],
    // Shown as it is stored, not rounded.
    [1.2345, '$1.2345'],
  ] as const) {
    assert.equal(priceText(price), text);
    assert.equal(readNumber(text, { sign: '$' }), price);
  }
  for (const [number, text] of [
    [1234.5, '1,234.5'],
    [0.125, '0.125'],
    [1e-7, '0.0000001'],
    // A number of this form in the field would be asked about when it is typed again.
    [1.234, '1.234'],
  ] as const)
    assert.equal(decimalText(number), text);
});
