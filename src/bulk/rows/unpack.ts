/**
 * Decompresses a bulk file: detects gzip by its first bytes, and passes anything else through. Node's thread pool does
 * the work, at most two chunks ahead of the reader, so that memory does not grow with the file.
 */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Compression } from '../../domain/vocabulary/file-types.ts';
import { type FileFault, fileFault, REST_UNREAD } from '../file-fault.ts';

export interface UnpackOptions {
  /** A larger file is an error, because a small gzip file may expand a thousandfold. */
  readonly unpacked_bytes_max: number;
  /** Called with the number of bytes of the uploaded file that were read so far. */
  readonly onRead?: (bytes: number) => void;
  /** Called once, before the first chunk. */
  readonly onCompression?: (compression: Compression) => void;
}

/**
 * Large enough that the 30 us to pass on a chunk are small compared with its processing. Less than 128 KB, because
 * neither V8 nor malloc reuse larger blocks.
 */
const CHUNK_BYTES = 114_688;

const GZIP_MARK = Buffer.from([0x1f, 0x8b]);

/** Yields the chunks. Returns the error that ended them early, if any. Throws failures of the source. */
export async function* unpack(
  source: Readable,
  { unpacked_bytes_max, onRead = () => {}, onCompression = () => {} }: UnpackOptions,
): AsyncGenerator<Buffer, FileFault | undefined> {
  let offset = 0;
  try {
    for await (const chunk of unpacked(source, onRead, onCompression)) {
      const left = unpacked_bytes_max - offset;
      if (chunk.length > left) {
        yield chunk.subarray(0, left);
        const text = `The decompressed file exceeds the limit of ${unpacked_bytes_max} bytes. ${REST_UNREAD}`;
        return fileFault('file_unpacked_too_large', text, unpacked_bytes_max);
      }
      offset += chunk.length;
      yield chunk;
    }
    return undefined;
  } catch (error) {
    const fault = gzipFault(error, offset);
    if (fault === undefined) throw error;
    return fault;
  } finally {
    source.destroy();
  }
}

async function* unpacked(
  source: Readable,
  onRead: (bytes: number) => void,
  onCompression: (compression: Compression) => void,
): AsyncGenerator<Buffer> {
  const chunks = counted(source, onRead);
  const first = await firstBytes(chunks, GZIP_MARK.length);
  const whole = resumed(first, chunks);
  const isGzip = first.subarray(0, GZIP_MARK.length).equals(GZIP_MARK);
  onCompression(isGzip ? 'gzip' : 'none');
  if (!isGzip) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const packed = Readable.from(whole, { objectMode: false, highWaterMark: CHUNK_BYTES });
  packed.on('error', (error) => gunzip.destroy(error));
  try {
    yield* packed.pipe(gunzip) as AsyncIterable<Buffer>;
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

async function* counted(source: Readable, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    onRead(bytes);
    yield chunk;
  }
}

/** The source may deliver as little as one byte at a time. */
async function firstBytes(chunks: AsyncGenerator<Buffer>, bytes_min: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let bytes = 0; bytes < bytes_min; ) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    parts.push(value);
    bytes += value.length;
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

async function* resumed(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
}

function gzipFault(error: unknown, offset: number): FileFault | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('Z_')) return undefined;
  if (code === 'Z_BUF_ERROR') {
    return fileFault('file_truncated', `The gzip file ends early, after ${offset} decompressed bytes.`, offset);
  }
  const text = `The gzip file is damaged after ${offset} decompressed bytes. ${REST_UNREAD}`;
  return fileFault('file_gzip_damaged', text, offset);
}
