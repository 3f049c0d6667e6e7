/**
 * Counts the parts of a file that libraries walk one by one: WebP chunks, AVIF boxes, TIFF directories. Parts can be a few
 * bytes each: 20 MB of them kept a library busy for many seconds.
 */
import type { ImageFormat } from './image-format.ts';

/** Offset of the next part; undefined if there is none. */
type Next = (file: Buffer, at: number) => number | undefined;

const WALKS: Partial<Record<ImageFormat, { readonly first: Next; readonly next: Next }>> = {
  webp: {
    first: () => 12,
    next: (file, at) => (at + 8 > file.length ? undefined : at + 8 + evenUp(file.readUInt32LE(at + 4))),
  },
  avif: { first: () => 0, next: nextBox },
  tiff: { first: firstDirectory, next: nextDirectory },
};

/** Stops counting at the limit. */
export function hasMoreParts(file: Buffer, format: ImageFormat, parts_max: number): boolean {
  const walk = WALKS[format];
  let at = walk?.first(file, 0);
  for (let parts = 0; at !== undefined && at < file.length; parts += 1) {
    if (parts === parts_max) return true;
    at = walk?.next(file, at);
  }
  return false;
}

function evenUp(bytes: number): number {
  return bytes + (bytes % 2);
}

/** Size 1 means a 64-bit size after the name, 0 the rest of the file; other sizes below 8 are invalid. */
function nextBox(file: Buffer, at: number): number | undefined {
  if (at + 16 > file.length) return undefined;
  const size = file.readUInt32BE(at);
  if (size === 1) return at + Math.max(16, Number(file.readBigUInt64BE(at + 8)));
  return size < 8 ? undefined : at + size;
}

function firstDirectory(file: Buffer): number | undefined {
  return offsetAt(file, isBigTiff(file) ? 8 : 4);
}

/** Directories can be anywhere, and may form a cycle. */
function nextDirectory(file: Buffer, at: number): number | undefined {
  const [count_bytes, entry_bytes] = isBigTiff(file) ? [8, 20] : [2, 12];
  if (at + count_bytes > file.length) return undefined;
  // A directory with more entries than 16 bits can count does not fit into an accepted file.
  const entries = isLittle(file) ? file.readUInt16LE(at) : file.readUInt16BE(at + count_bytes - 2);
  return offsetAt(file, at + count_bytes + entries * entry_bytes);
}

/** Returns undefined for the offset 0, which means that there is none. */
function offsetAt(file: Buffer, at: number): number | undefined {
  const isBig = isBigTiff(file);
  if (at + (isBig ? 8 : 4) > file.length) return undefined;
  if (isBig) return Number(isLittle(file) ? file.readBigUInt64LE(at) : file.readBigUInt64BE(at)) || undefined;
  return (isLittle(file) ? file.readUInt32LE(at) : file.readUInt32BE(at)) || undefined;
}

function isLittle(file: Buffer): boolean {
  return file[0] === 0x49;
}

function isBigTiff(file: Buffer): boolean {
  return file[isLittle(file) ? 2 : 3] === 0x2b;
}
