/**
 * Turns brightness into a field of edges: at each pixel the direction of its edge, weighted by how far it stands out from its
 * surroundings.
 *
 * The angles are doubled, so that an edge from dark to light equals one from light to dark: a gray mark is lighter than one part of a
 * photo and darker than another. The weight saturates, so that a faint mark on a calm ground counts like a strong one.
 */

/** Brightness, or one component of a field, row by row. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;
}

/** Real and imaginary part of the doubled direction. */
export interface EdgeField extends Omit<Plane, 'values'> {
  readonly re: Float32Array;
  readonly im: Float32Array;
}

/** Slopes below this number of levels per pixel are mostly noise of JPEG. */
const SLOPE_LEVELS = 3;
/** Pixels to each side whose slopes an edge is compared with. */
const REACH = 8;

export function edgeField({ width, height, values }: Plane): EdgeField {
  const [right, down, slope] = [0, 1, 2].map(() => new Float32Array(values.length)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const falling = (values[at + width + 1] as number) - (values[at - width - 1] as number);
      const rising = (values[at - width + 1] as number) - (values[at + width - 1] as number);
      const across = (values[at + 1] as number) - (values[at - 1] as number);
      const along = (values[at + width] as number) - (values[at - width] as number);
      right[at] = (falling + rising + 2 * across) / 8;
      down[at] = (falling - rising + 2 * along) / 8;
      // Math.hypot takes ten times as long.
      slope[at] = Math.sqrt((right[at] as number) ** 2 + (down[at] as number) ** 2);
    }
  }
  const usual = averages({ width, height, values: slope });
  const re = right;
  const im = down;
  for (let at = 0; at < values.length; at += 1) {
    const x = right[at] as number;
    const y = down[at] as number;
    const steep = slope[at] as number;
    const weight = steep === 0 ? 0 : 1 / (steep * (steep + (usual[at] as number) + SLOPE_LEVELS));
    re[at] = weight * (x * x - y * y);
    im[at] = weight * 2 * x * y;
  }
  return { width, height, re, im };
}

/** Averages each 2 by 2 pixels. Edges of opposite sides do not cancel out, because their angles are doubled. */
export function halved({ width, height, re, im }: EdgeField): EdgeField {
  const half = { width: width >> 1, height: height >> 1 };
  const reduced = (values: Float32Array) => {
    const out = new Float32Array(half.width * half.height);
    for (let y = 0; y < half.height; y += 1) {
      for (let x = 0; x < half.width; x += 1) {
        const at = 2 * (y * width + x);
        const upper = (values[at] as number) + (values[at + 1] as number);
        const lower = (values[at + width] as number) + (values[at + width + 1] as number);
        out[y * half.width + x] = (upper + lower) / 4;
      }
    }
    return out;
  };
  return { ...half, re: reduced(re), im: reduced(im) };
}

/** Resizes the plane: smooth steps where it grows, averages where it shrinks. */
export function resized({ values, ...from }: Plane, to: Omit<Plane, 'values'>): Plane {
  const turned = resizedTurned(values, from.width, from.height, to.width);
  return { ...to, values: resizedTurned(turned, from.height, to.width, to.height) };
}

/** Resizes each line to `length`, and swaps lines and columns. */
function resizedTurned(values: Float32Array, from: number, lines: number, length: number): Float32Array {
  const ratio = from / length;
  const reach = Math.max(1, ratio);
  const out = new Float32Array(lines * length);
  for (let to = 0; to < length; to += 1) {
    const center = (to + 0.5) * ratio - 0.5;
    const first = Math.max(0, Math.ceil(center - reach));
    const last = Math.min(from - 1, Math.floor(center + reach));
    const weights = Array.from({ length: last - first + 1 }, (_, it) => 1 - Math.abs(first + it - center) / reach);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (let line = 0; line < lines; line += 1) {
      let sum = 0;
      for (let it = 0; it < weights.length; it += 1) {
        sum += (weights[it] as number) * (values[line * from + first + it] as number);
      }
      out[to * lines + line] = sum / total;
    }
  }
  return out;
}

/** Averages the surroundings of each pixel, from sums of all pixels above and to the left. */
function averages({ width, height, values }: Plane): Float32Array {
  const sums = new Float64Array((width + 1) * (height + 1));
  const sum = (x: number, y: number) => sums[y * (width + 1) + x] as number;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const value = values[y * width + x] as number;
      sums[(y + 1) * (width + 1) + x + 1] = value + sum(x, y + 1) + sum(x + 1, y) - sum(x, y);
    }
  }
  const out = new Float32Array(values.length);
  for (let y = 0; y < height; y += 1) {
    const [top, bottom] = [Math.max(0, y - REACH), Math.min(height, y + REACH + 1)];
    for (let x = 0; x < width; x += 1) {
      const left = Math.max(0, x - REACH);
      const right = Math.min(width, x + REACH + 1);
      const inside = sum(right, bottom) - sum(right, top) - sum(left, bottom) + sum(left, top);
      out[y * width + x] = inside / ((right - left) * (bottom - top));
    }
  }
  return out;
}
