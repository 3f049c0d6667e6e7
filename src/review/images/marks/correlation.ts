/** Compares an edge field with another one at all positions at once, with Fourier transforms of 128 by 128. */
import type { EdgeField } from './edge-field.ts';

export const GRID = 128;
const CELLS = GRID * GRID;
const BITS = Math.log2(GRID);

const COS = Float64Array.from({ length: GRID / 2 }, (_, index) => Math.cos((2 * Math.PI * index) / GRID));
const SIN = Float64Array.from({ length: GRID / 2 }, (_, index) => Math.sin((2 * Math.PI * index) / GRID));
const SWAPPED = Uint8Array.from({ length: GRID }, (_, index) =>
  Number.parseInt(index.toString(2).padStart(BITS, '0').split('').toReversed().join(''), 2),
);

export interface Spectrum {
  readonly re: Float32Array;
  readonly im: Float32Array;
}

/** `field` has at most GRID by GRID pixels. */
export function spectrumOf(field: EdgeField): Spectrum {
  const [re, im] = [new Float32Array(CELLS), new Float32Array(CELLS)];
  for (let y = 0; y < field.height; y += 1) {
    const [from, to] = [y * field.width, (y + 1) * field.width];
    re.set(field.re.subarray(from, to), y * GRID);
    im.set(field.im.subarray(from, to), y * GRID);
  }
  transform(re, im, field.height);
  return { re, im };
}

/** Returns how similar the image is to the mark, for each position of the mark's top left corner. */
export function correlation(image: Spectrum, mark: Spectrum): Float32Array {
  const [re, im] = [new Float32Array(CELLS), new Float32Array(CELLS)];
  for (let at = 0; at < CELLS; at += 1) {
    const a = image.re[at] as number;
    const b = image.im[at] as number;
    const c = mark.re[at] as number;
    const d = mark.im[at] as number;
    re[at] = (a * c + b * d) / CELLS;
    // Conjugated, so that another transform inverts the first ones.
    im[at] = (a * d - b * c) / CELLS;
  }
  transform(re, im, GRID);
  return re;
}

/** Only the first `rows` rows contain anything but zeros. */
function transform(re: Float32Array, im: Float32Array, rows: number): void {
  for (let y = 0; y < rows; y += 1) transformLine(re, im, y * GRID, 1);
  for (let x = 0; x < GRID; x += 1) transformLine(re, im, x, GRID);
}

const LINE_RE = new Float64Array(GRID);
const LINE_IM = new Float64Array(GRID);

function transformLine(re: Float32Array, im: Float32Array, start: number, step: number): void {
  for (let index = 0; index < GRID; index += 1) {
    const at = start + (SWAPPED[index] as number) * step;
    LINE_RE[index] = re[at] as number;
    LINE_IM[index] = im[at] as number;
  }
  for (let half = 1; half < GRID; half *= 2) {
    for (let turn = 0; turn < half; turn += 1) {
      const cos = COS[(turn * GRID) / (2 * half)] as number;
      const sin = SIN[(turn * GRID) / (2 * half)] as number;
      for (let one = turn; one < GRID; one += 2 * half) {
        const other = one + half;
        const a = LINE_RE[one] as number;
        const b = LINE_IM[one] as number;
        const c = LINE_RE[other] as number;
        const d = LINE_IM[other] as number;
        const x = c * cos + d * sin;
        const y = d * cos - c * sin;
        LINE_RE[one] = a + x;
        LINE_IM[one] = b + y;
        LINE_RE[other] = a - x;
        LINE_IM[other] = b - y;
      }
    }
  }
  for (let index = 0; index < GRID; index += 1) {
    re[start + index * step] = LINE_RE[index] as number;
    im[start + index * step] = LINE_IM[index] as number;
  }
}
