/** Builds files that no encoder would write: extra PNG chunks, wrong headers, endless scans. */
import { crc32, deflateSync } from 'node:zlib';

const PNG_SIGNATURE_BYTES = 8;
const PNG_HEADER_CHUNK_BYTES = 25;

function pngChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Inserts a chunk after the header chunk, where readers look for it. */
export function withPngChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const at = PNG_SIGNATURE_BYTES + PNG_HEADER_CHUNK_BYTES;
  return Buffer.concat([png.subarray(0, at), pngChunk(type, data), png.subarray(at)]);
}

/** Header chunk of an animation with this many frames. */
export function animationControl(frames: number): Buffer {
  const data = Buffer.alloc(8);
  data.writeUInt32BE(frames);
  return data;
}

/** Creates a PNG that claims this many pixels and holds this many zeros, which deflate compresses to a thousandth. */
export function pngBomb(side: number, bytes: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(bytes))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * Creates a valid gray progressive JPEG with many useless scans: each of the 63 frequencies is sent as zero, then refined by one bit 13
 * times. That makes 883 scans of about 60 bytes, each a pass over all pixels.
 */
export function jpegOfManyScans(side: number): Buffer {
  const blocks = Math.ceil(side / 8) ** 2;
  const size = Buffer.alloc(4);
  size.writeUInt16BE(side, 0);
  size.writeUInt16BE(side, 2);
  const scans = [scan(0, 0, 0, bitsOf('0'.repeat(blocks)))];
  // A code of one bit, 0, for "the next 32,767 blocks are zero", with 14 bits of ones.
  const nothing = bitsOf('011111111111111'.repeat(Math.ceil(blocks / 32_767)));
  for (let frequency = 1; frequency < 64; frequency += 1) {
    for (let bit = 13; bit >= 0; bit -= 1) {
      scans.push(scan(frequency, bit === 13 ? 0 : bit + 1, bit, nothing));
    }
  }
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    jpegSegment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
    jpegSegment(0xc2, Buffer.concat([Buffer.from([8]), size, Buffer.from([1, 1, 0x11, 0])])),
    jpegSegment(0xc4, huffmanTable(0x00, 0x00)),
    jpegSegment(0xc4, huffmanTable(0x10, 0xe0)),
    ...scans,
    Buffer.from('ffd9', 'hex'),
  ]);
}

function scan(frequency: number, high: number, low: number, data: Buffer): Buffer {
  const header = Buffer.from([1, 1, 0x00, frequency, frequency, (high << 4) | low]);
  return Buffer.concat([jpegSegment(0xda, header), data]);
}

/** Huffman table with a single code of one bit. */
function huffmanTable(place: number, symbol: number): Buffer {
  return Buffer.concat([Buffer.from([place, 1]), Buffer.alloc(15), Buffer.from([symbol])]);
}

function jpegSegment(marker: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]), data]);
}

/** Packs bits into bytes, padded with ones; each FF is followed by 00. */
function bitsOf(bits: string): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    const byte = Number.parseInt(bits.slice(at, at + 8).padEnd(8, '1'), 2);
    bytes.push(byte, ...(byte === 0xff ? [0] : []));
  }
  return Buffer.from(bytes);
}

const PNG_END_CHUNK_BYTES = 12;
const JPEG_END_BYTES = 2;

/**
 * Adds empty chunks before the end of a PNG, up to this many bytes. Each has 12 bytes, and a reader that searches a chunk must read all.
 */
export function withEmptyPngChunks(png: Buffer, bytes: number): Buffer {
  const filling = Buffer.alloc(bytes - png.length, pngChunk('teSt', Buffer.alloc(0)));
  return Buffer.concat([png.subarray(0, -PNG_END_CHUNK_BYTES), filling, png.subarray(-PNG_END_CHUNK_BYTES)]);
}

/** Adds padding before the end of a JPEG, up to this many bytes: any number of FF may precede a marker. */
export function withJpegPadding(jpeg: Buffer, bytes: number): Buffer {
  const filling = Buffer.alloc(bytes - jpeg.length, 0xff);
  return Buffer.concat([jpeg.subarray(0, -JPEG_END_BYTES), filling, jpeg.subarray(-JPEG_END_BYTES)]);
}

/** Adds empty parts after the file's own: WebP chunks, AVIF boxes; a TIFF repeats its directory. */
export function withManyParts(format: 'webp' | 'avif' | 'tiff', file: Buffer, parts: number): Buffer {
  if (format === 'avif') return Buffer.concat([file, Buffer.alloc(8 * parts, Buffer.from('\0\0\0\x08free', 'latin1'))]);
  if (format === 'webp') {
    const longer = Buffer.concat([file, Buffer.alloc(8 * parts, Buffer.from('junk\0\0\0\0', 'latin1'))]);
    longer.writeUInt32LE(longer.length - 8, 4);
    return longer;
  }
  const at = file.readUInt32LE(4);
  const link = 2 + 12 * file.readUInt16LE(at);
  const directory = file.subarray(at, at + link + 4);
  const all = Buffer.concat([file, ...Array.from({ length: parts }, () => directory)]);
  for (let n = 0, from = at; n < parts; n++) {
    const to = file.length + n * directory.length;
    all.writeUInt32LE(to, from + link);
    all.writeUInt32LE(0, to + link);
    from = to;
  }
  return all;
}
