/**
 * Tests that the splitter finds the same entries as a JSON parser, whatever the file contains and wherever its chunks
 * are cut.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import type { FileFault } from '../file-fault.ts';
import { CUT_ENTRY_BYTES, type Entry } from './entry.ts';
import { EntrySplitter } from './split-entries.ts';

interface Split {
  readonly entries: readonly Entry[];
  readonly fault: FileFault | undefined;
}

function split(file: Buffer | string, chunk_bytes = Number.MAX_SAFE_INTEGER, from = 0): Split {
  const bytes = Buffer.from(file);
  const splitter = new EntrySplitter(from);
  for (let at = 0; at < from; at += chunk_bytes)
    splitter.skip(bytes.subarray(at, Math.min(at + chunk_bytes, from)), at);
  const entries: Entry[] = [];
  for (let at = from; at < bytes.length; at += chunk_bytes) {
    const fault = splitter.write(bytes.subarray(at, at + chunk_bytes), entries);
    if (fault !== undefined) return { entries, fault };
  }
  return { entries, fault: splitter.end() };
}

function texts({ entries }: Split): [key: string, value: string][] {
  return entries.map(({ piece, keyStart, keyEnd, valueStart, valueEnd }) => [
    piece.bytes.toString('utf8', keyStart, keyEnd),
    piece.bytes.toString('utf8', valueStart, valueEnd),
  ]);
}

describe('entries of a file', () => {
  const file = '{"a":{"x":[1,{"y":"}"}]}, "b\\"\\\\" :\n[] ,"ä":"s,\\"}", "":-1.5e3 ,"n":null,"t":true}\n';
  const wanted = [
    ['a', '{"x":[1,{"y":"}"}]}'],
    ['b\\"\\\\', '[]'],
    ['ä', '"s,\\"}"'],
    ['', '-1.5e3'],
    ['n', 'null'],
    ['t', 'true'],
  ];

  for (const chunk_bytes of [1, 2, 3, 5, 7, 1000]) {
    it(`are the same in chunks of ${chunk_bytes} bytes`, () => {
      const found = split(file, chunk_bytes);
      assert.deepEqual(texts(found), wanted);
      assert.equal(found.fault, undefined);
    });
  }

  it('know their position in the file', () => {
    const bytes = Buffer.from(file);
    for (const chunk_bytes of [1, 4, 1000]) {
      for (const { offset, end, piece, keyStart, valueEnd } of split(file, chunk_bytes).entries) {
        const sent = bytes.toString('utf8', offset, end);
        assert.equal(sent, piece.bytes.toString('utf8', keyStart - 1, valueEnd));
      }
    }
  });

  it('know their line and column, even after skipped bytes', () => {
    const lines = '{"a": 1,\n\n  "b": {"x":\n2}, "c": 3,\r\n"d": 4\n!';
    const wanted = [
      [1, 2],
      [3, 3],
      [4, 5],
      [5, 1],
    ];
    for (const chunk_bytes of [1, 4, 1000]) {
      const { entries, fault } = split(lines, chunk_bytes);
      assert.deepEqual(
        entries.map(({ line, column }) => [line, column]),
        wanted,
      );
      assert.deepEqual([fault?.line, fault?.column], [6, 1]);
      for (const [index, { end }] of entries.entries()) {
        const rest = split(lines, chunk_bytes, end);
        assert.deepEqual(
          rest.entries.map(({ line, column }) => [line, column]),
          wanted.slice(index + 1),
        );
      }
    }
  });

  it('can be read from the end of any of them', () => {
    const all = split(file);
    for (const [index, { end }] of all.entries.entries()) {
      const rest = split(file, 3, end);
      assert.deepEqual(texts(rest), wanted.slice(index + 1));
      assert.equal(rest.fault, undefined);
    }
  });

  it('do not exist in an empty object', () => {
    assert.deepEqual(split(' {\n} '), { entries: [], fault: undefined });
  });

  it('may follow a byte order mark', () => {
    for (const chunk_bytes of [1, 100]) {
      assert.deepEqual(texts(split('\ufeff{"a":1}', chunk_bytes)), [['a', '1']]);
    }
  });

  it('do not affect other rows when they are not JSON inside their brackets', () => {
    const found = split('{"a":{"x":nonsense]},"b":tru e,"c":1}');
    assert.deepEqual(texts(found), [['a', '{"x":nonsense]']]);
    assert.equal(found.fault?.problem.code, 'file_not_json');
    assert.deepEqual(texts(split('{"a":{x: 1, [}],"b":fals,"c":1}')), [
      ['a', '{x: 1, [}]'],
      ['b', 'fals'],
      ['c', '1'],
    ]);
  });

  it('are found in generated files as JSON.parse finds them', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % below;
    };
    const pieces = ['"', '\\', '{', '}', '[', ']', ',', ':', 'é', '😀', '\n', '\u0000', 'x', ' '];
    const text = (): string => Array.from({ length: random(8) }, () => pieces[random(pieces.length)]).join('');
    const value = (depth: number): unknown => {
      switch (random(depth > 3 ? 4 : 6)) {
        case 0:
          return random(1000) / 8;
        case 1:
          return text();
        case 2:
          return null;
        case 3:
          return random(2) === 0;
        case 4:
          return Array.from({ length: random(4) }, () => value(depth + 1));
        default:
          return Object.fromEntries(Array.from({ length: random(4) }, () => [text(), value(depth + 1)]));
      }
    };
    for (let round = 0; round < 300; round++) {
      const rows = Array.from({ length: random(6) }, (_, index) => [`${index}${text()}`, value(0)] as const);
      const json = JSON.stringify(Object.fromEntries(rows), null, random(3));
      const found = split(json, 1 + random(20));
      assert.equal(found.fault, undefined, json);
      const parsed = texts(found).map(([key, body]) => [JSON.parse(`"${key}"`), JSON.parse(body)]);
      assert.deepEqual(parsed, Object.entries(JSON.parse(json)), json);
    }
  });
});

describe('faults of a file', () => {
  const rest = 'The rest of the file was not read.';
  const cases: readonly [file: string, code: string, offset: number, message: string][] = [
    ['', 'file_empty', 0, 'The file is empty.'],
    [' \n\t\r', 'file_empty', 0, 'The file is empty.'],
    [
      '[{"a":1}]',
      'file_not_object',
      0,
      'Unrecognized file format: the file begins with "[". Upload a JSON object, {"<SKU id>": <body>, ...}, NDJSON or CSV.',
    ],
    [
      'hello',
      'file_not_object',
      0,
      'Unrecognized file format: the file begins with "h". Upload a JSON object, {"<SKU id>": <body>, ...}, NDJSON or CSV.',
    ],
    [
      '\u0000',
      'file_not_object',
      0,
      'Unrecognized file format: the file begins with the byte 0x00. Upload a JSON object, {"<SKU id>": <body>, ...}, NDJSON or CSV.',
    ],
    ['{a:1}', 'file_not_json', 1, `Invalid JSON at byte 1: expected a SKU id in quotes, or }, but found "a". ${rest}`],
    ['{"a" 1}', 'file_not_json', 5, `Invalid JSON at byte 5: expected a colon, but found "1". ${rest}`],
    ['{"a":,}', 'file_not_json', 5, `Invalid JSON at byte 5: expected the body of a row, but found ",". ${rest}`],
    ['{"a":}', 'file_not_json', 5, `Invalid JSON at byte 5: expected the body of a row, but found "}". ${rest}`],
    ['{"a":1,}', 'file_not_json', 7, `Invalid JSON at byte 7: expected a SKU id in quotes, but found "}". ${rest}`],
    ['{"a":{} "b":1}', 'file_not_json', 8, `Invalid JSON at byte 8: expected a comma or }, but found '"'. ${rest}`],
    ['{"a":1}}', 'file_not_json', 7, `Invalid JSON at byte 7: expected the end of the file, but found "}". ${rest}`],
    ['{"a":1} {', 'file_not_json', 8, `Invalid JSON at byte 8: expected the end of the file, but found "{". ${rest}`],
    ['{', 'file_truncated', 1, 'The file ends early, at byte 1: expected a SKU id in quotes, or }.'],
    [
      '{"a',
      'file_truncated',
      3,
      'The file ends early, at byte 3: expected the end of a SKU id. The last row begins at byte 1.',
    ],
    ['{"a"', 'file_truncated', 4, 'The file ends early, at byte 4: expected a colon. The last row begins at byte 1.'],
    [
      '{"a":',
      'file_truncated',
      5,
      'The file ends early, at byte 5: expected the body of a row. The last row begins at byte 1.',
    ],
    [
      '{"a":{"b":1',
      'file_truncated',
      11,
      'The file ends early, at byte 11: expected the end of a row. The last row begins at byte 1.',
    ],
    [
      '{"a":1',
      'file_truncated',
      6,
      'The file ends early, at byte 6: expected the end of a row. The last row begins at byte 1.',
    ],
    [
      '{"a":"1',
      'file_truncated',
      7,
      'The file ends early, at byte 7: expected the end of a row. The last row begins at byte 1.',
    ],
    ['{"a":{}', 'file_truncated', 7, 'The file ends early, at byte 7: expected a comma or }.'],
    ['{"a":1,', 'file_truncated', 7, 'The file ends early, at byte 7: expected a SKU id in quotes.'],
  ];
  for (const [file, code, offset, message] of cases) {
    it(`${JSON.stringify(file)} is ${code}`, () => {
      for (const chunk_bytes of [1, 1000]) {
        const { fault } = split(file, chunk_bytes);
        const storage = code === 'file_empty' ? {} : { line: 1, column: offset + 1 };
        assert.deepEqual(fault, { problem: { code, field: '', message }, offset, ...storage });
      }
    });
  }

  it('leave the entries before them', () => {
    assert.deepEqual(texts(split('{"a":{},"b":[1],oops')), [
      ['a', '{}'],
      ['b', '[1]'],
    ]);
  });
});

describe('large entries', () => {
  const bodyOf = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`;

  for (const chunk_bytes of [10_000, 65_536, 10_000_000]) {
    it(`of the largest body size are whole, one byte more is cut, in chunks of ${chunk_bytes}`, () => {
      const fits = bodyOf(LIMITS.body_bytes_max);
      const found = split(`{"a":${fits},"b":${bodyOf(LIMITS.body_bytes_max + 1)},"c":1}`, chunk_bytes);
      assert.equal(found.fault, undefined);
      assert.deepEqual(
        found.entries.map(({ isCut }) => isCut),
        [false, true, false],
      );
      const [a, b, c] = texts(found);
      assert.equal(a?.[1], fits);
      assert.deepEqual(b?.[0], 'b');
      assert.ok((b?.[1] ?? '').length <= CUT_ENTRY_BYTES);
      assert.ok((b?.[1] ?? '').startsWith('"xxx'));
      assert.deepEqual(c, ['c', '1']);
    });
  }

  it('are not held beyond their beginning', () => {
    const splitter = new EntrySplitter(0);
    const entries: Entry[] = [];
    splitter.write(Buffer.from('{"big":{"x":"'), entries);
    const filler = Buffer.alloc(1_000_000, 'y');
    for (let count = 0; count < 100; count++) splitter.write(filler, entries);
    splitter.write(Buffer.from('"},"next":{}}'), entries);
    assert.equal(splitter.end(), undefined);
    assert.equal(entries.length, 2);
    const [big, next] = entries;
    assert.ok(big !== undefined && next !== undefined);
    assert.deepEqual([big.isCut, big.offset, big.end], [true, 1, 13 + 100_000_000 + 2]);
    assert.equal(big.piece.bytes.length, CUT_ENTRY_BYTES);
    assert.deepEqual(texts({ entries: [next], fault: undefined }), [['next', '{}']]);
  });

  it('may have a key of any length, of which the beginning is held', () => {
    const found = split(`{"${'k'.repeat(3_000_000)}":{"a":1},"b":2}`, 65_536);
    assert.deepEqual(
      found.entries.map(({ isCut, keyEnd, keyStart }) => [isCut, keyEnd - keyStart]),
      [
        [true, CUT_ENTRY_BYTES - 1],
        [false, 1],
      ],
    );
  });
});
