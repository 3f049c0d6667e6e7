/** In charge of what goes wrong outside the endpoints: a store that is down, a bug, broken HTTP. */
import type { Socket } from 'node:net';
import { PasswordsBusyError } from '../../access/passwords.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../../store/port/errors.ts';
import { answerUnderWay, endConnection } from '../connections/connections.ts';
import type { BadAnswer } from '../endpoint.ts';
import { problemsJson } from './send.ts';

/** Thrown for a request that Node could read but that makes no sense as HTTP. */
export class MalformedRequestError extends Error {}

/** The problem to answer with, and whether an operator should see the error itself. */
export function faultProblem(error: unknown): { problem: Problem; isOurs: boolean } {
  if (error instanceof StoreOverloadedError) {
    const text = 'Too many writes are waiting; nothing was changed. Try again shortly.';
    return { problem: requestProblem('overloaded', text), isOurs: false };
  }
  if (error instanceof PasswordsBusyError) {
    const text = 'Too many people are signing in. Try again shortly.';
    return { problem: requestProblem('overloaded', text), isOurs: false };
  }
  if (error instanceof StoreUnavailableError) {
    const text = 'The store is not available now; a write is not known to be stored. Try again shortly.';
    return { problem: requestProblem('store_unavailable', text), isOurs: true };
  }
  if (error instanceof MalformedRequestError) {
    return { problem: requestProblem('request_malformed', NOT_HTTP), isOurs: false };
  }
  const text = 'Offerbook failed to answer; the request id finds the cause in its log.';
  return { problem: requestProblem('internal_error', text), isOurs: true };
}

/** The answer to a request that would wait too long. */
export function overloadedAnswer(retrySeconds: number): BadAnswer {
  return { problems: [OVERLOADED], headers: { 'retry-after': String(retrySeconds) } };
}

/** The answer to a request that comes while the server ends. */
export function stoppingAnswer(): BadAnswer {
  const text = 'The server is being stopped; nothing was changed. Try again shortly.';
  return { problems: [requestProblem('stopping', text)], headers: { connection: 'close' } };
}

/** Some that the client relies on may be among those that were not kept, so none counts. */
export function tooManyHeadersAnswer(): BadAnswer {
  return { problems: [requestProblem('request_malformed', TOO_LARGE)], headers: { connection: 'close' } };
}

/** Answers on the bare socket when the request could not be read as HTTP, then closes it. False: nobody listens. */
export function answerUnreadable(error: { code?: string | undefined }, socket: Socket, requestId: string): boolean {
  const outstanding = answerUnderWay(socket);
  // One whose own rest is missing or unreadable will never be answered by itself.
  if (outstanding?.req.complete && !socket.destroyed) {
    // A request before the unreadable bytes is still being worked on: its answer must not be replaced by this one.
    outstanding.shouldKeepAlive = false;
    outstanding.once('finish', () => socket.end());
    return false;
  }
  const isTls = error.code?.startsWith('ERR_SSL') || error.code?.startsWith('ERR_TLS');
  if (isTls || error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return false;
  }
  const body = problemsJson([requestProblem('request_malformed', UNREADABLE_TEXTS[error.code ?? ''] ?? NOT_HTTP)]);
  endConnection(
    socket,
    [
      'HTTP/1.1 400 Bad Request',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  return true;
}

const OVERLOADED = requestProblem(
  'overloaded',
  'The server is overloaded; nothing was changed. Retry after the time in the Retry-After header.',
);
const NOT_HTTP = 'The request is not valid HTTP.';
const TOO_LARGE = 'The request line and headers are too large, or the headers too many.';
const UNREADABLE_TEXTS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};
