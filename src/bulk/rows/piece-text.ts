/** Reads a part of a file as text. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Piece } from './entry.ts';

/** Returns undefined if the bytes are not UTF-8. For ASCII, the existing text is used. */
export function readText(piece: Piece, start: number, end: number): string | undefined {
  if (piece.isAscii) return piece.text.slice(start, end);
  const bytes = piece.bytes.subarray(start, end);
  if (isAscii(bytes)) return piece.text.slice(start, end);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
