/** Limits for fetching and checking images. The contract sets the area and the sides. */
export const IMAGE_LIMITS = Object.freeze({
  fetch_ms_max: 10_000,
  redirects_max: 3,
  body_bytes_max: 20_000_000,
  header_bytes_max: 16_384,
  address_characters_max: 2_048,
  etag_characters_max: 256,
  /** Maximum number of connections per host name, regardless of the port. */
  connections_per_host_max: 4,
  /** Maximum number of checks per account, over all processes: half the slots of one process, so that others always find a slot. */
  checks_per_account_max: 16,
  /** Maximum number of connections in total. A body stays in memory until it is checked, so there are at most 32 bodies of 20 MB. */
  connections_max: 32,
  resolved_addresses_max: 16,

  area_pixels_min: 40_000,
  longer_side_pixels_min: 200,
  shorter_side_pixels_min: 100,
  /** 50 megapixels, as from a camera. The limit is lower if decoding would need more memory than is available. */
  pixels_max: 50_000_000,
  /** Maximum number of decoder processes, each with one image at a time. */
  decoders_max: 2,
  /** An idle decoder, which uses about 40 MB, is ended after this time. */
  decoder_idle_ms_max: 60_000,
  decoder_start_ms_max: 15_000,
  decode_seconds_max: 10,
  /** Some decoders ignore the limit above. A process that exceeds this one is killed and replaced. */
  review_ms_max: 12_000,
  /** Memory that a decoder may use beyond its share, for code loaded late and allocations between two measurements. */
  decoder_slack_bytes: 67_108_864,
  /** 10 scans are usual. A 60 KB file with 883 scans of 16 megapixels kept the decoder busy for 3 s, and its timeout did not stop it. */
  jpeg_scans_max: 100,
  /** Stuffed bytes count too: a usual file of 20 MB has 80,000, and one with a restart for each block of 50 megapixels has 780,000. */
  jpeg_markers_max: 1_000_000,
  /** Encoders write chunks of 4 KB or more: 5,000 in 20 MB. */
  png_chunks_max: 100_000,
  /** WebP chunks, AVIF boxes or TIFF directories. Few files have more than 20. A TIFF with 100,000 kept its library busy for 12 s. */
  file_parts_max: 1_000,
});

/**
 * Memory that sharp 0.35 (libvips 8.18) takes to decode, as `node bench/image-memory.ts` measures it. `whole`: bytes
 * for each pixel of the whole image. `sample`: the same, for each byte of its decoded samples. `lines`: additional lines
 * that resizing keeps (decode-memory.ts has their bytes per pixel).
 *
 * | measured, 24 megapixels | bytes per pixel |
 * |---|---|
 * | JPEG in one scan | 0.1 |
 * | JPEG, progressive: 4:2:0, 4:4:4, CMYK | 3.1, 6.1, 8.1 |
 * | PNG: 8 bits, 16 bits | 0.8, 1.6 |
 * | PNG, interlaced: RGB, RGBA, RGBA of 16 bits | 3.4, 4.7, 9.1 |
 * | WebP: lossy, lossy with alpha, lossless | 0.1, 1.2, 4.0 |
 * | AVIF of 8 bits: 4:2:0, 4:4:4, 4:4:4 with alpha | 15.5, 18.6, 18.9 |
 * | AVIF of 10 bits: 4:2:0, 4:4:4 | 18.8, 25.0 |
 * | AVIF of 12 bits, with alpha | 25.7 |
 * | TIFF: 8 bits, RGBA of 16 bits, float | 0.8, 2.3, 3.1 |
 * | TIFF in tiles of 4,096 pixels | 7.5 |
 * | PNG of 400,000 by 100: RGB, RGBA, RGBA of 16 bits | 12, 26, 45 |
 */
export const DECODE_MEMORY = Object.freeze({
  jpeg: { whole: 0.25, sample: 0, lines: 0 },
  png: { whole: 0, sample: 0, lines: 300 },
  png_interlaced: { whole: 0, sample: 1, lines: 150 },
  webp: { whole: 4.1, sample: 0, lines: 0 },
  avif: { whole: 18, sample: 0, lines: 300 },
  avif_deep: { whole: 24, sample: 0, lines: 300 },
  tiff: { whole: 0, sample: 1, lines: 300 },
});

/** Width and height of the thumbnail that the checks use. Here, because code that only compares hashes must not load the decoder. */
export const THUMBNAIL_SIDE = 64;
/** Width and height to which the decoder stretches an image. Logos and watermarks are searched in it. */
export const IMAGE_SIDE = 256;
