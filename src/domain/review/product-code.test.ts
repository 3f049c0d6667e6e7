/** Tests product-code.ts: one code for each item, in any form. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProductCodeType } from '../vocabulary/product-codes.ts';
import { catalogCodes, gtin14, isCorrectCode, readCatalogCode } from './product-code.ts';

const RIGHT: readonly (readonly [ProductCodeType, string, string])[] = [
  ['UPC', '012345678905', '00012345678905'],
  ['EAN', '0012345678905', '00012345678905'],
  ['EAN', '4006381333931', '04006381333931'],
  ['GTIN-14', '04006381333931', '04006381333931'],
  ['GTIN-14', '14006381333938', '14006381333938'],
  ['ISBN-13', '9780306406157', '09780306406157'],
  ['ISBN-10', '0306406152', '09780306406157'],
  // Its ISBN-13 has the check digit 0.
  ['ISBN-10', '1234567881', '09781234567880'],
];

describe('gtin14', () => {
  for (const [type, code, gtin] of RIGHT) {
    it(`is ${gtin} for ${type} ${code}`, () => {
      assert.ok(isCorrectCode(type, code));
      assert.equal(gtin14(type, code), gtin);
      assert.ok(isCorrectCode('GTIN-14', gtin), 'the GTIN-14 has a valid check digit');
    });
  }

  it('gives each ISBN-10 the check digit of its ISBN-13', () => {
    for (let book = 100_000_000; book < 100_000_050; book++) {
      const digits = String(book);
      const check = [...Array(10).keys()].find((last) => isCorrectCode('ISBN-10', `${digits}${last}`));
      if (check === undefined) continue;
      assert.ok(isCorrectCode('GTIN-14', gtin14('ISBN-10', `${digits}${check}`)), digits);
    }
  });
});

describe('isCorrectCode', () => {
  it('refuses every other last digit', () => {
    for (const [type, code] of RIGHT) {
      for (let last = 0; last < 10; last++) {
        const other = `${code.slice(0, -1)}${last}`;
        assert.equal(isCorrectCode(type, other), other === code, `${type} ${other}`);
      }
    }
  });

  it('refuses zeros alone and another number of digits', () => {
    assert.equal(isCorrectCode('UPC', '000000000000'), false);
    assert.equal(isCorrectCode('UPC', '0012345678905'), false);
    assert.equal(isCorrectCode('EAN', '012345678905'), false);
    assert.equal(isCorrectCode('UPC', ''), false);
  });
});

describe('catalogCodes', () => {
  it('lists each item once, without invalid codes, the ASIN last and in upper case', () => {
    const codes = catalogCodes({
      ASIN: 'b00abcd123',
      standard_product_codes: [
        { standard_product_code_type: 'EAN', standard_product_code: '4006381333931' },
        { standard_product_code_type: 'UPC', standard_product_code: '012345678906' },
        { standard_product_code_type: 'GTIN-14', standard_product_code: '04006381333931' },
        { standard_product_code_type: 'UPC', standard_product_code: '012345678905' },
      ],
    });
    assert.deepEqual(codes, ['gtin:04006381333931', 'gtin:00012345678905', 'asin:B00ABCD123']);
  });

  it('is empty if no code is correct', () => {
    const wrong = { standard_product_code_type: 'UPC', standard_product_code: '012345678906' } as const;
    assert.deepEqual(catalogCodes({ standard_product_codes: [wrong] }), []);
    assert.deepEqual(catalogCodes({}), []);
  });
});

describe('readCatalogCode', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['012345678905', 'gtin:00012345678905'],
    [' gtin:00012345678905\n', 'gtin:00012345678905'],
    ['GTIN:4006381333931', 'gtin:04006381333931'],
    ['978-0-306-40615-7', 'gtin:09780306406157'],
    ['0 306 40615 2', 'gtin:09780306406157'],
    ['asin:0306406152', 'asin:0306406152'],
    ['0306406153', undefined],
    ['B00abcd123', 'asin:B00ABCD123'],
    ['Asin:b00abcd123', 'asin:B00ABCD123'],
    ['012345678906', undefined],
    ['gtin:B00ABCD123', undefined],
    ['gtin:0306406153', undefined],
    ['asin:B00', undefined],
    ['000000000000', undefined],
    ['12345', undefined],
    ['', undefined],
    ['isbn:0306406152', undefined],
  ];
  for (const [text, code] of cases) {
    it(`reads ${JSON.stringify(text)} as ${code}`, () => assert.equal(readCatalogCode(text), code));
  }
});
