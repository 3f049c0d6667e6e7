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
  server_stopping: { level: 'info', says: 'The server stops: requests under way are finished first.' },
  server_stopped: { level: 'info', says: 'The server has stopped.' },
  worker_ready: { level: 'info', says: 'A worker process is ready.', uncounted: true },
  worker_ended: { level: 'error', says: 'A worker process ended and is replaced after the pause.', uncounted: true },
  setup_changed: { level: 'info', says: 'The setup was changed and is followed.' },
  setup_unreadable: { level: 'error', says: 'The setup could not be read.', spaced: true },
  request_answered: { level: 'debug', says: 'A request was answered.', uncounted: true },
  request_failed: { level: 'error', says: 'A request failed inside Offerbook.' },
  request_thread_paused: { level: 'info', says: 'The request thread was held up.', spaced: true },
  request_unreadable: { level: 'debug', says: 'A request could not be read as HTTP.' },
  store_unavailable: { level: 'error', says: 'The store cannot take requests.', spaced: true },
  store_full: {
    level: 'error',
    says: 'The database has no room to grow: reads are served, writes are refused until there is room.',
  },
  log_damaged: {
    level: 'error',
    says: 'The write-ahead log was damaged: transactions that were answered are lost. The log was kept.',
  },
  store_lost: { level: 'error', says: 'The store is gone; only a new process fixes that.' },
  socket_error_uncaught: {
    level: 'error',
    says: 'A socket failed and nothing handled its error; the server goes on.',
    spaced: true,
  },
  error_uncaught: { level: 'error', says: 'An error was not caught; the process ends.' },
  overloaded: { level: 'warn', says: 'Requests were refused: too many were waiting.', spaced: true, limit: 'load' },
  act_unrecorded: { level: 'error', says: 'An operator changed something, and the record of it could not be written.' },
  work_failed: { level: 'error', says: 'Background work failed; it will be tried again.' },
  work_lost: { level: 'warn', says: 'Background work lost its lease; another process goes on with it.' },
  work_stalled: { level: 'error', says: 'Background work waits for the store.', spaced: true },
  bulk_thread_ended: { level: 'error', says: 'The thread of bulk files ended and is replaced after the pause.' },
  image_decoder_lost: { level: 'error', says: 'An image decoder crashed or hung and is replaced.', spaced: true },
  rate_limited: { level: 'warn', says: 'An account sends too many requests.', spaced: true, limit: 'rate' },
  login_throttled: { level: 'warn', says: 'Wrong secrets are being tried.', spaced: true, limit: 'login' },
  body_too_large: { level: 'info', says: 'A body was too large.', spaced: true, limit: 'body' },
  bodies_overloaded: {
    level: 'warn',
    says: 'A body was refused: those that are arriving hold too much memory.',
    spaced: true,
    limit: 'bodies',
  },
  disk_full: { level: 'error', says: 'There is no room for bulk files.', spaced: true, limit: 'disk' },
  files_held_up: {
    level: 'error',
    says: 'Bulk files and reports wait for room on the disk.',
    spaced: true,
    limit: 'files_room',
  },
  headers_too_large: { level: 'info', says: 'Headers were too many or too large.', spaced: true, limit: 'headers' },
  client_timed_out: { level: 'info', says: 'A client was too slow.', spaced: true, limit: 'time' },
  connection_refused: {
    level: 'warn',
    says: 'A connection was refused: too many are open.',
    spaced: true,
    limit: 'connections',
  },
} satisfies Record<EventName, EventRow>);

export const EVENT_NAMES = Object.freeze(Object.keys(EVENTS) as EventName[]);
