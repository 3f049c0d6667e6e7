/** Defines the messages between the bulk file thread and the thread that started it. */
import type { NameSettings } from '../domain/names.ts';
import type { StoreShare } from '../store/open-store.ts';
import type { EventFields, EventName } from '../telemetry/events.ts';
import type { FeedSettings } from './write-export.ts';

/** The data that the thread starts with. */
export interface BulkThreadData {
  readonly store: StoreShare;
  readonly filesFolder: string;
  readonly names: NameSettings;
  readonly feeds: FeedSettings;
  readonly unpacked_bytes_max: number;
  /** Free disk space that files must leave. */
  readonly free_bytes_min: number;
  /** Disk limit per account for finished files and reports. */
  readonly kept_bytes_max: number;
  /** See BulkWorkOptions. */
  readonly check_threads_max: number;
  /** Name of the process in leases, for operators. */
  readonly holder: string;
}

export type ToBulkThread =
  /** Sent when a file or a report may be waiting. */
  { readonly kind: 'wake' } | { readonly kind: 'stop'; readonly wait_ms_max: number };

export type FromBulkThread =
  | { readonly kind: 'ready' }
  /** Sent when offers may be due for review. */
  | { readonly kind: 'written' }
  | { readonly kind: 'event'; readonly event: EventName; readonly fields: EventFields[EventName] };

/** Converts an error so that it can cross threads. Of a custom error class, only name, message and stack would arrive. */
export function withPlainError<T>(fields: T): T {
  if (typeof fields !== 'object' || fields === null || !('error' in fields)) return fields;
  const { error } = fields;
  if (!(error instanceof Error)) return { ...fields, error: String(error) };
  const copy = new Error(`${error.name === 'Error' ? '' : `${error.name}: `}${error.message}`);
  if (error.stack !== undefined) copy.stack = error.stack;
  return { ...fields, error: copy };
}
