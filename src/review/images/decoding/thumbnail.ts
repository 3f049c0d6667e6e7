/** Decodes an image for the checks: 64 by 64 averages and the brightness of 256 by 256 pixels, regardless of the aspect ratio. */
import sharp, { type Sharp } from 'sharp';
import { IMAGE_SIDE, THUMBNAIL_SIDE } from '../image-limits.ts';
import type { Plane } from '../marks/edge-field.ts';

const CHANNELS = 4;
const BYTES = { depth: 'uchar' } as const;
/** Larger samples are reduced before their ground is cut off. */
const SAMPLE_SIDE_MAX = 512;

/** One plane per channel, 0 to 255. Colors are premultiplied by alpha. */
export interface Thumbnail {
  readonly red: Uint8Array;
  readonly green: Uint8Array;
  readonly blue: Uint8Array;
  readonly alpha: Uint8Array;
  /** On a white ground, 256 by 256. */
  readonly brightness: Plane;
}

export interface DecodeLimits {
  readonly pixels_max: number;
  readonly decode_seconds_max: number;
}

/** Decodes the whole file; rejects if that fails or exceeds the limits. */
export async function thumbnailOf(file: Buffer, limits: DecodeLimits): Promise<Thumbnail> {
  const pixels = await opened(file, limits).resize(IMAGE_SIDE, IMAGE_SIDE, { fit: 'fill' }).raw(BYTES).toBuffer();
  if (pixels.length !== IMAGE_SIDE * IMAGE_SIDE * CHANNELS) {
    throw new Error(`Wrong size of the decoded image in bytes: ${pixels.length}.`);
  }
  const brightness = brightnessOn(255, pixels, IMAGE_SIDE);
  const cells = await sharp(pixels, { raw: { width: IMAGE_SIDE, height: IMAGE_SIDE, channels: CHANNELS } })
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'fill' })
    .raw(BYTES)
    .toBuffer();
  const alpha = plane((at) => cells[at + 3] as number);
  const color = (channel: number) =>
    plane((at) => Math.round(((cells[at + channel] as number) * (cells[at + 3] as number)) / 255));
  return { red: color(0), green: color(1), blue: color(2), alpha, brightness };
}

function plane(valueAt: (at: number) => number): Uint8Array {
  return Uint8Array.from({ length: THUMBNAIL_SIDE * THUMBNAIL_SIDE }, (_, index) => valueAt(index * CHANNELS));
}

/** Decodes an image that an operator adds as a sample. Returns its brightness on white and on black. */
export async function samplePlanesOf(file: Buffer, limits: DecodeLimits): Promise<readonly Plane[]> {
  const size = { width: SAMPLE_SIDE_MAX, height: SAMPLE_SIDE_MAX, fit: 'inside' } as const;
  const { data, info } = await opened(file, limits).resize(size).raw(BYTES).toBuffer({ resolveWithObject: true });
  return [255, 0].map((ground) => brightnessOn(ground, data, info.width));
}

function opened(file: Buffer, limits: DecodeLimits): Sharp {
  return sharp(file, { failOn: 'error', limitInputPixels: limits.pixels_max, sequentialRead: true })
    .timeout({ seconds: limits.decode_seconds_max })
    .toColourspace('srgb')
    .ensureAlpha();
}

function brightnessOn(ground: number, pixels: Buffer, width: number): Plane {
  const values = new Float32Array(pixels.length / CHANNELS);
  for (let at = 0; at < pixels.length; at += CHANNELS) {
    const channel = (offset: number) => pixels[at + offset] as number;
    const luma = 0.299 * channel(0) + 0.587 * channel(1) + 0.114 * channel(2);
    values[at / CHANNELS] = ground + ((luma - ground) * channel(3)) / 255;
  }
  return { width, height: values.length / width, values };
}
