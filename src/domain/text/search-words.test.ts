/** Tests search-words.ts: the words of an offer, and of a search. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offerWords, searchWords, titleKey, wordsLookedUp } from './search-words.ts';

const OFFER = {
  product_title: "Women's Émaillé pot — 5-litre POT",
  brand: 'Straße & Co.',
  standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678905' }],
  ASIN: 'B00ABCDEFG',
} as const;

describe('words of an offer', () => {
  test('are the folded words of title, brand, SKU id and codes, without duplicates', () => {
    assert.deepEqual(offerWords('AB/12.x_9', OFFER), [
      ...['womens', 'emaille', 'pot', '5', 'litre', 'strasse', 'co', 'ab', '12', 'x', '9'],
      ...['012345678905', 'b00abcdefg', '12345678905'],
    ]);
  });

  test('find a product code with leading zeros, without them, or without its check digit', () => {
    const finds = (text: string, code: string) => {
      const words = offerWords('', { product_title: '', brand: '', ...codeOf(code) });
      return searchWords(text).every((word) => words.some((own) => own.startsWith(word)));
    };
    const codeOf = (standard_product_code: string) => ({
      standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code }] as const,
    });
    for (const code of ['012345678905', '0012345678905', '00012345678905']) {
      for (const text of ['12345678905', '01234567890', '012345678905', '0012345678905', code]) {
        assert.ok(finds(text, code), `${text} finds ${code}`);
      }
      assert.equal(finds('12345678906', code), false);
      assert.equal(finds('0002345678905', code), false);
    }
    assert.ok(finds('0123456', '012345678905'), 'the start of a code, as typed');
    assert.equal(finds('00123', '123456789012'), false, 'a short number keeps its zeros');
  });

  test('are at most 120, each cut to 40 characters', () => {
    const many = Array.from({ length: 200 }, (_, place) => `w${place}`).join(' ');
    assert.equal(offerWords('a', { product_title: many, brand: '' }).length, 120);
    const long = `${'a'.repeat(39)}\u{20000}b`;
    assert.deepEqual(offerWords('', { product_title: long, brand: '' }), ['a'.repeat(39)]);
    assert.deepEqual(searchWords(long), ['a'.repeat(39)]);
    assert.deepEqual(searchWords('b'.repeat(41)), ['b'.repeat(40)]);
  });

  test('contain no character with a meaning in SQL', () => {
    const odd = `"a" 'b':* & | ! c\\d e*f (g) ${String.fromCodePoint(0x1f600)} h`;
    for (const word of [...searchWords(odd), ...offerWords(odd, { product_title: odd, brand: odd })]) {
      assert.match(word, /^[\p{L}\p{N}]+$/u);
    }
  });
});

describe('search terms', () => {
  test('are folded like the words of an offer', () => {
    assert.deepEqual(searchWords("  WOMEN'S  emaill "), ['womens', 'emaill']);
    assert.deepEqual(searchWords('STRASSE'), ['strasse']);
    assert.deepEqual(searchWords(' -- '), []);
  });

  test('are at most ten, and none is a prefix of another', () => {
    assert.deepEqual(searchWords('po pot pot potato'), ['potato']);
    assert.equal(searchWords(Array.from({ length: 12 }, (_, place) => `${place}a`).join(' ')).length, 10);
  });
});

describe('words that are looked up', () => {
  test('are at most three, the longest', () => {
    assert.deepEqual(wordsLookedUp(['ab', 'abcd', 'abc']), ['abcd', 'abc', 'ab']);
    assert.deepEqual(wordsLookedUp(['ab', 'abcd', 'abc', 'abcde']), ['abcde', 'abcd', 'abc']);
  });

  test('have more than one letter, in any alphabet', () => {
    assert.deepEqual(wordsLookedUp(['a', '猫', '\u{20000}', 'ab', '猫屋']), ['ab', '猫屋']);
  });
});

test('titles are sorted without regard to letter case, accents and punctuation', () => {
  const titles = ['Zinc', '"Éclair"', 'eclair b', 'Apple', '(apple) a'];
  const sorted = titles.toSorted((one, other) => (titleKey(one) < titleKey(other) ? -1 : 1));
  assert.deepEqual(sorted, ['Apple', '(apple) a', '"Éclair"', 'eclair b', 'Zinc']);
  assert.equal(titleKey('x'.repeat(81)).length, 80);
  assert.equal(titleKey(`${'x'.repeat(79)}\u{20000}`), 'x'.repeat(79));
});
