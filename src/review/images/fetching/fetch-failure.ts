/** Maps errors of undici and Node, and HTTP statuses, to failure codes. */
import { errors } from 'undici';
import type { ImageFailure } from '../../../domain/vocabulary/image-failures.ts';
import { HostUnknownError } from '../../../outbound/resolve-host.ts';
import { AddressNotPublicError } from '../../../outbound/safe-address.ts';

/** Errors that are rethrown, because the image did not cause them: the client was asked to send something invalid. */
const OWN_MISTAKES: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_DESTROYED',
]);

const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT_|ERR_SSL_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$)/;
const TIME_LIMIT = /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const NOT_HTTP = /^UND_ERR_(?:HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/;

/** Unknown errors count as a broken connection, which is retried. */
export function failureOf(error: unknown): ImageFailure {
  if (error instanceof AddressNotPublicError) return 'host_not_public';
  if (error instanceof HostUnknownError) return 'host_unknown';
  const code = codeOf(error);
  if (OWN_MISTAKES.has(code)) throw error;
  if (CERTIFICATE.test(code)) return 'certificate_invalid';
  if (TIME_LIMIT.test(code)) return 'timed_out';
  if (error instanceof errors.HTTPParserError || NOT_HTTP.test(code)) return 'answer_invalid';
  return 'connection_failed';
}

/** Returns undefined if the status comes with an image. Statuses that mean "later" are transient. */
export function failureOfStatus(status: number): ImageFailure | undefined {
  if (status === 200) return undefined;
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'http_failed';
  return 'http_refused';
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
