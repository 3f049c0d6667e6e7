/** Tests product-codes.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasCorrectCheckDigit, type ProductCodeType } from './product-codes.ts';

/** Codes as printed on real products or in the standards. */
const PRINTED: readonly (readonly [ProductCodeType, string])[] = [
  ['UPC', '036000291452'],
  ['UPC', '012345678905'],
  ['UPC', '042100005264'],
  ['UPC', '000000000000'],
  ['EAN', '4006381333931'],
  ['EAN', '5901234123457'],
  ['ISBN-13', '9780306406157'],
  ['ISBN-13', '9783161484100'],
  ['GTIN-14', '10614141000415'],
  ['GTIN-14', '00012345600012'],
  ['ISBN-10', '0306406152'],
  ['ISBN-10', '0471958697'],
  ['ISBN-10', '0000000000'],
];

describe('hasCorrectCheckDigit', () => {
  for (const [type, code] of PRINTED) {
    it(`accepts ${type} ${code} and no other last digit`, () => {
      const digits = Array.from({ length: 10 }, (_, digit) => `${code.slice(0, -1)}${digit}`);
      assert.deepEqual(
        digits.filter((candidate) => hasCorrectCheckDigit(type, candidate)),
        [code],
      );
    });

    it(`detects any other digit in ${type} ${code}`, () => {
      for (let at = 0; at < code.length; at++) {
        for (let digit = 0; digit <= 9; digit++) {
          const candidate = `${code.slice(0, at)}${digit}${code.slice(at + 1)}`;
          assert.equal(hasCorrectCheckDigit(type, candidate), candidate === code, candidate);
        }
      }
    });
  }

  it('accepts no digit where an ISBN-10 would end in X', () => {
    const digits = Array.from({ length: 10 }, (_, digit) => `080442957${digit}`);
    assert.deepEqual(
      digits.filter((code) => hasCorrectCheckDigit('ISBN-10', code)),
      [],
    );
  });

  it('detects an ISBN-10 with two digits swapped', () => {
    assert.equal(hasCorrectCheckDigit('ISBN-10', '0360406152'), false);
  });
});
