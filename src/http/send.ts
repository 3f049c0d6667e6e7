/** In charge of putting answers on the wire: status, headers and the one shape that every error has. */
import type { ServerResponse } from 'node:http';
import type { Problem } from '../domain/problem.ts';
import type { Answer } from './endpoint.ts';
import { problemStatus } from './problem-status.ts';

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = 'application/json; charset=utf-8';
const IGNORED_HEADER_BYTES_MAX = 1000;

/** How long a client should wait when the store cannot take its request. */
const STORE_RETRY_SECONDS = '1';

/** `headers` go before those of the answer. Returns the status. */
export function sendAnswer(response: ServerResponse, requestId: string, headers: Headers, answer: Answer): number {
  const lines = ['x-request-id', requestId];
  addHeaders(lines, headers);
  if (answer.headers !== undefined) addHeaders(lines, answer.headers);
  if (answer.ignored !== undefined && answer.ignored.length > 0) {
    const ignored = ignoredHeader(answer.ignored);
    if (ignored !== '') lines.push('x-ignored-fields', ignored);
  }
  if (!('problems' in answer)) return write(response, answer.status, lines, answer.json);

  const status = problemStatus(answer.problems[0]?.code ?? 'internal_error');
  if (status === 401) lines.push('www-authenticate', 'Bearer');
  if (status === 503) lines.push('retry-after', STORE_RETRY_SECONDS);
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
