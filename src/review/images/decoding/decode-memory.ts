/** Estimates the memory needed to decode an image from its header. */
import type { Metadata } from 'sharp';
import { DECODE_MEMORY } from '../image-limits.ts';
import type { ImageFormat } from './image-format.ts';

/** Fixed cost per image: library buffers and the thumbnail. */
const ANY_IMAGE_BYTES = 8_000_000;
/** Number of copies of the file in memory: the received chunks, and the whole file. */
const FILE_COPIES = 2;

const SAMPLE_BYTES: Readonly<Record<string, number>> = Object.freeze({
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
  double: 8,
  complex: 8,
  dpcomplex: 16,
});

type Header = Pick<Metadata, 'width' | 'height' | 'channels' | 'depth' | 'bitsPerSample' | 'isProgressive'>;

/** Returns the estimated memory in bytes. Excludes JPEG coefficients, because the header does not state their size. */
export function decodeMemoryOf(file_bytes: number, format: ImageFormat, header: Header): number {
  const { width, height, channels } = header;
  const { whole, sample, lines } = DECODE_MEMORY[kindOf(format, header)];
  const sample_bytes = SAMPLE_BYTES[header.depth] ?? 16;
  // Measured on images of 100 lines: 12, 21 and 41 bytes per pixel for samples of 1, 2 and 4 bytes; 26, 45 and 78 with alpha.
  const line_pixel_bytes = channels > 3 ? 10 + 18 * sample_bytes : 2 + 10 * sample_bytes;
  const resized_bytes = width * Math.min(height, lines) * line_pixel_bytes;
  const whole_bytes = width * height * (whole + sample * channels * sample_bytes);
  return Math.ceil(ANY_IMAGE_BYTES + FILE_COPIES * file_bytes + resized_bytes + whole_bytes);
}

function kindOf(format: ImageFormat, { bitsPerSample, isProgressive }: Header): keyof typeof DECODE_MEMORY {
  switch (format) {
    case 'png':
      return isProgressive ? 'png_interlaced' : 'png';
    case 'avif':
      return bitsPerSample === 8 ? 'avif' : 'avif_deep';
    case 'jpeg':
    case 'webp':
      return format;
    default:
      return 'tiff';
  }
}
