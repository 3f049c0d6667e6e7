/** In charge of the bytes of a body: whatever `Content-Type` says, they must be UTF-8 and JSON. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { readBodyText, type SentBody } from '../domain/body-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { type Problem, requestProblem } from '../domain/problem.ts';

export const NO_BODY: SentBody = Object.freeze({ value: null, problems: [] });

const ANY_TYPE = 'application/json';

/** Makes Fastify hand over every body as bytes; what they mean is read in the order of checks, not before. */
export function takeBodiesAsBytes(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(ANY_TYPE, { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
}

/** Fastify would refuse a type that it cannot parse before its parsers are asked. */
export function disregardContentType(message: IncomingMessage): void {
  message.headers['content-type'] = ANY_TYPE;
}

export function readBody(bytes: unknown): SentBody | { readonly unreadable: Problem } {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    return unreadable('body_missing', 'The call needs a JSON body.');
  }
  // The two checks are vectorised; Latin-1 is the cheapest way from bytes to text where bytes are ASCII.
  if (isAscii(bytes)) return readBodyText(bytes.toString('latin1'));
  if (!isUtf8(bytes)) return unreadable('body_not_utf8', 'The body must be UTF-8.');
  return readBodyText(bytes.toString('utf8'));
}

export function bodyTooLarge(): Problem {
  return requestProblem('body_too_large', `The body must have at most ${LIMITS.body_bytes_max} bytes.`);
}

function unreadable(code: 'body_missing' | 'body_not_utf8', message: string): { unreadable: Problem } {
  return { unreadable: requestProblem(code, message) };
}
