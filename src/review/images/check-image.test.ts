/** Tests each image check at its limit and just beyond it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { BUILTIN_PLACEHOLDERS } from './builtin-placeholders.ts';
import { checkImage } from './check-image.ts';
import type { ImageFindings } from './check-results.ts';
import { formatOf } from './decoding/image-format.ts';
import { jpegScans } from './decoding/jpeg-scans.ts';
import { thumbnailOf } from './decoding/thumbnail.ts';
import { IMAGE_LIMITS } from './image-limits.ts';
import { reviewImage } from './inspect-image.ts';
import { PlaceholderList } from './placeholder-list.ts';
import { animationControl, jpegOfManyScans, pngBomb, withPngChunk } from './testing/odd-files.ts';
import { testDecoders } from './testing/test-decoders.ts';

const list = new PlaceholderList(BUILTIN_PLACEHOLDERS);
const decoders = testDecoders();
const review = (file: Buffer) => reviewImage({ placeholders: () => list, decoders }, file);

describe('an image', () => {
  it('passes every check, with its evidence', async () => {
    const { hash, ...verdict } = await review(await image().jpeg().toBuffer());
    assert.match(String(hash), /^[0-9a-f]{128}$/);
    assert.deepEqual(verdict, {
      type: 'image/jpeg',
      width: 400,
      height: 300,
      frames: 1,
      placeholder: null,
      checks: [
        ...['reachable', 'image', 'format', 'frames', 'pixels', 'blank', 'placeholder'].map((check) => ({
          check,
          state: 'passed',
          failure: null,
        })),
        { check: 'logo', state: 'skipped', failure: null },
        { check: 'watermark', state: 'skipped', failure: null },
      ],
    });
  });

  it('may be JPEG, PNG, WebP, AVIF or TIFF, in gray, CMYK, 16 bits, or partly transparent', async () => {
    const files = {
      jpeg: image().jpeg(),
      progressive: image().jpeg({ progressive: true }),
      gray: image().grayscale().jpeg(),
      cmyk: image().toColourspace('cmyk').jpeg(),
      png: image().png(),
      palette: image().png({ palette: true }),
      deep: image().toColourspace('rgb16').png(),
      transparent: image().ensureAlpha(0.5).png(),
      webp: image().webp(),
      avif: image().avif({ effort: 0 }),
      tiff: image().tiff(),
    };
    for (const [name, file] of Object.entries(files)) {
      assert.deepEqual(failuresOf(await review(await file.toBuffer())), [], name);
    }
  });
});

describe('files that are not images', () => {
  it('are detected by their bytes, whatever the host calls them', async () => {
    const files = [
      Buffer.alloc(0),
      Buffer.from('<!doctype html><title>Not found</title>'),
      Buffer.from('%PDF-1.7'),
      Buffer.from([0xff, 0xd8]),
      gzipSync(await image().jpeg().toBuffer()),
      Buffer.alloc(100_000, 0x41),
    ];
    for (const file of files) assert.deepEqual(failuresOf(await review(file)), ['not_an_image']);
  });

  it('are detected if they only start like one', async () => {
    const jpeg = await image().jpeg().toBuffer();
    const png = await image().png().toBuffer();
    const files = [
      Buffer.concat([jpeg.subarray(0, 20), Buffer.alloc(5_000, 0x55)]),
      jpeg.subarray(0, jpeg.length / 2),
      png.subarray(0, png.length / 2),
      Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')]),
      Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.alloc(100)]),
      Buffer.concat([Buffer.from('\0\0\0\x18ftypavif\0\0\0\0avifmif1', 'latin1'), Buffer.alloc(100)]),
    ];
    for (const file of files) assert.deepEqual(failuresOf(await review(file)), ['damaged']);
  });
});

describe('the format', () => {
  it('must not be GIF', async () => {
    const verdict = await review(await image().gif().toBuffer());
    assert.deepEqual(failuresOf(verdict), ['gif']);
    assert.equal(verdict.type, 'image/gif');
  });

  it('must be supported; others reach no decoder', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="99" height="99"/></svg>';
    const files = {
      svg: Buffer.from(svg),
      'svg behind a declaration': Buffer.from(`\uFEFF<?xml version="1.0"?>\n<!-- x -->${svg}`),
      bmp: Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]),
      ico: Buffer.from('00000100010010100000', 'hex'),
      heic: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
      psd: Buffer.from('8BPS\0\x01'),
    };
    for (const [name, file] of Object.entries(files)) {
      assert.deepEqual(failuresOf(await review(file)), ['format_unsupported'], name);
    }
  });

  it('distinguishes an SVG from a page that shows one', () => {
    assert.equal(formatOf(Buffer.from('<!doctype html><svg></svg>')), undefined);
  });
});

describe('frames', () => {
  it('of an animated or layered PNG are refused', async () => {
    const png = await image().png().toBuffer();
    const animated = await review(withPngChunk(png, 'acTL', animationControl(7)));
    assert.deepEqual(failuresOf(animated), ['animated']);
    assert.equal(animated.frames, 7);
    assert.deepEqual(failuresOf(await review(withPngChunk(png, 'acTL', animationControl(1)))), ['animated']);
    assert.deepEqual(failuresOf(await review(withPngChunk(png, 'mkBT', Buffer.alloc(20)))), ['layered']);
  });

  it('may be named in the data of a PNG', async () => {
    const png = await image().png().toBuffer();
    assert.deepEqual(failuresOf(await review(withPngChunk(png, 'tEXt', Buffer.from('a\0acTL mkBT')))), []);
  });

  it('of an animated WebP, an AVIF sequence or a multi-page TIFF are refused', async () => {
    const frames = await sharp([await image().png().toBuffer(), await image().flip().png().toBuffer()], {
      join: { animated: true },
    })
      .webp()
      .toBuffer();
    const webp = await review(frames);
    assert.deepEqual([failuresOf(webp), webp.frames], [['animated'], 2]);
    const avif = await image().avif({ effort: 0 }).toBuffer();
    assert.deepEqual(failuresOf(await review(avif)), []);
    // Replaces the last brand, after the brands that a decoder looks for.
    avif.write('avis', avif.readUInt32BE(0) - 4, 'latin1');
    assert.deepEqual(failuresOf(await review(avif)), ['animated']);
    const tiff = await review(await sharp(frames, { pages: -1 }).tiff().toBuffer());
    assert.deepEqual([failuresOf(tiff), tiff.frames], [['layered'], 2]);
  });

  it('are reported together with a wrong size', async () => {
    const png = await image(50, 50).png().toBuffer();
    assert.deepEqual(failuresOf(await review(withPngChunk(png, 'acTL', animationControl(2)))), [
      'animated',
      'too_small',
    ]);
  });
});

describe('the size', () => {
  for (const [width, height] of [
    [200, 200],
    [400, 100],
    [100, 400],
    [1_000, 100],
  ] as const) {
    it(`may be ${width} by ${height}`, async () => {
      assert.deepEqual(failuresOf(await review(await image(width, height).png().toBuffer())), []);
    });
  }

  for (const [width, height] of [
    [199, 200],
    [199, 199],
    [399, 100],
    [1_000, 99],
    [99, 5_000],
    [1, 1],
  ] as const) {
    it(`may not be ${width} by ${height}`, async () => {
      const verdict = await review(await image(width, height).png().toBuffer());
      assert.deepEqual(failuresOf(verdict), ['too_small']);
      assert.deepEqual([verdict.width, verdict.height], [width, height]);
    });
  }
});

describe('bombs', () => {
  it('are refused by their header, before any pixel is decoded', async () => {
    for (const side of [7_072, 30_000, 65_535]) {
      const took_ms = await quickest(async () => {
        assert.deepEqual(failuresOf(await review(pngBomb(side, 5_000_000))), ['too_many_pixels'], `${side}`);
      });
      assert.ok(took_ms < 1_000);
    }
  });

  it('are refused if they hold more or less data than they claim', async () => {
    assert.deepEqual(failuresOf(await review(pngBomb(1_000, 1_000))), ['damaged']);
    // The data beyond the image is never unpacked. The image fails only because it has one color.
    const bomb = pngBomb(1_000, 200_000_000);
    const took_ms = await quickest(async () => assert.equal(failuresOf(await review(bomb)).length, 1));
    assert.ok(took_ms < 2_000);
  });

  it('of JPEG scans are refused undecoded', async () => {
    const usual = scansOf(await image().jpeg({ progressive: true }).toBuffer());
    assert.ok(usual > 1 && usual < 20);
    // The file is valid, and the decoder accepts it.
    const bomb = jpegOfManyScans(400);
    assert.equal(scansOf(bomb), 883);
    await thumbnailOf(bomb, IMAGE_LIMITS);
    assert.deepEqual(failuresOf(await review(bomb)), ['damaged']);
    // 60 KB that took the decoder 3.3 s; its own timeout does not stop it there.
    const long = jpegOfManyScans(4_000);
    const took_ms = await quickest(async () => assert.deepEqual(failuresOf(await review(long)), ['damaged']));
    assert.ok(took_ms < 1_000);
  });

  it('are not detected in a video that a phone appends to a JPEG', async () => {
    const jpeg = await image().jpeg().toBuffer();
    const video = Buffer.concat(Array.from({ length: 1_000 }, () => Buffer.from([0xff, 0xda, 0, 8])));
    assert.equal(scansOf(Buffer.concat([jpeg, video])), 1);
    assert.deepEqual(failuresOf(await review(Buffer.concat([jpeg, video]))), []);
  });

  it('that exceed time or memory are not called damaged', async () => {
    const jpeg = await image().jpeg().toBuffer();
    for (const [message, failure] of [
      ['timeout: 42% complete', 'not_reviewed'],
      ['VipsJpeg: Insufficient memory (case 4)', 'not_reviewed'],
      ['vips_tracked: out of memory --- size == 150MB', 'not_reviewed'],
      ['heif: Memory allocation error: Security limit exceeded (6.1000)', 'not_reviewed'],
      ['VipsJpeg: premature end of JPEG image', 'damaged'],
      ['tiff2vips: StripArray of 8 is greater than filesize 4. Memory not allocated', 'damaged'],
    ] as const) {
      const findings = await checkImage(jpeg, {
        memory_bytes_max: 1e9,
        reserve: async () => {},
        decode: () => Promise.reject(new Error(message)),
      });
      assert.deepEqual(failuresOf(findings), [failure], message);
    }
  });
});

/** Returns the fastest of several runs, because a busy machine may slow down any single run. */
async function quickest(work: () => Promise<void>): Promise<number> {
  const took_ms: number[] = [];
  for (let n = 0; n < 3; n++) {
    const started_ms = performance.now();
    await work();
    took_ms.push(performance.now() - started_ms);
  }
  return Math.min(...took_ms);
}

/** Creates an image with visible content. */
function image(width = 400, height = 300): Sharp {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" preserveAspectRatio="none" width="${width}" height="${height}"><rect width="100" height="100" fill="#ffffff"/><circle cx="40" cy="45" r="30" fill="#b03020"/><rect x="60" y="50" width="30" height="40" fill="#205080"/></svg>`;
  return sharp(Buffer.from(svg)).resize(width, height, { fit: 'fill' }).removeAlpha();
}

function scansOf(file: Buffer): number {
  return jpegScans(file, IMAGE_LIMITS.jpeg_markers_max)?.scans ?? assert.fail();
}

function failuresOf(verdict: ImageFindings): readonly (string | null)[] {
  return verdict.checks.filter(({ state }) => state === 'failed').map(({ failure }) => failure);
}
