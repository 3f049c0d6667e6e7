/**
 * Lists every event that the server reports, with its fields, log level and message. The log and the metrics use this
 * table to show events.
 *
 * Fields never contain client input: no headers, bodies or URLs, only the route's pattern. So no secret can reach the log,
 * at any level.
 */

import type { Pause } from './pause-meter.ts';

interface OfRequest {
  readonly requestId: string;
  readonly route: string;
}

/** Fields of each event. `requestId` is the `X-Request-Id` of the response. */
export interface EventFields {
  server_started: {
    readonly role: string;
    /** Name of the database without user and password, with "(new)" if this start created it. */
    readonly database: string;
    /** URL of the process; undefined if it does not listen (`--role worker`). */
    readonly url: string | undefined;
    /** PUBLIC_URL; undefined if it is the same as `url`. */
    readonly publicUrl: string | undefined;
    readonly metricsUrl: string | undefined;
  };
  server_stopping: { readonly seconds_max: number };
  server_stopped: { readonly cutConnections: boolean };
  worker_ready: { readonly number: number; readonly pid: number | undefined };
  /** `replaced`: how many of the workers. */
  workers_replaced: { readonly replaced: number; readonly of: number };
  worker_ended: {
    readonly number: number;
    /** Exit code or signal. */
    readonly how: number | string;
    /** Error message, if it failed to start. */
    readonly reason: string | undefined;
    readonly pause_ms: number;
  };
  setup_changed: { readonly version: number };
  setup_unreadable: { readonly error: unknown };
  request_answered: OfRequest & { readonly method: string; readonly status: number; readonly seconds: number };
  request_failed: OfRequest & { readonly error: unknown };
  request_thread_paused: Pause;
  request_unreadable: { readonly requestId: string; readonly cause: string };
  store_unavailable: OfRequest & { readonly error: unknown };
  store_full: { readonly error: unknown };
  log_damaged: { readonly file: string };
  store_lost: { readonly error: unknown };
  socket_error_uncaught: { readonly error: unknown };
  error_uncaught: { readonly error: unknown };
  overloaded: OfRequest;
  rate_limited: OfRequest;
  login_throttled: OfRequest;
  body_too_large: OfRequest;
  bodies_overloaded: OfRequest;
  disk_full: OfRequest;
  files_held_up: Readonly<Record<string, never>>;
  headers_too_large: { readonly requestId: string };
  activity_log_failed: {
    /** Email address, API key, or `system`. */
    readonly by: string;
    /** Id of the call. */
    readonly act: string;
    readonly error: unknown;
  };
  /** `reason`: code and text of the library, and the error code of the provider. */
  sign_in_provider_failed: { readonly reason: string };
  /** `reason`: has no text of the client. */
  passkey_refused: { readonly reason: string };
  work_failed: { readonly kind: string; readonly accountId: number; readonly error: unknown };
  demo_offers_failed: { readonly error: unknown };
  work_lost: { readonly kind: string; readonly accountId: number };
  work_stalled: { readonly kind: string; readonly error: unknown };
  bulk_thread_ended: { readonly error: unknown; readonly pause_ms: number };
  image_decoder_lost: { readonly error: unknown };
  spans_lost: { readonly spans: number; readonly error: unknown };
  client_timed_out: { readonly requestId: string };
  connection_refused: { readonly connections_max: number };
}

export type EventName = keyof EventFields;

type EventLevel = 'debug' | 'info' | 'warn' | 'error';

interface EventRow {
  readonly level: EventLevel;
  readonly message: string;
  /**
   * Clients can cause this event at any rate: the log writes the first occurrence immediately, then one line per interval
   * with a count.
   */
  readonly spaced?: true;
  /** Label of `offerbook_limits_hit_total` that counts this event. Such events are spaced too. */
  readonly limit?: string;
  /**
   * Set for events that are not counted in `offerbook_events_total`, because they have their own metric or happen in a process without a
   * metrics port.
   */
  readonly uncounted?: true;
}

export const EVENTS: Readonly<Record<EventName, EventRow>> = Object.freeze({
  server_started: { level: 'info', message: 'The server is ready.' },
  server_stopping: { level: 'info', message: 'The server is stopping and is finishing requests in flight.' },
  server_stopped: { level: 'info', message: 'The server has stopped.' },
  worker_ready: { level: 'info', message: 'A worker process is ready.', uncounted: true },
  workers_replaced: { level: 'info', message: 'The worker processes were replaced after SIGHUP.', uncounted: true },
  worker_ended: {
    level: 'error',
    message: 'A worker process exited; it will be restarted after pause_ms.',
    uncounted: true,
  },
  setup_changed: { level: 'info', message: 'Configuration changed; reloaded.' },
  setup_unreadable: { level: 'error', message: 'The configuration could not be read from the database.', spaced: true },
  request_answered: { level: 'debug', message: 'A request was completed.', uncounted: true },
  request_failed: { level: 'error', message: 'A request failed with an internal error.' },
  request_thread_paused: { level: 'info', message: 'The request thread was blocked.', spaced: true },
  request_unreadable: { level: 'debug', message: 'A request was not valid HTTP.' },
  store_unavailable: { level: 'error', message: 'The database is unavailable; requests get 503.', spaced: true },
  store_full: { level: 'error', message: 'The disk is full: reads work, but writes are refused until space is freed.' },
  log_damaged: {
    level: 'error',
    message: 'The write-ahead log was damaged, truncated or removed: acknowledged transactions were lost.',
  },
  store_lost: { level: 'error', message: 'The database connection failed permanently; the process must restart.' },
  socket_error_uncaught: { level: 'error', message: 'Unhandled socket error; the server continues.', spaced: true },
  error_uncaught: { level: 'error', message: 'Uncaught error; the process exits.' },
  overloaded: { level: 'warn', message: 'Requests were refused: too many are queued.', limit: 'load' },
  activity_log_failed: {
    level: 'error',
    message: 'A change was made, but its activity log entry could not be written.',
  },
  sign_in_provider_failed: { level: 'warn', message: 'A sign-in with the provider failed.', spaced: true },
  passkey_refused: { level: 'warn', message: 'A passkey was refused.', spaced: true },
  work_failed: { level: 'error', message: 'Background work failed; it will be retried.' },
  demo_offers_failed: {
    level: 'warn',
    message: "The demo's sample offers could not be added; the server retries in a minute.",
  },
  work_lost: { level: 'warn', message: 'Background work lost its lease; another process will continue it.' },
  work_stalled: { level: 'error', message: 'Background work is waiting for the database.', spaced: true },
  bulk_thread_ended: { level: 'error', message: 'The bulk file thread exited; it will be restarted after pause_ms.' },
  image_decoder_lost: {
    level: 'error',
    message: 'An image decoder crashed, hung or exceeded its memory limit; it will be restarted.',
    spaced: true,
  },
  spans_lost: {
    level: 'warn',
    message: 'Spans of traces were dropped: the collector is too slow or fails.',
    spaced: true,
  },
  rate_limited: { level: 'warn', message: 'An account exceeded its request limit.', limit: 'rate' },
  login_throttled: {
    level: 'warn',
    message: 'Too many failed sign-ins; further attempts are refused.',
    limit: 'login',
  },
  body_too_large: { level: 'info', message: 'A request was refused: its body was too large.', limit: 'body' },
  bodies_overloaded: {
    level: 'warn',
    message: 'A request body was refused: bodies in flight use too much memory.',
    limit: 'bodies',
  },
  disk_full: { level: 'error', message: 'An upload was refused: no disk space for bulk files.', limit: 'disk' },
  files_held_up: { level: 'error', message: 'Bulk files and reports are waiting for disk space.', limit: 'files_room' },
  headers_too_large: {
    level: 'info',
    message: 'A request was refused: its headers were too many or too large.',
    limit: 'headers',
  },
  client_timed_out: { level: 'info', message: 'A request timed out: the client sent it too slowly.', limit: 'time' },
  connection_refused: { level: 'warn', message: 'A connection was refused: too many are open.', limit: 'connections' },
} satisfies Record<EventName, EventRow>);

export const EVENT_NAMES = Object.freeze(Object.keys(EVENTS) as EventName[]);

export function isSpaced(event: EventName): boolean {
  const { spaced, limit } = EVENTS[event];
  return spaced === true || limit !== undefined;
}
