/**
 * Handles errors that nothing else in the process caught: an `error` event without a listener, a rejected promise without a handler.
 *
 * A client that breaks its connection must not end the server for all others. So socket errors are logged and the
 * process continues: they are raised outside any request's code and affect only the broken connection. After any other
 * uncaught error, the state of the process is unknown. The error is logged and the process exits with a non-zero code;
 * a supervisor starts a new one, and acknowledged writes are on disk. See docs/decisions/0022-availability.md.
 */
import type { Telemetry } from '../telemetry/telemetry.ts';

/** The part of a Node process that reports uncaught errors. */
export interface ErrorSource {
  on(event: 'uncaughtException', listener: (error: Error) => void): unknown;
  off(event: 'uncaughtException', listener: (error: Error) => void): unknown;
}

const SOCKET_CODES: ReadonlySet<string | undefined> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTCONN',
  'EPROTO',
]);

/** Covers unhandled rejections too, which arrive as uncaught exceptions. Returns a function that stops watching. */
export function watchUncaughtErrors(
  source: ErrorSource,
  telemetry: Pick<Telemetry, 'observe'>,
  onFatal: (error: Error) => void,
): () => void {
  const onError = (error: Error): void => {
    if (isOfSocket(error)) {
      telemetry.observe('socket_error_uncaught', { error });
    } else {
      telemetry.observe('error_uncaught', { error });
      onFatal(error);
    }
  };
  source.on('uncaughtException', onError);
  return () => source.off('uncaughtException', onError);
}

/** `accept` fails when the system runs out of memory or file descriptors; open connections keep working. */
function isOfSocket(error: NodeJS.ErrnoException | undefined | null): boolean | undefined {
  return SOCKET_CODES.has(error?.code) || error?.code?.startsWith('ERR_SSL_') || error?.syscall === 'accept';
}
