/** Streams a file to a signed URL with back-pressure, and compresses it unless it is already compressed. */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { ApiRefusedError, refusalOf, ServerUnreachableError, unreachable } from './api-failure.ts';

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of source bytes read so far. */
  readonly onRead?: (bytes: number) => void;
}

/** A connection without progress for this long is dead. */
const IDLE_MS_MAX = 60_000;
const CHUNK_BYTES = 262_144;
const GZIP_MARK = Buffer.from([0x1f, 0x8b]);

/** Resolves when the server has received the whole file. */
export async function sendFile(url: string, chunks: AsyncIterable<Buffer>, options: SendOptions = {}): Promise<void> {
  const { signal } = options;
  const server = new URL(url).origin;
  const source = new WatchedSource(chunks, options.onRead);
  const start = await source.start(GZIP_MARK.length);
  const isPacked = start.subarray(0, GZIP_MARK.length).equals(GZIP_MARK);
  const body = Readable.from(source.all(start), { objectMode: false, highWaterMark: CHUNK_BYTES });

  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/gzip' },
    timeout: IDLE_MS_MAX,
    ...(signal === undefined ? {} : { signal }),
  });
  request.on('timeout', () => request.destroy(Object.assign(new Error('time-out'), { code: 'ETIMEDOUT' })));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  // The fastest level: others would be slower than the network, and JSON still compresses to a tenth.
  const stages = isPacked ? [] : [createGzip({ level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES })];
  const sent = pipeline([body, ...stages, request], signal === undefined ? {} : { signal });
  // A server may refuse early. Then its answer is reported, not the closed connection.
  sent.catch(() => {});
  try {
    const response = await answered;
    const answer = await text(response);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw refusalOf(server, status, answer);
    await sent;
  } catch (error) {
    signal?.throwIfAborted();
    // If the source cannot be read to the end, that error is reported.
    if (source.failure !== undefined) throw source.failure;
    const isReported = error instanceof ApiRefusedError || error instanceof ServerUnreachableError;
    throw isReported ? error : unreachable(server, error);
  } finally {
    body.destroy();
    request.destroy();
  }
}

/** The source, with its bytes counted while they are read. */
class WatchedSource {
  /** The error that ended the source early. */
  failure: unknown;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #onRead: (bytes: number) => void;
  #bytes = 0;

  constructor(chunks: AsyncIterable<Buffer>, onRead: (bytes: number) => void = () => {}) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#onRead = onRead;
  }

  /** Reads at least this many bytes unless the source is shorter, because a pipe may deliver them one by one. */
  async start(bytes_min: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let part: Buffer | undefined; this.#bytes < bytes_min; parts.push(part)) {
      part = await this.#next();
      if (part === undefined) break;
    }
    return Buffer.concat(parts);
  }

  async *all(start: Buffer): AsyncGenerator<Buffer> {
    try {
      if (start.length > 0) yield start;
      for (let part = await this.#next(); part !== undefined; part = await this.#next()) yield part;
    } finally {
      await this.#chunks.return?.();
    }
  }

  async #next(): Promise<Buffer | undefined> {
    try {
      const { value, done } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#bytes += value.length;
      this.#onRead(this.#bytes);
      return value;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}
