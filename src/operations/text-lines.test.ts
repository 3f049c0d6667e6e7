/** Tests that lines are read unchanged however the bytes are split, and that invalid ones are reported. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LineFault, textLines } from './text-lines.ts';

async function linesOf(...chunks: readonly Uint8Array[]): Promise<(string | LineFault)[]> {
  const all: (string | LineFault)[] = [];
  const stream = (async function* () {
    yield* chunks;
  })();
  for await (const lines of textLines(stream)) all.push(...lines);
  return all;
}

describe('text lines', () => {
  it('are the same wherever the chunks are cut', async () => {
    const bytes = Buffer.from('one\n\n{"two":"😀é"}\nthree');
    for (let at = 0; at <= bytes.length; at++) {
      const lines = await linesOf(bytes.subarray(0, at), bytes.subarray(at));
      assert.deepEqual(lines, ['one', '', '{"two":"😀é"}', 'three']);
    }
    assert.deepEqual(await linesOf(...Array.from(bytes, (byte) => Uint8Array.of(byte))), await linesOf(bytes));
    assert.deepEqual(await linesOf(Buffer.from('one\n')), ['one']);
    assert.deepEqual(await linesOf(), []);
  });

  it('start after a byte order mark; elsewhere it is text', async () => {
    assert.deepEqual(await linesOf(Buffer.from('\ufeffone\n\ufefftwo')), ['one', '\ufefftwo']);
  });

  it('of a compressed file are a fault with advice', async () => {
    const packed = gzipSync('one\n'.repeat(100));
    for (const chunks of [[packed], [packed.subarray(0, 1), packed.subarray(1)]]) {
      const [first] = await linesOf(...chunks);
      assert.ok(first instanceof LineFault);
      assert.match(first.message, /compressed with gzip\. Decompress it first: "zcat/);
    }
  });

  it('that are not UTF-8, or too long, are faults', async () => {
    const [first, second] = await linesOf(Buffer.from([0x61, 0x0a, 0xff, 0x0a]));
    assert.equal(first, 'a');
    assert.ok(second instanceof LineFault);
    const long = await linesOf(...Array.from({ length: 40 }, () => Buffer.alloc(1_048_576, 0x61)));
    assert.equal(long.length, 1, 'the stream was not read to its end');
    assert.ok(long[0] instanceof LineFault);
  });
});
