/** Tests that stored bodies have no secrets and stay within their limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from './int64.ts';
import { maskedJson } from './masked-json.ts';

test('is the JSON of a body without secrets, with exact integers', () => {
  const text = '{"price":12.5,"codes":[{"upc":"x"},null,true],"id":9007199254740993,"empty":{},"list":[]}';
  assert.equal(maskedJson(parseExactJson(text), 1_000), text);
});

test('values of secret fields are removed at any depth, whatever their type', () => {
  const names = ['user', 'pass', 'Password', 'client_secret', 'clientSecret', 'id_token', 'Authorization', 'X-Api-Key'];
  for (const name of names) {
    for (const secret of ['hunter2', 12_345, { inner: 'hunter2' }, ['hunter2']]) {
      const masked = maskedJson({ list: [{ [name]: secret }], price: 1 }, 1_000);
      assert.equal(masked, `{"list":[{"${name}":"[removed]"}],"price":1}`, name);
    }
  }
  const plain = '{"user_defined_sku_id":"a","compass":"north","passenger":"b","tokens":1}';
  assert.equal(maskedJson(JSON.parse(plain), 1_000), plain);
});

test('secrets within texts are removed', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const masked = maskedJson(
    { note: `Bearer ${token}`, [token]: 1, url: 'https://a.test/?id=1&signature=abc_DEF&b=2', also: `see ${token}.` },
    1_000,
  );
  assert.equal(
    masked,
    '{"note":"[removed]","[removed]":1,"url":"https://a.test/?id=1[removed]&b=2","also":"see [removed]."}',
  );
});

test('is cut at the limit, and never within a secret', () => {
  assert.equal(maskedJson('abcd', 6), '"abcd"');
  assert.equal(maskedJson('abcde', 6), '"abcde…');
  assert.equal(maskedJson(['a', 'b', 'c'], 5), '["a",…');
  const cut = maskedJson({ note: `${'x'.repeat(80)} Bearer ${'s'.repeat(500)}` }, 100);
  assert.doesNotMatch(cut, /sss/);
  assert.equal(cut.length, 101);
});

test('a large body costs no more than its first characters: the rest is not read', () => {
  const list = Array.from({ length: 10_000 }, () => 'x'.repeat(20));
  Object.defineProperty(list, 200, { get: () => assert.fail('The value behind the limit was read.') });
  assert.equal(maskedJson({ list, text: 'y'.repeat(5_000_000) }, 4096).length, 4097);
});
