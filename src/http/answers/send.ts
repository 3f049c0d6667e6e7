/** Writes responses: status, headers, and the common shape of every error. */
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { RateDecision } from '../../access/rates/rate-limiter.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Answer, FileBody } from '../endpoint.ts';
import { type Compressed, compressor, isLong, streamEncoding } from './compression.ts';
import { problemStatus } from './problem-status.ts';
import { addRateLines } from './rate-headers.ts';

/** The request that a response belongs to. */
export interface Answering {
  readonly id: string;
  readonly response: ServerResponse;
  /** Sent to the client if the request counts towards the rate limit. */
  readonly rate: RateDecision | undefined;
  readonly addedHeaders: Headers | undefined;
}

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = 'application/json; charset=utf-8';
const VARY = 'accept-encoding';

/** Retry-After when the store cannot accept the request. */
const STORE_RETRY_SECONDS = '1';

/** Retry-After when the client has too much in progress. */
const BUSY_RETRY_SECONDS = '5';

/**
 * Sends the response and returns its status. `compressed` is the body of a good answer in the encoding that the client prefers. Calls
 * `onFault` when a file cannot be read to its end.
 */
export function sendAnswer(
  { id, response, rate, addedHeaders }: Answering,
  answer: Answer,
  compressed: Compressed | undefined,
  onFault: (error: Error) => void,
): number {
  const lines = ['x-request-id', id];
  if (rate !== undefined) addRateLines(lines, rate);
  if (addedHeaders !== undefined) addHeaders(lines, addedHeaders);
  if (answer.headers !== undefined) addHeaders(lines, answer.headers);
  if (answer.ignored !== undefined && answer.ignored.length > 0) {
    const ignored = ignoredHeader(answer.ignored);
    if (ignored !== '') lines.push('x-ignored-fields', ignored);
  }
  if ('file' in answer && answer.file !== undefined) {
    writeFile(response, answer.status, lines, answer.file, onFault);
    return answer.status;
  }
  if (!('problems' in answer)) {
    // A 304 has the `Vary` of the 200, whose length is unknown here.
    if (answer.status === 304 || (answer.json !== undefined && isLong(answer.json))) lines.push('vary', VARY);
    return write(response, answer.status, lines, answer.json, compressed, answer.type);
  }

  const code = answer.problems[0]?.code ?? 'internal_error';
  const status = problemStatus(code);
  // Portal responses omit this header, because browsers would ask for a token instead of showing the sign-in page.
  if (status === 401 && code.startsWith('token_')) lines.push('www-authenticate', 'Bearer');
  if (answer.headers?.['retry-after'] === undefined) {
    if (status === 503) lines.push('retry-after', STORE_RETRY_SECONDS);
    if (status === 429) lines.push('retry-after', BUSY_RETRY_SECONDS);
  }
  return write(response, status, lines, problemsJson(answer.problems));
}

function write(
  response: ServerResponse,
  status: number,
  lines: string[],
  json: string | undefined,
  compressed?: Compressed,
  type = JSON_TYPE,
): number {
  if (json === undefined) {
    // In a 304, Content-Length would have to be the length of the client's copy.
    if (status !== 304) lines.push('content-length', '0');
    response.writeHead(status, lines).end();
    return status;
  }
  const bytes = compressed?.bytes.length ?? Buffer.byteLength(json);
  lines.push('content-type', type, 'content-length', String(bytes));
  if (compressed !== undefined) lines.push('content-encoding', compressed.encoding);
  response.writeHead(status, lines).end(compressed?.bytes ?? json);
  return status;
}

/** Streams at the client's speed. A stalled connection is cut like any other. */
function writeFile(
  response: ServerResponse,
  status: number,
  lines: string[],
  { type, name, bytes, open }: FileBody,
  onFault: (error: Error) => void,
): void {
  const encoding = type === 'application/gzip' ? undefined : streamEncoding(response.req, bytes);
  lines.push('content-type', type, 'vary', VARY);
  if (encoding !== undefined) lines.push('content-encoding', encoding);
  else if (bytes !== undefined) lines.push('content-length', String(bytes));
  lines.push('content-disposition', `attachment; filename="${name}"`);
  lines.push('cache-control', 'private, no-store', 'x-content-type-options', 'nosniff');
  response.writeHead(status, lines);
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  const file = open();
  // A client that disconnects is not a fault. The callback of `pipeline` reports the same errors, so it is empty.
  file.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') onFault(error);
  });
  if (encoding === undefined) pipeline(file, response, () => {});
  else pipeline(file, compressor(encoding), response, () => {});
}

function addHeaders(lines: string[], headers: Headers): void {
  for (const name in headers) lines.push(name, headers[name] as string);
}

export function problemsJson(problems: readonly Problem[]): string {
  return JSON.stringify({ errors: problems.map((problem) => problem.message), details: problems });
}

/** Lists as many pointers as fit, so that a body full of unknown names cannot make the headers too large. */
function ignoredHeader(pointers: readonly string[]): string {
  let header = '';
  for (const pointer of pointers) {
    const next = header === '' ? encodeURIComponent(pointer) : `${header}, ${encodeURIComponent(pointer)}`;
    if (next.length <= LIMITS.ignored_fields_header_bytes_max) header = next;
  }
  return header;
}
