/**
 * Compresses response bodies in the encoding that the client prefers. The compression runs in Node's thread pool, so that the request thread
 * does not wait for it; docs/decisions/0041 has the reasons.
 */
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

export type Encoding = 'br' | 'gzip';

export interface Compressed {
  readonly encoding: Encoding;
  readonly bytes: Buffer;
}

/** Smaller bodies fit into one packet anyway. */
const PLAIN_BYTES_MAX = 1024;
/** The thread pool has four threads, and the others are for files and passwords. */
const COMPRESSING_MAX = 2;
/** Beyond this many, a body is sent uncompressed instead of waiting. */
const WAITING_MAX = 64;

/** A stream may take as long as its client reads, so streams are counted separately. */
const STREAMS_MAX = 8;

/** Fast settings: a page of 1,000 events (200 KB) takes 1 ms. Brotli's default takes 380 ms and saves another third. */
const BROTLI = Object.freeze({
  params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3, [zlib.constants.BROTLI_PARAM_LGWIN]: 18 },
});
const GZIP = Object.freeze({ level: 3 });

const COMPRESS: Readonly<Record<Encoding, (body: string) => Promise<Buffer>>> = {
  br: (body) => promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(body, BROTLI),
  gzip: (body) => promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip)(body, GZIP),
};

/** Encodings in the server's order of preference. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip'];

/** Returns the encoding with the highest `q` of `Accept-Encoding`; undefined if the client accepts none, or prefers plain bodies. */
export function acceptedEncoding(
  { headers }: Pick<IncomingMessage, 'headers'>,
  available: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  const header = headers['accept-encoding'];
  if (header === undefined) return undefined;
  const weights = weightsOf(String(header));
  let best: Encoding | undefined;
  let bestWeight = weights.get('identity') ?? 0;
  for (const encoding of available) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0;
    if (weight > 0 && (best === undefined ? weight >= bestWeight : weight > bestWeight)) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = q === undefined ? 1 : Number(q.slice('q='.length));
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number.isNaN(weight) ? 0 : weight);
  }
  return weights;
}

/** Returns undefined if the body is sent as it is: it is short, or the client does not accept an encoding. */
export function compressedFor(
  message: IncomingMessage,
  body: string | undefined,
): Promise<Compressed | undefined> | undefined {
  if (body === undefined || !isLong(body)) return undefined;
  const encoding = acceptedEncoding(message);
  return encoding && compress(body, encoding);
}

/** Counts the bytes only when the number of characters does not decide. */
export function isLong(body: string): boolean {
  if (body.length > PLAIN_BYTES_MAX) return true;
  return body.length * 3 > PLAIN_BYTES_MAX && Buffer.byteLength(body) > PLAIN_BYTES_MAX;
}

let compressing = 0;
const waiting: (() => void)[] = [];

/** Returns undefined if too many bodies are being compressed. */
async function compress(body: string, encoding: Encoding): Promise<Compressed | undefined> {
  if (compressing >= COMPRESSING_MAX) {
    if (waiting.length >= WAITING_MAX) return undefined;
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    compressing++;
  }
  try {
    return { encoding, bytes: await COMPRESS[encoding](body) };
  } finally {
    const next = waiting.shift();
    // The next waiting body takes over the slot.
    if (next === undefined) compressing--;
    else next();
  }
}

let streams = 0;

/** Returns the encoding for a file of this size, which may be unknown; undefined if it is sent as it is. */
export function streamEncoding(message: IncomingMessage, bytes: number | undefined): Encoding | undefined {
  const isShort = bytes !== undefined && bytes <= PLAIN_BYTES_MAX;
  return isShort || streams >= STREAMS_MAX ? undefined : acceptedEncoding(message);
}

/** Returns a stream that compresses what is written to it. */
export function compressor(encoding: Encoding): Transform {
  streams++;
  const stream = encoding === 'br' ? zlib.createBrotliCompress(BROTLI) : zlib.createGzip(GZIP);
  return stream.once('close', () => streams--);
}
