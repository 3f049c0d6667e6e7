/** Handles failures outside the endpoints: an unavailable store, a bug, malformed HTTP. */
import type { Socket } from 'node:net';
import { PasswordsBusyError } from '../../access/portal/passwords.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { StoreFullError, StoreOverloadedError, StoreUnavailableError } from '../../store/port/errors.ts';
import { answerUnderWay, endConnection } from '../connections/connections.ts';
import type { BadAnswer } from '../endpoint.ts';
import { problemsJson } from './send.ts';

/** Thrown for a request that Node could parse but that is not valid HTTP. */
export class MalformedRequestError extends Error {}

/** Until an operator frees disk space. */
const DISK_RETRY_SECONDS = '60';

interface Fault {
  readonly problem: Problem;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to log the error for the operator. */
  readonly isOurs: boolean;
}

/** Returns what to respond with. */
export function faultProblem(error: unknown): Fault {
  if (error instanceof StoreOverloadedError) {
    const text = 'Too many writes are waiting. Nothing was changed; retry shortly.';
    return { problem: requestProblem('overloaded', text), isOurs: false };
  }
  if (error instanceof PasswordsBusyError) {
    const text = 'Too many people are signing in. Retry shortly.';
    return { problem: requestProblem('overloaded', text), isOurs: false };
  }
  if (error instanceof StoreFullError) {
    const text = 'Disk space is low. Nothing was changed; retry later. Prices and stock can still be changed.';
    const headers = { 'retry-after': DISK_RETRY_SECONDS };
    return { problem: requestProblem('store_unavailable', text), headers, isOurs: true };
  }
  if (error instanceof StoreUnavailableError) {
    const text = 'The database is unavailable, and a write may not have been stored. Retry shortly.';
    return { problem: requestProblem('store_unavailable', text), isOurs: true };
  }
  if (error instanceof MalformedRequestError) {
    return { problem: requestProblem('request_malformed', NOT_HTTP), isOurs: false };
  }
  const text = 'The server failed. Send the request id to the operator, who can find the cause in the log.';
  return { problem: requestProblem('internal_error', text), isOurs: true };
}

/** The response to a request that would wait too long. */
export function overloadedAnswer(retry_seconds: number): BadAnswer {
  return { problems: [OVERLOADED], headers: { 'retry-after': String(retry_seconds) } };
}

/** The response to a request during shutdown. */
export function stoppingAnswer(): BadAnswer {
  const text = 'The server is shutting down. Nothing was changed; retry shortly.';
  return { problems: [requestProblem('stopping', text)], headers: { connection: 'close' } };
}

/** Refuses the request, because Node may have dropped a header that the client relies on. */
export function tooManyHeadersAnswer(): BadAnswer {
  return { problems: [requestProblem('request_malformed', TOO_LARGE)], headers: { connection: 'close' } };
}

/**
 * Responds on the raw socket when the request could not be parsed, then closes it. Returns false if the client is gone.
 */
export function answerUnreadable(error: { code?: string | undefined }, socket: Socket, requestId: string): boolean {
  const outstanding = answerUnderWay(socket);
  // If the rest of this request is missing or malformed, no other response will follow.
  if (outstanding?.req.complete && !socket.destroyed) {
    // An earlier request is still in progress, and its response must come first.
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

const OVERLOADED = requestProblem('overloaded');
const NOT_HTTP = 'The request is not valid HTTP.';
const TOO_LARGE = 'The request line and headers are too large, or there are too many headers.';
const UNREADABLE_TEXTS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};
