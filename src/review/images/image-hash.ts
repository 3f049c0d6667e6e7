/**
 * Computes a perceptual hash: 512 bits that mark the horizontal and vertical edges of an image reduced to 16 by 16 cells.
 *
 * It uses edges because the same "no image" placeholder comes in many colors, including light on dark. A hash of
 * brightness or its frequencies (the usual pHash) treats these as different: on the generated set it put the colors of
 * one layout up to 0.48 apart and a product as near as 0.22. The distance is the share of edges that only one of the
 * two images has. Over all bits, any two plain images would be similar, because they have few edges.
 */
import type { Thumbnail } from './decoding/thumbnail.ts';
import { THUMBNAIL_SIDE } from './image-limits.ts';

const CELLS = 16;
const CELL_SIDE = THUMBNAIL_SIDE / CELLS;
const BITS = CELLS * CELLS * 2;
const HEX = /^[0-9a-f]{128}$/;
/** A step between cells is an edge if it is at least this share of the brightness range. */
const EDGE_SHARE = 0.25;
/** Below this range all differences are noise. */
const RANGE_LEVELS_MIN = 10;
/** With fewer edges, images are similar by chance. */
const DISTINCT_EDGES_MIN = 12;

export type ImageHash = string;

export function imageHash(thumbnail: Thumbnail): ImageHash {
  const cells = brightnessOfCells(thumbnail);
  const range = Math.max(...cells) - Math.min(...cells);
  const bits = new Uint8Array(BITS / 8);
  if (range >= RANGE_LEVELS_MIN) {
    const step_min = range * EDGE_SHARE;
    const mark = (bit: number, from: number, to: number) => {
      if (Math.abs((cells[to] as number) - (cells[from] as number)) <= step_min) return;
      bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7));
    };
    for (let cell = 0; cell < cells.length; cell += 1) {
      if (cell % CELLS < CELLS - 1) mark(cell * 2, cell, cell + 1);
      if (cell < cells.length - CELLS) mark(cell * 2 + 1, cell, cell + CELLS);
    }
  }
  return Buffer.from(bits).toString('hex');
}

export function isImageHash(text: string): boolean {
  return HEX.test(text);
}

/** False for images so plain (blank, a soft gradient) that others would match them. */
export function isDistinct(hash: ImageHash): boolean {
  return ones(Buffer.from(hash, 'hex')) >= DISTINCT_EDGES_MIN;
}

/** Returns 0 if the edges are the same, and 1 if none is in common. */
export function hashDistance(one: Uint8Array, other: Uint8Array): number {
  let shared = 0;
  let either = 0;
  for (let index = 0; index < one.length; index += 1) {
    shared += bitsOfByte((one[index] as number) & (other[index] as number));
    either += bitsOfByte((one[index] as number) | (other[index] as number));
  }
  return either === 0 ? 1 : 1 - shared / either;
}

/** Blends the image with a white background, as pages show it. */
function brightnessOfCells({ red, green, blue, alpha }: Thumbnail): Float64Array {
  const cells = new Float64Array(CELLS * CELLS);
  for (let index = 0; index < red.length; index += 1) {
    const luma = 0.299 * (red[index] as number) + 0.587 * (green[index] as number) + 0.114 * (blue[index] as number);
    const row = Math.floor(index / THUMBNAIL_SIDE / CELL_SIDE);
    const column = Math.floor((index % THUMBNAIL_SIDE) / CELL_SIDE);
    const cell = row * CELLS + column;
    cells[cell] = (cells[cell] as number) + (luma + 255 - (alpha[index] as number)) / (CELL_SIDE * CELL_SIDE);
  }
  return cells;
}

function ones(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum + bitsOfByte(byte), 0);
}

function bitsOfByte(byte: number): number {
  let bits = byte - ((byte >> 1) & 0x55);
  bits = (bits & 0x33) + ((bits >> 2) & 0x33);
  return (bits + (bits >> 4)) & 0x0f;
}
