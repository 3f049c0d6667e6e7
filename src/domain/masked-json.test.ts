/** Tests that stored bodies have no secrets and stay within their limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from './int64.ts';
import { maskedJson } from './masked-json.ts';

/** Measures CPU time, because a busy machine can stop the process for seconds. */
function assertQuick(before: NodeJS.CpuUsage): void {
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 1_000_000, `it took ${user + system} us of CPU time`);
}

test('is the JSON of a body without secrets, with exact integers', () => {
  const text = '{"price":12.5,"codes":[{"upc":"x"},null,true],"id":9007199254740993,"empty":{},"list":[]}';
  assert.equal(maskedJson(parseExactJson(text), 1_000), text);
});

test('values of secret fields are removed at any depth, whatever their type', () => {
  const names = [
    ...['user', 'pass', 'Password', 'client_secret', 'clientSecret', 'id_token', 'Authorization', 'X-Api-Key'],
    ...['secret_key', 'private_key', 'pwd', 'access_key', 'tokens', 'secrets', 'accessKeyId', 'db-pwd', 'userPass'],
    ...['credentials', 'apikey', 'sig', 'refreshTokens', 'SIGNING_KEY', 'cookies', 'passphrase', 'userName'],
  ];
  for (const name of names) {
    for (const secret of ['hunter2', 12_345, { inner: 'hunter2' }, ['hunter2']]) {
      const masked = maskedJson({ list: [{ [name]: secret }], price: 1 }, 1_000);
      assert.equal(masked, `{"list":[{"${name}":"[removed]"}],"price":1}`, name);
    }
  }
  const plain =
    '{"user_defined_sku_id":"a","compass":"north","passenger":"b","external_item_type_keyword":"c","key":1,"design":"d","author":"e"}';
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
    '{"note":"[removed]","[removed]":1,"url":"https://a.test/?id=1&signature=[removed]&b=2","also":"see [removed]."}',
  );
});

test('user info and secret parameters of URLs are removed, and secrets of webhooks', () => {
  for (const [text, masked] of [
    ['https://joe:s3cret@a.test/x', 'https://[removed]@a.test/x'],
    ['postgres://joe:p@ss"word@db:5432/x', 'postgres://[removed]@db:5432/x'],
    ['ftp://token@a.test', 'ftp://[removed]@a.test'],
    ['https://a.test/@user/b?mail=a@b.test', 'https://a.test/@user/b?mail=a@b.test'],
    ['https://a.test/?a=1&api_key=abc&b=2', 'https://a.test/?a=1&api_key=[removed]&b=2'],
    ['https://a.test/?sig=a%2Fb+c&sv=1', 'https://a.test/?sig=[removed]&sv=1'],
    ['https://a.test/?key=abc#access_token=def', 'https://a.test/?key=[removed]#access_token=[removed]'],
    ['https://a.test/?X-Amz-Credential=a/b&X-Amz-Date=1', 'https://a.test/?X-Amz-Credential=[removed]&X-Amz-Date=1'],
    ['?AWSAccessKeyId=a&api%5Fkey=b&design=c', '?AWSAccessKeyId=[removed]&api%5Fkey=[removed]&design=c'],
    ['pwd=a\\b"c d=e', 'pwd=[removed] d=e'],
    ['sent with whsec_MfKQ9r8+/GKYq=, ok', 'sent with [removed], ok'],
  ] as const) {
    assert.equal(JSON.parse(maskedJson({ text }, 1_000)).text, masked, text);
  }
  const long = 'a'.repeat(50_000);
  const before = process.threadCpuUsage();
  maskedJson([long, `${long}=`, '://'.repeat(9_000)], 100_000);
  assertQuick(before);
});

test('secrets of percent-encoded URLs are removed', () => {
  for (const [text, masked] of [
    [
      'https://a.test/?to=https%3A%2F%2Fb.test%2F%3Fsig%3Dabc%26b%3D2&c=3',
      'https://a.test/?to=https%3A%2F%2Fb.test%2F%3Fsig%3D[removed]%26b%3D2&c=3',
    ],
    ['https%3a%2f%2fb.test%3fapi_key%3dabc%23x', 'https%3a%2f%2fb.test%3fapi_key%3d[removed]%23x'],
    [
      '?to=b.test%253Fa%253D1%2526access_token%253Dabc%2526b',
      '?to=b.test%253Fa%253D1%2526access_token%253D[removed]%2526b',
    ],
    ['?to=https%3A%2F%2Fjoe%3As3cret%40b.test%2Fx', '?to=https%3A%2F%2F[removed]%40b.test%2Fx'],
    ['?to=https%3A%2F%2Fb.test%2F%40joe%3Fdesign%3Dc', '?to=https%3A%2F%2Fb.test%2F%40joe%3Fdesign%3Dc'],
  ] as const) {
    assert.equal(JSON.parse(maskedJson({ text }, 1_000)).text, masked, text);
  }
  const long = 'a'.repeat(50_000);
  const before = process.threadCpuUsage();
  maskedJson([`%3A%2F%2F${long}`, `${long}%3D`, '%25'.repeat(17_000), '%3A%2F%2F'.repeat(6_000)], 300_000);
  assertQuick(before);
});

test('secret fields of JSON within texts are removed', () => {
  for (const [text, masked] of [
    ['{"password":"hunter2","b":1}', '{"password":"[removed]","b":1}'],
    ['failed: { "client_secret" : "a\\"b\\\\", "b": "c" }', 'failed: { "client_secret" : "[removed]", "b": "c" }'],
    ['{\n  "pwd":\n 12345,\n  "b": 1}', '{\n  "pwd":\n "[removed]",\n  "b": 1}'],
    ['{"token":"cut off', '{"token":"[removed]"'],
    ['{"compass":"north","author":"e"}', '{"compass":"north","author":"e"}'],
  ] as const) {
    assert.equal(JSON.parse(maskedJson({ text }, 1_000)).text, masked, text);
  }
  const before = process.threadCpuUsage();
  maskedJson(['"pwd":"'.repeat(7_000), `"pwd"${' '.repeat(50_000)}`, '\\'.repeat(50_000)], 300_000);
  assertQuick(before);
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
