/** Tests unpacking: gzip and plain files, complete and truncated, and the size limit. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type UnpackOptions, unpack } from './unpack.ts';

const TEXT = Buffer.from('{"a": {"price": 1.5}}\n'.repeat(5_000));

/** Yields a few bytes at a time, like the file storage. */
function sourceOf(bytes: Buffer, chunk_bytes = 1000): Readable {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunk_bytes) chunks.push(bytes.subarray(at, at + chunk_bytes));
  return Readable.from(chunks, { objectMode: false });
}

async function unpackAll(source: Readable, options: Partial<UnpackOptions> = {}) {
  const chunks = unpack(source, { unpacked_bytes_max: 1e9, ...options });
  const parts: Buffer[] = [];
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) return { bytes: Buffer.concat(parts), fault: next.value };
    parts.push(next.value);
  }
}

describe('unpacking', () => {
  it('passes plain bytes through', async () => {
    assert.deepEqual(await unpackAll(sourceOf(TEXT)), { bytes: TEXT, fault: undefined });
  });

  for (const chunk_bytes of [1, 1000]) {
    it(`unpacks gzip that comes ${chunk_bytes} bytes at a time`, async () => {
      const unpacked = await unpackAll(sourceOf(gzipSync(TEXT), chunk_bytes));
      assert.deepEqual(unpacked, { bytes: TEXT, fault: undefined });
    });
  }

  it('reads several concatenated gzip files as one', async () => {
    const packed = Buffer.concat([gzipSync(TEXT.subarray(0, 777)), gzipSync(TEXT.subarray(777))]);
    assert.deepEqual(await unpackAll(sourceOf(packed)), { bytes: TEXT, fault: undefined });
  });

  it('returns nothing for an empty file', async () => {
    for (const packed of [Buffer.alloc(0), gzipSync('')]) {
      assert.deepEqual(await unpackAll(sourceOf(packed)), { bytes: Buffer.alloc(0), fault: undefined });
    }
  });

  it('passes a single byte through', async () => {
    assert.deepEqual(await unpackAll(sourceOf(Buffer.from([0x1f]))), { bytes: Buffer.from([0x1f]), fault: undefined });
  });

  it('reports truncated gzip, and returns the bytes before', async () => {
    const { bytes, fault } = await unpackAll(sourceOf(gzipSync(TEXT).subarray(0, -20)));
    assert.deepEqual(bytes, TEXT.subarray(0, bytes.length));
    assert.deepEqual(fault, {
      problem: {
        code: 'file_truncated',
        field: '',
        message: `The gzip file ends early, after ${bytes.length} decompressed bytes.`,
      },
      offset: bytes.length,
    });
  });

  it('reports damaged gzip', async () => {
    const packed = gzipSync(TEXT);
    packed.fill(0xff, 40, 60);
    const { bytes, fault } = await unpackAll(sourceOf(packed));
    assert.deepEqual(fault, {
      problem: {
        code: 'file_gzip_damaged',
        field: '',
        message: `The gzip file is damaged after ${bytes.length} decompressed bytes. The rest of the file was not read.`,
      },
      offset: bytes.length,
    });
  });

  it('accepts as many bytes as allowed, and stops at one more', async () => {
    for (const packed of [TEXT, gzipSync(TEXT)]) {
      const fits = await unpackAll(sourceOf(packed), { unpacked_bytes_max: TEXT.length });
      assert.deepEqual(fits, { bytes: TEXT, fault: undefined });
      const unpacked_bytes_max = TEXT.length - 1;
      const message = `The decompressed file exceeds the limit of ${unpacked_bytes_max} bytes. The rest of the file was not read.`;
      assert.deepEqual(await unpackAll(sourceOf(packed), { unpacked_bytes_max }), {
        bytes: TEXT.subarray(0, -1),
        fault: { problem: { code: 'file_unpacked_too_large', field: '', message }, offset: unpacked_bytes_max },
      });
    }
  });

  it('stops reading a gzip bomb at the limit', async () => {
    // 65 KB that unpack to 64 MB, twenty times.
    const charge = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    const bomb = Buffer.concat(Array.from({ length: 20 }, () => charge));
    let read = 0;
    const { bytes, fault } = await unpackAll(sourceOf(bomb, 4096), {
      unpacked_bytes_max: 1_000_000,
      onRead: (count) => {
        read = count;
      },
    });
    assert.equal(bytes.length, 1_000_000);
    assert.equal(fault?.problem.code, 'file_unpacked_too_large');
    assert.ok(read < bomb.length, `${read} of ${bomb.length} bytes were read.`);
  });

  it('counts the bytes of the file as it was sent', async () => {
    const packed = gzipSync(TEXT);
    const counts: number[] = [];
    await unpackAll(sourceOf(packed, 100), { onRead: (bytes) => counts.push(bytes) });
    assert.deepEqual([counts[0], counts.at(-1)], [100, packed.length]);
  });

  it('throws errors of the source, and closes it', async () => {
    for (const bytes of [TEXT, gzipSync(TEXT)]) {
      const source = Readable.from(
        (async function* () {
          yield bytes.subarray(0, 50);
          throw new Error('The disk is gone.');
        })(),
        { objectMode: false },
      );
      await assert.rejects(unpackAll(source), new Error('The disk is gone.'));
      assert.equal(source.destroyed, true);
    }
  });

  it('closes the source when reading stops', async () => {
    for (const bytes of [TEXT, gzipSync(TEXT)]) {
      const source = sourceOf(bytes, 10);
      const chunks = unpack(source, { unpacked_bytes_max: 1e9 });
      await chunks.next();
      await chunks.return(undefined);
      assert.equal(source.destroyed, true);
    }
  });
});
