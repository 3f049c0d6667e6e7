/**
 * Reads the bytes of a body: whatever `Content-Type` says, they must be UTF-8 and JSON. Those of an upload are passed on as
 * they come.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { readBodyText, type SentBody } from '../domain/body-text.ts';
import { type Problem, requestProblem } from '../domain/problem.ts';
import type { SentFile } from '../operations/files/take-upload.ts';
import type { BodyRefusal } from './connections/body-collector.ts';
import type { BadAnswer } from './endpoint.ts';

/** Some programs put it before UTF-8; bulk files may have it as well. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export const NO_BODY: SentBody = Object.freeze({ value: null, problems: [] });

/** Whoever stops in the middle of them can still answer: the connection stays. */
export function sentBytes(message: IncomingMessage): SentFile {
  const length = Number(message.headers['content-length']);
  return {
    announcedBytes: Number.isSafeInteger(length) ? length : undefined,
    chunks: message.iterator({ destroyOnReturn: false }),
  };
}

export function readBody(bytes: Buffer): SentBody | { readonly unreadable: Problem } {
  if (bytes.length === 0) {
    return unreadable('body_missing', 'The call needs a JSON body.');
  }
  // The two checks are vectorised; Latin-1 is the cheapest way from bytes to text where bytes are ASCII.
  if (isAscii(bytes)) return readBodyText(bytes.toString('latin1'));
  if (!isUtf8(bytes)) return unreadable('body_not_utf8', 'The body must be UTF-8.');
  return readBodyText(bytes.toString('utf8', startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0));
}

function startsWithMark(bytes: Buffer): boolean {
  return BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
}

/** The answer to a body that was not taken to its end. */
export function bodyRefused(why: BodyRefusal, bytes_max: number): BadAnswer {
  const headers = { connection: 'close' };
  if (why === 'too_large') {
    return { problems: [requestProblem('body_too_large', `The body must have at most ${bytes_max} bytes.`)], headers };
  }
  if (why === 'too_many_pieces') {
    return { problems: [requestProblem('request_malformed', 'The body must come in fewer, larger chunks.')], headers };
  }
  const text = 'Too many request bodies are arriving; nothing was changed. Try again shortly.';
  return { problems: [requestProblem('overloaded', text)], headers, event: 'bodies_overloaded' };
}

function unreadable(code: 'body_missing' | 'body_not_utf8', message: string): { unreadable: Problem } {
  return { unreadable: requestProblem(code, message) };
}

/** Node takes the chunks apart and leaves what is in them as it is: another coding before `chunked` would be read as JSON. */
export function isTransferCoded({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.toLowerCase() !== 'chunked';
}

export function transferCodedAnswer(): BadAnswer {
  const text = 'The Transfer-Encoding must be chunked, and nothing else.';
  return { problems: [requestProblem('request_malformed', text)], headers: { connection: 'close' } };
}
