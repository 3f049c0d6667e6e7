/**
 * Measures the memory of decoding by format, compared with the estimate of src/review/images/decoding/decode-memory.ts. Each
 * file is decoded in a separate process. Run: node bench/image-memory.ts [part of a name]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { checkImage } from '../src/review/images/check-image.ts';

interface Measured {
  readonly pixels: number;
  readonly measured_bytes: number;
  readonly estimated_bytes: number;
  readonly failures: readonly string[];
}

const [WIDTH, HEIGHT] = [6_000, 4_000];

const FILES: Readonly<Record<string, () => Sharp>> = {
  'jpeg 4:2:0': () => plain(3).jpeg(),
  'jpeg progressive 4:2:0': () => plain(3).jpeg({ progressive: true }),
  'jpeg progressive 4:4:4': () => plain(3).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }),
  'jpeg progressive CMYK': () => {
    return plain(3).toColourspace('cmyk').jpeg({ progressive: true, chromaSubsampling: '4:4:4' });
  },
  'png 8 bits': () => plain(3).png({ compressionLevel: 1 }),
  'png 16 bits': () => plain(3).toColourspace('rgb16').png({ compressionLevel: 1 }),
  'png interlaced': () => plain(3).png({ compressionLevel: 1, progressive: true }),
  'png interlaced alpha': () => plain(4).png({ compressionLevel: 1, progressive: true }),
  'png interlaced alpha 16 bits': () => {
    return plain(4).toColourspace('rgb16').png({ compressionLevel: 1, progressive: true });
  },
  'png 50,000 by 1,000 alpha 16 bits': () => {
    return plain(4, 50_000, 1_000).toColourspace('rgb16').png({ compressionLevel: 1 });
  },
  'webp lossy': () => plain(3).webp({ effort: 0 }),
  'webp lossy alpha': () => plain(4).webp({ effort: 0 }),
  'webp lossless': () => plain(3).webp({ effort: 0, lossless: true }),
  'avif 4:2:0': () => plain(3).avif({ effort: 0, chromaSubsampling: '4:2:0' }),
  'avif 4:4:4': () => plain(3).avif({ effort: 0 }),
  'avif 4:4:4 alpha': () => plain(4).avif({ effort: 0 }),
  'avif 4:2:0 10 bits': () => plain(3).avif({ effort: 0, bitdepth: 10, chromaSubsampling: '4:2:0' }),
  'avif 4:4:4 10 bits': () => plain(3).avif({ effort: 0, bitdepth: 10 }),
  'avif 4:4:4 alpha 12 bits': () => plain(4).avif({ effort: 0, bitdepth: 12 }),
  'avif 7,000 by 7,100 4:4:4 alpha': () => plain(4, 7_000, 7_100).avif({ effort: 0, quality: 1 }),
  'tiff 8 bits': () => plain(3).tiff({ compression: 'lzw' }),
  'tiff alpha 16 bits': () => plain(4).toColourspace('rgb16').tiff({ compression: 'deflate' }),
  'tiff float': () => plain(3).toColourspace('scrgb').tiff({ compression: 'deflate', predictor: 'none' }),
  'tiff tiles': () => plain(4).tiff({ tile: true, tileWidth: 4_096, tileHeight: 4_096, compression: 'deflate' }),
};

const [, , given, small] = process.argv;
if (process.send !== undefined && given !== undefined && small !== undefined) process.send(await measure(given, small));
else await printAll(given ?? '');

async function printAll(part: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'image-memory-'));
  try {
    const first = path.join(folder, 'first');
    await plain(3, 300, 200).png().toFile(first);
    for (const [name, make] of Object.entries(FILES).filter(([known]) => known.includes(part))) {
      const file = path.join(folder, 'file');
      await make().toFile(file);
      const child = fork(import.meta.filename, [file, first]);
      const [{ pixels, measured_bytes, estimated_bytes, failures }] = (await once(child, 'message')) as [Measured];
      const [measured, estimated] = [measured_bytes, estimated_bytes].map((bytes) => (bytes / pixels).toFixed(1));
      console.log(`${name}: ${measured} bytes a pixel, estimated ${estimated} ${failures}`);
      await once(child, 'exit');
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(file: string, first: string): Promise<Measured> {
  let estimated_bytes = 0;
  const options = {
    memory_bytes_max: Number.POSITIVE_INFINITY,
    reserve: async (bytes: number) => {
      estimated_bytes = bytes;
    },
  };
  // Warms up, because the first image also loads code that all images share.
  await checkImage(await readFile(first), options);
  const before = process.memoryUsage.rss();
  let most = before;
  // Samples the memory instead of reading the system's maximum, which a process inherits from its parent.
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 2);
  const { width, height, checks } = await checkImage(await readFile(file), options);
  clearInterval(watch);
  return {
    pixels: (width ?? 0) * (height ?? 0),
    measured_bytes: most - before,
    estimated_bytes,
    failures: checks.flatMap(({ failure }) => failure ?? []),
  };
}

function plain(channels: 3 | 4, width = WIDTH, height = HEIGHT): Sharp {
  return sharp({ create: { width, height, channels, background: { r: 200, g: 20, b: 30, alpha: 0.5 } } });
}
