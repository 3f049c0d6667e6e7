/**
 * Detects blank images: one color, apart from noise caused by scanners, film grain or JPEG.
 *
 * Compares the averages of the thumbnail, in which such noise cancels out. On the generated images of bench/image-checks.ts the
 * noisiest blank differs by 5 levels from its background, the faintest product by 21.
 */
import type { Thumbnail } from './decoding/thumbnail.ts';

const LEVELS_MIN = 10;
/** 0.2 % of the thumbnail. Even a ring 80 pixels wide in an image 600 pixels wide covers more. */
const PIXELS_MIN = 8;

export function isBlank(thumbnail: Thumbnail): boolean {
  const planes = [thumbnail.red, thumbnail.green, thumbnail.blue, thumbnail.alpha];
  const grounds = planes.map(median);
  let different = 0;
  for (let index = 0; index < thumbnail.red.length; index += 1) {
    const isDifferent = planes.some(
      (plane, channel) => Math.abs((plane[index] as number) - (grounds[channel] as number)) >= LEVELS_MIN,
    );
    if (isDifferent) different += 1;
  }
  return different < PIXELS_MIN;
}

/** Returns the median value, which counts as the background. */
function median(plane: Uint8Array): number {
  return plane.toSorted()[plane.length / 2] as number;
}
