/**
 * Finds the samples of operators in an image: a logo is the whole image, on a plain ground; a watermark is laid over it.
 *
 * A watermark is searched at all positions and many sizes with half the resolution. The most similar places are then adjusted and
 * compared with full resolution. docs/explanation/images.md has the measured precision and recall.
 */
import type { FoundMarks, MarkSample } from '../../../domain/vocabulary/image-failures.ts';
import { IMAGE_SIDE } from '../image-limits.ts';
import { correlation, GRID, type Spectrum, spectrumOf } from './correlation.ts';
import { type EdgeField, edgeField, halved, type Plane, resized } from './edge-field.ts';

export interface KnownSample extends MarkSample {
  readonly id: string;
}

/** The image, stretched to a square. */
export interface MarkedImage {
  readonly brightness: Plane;
  /** Width divided by height, before it was stretched. */
  readonly aspect: number;
}

/** Below it, another mark or a photo may be as similar. Measured on generated images. */
export const MARK_SCORE_MIN = { logo: 0.6, watermark: 0.55 } as const;
/** Smallest size of a watermark, as a share of the size at which it fills the image. */
export const MARK_SHARE_MIN = 0.25;
const SHARE_STEP = 1.12;
/** Plain pixels around a mark, so that its outer edges count. Even, because the resolution is halved. */
const MARGIN = 4;
const MARK_PIXELS_MIN = 6;
const PLACES_PER_SIZE = 3;
const PLACES_ADJUSTED = 6;
const PLACES_COMPARED = 2;
const POINTS_MAX = 250;
const POINT_STRENGTH_MIN = 0.2;
/** Levels by which a pixel may differ from a plain ground. */
const GROUND_LEVELS = 16;
/** The rest may be specks of dust or a thin frame. */
const GROUND_SHARE_MIN = 0.95;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Place extends Box {
  readonly score: number;
}

/** Samples that are not compared before `until_ms` (of `performance.now()`) count as not found. */
export function findMarks(image: MarkedImage, samples: readonly KnownSample[], until_ms: number): FoundMarks {
  const scoreOf = markFinder(image);
  const found = samples.flatMap((sample) => {
    const score = performance.now() < until_ms ? scoreOf(sample) : 0;
    return score >= MARK_SCORE_MIN[sample.kind]
      ? [{ id: sample.id, score: Math.min(1, Math.round(score * 1_000) / 1_000) }]
      : [];
  });
  return { compared: samples.map(({ id }) => id), found };
}

/** Returns a function that tells how sure it is that an image shows a sample: 0 no, 1 the same. */
export function markFinder({ brightness, aspect }: MarkedImage): (sample: MarkSample) => number {
  const field = edgeField(brightness);
  const ground = boxOnPlainGround(brightness);
  let spectrum: Spectrum | undefined;
  return (sample) => {
    const mark = brightnessOf(sample);
    if (sample.kind === 'logo') return ground === undefined ? 0 : scoreOfLogo(field, mark, ground, aspect);
    spectrum ??= spectrumOf(halved(field));
    return scoreOfWatermark(field, spectrum, mark, aspect);
  };
}

export function brightnessOf({ width, height, pixels }: Omit<MarkSample, 'kind'>): Plane {
  return { width, height, values: Float32Array.from(Buffer.from(pixels, 'base64')) };
}

/** Sums the squared strength of a mark's edges. */
export function strengthOf(mark: Plane): number {
  return energyOf(fieldOfMark(mark, mark));
}

function scoreOfLogo(field: EdgeField, mark: Plane, ground: Box, aspect: number): number {
  const stretch = ((ground.width / ground.height) * aspect * mark.height) / mark.width;
  if (Math.abs(Math.log(stretch)) > Math.log(1.15) || Math.min(ground.width, ground.height) < MARK_PIXELS_MIN) return 0;
  const { score, energy, similar } = compared(field, mark, adjusted(field, mark, ground));
  // The logo must be all that the image shows.
  return Math.min(score, similar / Math.sqrt(energy * energyOf(field)));
}

function scoreOfWatermark(field: EdgeField, spectrum: Spectrum, mark: Plane, aspect: number): number {
  const places: Place[] = [];
  for (let share = MARK_SHARE_MIN / SHARE_STEP; share <= 1; share *= SHARE_STEP) {
    const ratio = mark.width / mark.height / aspect;
    const width = Math.round(IMAGE_SIDE * share * Math.min(1, ratio));
    const height = Math.round(IMAGE_SIDE * share * Math.min(1, 1 / ratio));
    if (Math.min(width, height) < MARK_PIXELS_MIN) continue;
    const template = halved(fieldOfMark(mark, { width, height }));
    if (Math.max(template.width, template.height) > GRID) continue;
    const similar = correlation(spectrum, spectrumOf(template));
    const energy = energyOf(template);
    places.push(
      ...bestPlaces(similar, template).map(([x, y, value]) => {
        return { x: 2 * x + MARGIN, y: 2 * y + MARGIN, width, height, score: value / energy };
      }),
    );
  }
  const best = (some: readonly Place[], count: number) =>
    some.toSorted((one, other) => other.score - one.score).slice(0, count);
  const near = best(places, PLACES_ADJUSTED).map((place) => adjusted(field, mark, place));
  return Math.max(0, ...best(near, PLACES_COMPARED).map((place) => compared(field, mark, place).score));
}

/** Returns the best positions for a corner of the mark's box, in the image with half the resolution. No two of them are neighbors. */
function bestPlaces(similar: Float32Array, template: EdgeField): [x: number, y: number, value: number][] {
  const best: [x: number, y: number, value: number][] = [];
  const margin = MARGIN / 2;
  for (let y = -margin; y <= GRID - template.height + margin; y += 1) {
    for (let x = -margin; x <= GRID - template.width + margin; x += 1) {
      const value = similar[((y + GRID) % GRID) * GRID + ((x + GRID) % GRID)] as number;
      if (best.length === PLACES_PER_SIZE && value <= (best.at(-1)?.[2] ?? 0)) continue;
      const near = best.findIndex(([otherX, otherY]) => Math.abs(x - otherX) < 4 && Math.abs(y - otherY) < 4);
      if (near !== -1 && value <= (best[near]?.[2] ?? 0)) continue;
      best.splice(near === -1 ? PLACES_PER_SIZE - 1 : near, 1);
      best.push([x, y, value]);
      best.sort((one, other) => other[2] - one[2]);
    }
  }
  return best;
}

/** Moves and resizes the box until the strongest points of the mark fit best. */
function adjusted(field: EdgeField, mark: Plane, box: Box): Place {
  const points = pointsOf(fieldOfMark(mark, box), box);
  const { left, top, re, im } = points;
  const placed = ({ x, y, width, height }: Box): Place => {
    let score = 0;
    for (let point = 0; point < left.length; point += 1) {
      const column = Math.round(x + (left[point] as number) * width);
      const row = Math.round(y + (top[point] as number) * height);
      if (column < 0 || row < 0 || column >= field.width || row >= field.height) continue;
      const at = row * field.width + column;
      score += (field.re[at] as number) * (re[point] as number) + (field.im[at] as number) * (im[point] as number);
    }
    return { x, y, width, height, score: score / left.length };
  };
  const moved = ({ x, y, width, height }: Box, dx: number, dy: number, wider: number, higher: number) =>
    placed({ x: x + dx - wider / 2, y: y + dy - higher / 2, width: width + wider, height: height + higher });
  let best = placed(box);
  const keepBetter = (other: Place) => {
    if (other.score > best.score) best = other;
  };
  for (let growth = -0.06; growth < 0.065; growth += 0.01) {
    for (let dy = -2; dy <= 2; dy += 1) {
      for (let dx = -2; dx <= 2; dx += 1) keepBetter(moved(box, dx, dy, box.width * growth, box.height * growth));
    }
  }
  for (const step of [1, 1, 1, 1, 0.5, 0.5, 0.5]) {
    const from = best;
    for (const by of [step, -step]) {
      for (const axis of [0, 1, 2, 3]) {
        const [dx = 0, dy = 0, wider = 0, higher = 0] = [0, 1, 2, 3].map((other) => (other === axis ? by : 0));
        keepBetter(moved(from, dx, dy, wider, higher));
      }
    }
  }
  return best;
}

/** Positions are shares of the box. */
function pointsOf({ width, re, im }: EdgeField, box: Box) {
  const strong: number[] = [];
  for (let at = 0; at < re.length; at += 1) {
    if ((re[at] as number) ** 2 + (im[at] as number) ** 2 >= POINT_STRENGTH_MIN ** 2) strong.push(at);
  }
  const count = Math.min(POINTS_MAX, strong.length);
  const chosen = Array.from(
    { length: count },
    (_, index) => strong[Math.floor((index * strong.length) / count)] as number,
  );
  return {
    left: Float32Array.from(chosen, (at) => ((at % width) - MARGIN) / box.width),
    top: Float32Array.from(chosen, (at) => (Math.floor(at / width) - MARGIN) / box.height),
    re: Float32Array.from(chosen, (at) => re[at] as number),
    im: Float32Array.from(chosen, (at) => im[at] as number),
  };
}

/** Compares all pixels of the box. The score is 1 if the image shows exactly the mark there. */
function compared(field: EdgeField, mark: Plane, place: Box) {
  const template = fieldOfMark(mark, { width: Math.round(place.width), height: Math.round(place.height) });
  const energy = energyOf(template);
  let similar = 0;
  for (let move = 0; move < 9; move += 1) {
    const left = Math.round(place.x) - MARGIN + (move % 3) - 1;
    const top = Math.round(place.y) - MARGIN + Math.floor(move / 3) - 1;
    similar = Math.max(similar, productAt(field, template, left, top));
  }
  return { score: similar / energy, similar, energy };
}

function productAt(field: EdgeField, template: EdgeField, left: number, top: number): number {
  let sum = 0;
  for (let y = Math.max(0, -top); y < Math.min(template.height, field.height - top); y += 1) {
    for (let x = Math.max(0, -left); x < Math.min(template.width, field.width - left); x += 1) {
      const at = (top + y) * field.width + left + x;
      const own = y * template.width + x;
      sum +=
        (field.re[at] as number) * (template.re[own] as number) +
        (field.im[at] as number) * (template.im[own] as number);
    }
  }
  return sum;
}

/** The average is removed: otherwise an image full of parallel lines would be similar to every mark with such lines. */
function fieldOfMark(mark: Plane, { width, height }: Pick<Box, 'width' | 'height'>): EdgeField {
  const drawn = resized(mark, { width, height });
  const [across, down] = [width + 2 * MARGIN, height + 2 * MARGIN];
  const values = new Float32Array(across * down).fill(mark.values[0] ?? 0);
  for (let y = 0; y < height; y += 1) {
    values.set(drawn.values.subarray(y * width, (y + 1) * width), (y + MARGIN) * across + MARGIN);
  }
  const field = edgeField({ width: across, height: down, values });
  for (const part of [field.re, field.im]) {
    let sum = 0;
    for (const value of part) sum += value;
    const average = sum / part.length;
    for (let at = 0; at < part.length; at += 1) part[at] = (part[at] as number) - average;
  }
  return field;
}

function energyOf({ re, im }: EdgeField): number {
  let sum = 0;
  for (const part of [re, im]) for (const value of part) sum += value * value;
  return sum;
}

/** Returns the box of everything that differs from the ground; undefined if the border of the image is not of one brightness. */
export function boxOnPlainGround({ width, height, values }: Plane): Box | undefined {
  const border = values.filter((_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return x === 0 || y === 0 || x === width - 1 || y === height - 1;
  });
  const ground = border.toSorted()[border.length >> 1] as number;
  const differs = (value: number) => Math.abs(value - ground) > GROUND_LEVELS;
  if (border.filter(differs).length > border.length * (1 - GROUND_SHARE_MIN)) return undefined;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (const [at, value] of values.entries()) {
    if (!differs(value)) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return right < left ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}
