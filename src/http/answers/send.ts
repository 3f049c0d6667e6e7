/** In charge of putting answers on the wire: status, headers and the one shape that every error has. */
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { RateDecision } from '../../access/rate-limiter.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Answer, FileBody } from '../endpoint.ts';
import { problemStatus } from './problem-status.ts';
import { addRateLines } from './rate-headers.ts';

/** What is known before the answer is. */
export interface Answering {
  readonly id: string;
  readonly response: ServerResponse;
  /** Told to the client where the request was counted. */
  readonly rate: RateDecision | undefined;
  readonly headers: Headers | undefined;
}

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = 'application/json; charset=utf-8';
const IGNORED_HEADER_BYTES_MAX = 1000;

/** How long a client should wait when the store cannot take its request. */
const STORE_RETRY_SECONDS = '1';

/** And when too much of its own is under way. */
const BUSY_RETRY_SECONDS = '5';

/** Returns the status. `onFault` is called when a file cannot be read to its end. */
export function sendAnswer(
  { id, response, rate, headers }: Answering,
  answer: Answer,
  onFault: (error: Error) => void,
): number {
  const lines = ['x-request-id', id];
  if (rate !== undefined) addRateLines(lines, rate);
  if (headers !== undefined) addHeaders(lines, headers);
  if (answer.headers !== undefined) addHeaders(lines, answer.headers);
  if (answer.ignored !== undefined && answer.ignored.length > 0) {
    const ignored = ignoredHeader(answer.ignored);
    if (ignored !== '') lines.push('x-ignored-fields', ignored);
  }
  if ('file' in answer && answer.file !== undefined) {
    writeFile(response, answer.status, lines, answer.file, onFault);
    return answer.status;
  }
  if (!('problems' in answer)) return write(response, answer.status, lines, answer.json);

  const code = answer.problems[0]?.code ?? 'internal_error';
  const status = problemStatus(code);
  // A browser asks for no token, and people of the portal sign in by a page.
  if (status === 401 && code.startsWith('token_')) lines.push('www-authenticate', 'Bearer');
  if (answer.headers?.['retry-after'] === undefined) {
    if (status === 503) lines.push('retry-after', STORE_RETRY_SECONDS);
    if (status === 429) lines.push('retry-after', BUSY_RETRY_SECONDS);
  }
  return write(response, status, lines, problemsJson(answer.problems));
}

function write(response: ServerResponse, status: number, lines: string[], json: string | undefined): number {
  if (json === undefined) {
    // That of a 304 would be the length of the answer that the client has.
    if (status !== 304) lines.push('content-length', '0');
    response.writeHead(status, lines).end();
  } else {
    lines.push('content-type', JSON_TYPE, 'content-length', String(Buffer.byteLength(json)));
    response.writeHead(status, lines).end(json);
  }
  return status;
}

/** At the pace at which the client takes it; one that stands still is cut off like any other. */
function writeFile(
  response: ServerResponse,
  status: number,
  lines: string[],
  { type, name, bytes, open }: FileBody,
  onFault: (error: Error) => void,
): void {
  lines.push('content-type', type, 'content-length', String(bytes));
  lines.push('content-disposition', `attachment; filename="${name}"`);
  lines.push('cache-control', 'private, no-store', 'x-content-type-options', 'nosniff');
  response.writeHead(status, lines);
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  const file = open();
  // A client who goes away in the middle is no fault of ours, and the end of the pipe says nothing else.
  file.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') onFault(error);
  });
  pipeline(file, response, () => {});
}

function addHeaders(lines: string[], headers: Headers): void {
  for (const name in headers) lines.push(name, headers[name] as string);
}

export function problemsJson(problems: readonly Problem[]): string {
  return JSON.stringify({ errors: problems.map((problem) => problem.message), details: problems });
}

/** As many pointers as fit, so that a body full of unknown names cannot blow up the answer's headers. */
function ignoredHeader(pointers: readonly string[]): string {
  let header = '';
  for (const pointer of pointers) {
    const next = header === '' ? encodeURIComponent(pointer) : `${header}, ${encodeURIComponent(pointer)}`;
    if (next.length <= IGNORED_HEADER_BYTES_MAX) header = next;
  }
  return header;
}
