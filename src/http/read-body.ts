/**
 * In charge of the bytes of a body: whatever `Content-Type` says, they must be UTF-8 and JSON. Those of an upload are
 * passed on as they come.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { readBodyText, type SentBody } from '../domain/body-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { type Problem, requestProblem } from '../domain/problem.ts';
import type { SentFile } from '../operations/files/take-upload.ts';

const EMPTY = Buffer.alloc(0);

/** Some programs put it before UTF-8; bulk files may have it as well. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export const NO_BODY: SentBody = Object.freeze({ value: null, problems: [] });

/** Calls back once, with the whole body or as soon as it is known to be too large; not at all if the client goes. */
export function collectBody(message: IncomingMessage, done: (bytes: Buffer | 'too_large') => void): void {
  if (Number(message.headers['content-length']) > LIMITS.body_bytes_max) {
    done('too_large');
    return;
  }
  // Node gives a request without a body no stream, which would never end.
  if (message.readableEnded) {
    done(EMPTY);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  message.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LIMITS.body_bytes_max) {
      chunks.push(chunk);
    } else if (size - chunk.length <= LIMITS.body_bytes_max) {
      chunks.length = 0;
      done('too_large');
    }
  });
  message.on('end', () => {
    if (size <= LIMITS.body_bytes_max) done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  });
}

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

export function bodyTooLarge(): Problem {
  return requestProblem('body_too_large', `The body must have at most ${LIMITS.body_bytes_max} bytes.`);
}

function unreadable(code: 'body_missing' | 'body_not_utf8', message: string): { unreadable: Problem } {
  return { unreadable: requestProblem(code, message) };
}
