/**
 * In charge of whether a picture is one picture. The decoder counts pages of WebP, AVIF and TIFF; it shows the first frame
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

/** Of pictures in time. Told from the first bytes, because the decoder may take no such file at all. */
export function isSequence(file: Buffer): boolean {
  return brandsOf(file).some((brand) => brand === 'avis' || brand === 'msf1');
}

export function framesOf(file: Buffer, format: ImageFormat, pages: number): Frames {
  switch (format) {
    case 'png':
      return framesOfPng(file);
    case 'avif':
    case 'tiff':
      return { count: pages, fault: pages > 1 ? 'layered' : null };
    default:
      return { count: pages, fault: pages > 1 ? 'animated' : null };
  }
}

function framesOfPng(file: Buffer): Frames {
  let at = PNG_SIGNATURE_BYTES;
  while (at + PNG_CHUNK_FRAME_BYTES <= file.length) {
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
