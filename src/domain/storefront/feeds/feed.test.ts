/** Tests feed.ts: texts, URLs and amounts that all feeds share. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CURRENCIES } from '../../vocabulary/currencies.ts';
import { lineOf, minorUnits, plainUrl } from './feed.ts';

describe('texts of feeds', () => {
  it('are one line without characters that XML forbids', () => {
    assert.equal(lineOf(' a\tb\r\n\u0000c\u0085d\u2028e\uFFFE\uD800f\u00A0😀 ', 50), 'a b c d ef 😀');
  });

  it('are cut between whole characters', () => {
    assert.equal(lineOf('abcde', 5), 'abcde');
    assert.equal(lineOf('abcdef', 5), 'abcde');
    assert.equal(lineOf('abcd😀', 5), 'abcd');
    assert.equal(lineOf('abcd😀', 6), 'abcd😀');
    assert.equal(lineOf('abcde\u0301', 5), 'abcd');
    assert.equal(lineOf('a 👩‍👩‍👧', 9), 'a');
    assert.equal(lineOf('👩‍👩‍👧', 5), '');
  });
});

describe('URLs of feeds', () => {
  it('have only characters of RFC 3986', () => {
    assert.equal(plainUrl('http://ü.example/é'), 'http://xn--tda.example/%C3%A9');
    assert.equal(
      plainUrl('https://a.example/{1}[2]%/%20?a|b="c"#d'),
      'https://a.example/%7B1%7D%5B2%5D%25/%20?a%7Cb=%22c%22',
    );
    assert.equal(plainUrl('http://[::1]:81/a,b'), 'http://[::1]:81/a,b');
  });
});

describe('amounts in minor units', () => {
  it('are exact, or undefined', () => {
    for (const cents of [1, 7, 29, 115, 1005, 999_999, 100_000_000_000]) {
      assert.equal(minorUnits(Number((cents / 100).toFixed(2)), 'EUR'), cents);
    }
    assert.equal(minorUnits(0.075, 'EUR'), undefined);
    assert.equal(minorUnits(7, 'JPY'), 7);
    assert.equal(minorUnits(7.1, 'JPY'), undefined);
    assert.equal(minorUnits(0.075, 'BHD'), 75);
  });

  it('are known for every currency', () => {
    assert.equal(CURRENCIES.size, 154);
    for (const currency of CURRENCIES) {
      assert.match(currency, /^[A-Z]{3}$/);
      assert.equal(Number(minorUnits(10, currency)) % 10, 0);
    }
  });
});
