/**
 * Detects files with more than one image. sharp counts pages of WebP, AVIF and TIFF, but shows only the first frame of an
 * animated PNG and does not know the chunks that hold PNG layers.
 */
import { brandsOf, type ImageFormat } from './image-format.ts';

export interface Frames {
  readonly count: number;
  readonly fault: 'animated' | 'layered' | null;
}

const PNG_SIGNATURE_BYTES = 8;
const PNG_CHUNK_FRAME_BYTES = 12;
/** Adobe Fireworks stores layers in these chunks. */
const PNG_LAYER_CHUNKS: ReadonlySet<string> = new Set(['prVW', 'mkBF', 'mkBS', 'mkBT', 'mkTS']);

/** Image sequences (AVIF). Detected from the first bytes, because the decoder may refuse the file. */
export function isSequence(file: Buffer): boolean {
  return brandsOf(file).some((brand) => brand === 'avis' || brand === 'msf1');
}

/** Used for formats whose pages sharp counts. */
export function framesOfPages(format: ImageFormat, pages: number): Frames {
  if (pages <= 1) return { count: pages, fault: null };
  return { count: pages, fault: format === 'avif' || format === 'tiff' ? 'layered' : 'animated' };
}

/** Returns undefined if there are more chunks than `chunks_max`. */
export function framesOfPng(file: Buffer, chunks_max: number): Frames | undefined {
  let at = PNG_SIGNATURE_BYTES;
  for (let chunks = 0; at + PNG_CHUNK_FRAME_BYTES <= file.length; chunks += 1) {
    if (chunks === chunks_max) return undefined;
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    // Refused even with one frame, because viewers differ in what they show.
    if (type === 'acTL' && at + 12 <= file.length) return { count: file.readUInt32BE(at + 8), fault: 'animated' };
    if (PNG_LAYER_CHUNKS.has(type)) return { count: 1, fault: 'layered' };
    if (type === 'IEND') break;
    at += PNG_CHUNK_FRAME_BYTES + length;
  }
  return { count: 1, fault: null };
}
