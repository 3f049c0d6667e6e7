/** Tests that the crashes, hangs and memory use of one decoder process affect no other image. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import sharp, { type JpegOptions } from 'sharp';
import type { ImageFindings } from '../check-results.ts';
import { IMAGE_LIMITS } from '../image-limits.ts';
import { withEmptyPngChunks, withJpegPadding, withManyParts } from '../testing/odd-files.ts';
import { USUAL_MEMORY_MB } from '../testing/test-decoders.ts';
import { hasMoreParts } from './file-parts.ts';
import { framesOfPng } from './frames.ts';
import { ImageDecoders, type ImageDecodersOptions } from './image-decoders.ts';
import { jpegScans } from './jpeg-scans.ts';
import { Shares } from './shares.ts';

const MORTAL = new URL('../testing/mortal-decoder.ts', import.meta.url);
const MB = 1_048_576;

function open(t: TestContext, options: Partial<ImageDecodersOptions> = {}) {
  const lost: string[] = [];
  const decoders = new ImageDecoders({
    memory_mb_max: USUAL_MEMORY_MB,
    onLost: ({ message }) => lost.push(message),
    ...options,
  });
  t.after(() => decoders.close());
  return { decoders, lost };
}

describe('a decoder', () => {
  it('that hangs is killed and replaced, however often', async (t) => {
    const { decoders, lost } = open(t, { processFile: MORTAL, review_ms_max: 2_000 });
    const hung = await Promise.all(Array.from({ length: 4 }, () => decoders.check(Buffer.from('hang!'))));
    assert.deepEqual(hung.map(failuresOf), Array(4).fill(['not_reviewed']));
    assert.deepEqual(lost, Array(4).fill('The image decoder did not respond within 2000 ms.'));
    assert.deepEqual(decoders.pids, []);
    assert.deepEqual(failuresOf(await decoders.check(await image())), []);
  });

  it('that crashes is replaced, and a concurrent image is still checked', async (t) => {
    const { decoders, lost } = open(t, { processFile: MORTAL });
    const file = await image();
    const found = await Promise.all(
      [Buffer.from('die!!'), file, Buffer.from('die!!'), file].map((one) => decoders.check(one)),
    );
    assert.deepEqual(found.map(failuresOf), [['not_reviewed'], [], ['not_reviewed'], []]);
    assert.deepEqual(lost, Array(2).fill('The image decoder exited with SIGSEGV.'));
  });

  it('that uses more memory than its share ends', async (t) => {
    const { decoders, lost } = open(t, { processFile: MORTAL, review_ms_max: 60_000 });
    // The image takes a while to decode. The box after it, which no reader reads, makes the test's decoder use too much memory.
    const file = Buffer.concat([await avif(1_500, 1_500), Buffer.from('\0\0\0\x0dfreeeat!!', 'latin1')]);
    assert.deepEqual(failuresOf(await decoders.check(file)), ['not_reviewed']);
    assert.match(String(lost), /^The image decoder exceeded its memory limit: it used \d{9} bytes\.$/);
  });

  it('that the system refuses to start frees its slot', async (t) => {
    // Fails synchronously, as when the system has no memory for a process.
    const { decoders } = open(t, { decoders_max: 1, processFile: new URL('http://offerbook.example') });
    for (let n = 0; n < 2; n++) await assert.rejects(decoders.check(Buffer.from('x')), /scheme file/);
  });

  it('that cannot be started is not blamed on the image', async (t) => {
    const { decoders } = open(t, { processFile: new URL('./testing/no-such-decoder.ts', import.meta.url) });
    await assert.rejects(decoders.check(Buffer.from('x')), /could not be started/);
  });

  it('that ended while it was idle is replaced', async (t) => {
    const { decoders } = open(t);
    await decoders.check(Buffer.from('x'));
    process.kill(decoders.pids[0] as number, 'SIGKILL');
    while (decoders.pids.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(failuresOf(await decoders.check(await image())), []);
  });
});

describe('memory', () => {
  it('is shared by concurrent images, each of which needs most of it', async (t) => {
    const memory_mb_max = 128;
    const { decoders } = open(t, { memory_mb_max, review_ms_max: 60_000 });
    const file = await avif(2_000, 2_100);
    // The memory of the processes themselves, with their code.
    await Promise.all([decoders.check(await image()), decoders.check(await image())]);
    const idle_bytes = memoryOf(decoders);
    let most_bytes = 0;
    const watch = setInterval(() => {
      most_bytes = Math.max(most_bytes, memoryOf(decoders));
    }, 5);
    const found = await Promise.all([decoders.check(file), decoders.check(file), decoders.check(file)]);
    clearInterval(watch);
    assert.deepEqual(found.map(failuresOf), [['blank'], ['blank'], ['blank']]);
    const taken_mb = (most_bytes - idle_bytes) / MB;
    // Each image needs more than half of the memory budget, so two at once would exceed it.
    assert.ok(taken_mb > memory_mb_max / 2 && taken_mb <= memory_mb_max, `${taken_mb}`);
  });

  it('does not suffice for a small file with many costly pixels, which is refused undecoded', async (t) => {
    const { decoders } = open(t);
    const bomb = await avif(200, 300);
    // Changes the size that the header claims.
    for (let at = bomb.indexOf('ispe'); at !== -1; at = bomb.indexOf('ispe', at + 1)) {
      bomb.writeUInt32BE(7_000, at + 8);
      bomb.writeUInt32BE(7_100, at + 12);
    }
    const found = await decoders.check(bomb);
    assert.deepEqual([failuresOf(found), found.width, found.height], [['too_many_pixels'], 7_000, 7_100]);
    const small = open(t, { memory_mb_max: 64 }).decoders;
    assert.deepEqual(failuresOf(await small.check(await avif(2_000, 2_100))), ['too_many_pixels']);
  });

  it('does not suffice for very long lines', async (t) => {
    const { decoders } = open(t, { memory_mb_max: 64 });
    const create = { width: 60_000, height: 100, channels: 4, background: '#c81e1e80' } as const;
    const file = await sharp({ create }).png({ compressionLevel: 1 }).toBuffer();
    assert.deepEqual(failuresOf(await decoders.check(file)), ['too_many_pixels']);
  });
});

describe('markers and chunks', () => {
  it('are counted up to a limit', async () => {
    const png = withEmptyPngChunks(await image(), 100_000);
    const jpeg = withJpegPadding(await sharp(png).jpeg().toBuffer(), 100_000);
    assert.equal(jpegScans(jpeg, 50_000), undefined);
    assert.equal(jpegScans(jpeg, 100_000)?.scans, 1);
    assert.equal(framesOfPng(png, 5_000), undefined);
    assert.deepEqual(framesOfPng(png, 10_000), { count: 1, fault: null });
  });

  it('of 20 MB are refused without reading them to the end', async (t) => {
    const { decoders } = open(t);
    const bytes = IMAGE_LIMITS.body_bytes_max;
    const png = withEmptyPngChunks(await image(), bytes);
    const jpeg = withJpegPadding(
      await sharp(await image())
        .jpeg()
        .toBuffer(),
      bytes,
    );
    assert.equal(jpegScans(jpeg, IMAGE_LIMITS.jpeg_markers_max), undefined);
    assert.equal(framesOfPng(png, IMAGE_LIMITS.png_chunks_max), undefined);
    for (const file of [jpeg, png]) assert.deepEqual(failuresOf(await decoders.check(file)), ['damaged']);
  });

  it('of other formats are limited too', async (t) => {
    const { decoders } = open(t);
    const plain = sharp({ create: { width: 300, height: 200, channels: 4, background: '#c81e1e80' } });
    const files = {
      webp: (await plain.clone().webp().toBuffer()) as Buffer,
      avif: (await plain.clone().avif({ effort: 0 }).toBuffer()) as Buffer,
      tiff: (await plain.clone().tiff().toBuffer()) as Buffer,
    };
    for (const [format, file] of Object.entries(files) as [keyof typeof files, Buffer][]) {
      assert.equal(hasMoreParts(file, format, 10), false, format);
      assert.deepEqual(failuresOf(await decoders.check(file)), ['blank'], format);
      assert.deepEqual(failuresOf(await decoders.check(withManyParts(format, file, 1_100))), ['damaged'], format);
    }
  });

  it('tell how much of a JPEG the decoder keeps', async () => {
    const plain = sharp({ create: { width: 640, height: 480, channels: 3, background: '#c81e1e' } });
    const kept = async (options: JpegOptions) => {
      return jpegScans(await plain.clone().jpeg(options).toBuffer(), 1_000_000)?.coefficient_bytes;
    };
    assert.equal(await kept({}), 0);
    assert.equal(await kept({ progressive: true }), 640 * 480 * 3);
    assert.equal(await kept({ progressive: true, chromaSubsampling: '4:4:4' }), 640 * 480 * 6);
  });
});

describe('shares', () => {
  it('are granted in order of arrival, and never exceed the total', async () => {
    const shares = new Shares(10);
    const order: string[] = [];
    const take = async (name: string, amount: number, signal?: AbortSignal) => {
      const release = await shares.take(amount, signal);
      order.push(name);
      return release;
    };
    const first = await take('first', 6);
    const gone = new AbortController();
    const large = take('large', 10);
    const small = take('small', 1);
    const aborted = assert.rejects(take('aborted', 10, gone.signal), /gave up/);
    gone.abort(new Error('gave up'));
    await aborted;
    assert.deepEqual(order, ['first']);
    first();
    const second = await large;
    assert.deepEqual(order, ['first', 'large']);
    second();
    (await small)();
    assert.deepEqual(order, ['first', 'large', 'small']);
    await assert.rejects(take('late', 1, AbortSignal.abort(new Error('gave up'))), /gave up/);
  });

  it('go to the next if a waiting request is aborted', async () => {
    const shares = new Shares(10);
    await shares.take(5);
    const gone = new AbortController();
    const large = assert.rejects(shares.take(10, gone.signal), /gave up/);
    const small = shares.take(5);
    gone.abort(new Error('gave up'));
    await Promise.all([large, small]);
  });
});

function failuresOf({ checks }: ImageFindings): readonly (string | null)[] {
  return checks.filter(({ state }) => state === 'failed').map(({ failure }) => failure);
}

/** 4:4:4 with alpha needs the most memory per pixel of all formats. */
function avif(width: number, height: number): Promise<Buffer> {
  const background = { r: 200, g: 20, b: 30, alpha: 0.5 };
  return sharp({ create: { width, height, channels: 4, background } })
    .avif({ effort: 0, quality: 1 })
    .toBuffer();
}

function image(): Promise<Buffer> {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><circle cx="150" cy="150" r="90" fill="#b03020"/></svg>';
  return sharp(Buffer.from(svg)).flatten({ background: '#fff' }).png().toBuffer();
}

/** Resident bytes of all decoders. */
function memoryOf({ pids }: ImageDecoders): number {
  return pids.reduce<number>((sum, pid) => {
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return sum + Number(kb ?? 0) * 1_024;
  }, 0);
}
