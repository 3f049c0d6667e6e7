/** What crosses between the thread that works on bulk files and the one that started it. */
import type { NameSettings } from '../domain/names.ts';
import type { HandedOverStore } from '../store/open-store.ts';
import type { EventFields, EventName } from '../telemetry/events.ts';

/** What the thread is given when it starts. */
export interface BulkThreadData {
  readonly store: HandedOverStore;
  readonly filesFolder: string;
  readonly names: NameSettings;
  readonly unpacked_bytes_max: number;
  /** That files leave free on the disk. */
  readonly free_bytes_min: number;
  /** Of an account, of what has ended. */
  readonly kept_bytes_max: number;
  /** Names the process to people who look at leases. */
  readonly holder: string;
}

export type ToBulkThread =
  /** A file or a report may be there. */
  { readonly kind: 'wake' } | { readonly kind: 'stop'; readonly wait_ms_max: number };

export type FromBulkThread =
  | { readonly kind: 'ready' }
  /** Offers may be due for review. */
  | { readonly kind: 'written' }
  | { readonly kind: 'event'; readonly event: EventName; readonly fields: EventFields[EventName] };

/** An error as it can travel: of other classes than the language's own only name, text and stack arrive. */
export function asTravelling<T>(fields: T): T {
  if (typeof fields !== 'object' || fields === null || !('error' in fields)) return fields;
  const { error } = fields;
  if (!(error instanceof Error)) return { ...fields, error: String(error) };
  const copy = new Error(`${error.name === 'Error' ? '' : `${error.name}: `}${error.message}`);
  if (error.stack !== undefined) copy.stack = error.stack;
  return { ...fields, error: copy };
}
