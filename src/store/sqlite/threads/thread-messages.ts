/** Defines the messages between store threads and their clients: plain data only, errors included. */
import type { MessagePort } from 'node:worker_threads';
import { StoreUnavailableError } from '../../port/errors.ts';
import { storeError } from '../engine/engine.ts';

/** `background` are slices of background work; see lanes.ts. */
export type Lane = 'foreground' | 'background';

/** One batch: methods of the service, and the arguments of each. */
export type BatchMessage = readonly [lane: Lane, methods: readonly string[], args: readonly (readonly unknown[])[]];

/** The results of one batch, and failures by index. Each lane of a client gets its results in the order sent. */
export type AnswerMessage = readonly [
  lane: Lane,
  results: readonly unknown[],
  failures: ReadonlyMap<number, ErrorData> | null,
];

/** The first message of a thread: that it is ready, or why it cannot work. */
export type GreetingMessage = { readonly ready: true } | { readonly failed: ErrorData };

/** Connects a further client, which has the other end of the port. */
export interface ClientMessage {
  readonly client: MessagePort;
}

/** The last message to a thread, from the client that started it: close everything and end. */
export const CLOSE_MESSAGE = null;

export type ThreadMessage = BatchMessage | ClientMessage | typeof CLOSE_MESSAGE;

export interface ErrorData {
  readonly unavailable: boolean;
  readonly message: string;
  /** SQLite's error with its stack. */
  readonly cause: string;
}

export function isBatch(message: ThreadMessage): message is BatchMessage {
  return Array.isArray(message);
}

export function errorToData(error: unknown): ErrorData {
  const mapped = storeError(error);
  return {
    unavailable: mapped instanceof StoreUnavailableError,
    message: mapped instanceof Error ? mapped.message : String(mapped),
    cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

export function errorFromData(data: ErrorData): Error {
  return data.unavailable
    ? new StoreUnavailableError(data.message, { cause: data.cause })
    : new Error(data.message, { cause: data.cause });
}
