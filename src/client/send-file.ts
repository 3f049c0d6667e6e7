/** In charge of sending a file to a signed address: as a stream, with back-pressure, packed on the way unless it is. */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { ApiRefusedError, refusalOf, ServerUnreachableError, unreachable } from './api-failure.ts';

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Told how many bytes of the source were taken. */
  readonly onRead?: (bytes: number) => void;
}

/** A connection on which nothing moves for so long is dead. */
const IDLE_MS_MAX = 60_000;
const CHUNK_BYTES = 262_144;
const GZIP_MARK = Buffer.from([0x1f, 0x8b]);

/** Resolves when the server has all of it. */
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
  // The quickest level: packing would be slower than the network otherwise, and such text shrinks to a tenth by it.
  const stages = isPacked ? [] : [createGzip({ level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES })];
  const sent = pipeline([body, ...stages, request], signal === undefined ? {} : { signal });
  // A server may refuse before it has all: then its answer counts, not that it no longer listens.
  sent.catch(() => {});
  try {
    const response = await answered;
    const answer = await text(response);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw refusalOf(server, status, answer);
    await sent;
  } catch (error) {
    signal?.throwIfAborted();
    // A file that cannot be read to its end is nobody else's fault.
    if (source.failure !== undefined) throw source.failure;
    const isTold = error instanceof ApiRefusedError || error instanceof ServerUnreachableError;
    throw isTold ? error : unreachable(server, error);
  } finally {
    body.destroy();
    request.destroy();
  }
}

/** What is sent, counted while it is read. */
class WatchedSource {
  /** What ended the source early. */
  failure: unknown;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #onRead: (bytes: number) => void;
  #bytes = 0;

  constructor(chunks: AsyncIterable<Buffer>, onRead: (bytes: number) => void = () => {}) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#onRead = onRead;
  }

  /** Its first bytes, so many at least unless there are fewer: a pipe may give them one by one. */
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
