/** Tests that docs/explanation/images.md lists every check with its codes, the limits, and the largest images. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { SETTINGS } from '../../src/config/settings.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { IMAGE_CHECKS, IMAGE_FAILURES } from '../../src/domain/vocabulary/image-failures.ts';
import { decodeMemoryOf } from '../../src/review/images/decoding/decode-memory.ts';
import { IMAGE_LIMITS } from '../../src/review/images/image-limits.ts';
import { PLACEHOLDER_DISTANCE_MAX } from '../../src/review/images/placeholder-list.ts';

const DOCS = readFileSync(path.resolve(import.meta.dirname, '../../docs/explanation/images.md'), 'utf8');

it('docs/explanation/images.md lists each check with its codes', () => {
  for (const check of IMAGE_CHECKS) {
    const row = DOCS.split('\n').find((line) => line.startsWith('|') && line.split('|')[1]?.includes(`\`${check}\``));
    const codes = Object.entries(IMAGE_FAILURES).flatMap(([code, failure]) => (failure.check === check ? [code] : []));
    assert.deepEqual(
      Array.from(row?.split('|')[2]?.matchAll(/`(\w+)`/g) ?? [], ([, code]) => code),
      codes,
      check,
    );
  }
});

it('docs/explanation/images.md states the limits', () => {
  for (const words of [
    `${IMAGE_LIMITS.fetch_ms_max / 1_000} seconds in total`,
    `${IMAGE_LIMITS.body_bytes_max / 1_000_000} MB`,
    `${IMAGE_LIMITS.header_bytes_max / 1_024} KB of headers`,
    `At most ${IMAGE_LIMITS.redirects_max} redirects`,
    `${IMAGE_LIMITS.connections_per_host_max} connections to a host and ${IMAGE_LIMITS.connections_max} in total`,
    `at most ${IMAGE_LIMITS.checks_per_account_max} images in flight`,
    `${IMAGE_LIMITS.address_characters_max.toLocaleString('en')} characters`,
    `fewer than ${IMAGE_LIMITS.area_pixels_min.toLocaleString('en')} pixels`,
    `longer side below ${IMAGE_LIMITS.longer_side_pixels_min}`,
    `shorter side below ${IMAGE_LIMITS.shorter_side_pixels_min}`,
    `${IMAGE_LIMITS.pixels_max / 1_000_000} megapixels`,
    `${IMAGE_LIMITS.jpeg_markers_max.toLocaleString('en')} JPEG markers`,
    `${IMAGE_LIMITS.jpeg_scans_max} JPEG scans`,
    `${IMAGE_LIMITS.png_chunks_max.toLocaleString('en')} PNG chunks`,
    `${IMAGE_LIMITS.file_parts_max.toLocaleString('en')} chunks, boxes or directories in another format`,
    `within ${IMAGE_LIMITS.review_ms_max / 1_000} seconds`,
    `\`${SETTINGS.imageMemoryMbMax.name}\` (${SETTINGS.imageMemoryMbMax.fallback} MB)`,
    `at least ${LIMITS.image_check_pause_seconds} seconds apart`,
    `up to ${PLACEHOLDER_DISTANCE_MAX}`,
    `at most ${LIMITS.image_samples_max} samples`,
  ]) {
    assert.ok(DOCS.replaceAll(/\s+/g, ' ').includes(words), words);
  }
});

const RGB = { channels: 3, depth: 'uchar', bitsPerSample: 8, isProgressive: false } as const;
const RGBA = { ...RGB, channels: 4 } as const;
const RGB_16 = { ...RGB, depth: 'ushort', bitsPerSample: 16 } as const;
const RGBA_16 = { ...RGB_16, channels: 4 } as const;
const INTERLACED = { isProgressive: true } as const;

/** Rows of the table: format, header fields, and the bytes per pixel of JPEG coefficients. */
const LARGEST_IMAGES = [
  ['JPEG, baseline, in one scan', 'jpeg', RGB, 0],
  ['JPEG, progressive, 4:2:0', 'jpeg', RGB, 3],
  ['JPEG, progressive, 4:2:2', 'jpeg', RGB, 4],
  ['JPEG, progressive, 4:4:4', 'jpeg', RGB, 6],
  ['JPEG, progressive, CMYK', 'jpeg', RGBA, 8],
  ['PNG, 8 bits per channel', 'png', RGB, 0],
  ['PNG, 8 bits per channel, with alpha', 'png', RGBA, 0],
  ['PNG, 16 bits per channel', 'png', RGB_16, 0],
  ['PNG, 16 bits per channel, with alpha', 'png', RGBA_16, 0],
  ['PNG, interlaced, 8 bits per channel', 'png', { ...RGB, ...INTERLACED }, 0],
  ['PNG, interlaced, 8 bits per channel, with alpha', 'png', { ...RGBA, ...INTERLACED }, 0],
  ['PNG, interlaced, 16 bits per channel', 'png', { ...RGB_16, ...INTERLACED }, 0],
  ['PNG, interlaced, 16 bits per channel, with alpha', 'png', { ...RGBA_16, ...INTERLACED }, 0],
  ['WebP', 'webp', RGB, 0],
  ['WebP, with alpha', 'webp', RGBA, 0],
  ['AVIF, 8 bits per channel', 'avif', RGB, 0],
  ['AVIF, 8 bits per channel, with alpha', 'avif', RGBA, 0],
  ['AVIF, 10 or 12 bits per channel', 'avif', { ...RGB_16, bitsPerSample: 12 }, 0],
  ['AVIF, 10 or 12 bits per channel, with alpha', 'avif', { ...RGBA_16, bitsPerSample: 12 }, 0],
  ['TIFF, 8 bits per channel', 'tiff', RGB, 0],
  ['TIFF, 8 bits per channel, with alpha', 'tiff', RGBA, 0],
  ['TIFF, 16 bits per channel', 'tiff', RGB_16, 0],
  ['TIFF, 16 bits per channel, with alpha', 'tiff', RGBA_16, 0],
] as const;

it('docs/explanation/images.md lists the largest images that the default memory suffices for', () => {
  const memory_bytes_max = Number(SETTINGS.imageMemoryMbMax.fallback) * 1_048_576;
  const rows = LARGEST_IMAGES.map(([label, format, header, coefficient_bytes]) => {
    const needed_bytes = (file_bytes: number, megapixels: number, ratio: number): number => {
      const height = Math.floor(Math.sqrt((megapixels * 1_000_000) / ratio));
      const width = Math.floor(height * ratio);
      return decodeMemoryOf(file_bytes, format, { ...header, width, height }) + width * height * coefficient_bytes;
    };
    const megapixels = [2_000_000, IMAGE_LIMITS.body_bytes_max].map((file_bytes) => {
      let most = IMAGE_LIMITS.pixels_max / 1_000_000;
      while ([1, 4 / 3, 3 / 2, 16 / 9].some((ratio) => needed_bytes(file_bytes, most, ratio) > memory_bytes_max))
        most -= 1;
      return most;
    });
    return `| ${[label, ...megapixels].join(' | ')} |\n`;
  });
  const heading = '| format | megapixels, file of 2 MB | megapixels, file of 20 MB |\n|---|---|---|\n';
  assert.equal(DOCS.slice(DOCS.indexOf(heading)).split('\n\n')[0], (heading + rows.join('')).trimEnd());
});
