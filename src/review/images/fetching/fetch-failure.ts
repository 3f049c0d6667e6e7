/** In charge of telling why a fetch failed: what undici and Node throw, and statuses, as codes of ours. */
import { errors } from 'undici';
import type { ImageFailure } from '../../../domain/vocabulary/image-checks.ts';
import { AddressNotPublicError } from './guarded-connector.ts';
import { HostUnknownError } from './resolve-host.ts';

/** A refusal that the client itself found in an answer. */
export class AnswerRefusedError extends Error {
  readonly failure: ImageFailure;

  constructor(failure: ImageFailure) {
    super(failure);
    this.name = 'AnswerRefusedError';
    this.failure = failure;
  }
}

/** Not the image's fault: the client was given something that it cannot send. Thrown on. */
const OWN_MISTAKES: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_DESTROYED',
]);

const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT_|ERR_SSL_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$)/;
const TIME_LIMIT = /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const NOT_HTTP = /^UND_ERR_(?:HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/;

/** Whatever is not known counts as a broken connection, which is tried again. */
export function failureOf(error: unknown): ImageFailure {
  if (error instanceof AnswerRefusedError) return error.failure;
  if (error instanceof AddressNotPublicError) return 'host_not_public';
  if (error instanceof HostUnknownError) return 'host_unknown';
  const code = codeOf(error);
  if (OWN_MISTAKES.has(code)) throw error;
  if (CERTIFICATE.test(code)) return 'certificate_invalid';
  if (TIME_LIMIT.test(code)) return 'timed_out';
  if (error instanceof errors.HTTPParserError || NOT_HTTP.test(code)) return 'answer_invalid';
  return 'connection_failed';
}

/** Undefined: a status with an image. Statuses that say "later" may pass. */
export function failureOfStatus(status: number): ImageFailure | undefined {
  if (status === 200) return undefined;
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'http_failed';
  return 'http_refused';
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
