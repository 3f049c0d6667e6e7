/**
 * The event vocabulary: everything that an operator may want to know of a running Offerbook, named once. The code says
 * what happened; the log and the metrics decide from this table what they show of it.
 *
 * Fields hold nothing that a client sent: no headers, no bodies, no addresses beyond the pattern of the route. So no
 * secret can reach the log, whatever its level.
 */

import type { Pause } from './pause-meter.ts';

/** What is said with each event. `requestId` is the `X-Request-Id` of the answer. */
export interface EventFields {
  server_started: {
    readonly role: string;
    /** Undefined where it listens nowhere. */
    readonly url: string | undefined;
    readonly metricsUrl: string | undefined;
  };
  server_stopping: { readonly seconds_max: number };
  server_stopped: { readonly cutConnections: boolean };
  worker_ready: { readonly number: number; readonly pid: number | undefined };
  worker_ended: {
    readonly number: number;
    /** Exit code or signal. */
    readonly how: number | string;
    /** What it said, when it could not start. */
    readonly reason: string | undefined;
    readonly pause_ms: number;
  };
  setup_changed: { readonly version: number };
  setup_unreadable: { readonly error: unknown };
  request_answered: {
    readonly requestId: string;
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  };
  request_failed: { readonly requestId: string; readonly route: string; readonly error: unknown };
  request_thread_paused: Pause;
  request_unreadable: { readonly requestId: string; readonly cause: string };
  store_unavailable: { readonly requestId: string; readonly route: string; readonly error: unknown };
  store_full: { readonly error: unknown };
  log_damaged: { readonly file: string };
  store_lost: { readonly error: unknown };
  socket_error_uncaught: { readonly error: unknown };
  error_uncaught: { readonly error: unknown };
  overloaded: { readonly requestId: string; readonly route: string };
  rate_limited: { readonly requestId: string; readonly route: string };
  login_throttled: { readonly requestId: string; readonly route: string };
  body_too_large: { readonly requestId: string; readonly route: string };
  bodies_overloaded: { readonly requestId: string; readonly route: string };
  disk_full: { readonly requestId: string; readonly route: string };
  files_held_up: Readonly<Record<string, never>>;
  headers_too_large: { readonly requestId: string };
  act_unrecorded: {
    /** E-mail address of the operator, as it is stored. */
    readonly by: string;
    /** Id of the call. */
    readonly act: string;
    readonly error: unknown;
  };
  work_failed: { readonly kind: string; readonly accountId: number; readonly error: unknown };
  work_lost: { readonly kind: string; readonly accountId: number };
  work_stalled: { readonly kind: string; readonly error: unknown };
  bulk_thread_ended: { readonly error: unknown; readonly pause_ms: number };
  image_decoder_lost: { readonly error: unknown };
  client_timed_out: { readonly requestId: string };
  connection_refused: { readonly connections_max: number };
}

export type EventName = keyof EventFields;

export type EventLevel = 'debug' | 'info' | 'warn' | 'error';

export interface EventRow {
  readonly level: EventLevel;
  /** The sentence of its line in the log. */
  readonly says: string;
  /**
   * Strangers can cause these as often as they like: the log writes the first at once, then one line per interval with
   * how often it happened.
   */
  readonly spaced?: true;
  /** The limit that was met; the metrics count these by it. */
  readonly limit?: string;
  /** Not among the events of the metrics: it has a metric of its own, or happens in a process without a metrics port. */
  readonly uncounted?: true;
}

export const EVENTS: Readonly<Record<EventName, EventRow>> = Object.freeze({
  server_started: { level: 'info', says: 'The server is ready.' },
  server_stopping: { level: 'info', says: 'The server is stopping. Requests in flight finish first.' },
  server_stopped: { level: 'info', says: 'The server has stopped.' },
  worker_ready: { level: 'info', says: 'A worker process is ready.', uncounted: true },
  worker_ended: { level: 'error', says: 'A worker process ended. It restarts after the pause.', uncounted: true },
  setup_changed: { level: 'info', says: 'Configuration changed; reloaded.' },
  setup_unreadable: { level: 'error', says: 'The configuration could not be read.', spaced: true },
  request_answered: { level: 'debug', says: 'A request was answered.', uncounted: true },
  request_failed: { level: 'error', says: 'A request failed with an internal error.' },
  request_thread_paused: { level: 'info', says: 'The request thread was blocked.', spaced: true },
  request_unreadable: { level: 'debug', says: 'A request could not be read as HTTP.' },
  store_unavailable: { level: 'error', says: 'The database is unavailable.', spaced: true },
  store_full: {
    level: 'error',
    says: 'The database disk is full. Reads are served; writes are refused until there is space.',
  },
  log_damaged: {
    level: 'error',
    says: 'The write-ahead log was damaged, and acknowledged transactions are lost. The log was kept.',
  },
  store_lost: { level: 'error', says: 'The database connection is lost for good. Restart the process.' },
  socket_error_uncaught: {
    level: 'error',
    says: 'A socket failed with an unhandled error. The server keeps running.',
    spaced: true,
  },
  error_uncaught: { level: 'error', says: 'Uncaught error. The process exits.' },
  overloaded: {
    level: 'warn',
    says: 'Requests were refused because too many were waiting.',
    spaced: true,
    limit: 'load',
  },
  act_unrecorded: { level: 'error', says: 'A change by an operator could not be written to the activity log.' },
  work_failed: { level: 'error', says: 'Background work failed and will be retried.' },
  work_lost: { level: 'warn', says: 'Background work lost its lease. Another process continues it.' },
  work_stalled: { level: 'error', says: 'Background work is waiting for the database.', spaced: true },
  bulk_thread_ended: { level: 'error', says: 'The bulk file thread ended. It restarts after the pause.' },
  image_decoder_lost: { level: 'error', says: 'An image decoder crashed or hung and was replaced.', spaced: true },
  rate_limited: { level: 'warn', says: 'An account exceeded its rate limit.', spaced: true, limit: 'rate' },
  login_throttled: { level: 'warn', says: 'Too many wrong secrets or passwords.', spaced: true, limit: 'login' },
  body_too_large: { level: 'info', says: 'A request body was too large.', spaced: true, limit: 'body' },
  bodies_overloaded: {
    level: 'warn',
    says: 'A request body was refused because incoming bodies use too much memory.',
    spaced: true,
    limit: 'bodies',
  },
  disk_full: { level: 'error', says: 'No disk space for bulk files.', spaced: true, limit: 'disk' },
  files_held_up: {
    level: 'error',
    says: 'Bulk files and reports are waiting for disk space.',
    spaced: true,
    limit: 'files_room',
  },
  headers_too_large: {
    level: 'info',
    says: 'A request had too many or too large headers.',
    spaced: true,
    limit: 'headers',
  },
  client_timed_out: { level: 'info', says: 'A client was too slow.', spaced: true, limit: 'time' },
  connection_refused: {
    level: 'warn',
    says: 'A connection was refused because too many are open.',
    spaced: true,
    limit: 'connections',
  },
} satisfies Record<EventName, EventRow>);

export const EVENT_NAMES = Object.freeze(Object.keys(EVENTS) as EventName[]);
