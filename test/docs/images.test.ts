/** Tests that docs/explanation/images.md lists every check with its codes, and the limits. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { SETTINGS } from '../../src/config/settings.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { IMAGE_CHECKS, IMAGE_FAILURES } from '../../src/domain/vocabulary/image-failures.ts';
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
    `Markers of a JPEG (${IMAGE_LIMITS.jpeg_markers_max.toLocaleString('en')}), its scans (${IMAGE_LIMITS.jpeg_scans_max})`,
    `chunks of a PNG (${IMAGE_LIMITS.png_chunks_max.toLocaleString('en')})`,
    `other formats (${IMAGE_LIMITS.file_parts_max.toLocaleString('en')})`,
    `within ${IMAGE_LIMITS.review_ms_max / 1_000} seconds`,
    `\`${SETTINGS.imageMemoryMbMax.name}\` (${SETTINGS.imageMemoryMbMax.fallback} MB)`,
    `at least ${LIMITS.image_check_pause_seconds} seconds apart`,
    `up to ${PLACEHOLDER_DISTANCE_MAX}`,
  ]) {
    assert.ok(DOCS.replaceAll(/\s+/g, ' ').includes(words), words);
  }
});
