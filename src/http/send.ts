/** In charge of putting answers on the wire: status, headers and the one shape that every error has. */
import type { FastifyReply } from 'fastify';
import type { Problem } from '../domain/problem.ts';
import type { Answer } from './endpoint.ts';
import { problemStatus } from './problem-status.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const IGNORED_HEADER_BYTES_MAX = 1000;

/** How long a client should wait when the store cannot take its request. */
const STORE_RETRY_SECONDS = 1;

export function sendAnswer(reply: FastifyReply, answer: Answer): void {
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (answer.ignored !== undefined && answer.ignored.length > 0) {
    const header = ignoredHeader(answer.ignored);
    if (header !== '') reply.header('x-ignored-fields', header);
  }
  if ('problems' in answer) {
    sendProblems(reply, answer.problems);
  } else if (answer.json === undefined) {
    reply.code(answer.status).send();
  } else {
    reply.code(answer.status).header('content-type', JSON_TYPE).send(answer.json);
  }
}

function sendProblems(reply: FastifyReply, problems: readonly Problem[]): void {
  const status = problemStatus(problems[0]?.code ?? 'internal_error');
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status === 503) reply.header('retry-after', String(STORE_RETRY_SECONDS));
  reply.code(status).header('content-type', JSON_TYPE).send(problemsJson(problems));
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
