/**
 * Tells whether a file holds a single image. The decoder counts pages of WebP, AVIF and TIFF; it shows the first frame
 * of an animated PNG as if there were no others, and does not know the chunks in which layers of a PNG are kept.
 */
import { brandsOf, type ImageFormat } from './image-format.ts';

export interface Frames {
  readonly count: number;
  readonly fault: 'animated' | 'layered' | null;
}

const PNG_SIGNATURE_BYTES = 8;
const PNG_CHUNK_FRAME_BYTES = 12;
/** Fireworks keeps the layers of a document in these. */
const PNG_LAYER_CHUNKS: ReadonlySet<string> = new Set(['prVW', 'mkBF', 'mkBS', 'mkBT', 'mkTS']);

/** Of images in time. Told from the first bytes, because the decoder may take no such file at all. */
export function isSequence(file: Buffer): boolean {
  return brandsOf(file).some((brand) => brand === 'avis' || brand === 'msf1');
}

/** Of formats whose pages the decoder counts. */
export function framesOfPages(format: ImageFormat, pages: number): Frames {
  if (pages <= 1) return { count: pages, fault: null };
  return { count: pages, fault: format === 'avif' || format === 'tiff' ? 'layered' : 'animated' };
}

/** Undefined where there are more chunks than `chunks_max`. */
export function framesOfPng(file: Buffer, chunks_max: number): Frames | undefined {
  let at = PNG_SIGNATURE_BYTES;
  for (let chunks = 0; at + PNG_CHUNK_FRAME_BYTES <= file.length; chunks += 1) {
    if (chunks === chunks_max) return undefined;
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    // An animation of one frame is refused as well: viewers differ on what they show of it.
    if (type === 'acTL' && at + 12 <= file.length) return { count: file.readUInt32BE(at + 8), fault: 'animated' };
    if (PNG_LAYER_CHUNKS.has(type)) return { count: 1, fault: 'layered' };
    if (type === 'IEND') break;
    at += PNG_CHUNK_FRAME_BYTES + length;
  }
  return { count: 1, fault: null };
}
