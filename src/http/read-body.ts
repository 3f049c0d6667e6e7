/**
 * Reads the bytes of a body, which must be UTF-8 and JSON, whatever its `Content-Type` is. Uploads are passed on as a
 * stream.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { readBodyText, type SentBody } from '../domain/body-text.ts';
import { type Problem, requestProblem } from '../domain/problem.ts';
import type { SentFile } from '../operations/files/receive-upload.ts';
import type { BodyRefusal } from './connections/body-collector.ts';
import type { BadAnswer } from './endpoint.ts';

/** The byte order mark that some programs write before UTF-8. Bulk files may have it too. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export const NO_BODY: SentBody = Object.freeze({ value: null, problems: [] });

/** Returns the body as a stream. The connection stays open if the reader stops early, so that the server can still respond. */
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
  // Both checks are vectorized, and Latin-1 is the fastest conversion of ASCII bytes to text.
  if (isAscii(bytes)) return readBodyText(bytes.toString('latin1'));
  if (!isUtf8(bytes)) return unreadable('body_not_utf8', 'The body must be UTF-8.');
  return readBodyText(bytes.toString('utf8', startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0));
}

function startsWithMark(bytes: Buffer): boolean {
  return BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
}

/** The response to a body that was not read to its end. */
export function bodyRefused(why: BodyRefusal, bytes_max: number): BadAnswer {
  const headers = { connection: 'close' };
  if (why === 'too_large') {
    return { problems: [requestProblem('body_too_large', `The body must have at most ${bytes_max} bytes.`)], headers };
  }
  if (why === 'too_many_pieces') {
    return {
      problems: [requestProblem('request_malformed', 'The body has too many chunks. Send fewer, larger ones.')],
      headers,
    };
  }
  const text = 'Too many request bodies are arriving. Nothing was changed; retry shortly.';
  return { problems: [requestProblem('overloaded', text)], headers, event: 'bodies_overloaded' };
}

function unreadable(code: 'body_missing' | 'body_not_utf8', message: string): { unreadable: Problem } {
  return { unreadable: requestProblem(code, message) };
}

/**
 * Requests with another transfer encoding are refused, because Node removes only the chunking and compressed bytes would be parsed as JSON.
 */
export function isTransferCoded({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.toLowerCase() !== 'chunked';
}

export function transferCodedAnswer(): BadAnswer {
  const text = 'Transfer-Encoding must be "chunked" or absent.';
  return { problems: [requestProblem('request_malformed', text)], headers: { connection: 'close' } };
}
