/** Tests of int64.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPositiveInt64, parseExactJson, readId, stringifyExactJson } from './int64.ts';

const MAX = 9_223_372_036_854_775_807n;

describe('isPositiveInt64', () => {
  it('takes whole numbers from 1 to 2^63 - 1', () => {
    for (const value of [1, 5, Number.MAX_SAFE_INTEGER, 9_007_199_254_740_992n, MAX])
      assert.equal(isPositiveInt64(value), true, String(value));
  });

  it('refuses everything else, numbers that have lost digits among it', () => {
    for (const value of [0, -0, -1, 1.5, 2 ** 53, 1e19, Number.NaN, Number.POSITIVE_INFINITY, 0n, -1n, MAX + 1n])
      assert.equal(isPositiveInt64(value), false, String(value));
    for (const value of ['1', true, null, undefined, {}, [1]]) assert.equal(isPositiveInt64(value), false);
  });
});

describe('readId', () => {
  it('reads plain digits, exactly, as a number while that is exact', () => {
    for (const [digits, id] of [
      ['1', 1],
      ['9007199254740991', Number.MAX_SAFE_INTEGER],
      ['9007199254740993', 9_007_199_254_740_993n],
      ['9223372036854775807', MAX],
    ] as const)
      assert.equal(readId(digits), id);
  });

  it('refuses everything else', () => {
    for (const text of [
      '',
      '0',
      '01',
      '-1',
      '+1',
      '1.0',
      '1e3',
      ' 1',
      '1\n',
      '٣',
      '9223372036854775808',
      '9'.repeat(20),
    ])
      assert.equal(readId(text), undefined, text);
  });
});

describe('parseExactJson', () => {
  it('keeps every digit of an integer beyond 2^53, wherever it stands', () => {
    assert.deepEqual(parseExactJson('{"a":9223372036854775807,"b":[9007199254740993, -9223372036854775808],"c":1}'), {
      a: MAX,
      b: [9_007_199_254_740_993n, -9_223_372_036_854_775_808n],
      c: 1,
    });
    assert.deepEqual(parseExactJson('[\n\t9007199254740993 ,1]'), [9_007_199_254_740_993n, 1]);
    assert.deepEqual(parseExactJson('{"a":{"a":{"a":[[12345678901234567890]]}}}'), {
      a: { a: { a: [[12_345_678_901_234_567_890n]] } },
    });
  });

  it('leaves what no int64 can be to plain JSON, a million digits among it', () => {
    const digits = '9'.repeat(1_000_000);
    assert.deepEqual(parseExactJson(`[123456789012345678901,-${digits},${digits}]`), [
      123_456_789_012_345_680_000,
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it('leaves exact ones as numbers, up to the largest', () => {
    assert.deepEqual(parseExactJson('[9007199254740991,-9007199254740991,1234567890123456]'), [
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      1_234_567_890_123_456,
    ]);
  });

  it('takes fractions, exponents and texts as JSON does', () => {
    const text =
      '{"a":9007199254740993.0,"b":1234567890123456e3,"c":"9007199254740993","d":0.12345678901234567890,"e":1e400}';
    assert.deepEqual(parseExactJson(text), JSON.parse(text));
    const beside = `{"x":9007199254740993,${text.slice(1)}`;
    assert.deepEqual(parseExactJson(beside), { x: 9_007_199_254_740_993n, ...JSON.parse(text) });
  });

  it('takes the last of repeated keys, exact or not', () => {
    assert.deepEqual(parseExactJson('{"a":1,"a":9223372036854775807}'), { a: MAX });
    assert.deepEqual(parseExactJson('{"a":9223372036854775807,"a":1}'), { a: 1 });
    assert.deepEqual(parseExactJson('{"a":[9223372036854775807],"a":{"b":9007199254740993},"0":1}'), {
      a: { b: 9_007_199_254_740_993n },
      0: 1,
    });
  });

  it('keeps __proto__ as a name', () => {
    const value = parseExactJson('{"__proto__":{"x":9007199254740993}}') as object;
    assert.deepEqual(Object.keys(value), ['__proto__']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(Object.getOwnPropertyDescriptor(value, '__proto__')?.value.x, 9_007_199_254_740_993n);
  });

  it('throws SyntaxError on both ways', () => {
    for (const text of ['', '{', '[1,]', '[9007199254740993,]', '{"a":9007199254740993'])
      assert.throws(() => parseExactJson(text), SyntaxError);
  });
});

describe('stringifyExactJson', () => {
  it('is the inverse of parseExactJson', () => {
    for (const text of [
      '{"a":9223372036854775807,"b":[9007199254740993,"9007199254740993",1.5,null,true,{}],"":""}',
      '[-9223372036854775808,12345678901234567890]',
      '"text"',
      '{"a":[1,2]}',
    ])
      assert.equal(stringifyExactJson(parseExactJson(text)), text);
  });

  it('fails on what JSON cannot hold', () => {
    const loop: { self?: unknown; id: bigint } = { id: MAX };
    loop.self = loop;
    assert.throws(() => stringifyExactJson(loop), TypeError);
  });
});

describe('the fast path', () => {
  it('parses bodies without large integers in one plain call, and only those', (t) => {
    const parse = t.mock.method(JSON, 'parse');
    parseExactJson('{"price":12.5,"code":"1234567890123456789","url":"https://a.example/1234567890123456789.jpg"}');
    assert.deepEqual(
      parse.mock.calls.map((call) => call.arguments.length),
      [1],
    );
    parseExactJson('{"attribute_id":1234567890123456789}');
    assert.equal(parse.mock.callCount(), 1);
  });
});
