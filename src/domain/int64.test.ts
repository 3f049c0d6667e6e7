/** Tests int64.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { type Chance, seededChance } from '../../test/harness/seeded-random.ts';
import { isPositiveInt64, parseExactJson, readId, stringifyExactJson } from './int64.ts';

const MAX = 9_223_372_036_854_775_807n;

describe('isPositiveInt64', () => {
  it('accepts whole numbers from 1 to 2^63 - 1', () => {
    for (const value of [1, 5, Number.MAX_SAFE_INTEGER, 9_007_199_254_740_992n, MAX])
      assert.equal(isPositiveInt64(value), true, String(value));
  });

  it('refuses everything else, including numbers that have lost digits', () => {
    for (const value of [0, -0, -1, 1.5, 2 ** 53, 1e19, Number.NaN, Number.POSITIVE_INFINITY, 0n, -1n, MAX + 1n])
      assert.equal(isPositiveInt64(value), false, String(value));
    for (const value of ['1', true, null, undefined, {}, [1]]) assert.equal(isPositiveInt64(value), false);
  });
});

describe('readId', () => {
  it('reads plain digits exactly, as a number if that is exact', () => {
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
  it('keeps every digit of an integer beyond 2^53 at any position', () => {
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

  it('keeps every digit up to 309, beyond which no double is finite', () => {
    const digits = '9'.repeat(1_000_000);
    const most = `1${'0'.repeat(307)}1`;
    assert.deepEqual(parseExactJson(`[123456789012345678901,-${most},${most}0,-${digits},${digits}]`), [
      123_456_789_012_345_678_901n,
      -BigInt(most),
      Number.POSITIVE_INFINITY,
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

  it('reads fractions, exponents and strings like JSON.parse', () => {
    const text =
      '{"a":9007199254740993.0,"b":1234567890123456e3,"c":"9007199254740993","d":0.12345678901234567890,"e":1e400}';
    assert.deepEqual(parseExactJson(text), JSON.parse(text));
    const withLarge = `{"x":9007199254740993,${text.slice(1)}`;
    assert.deepEqual(parseExactJson(withLarge), { x: 9_007_199_254_740_993n, ...JSON.parse(text) });
  });

  it('keeps the last of repeated keys, exact or not', () => {
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

  it('throws SyntaxError on the fast and the exact path', () => {
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

  it('fails on values that JSON cannot represent', () => {
    const loop: { self?: unknown; id: bigint } = { id: MAX };
    loop.self = loop;
    assert.throws(() => stringifyExactJson(loop), TypeError);
  });
});

describe('parseExactJson and a standard reviver', () => {
  it('give the same value or the same SyntaxError for random text', () => {
    const chance = seededChance(13);
    let exactCount = 0;
    for (let round = 0; round < 5_000; round++) {
      const text = randomJson(chance);
      const expected = outcomeOf(() => parseWithReviver(text));
      assert.deepEqual(
        outcomeOf(() => parseExactJson(text)),
        expected,
        text,
      );
      if (/n\b/.test(inspect(expected, { depth: 50 }))) exactCount++;
    }
    assert.ok(exactCount > 1000, `only ${exactCount} of the texts had large integers`);
  });
});

// The former parseExactJson, which was too slow; it computes the expected value of every number.
type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const parseWithSource = JSON.parse as unknown as (text: string, reviver: SourceReviver) => unknown;

function parseWithReviver(text: string): unknown {
  const isPlain = (source: string | undefined): source is string =>
    source !== undefined && /^-?\d{1,309}$/.test(source);
  return parseWithSource(text, (_key, value, { source }) =>
    typeof value !== 'number' || Number.isSafeInteger(value) || !isPlain(source) ? value : BigInt(source),
  );
}

function outcomeOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    return error instanceof SyntaxError ? error.message : error;
  }
}

const SCALARS = [
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '9223372036854775807'],
  ...[
    '12345678901234567890',
    '-12345678901234567890',
    '123456789012345678901',
    `${'9'.repeat(309)}`,
    `-${'9'.repeat(310)}`,
    '-0',
    '0',
    '7',
  ],
  ...['9007199254740993.0', '9007199254740993e0', '9.007199254740992e15', '1e400', '1E-5', '0.12345678901234567890'],
  ...['true', 'false', 'null', '""', '"a"', '"9007199254740993"', '"[9007199254740993,"', '"\\\\"', '"\\":{[,"'],
  ...[`"${'x'.repeat(40)}"`, `"${'\\"'.repeat(40)}"`, `"${'x'.repeat(40)}\\\\"`, '"\u00fc\u6f22"', '"\\u0022"'],
];
const KEYS = [
  'a',
  'b',
  '',
  '0',
  '1',
  '__proto__',
  'length',
  'constructor',
  'toString',
  'a\\"b',
  '\\u0061',
  'x'.repeat(40),
];
const SPACES = ['', '', '', ' ', '\n\t', '\r\n   '];
const STRAYS = [',', ']', '}', '"', '1', '\\', 'x', ' '];

/** Uses few keys, so that many are repeated. Now and then adds a stray character, or cuts the text off. */
function randomJson(chance: Chance): string {
  const text = randomValue(chance, 0);
  const at = chance.below(text.length + 1);
  const fate = chance.fraction();
  if (fate < 0.05) return text.slice(0, at);
  return fate < 0.1 ? `${text.slice(0, at)}${chance.pick(STRAYS)}${text.slice(at)}` : text;
}

function randomValue(chance: Chance, depth: number): string {
  const space = chance.pick(SPACES);
  const isScalar = depth > 0 && (depth > 5 || chance.fraction() < 0.5);
  if (isScalar) return `${space}${chance.pick(SCALARS)}${chance.pick(SPACES)}`;
  const members = Array.from({ length: chance.below(5) }, () => randomValue(chance, depth + 1));
  if (chance.fraction() < 0.5) return `${space}[${members.join(',')}]`;
  return `${space}{${members.map((member) => `"${chance.pick(KEYS)}"${space}:${member}`).join(',')}}`;
}

describe('the time of parseExactJson', () => {
  const BYTES = 1_048_576;
  const filled = (before: string, piece: string, after: string) =>
    `${before}${Array(Math.floor(BYTES / (piece.length + 1)))
      .fill(piece)
      .join(',')}${after}`;
  // With a reviver these texts took 20 times as long as with plain JSON.parse.
  const texts = {
    'large integers': filled('[', '1234567890123456789', ']'),
    'short strings': filled('[9007199254740993,', '"a"', ']'),
    'digits in strings': filled('[9007199254740993,', '"12345678901234567890"', ']'),
    'small numbers': filled('[9007199254740993,', '1', ']'),
    'empty objects': filled('[9007199254740993,', '{}', ']'),
    'ids in objects': filled('[', '{"id":9007199254740993}', ']'),
    'lists in lists': filled('[', `${'['.repeat(30)}9007199254740993${']'.repeat(30)}`, ']'),
    'escaped quotes': filled('[9007199254740993,"', '\\"\\"\\"', '"]'),
  };
  it('is a small multiple of plain JSON.parse for 1 MiB of any content', () => {
    const times = Object.entries(texts).map(([name, text]) => {
      return { name, plain_ms: quickest(() => JSON.parse(text)), exact_ms: quickest(() => parseExactJson(text)) };
    });
    const sum = (part: 'plain_ms' | 'exact_ms') => times.reduce((total, time) => total + time[part], 0);
    assert.ok(sum('exact_ms') <= 6 * sum('plain_ms'), JSON.stringify(times));
  });
});

/** Returns the time of the best of three runs: by then the code is compiled, and at least one run was hardly interrupted. */
function quickest(run: () => unknown): number {
  let best_ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const startedMs = performance.now();
    run();
    best_ms = Math.min(best_ms, performance.now() - startedMs);
  }
  return best_ms;
}

describe('the fast path', () => {
  it('parses bodies without large integers in one plain call', (t) => {
    const parse = t.mock.method(JSON, 'parse');
    parseExactJson('{"price":12.5,"code":"1234567890123456789","url":"https://a.example/1234567890123456789.jpg"}');
    assert.deepEqual(
      parse.mock.calls.map((call) => call.arguments.length),
      [1],
    );
  });
});
