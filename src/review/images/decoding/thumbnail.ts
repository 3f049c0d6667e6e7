/** Creates the thumbnail that the checks use: 64 by 64 averages, regardless of the aspect ratio. */
import sharp from 'sharp';
import { THUMBNAIL_SIDE } from '../image-limits.ts';

const PIXELS = THUMBNAIL_SIDE * THUMBNAIL_SIDE;
const CHANNELS = 4;

/** One plane per channel, 0 to 255. Colors are premultiplied by alpha. */
export interface Thumbnail {
  readonly red: Uint8Array;
  readonly green: Uint8Array;
  readonly blue: Uint8Array;
  readonly alpha: Uint8Array;
}

export interface DecodeLimits {
  readonly pixels_max: number;
  readonly decode_seconds_max: number;
}

/** Decodes the whole file; rejects if that fails or exceeds the limits. */
export async function thumbnailOf(file: Buffer, limits: DecodeLimits): Promise<Thumbnail> {
  const pixels = await sharp(file, { failOn: 'error', limitInputPixels: limits.pixels_max, sequentialRead: true })
    .timeout({ seconds: limits.decode_seconds_max })
    .toColourspace('srgb')
    .ensureAlpha()
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'fill' })
    .raw({ depth: 'uchar' })
    .toBuffer();
  if (pixels.length !== PIXELS * CHANNELS) throw new Error(`Wrong size of the thumbnail in bytes: ${pixels.length}.`);
  const alpha = plane((at) => pixels[at + 3] as number);
  const color = (channel: number) =>
    plane((at) => Math.round(((pixels[at + channel] as number) * (pixels[at + 3] as number)) / 255));
  return { red: color(0), green: color(1), blue: color(2), alpha };
}

function plane(valueAt: (at: number) => number): Uint8Array {
  return Uint8Array.from({ length: PIXELS }, (_, index) => valueAt(index * CHANNELS));
}
