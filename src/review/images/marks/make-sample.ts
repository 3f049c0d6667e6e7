/** Makes a sample from the image of a logo or watermark: its brightness without the plain ground around it, at most 128 by 128. */
import type { MarkSample } from '../../../domain/vocabulary/image-failures.ts';
import { type Plane, resized } from './edge-field.ts';
import { boxOnPlainGround, strengthOf } from './find-marks.ts';

export type SampleRaster = Omit<MarkSample, 'kind'>;

export const SAMPLE_SIDE = 128;
/** Longer side divided by the shorter one. */
const ASPECT_MAX = 10;
/** With weaker edges, photos are similar by chance. A single bold letter has 500. */
const STRENGTH_MIN = 150;

/** `planes`: the image on grounds of different brightness, because a transparent mark may be as light as one of them. Returns null if it is too plain. */
export function makeSample(planes: readonly Plane[]): SampleRaster | null {
  for (const plane of planes) {
    const box = boxOnPlainGround(plane);
    if (box === undefined || Math.max(box.width / box.height, box.height / box.width) > ASPECT_MAX) continue;
    // One pixel of the ground stays on each side.
    const [left, top] = [Math.max(0, box.x - 1), Math.max(0, box.y - 1)];
    const width = Math.min(plane.width, box.x + box.width + 1) - left;
    const height = Math.min(plane.height, box.y + box.height + 1) - top;
    const values = Float32Array.from({ length: width * height }, (_, at) => {
      return plane.values[(top + Math.floor(at / width)) * plane.width + left + (at % width)] as number;
    });
    const scale = SAMPLE_SIDE / Math.max(width, height);
    const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
    const small = resized({ width, height, values }, size);
    if (strengthOf(small) < STRENGTH_MIN) continue;
    return { ...size, pixels: Buffer.from(small.values.map(Math.round)).toString('base64') };
  }
  return null;
}
