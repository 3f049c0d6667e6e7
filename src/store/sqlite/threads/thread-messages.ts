/** In charge of what crosses between the store's threads and those who call them: plain data only, errors included. */
import type { MessagePort } from 'node:worker_threads';
import { StoreUnavailableError } from '../../port/errors.ts';
import { storeError } from '../engine/engine.ts';

/** `behind` are slices of background work; see lanes.ts. */
export type Lane = 'first' | 'behind';

/** The commands of one batch: the method of the service, and its arguments at the same place. */
export type BatchMessage = readonly [lane: Lane, methods: readonly string[], args: readonly (readonly unknown[])[]];

/**
 * The results of one batch, and the failures by the command's place. The batches of a client are answered in the order
 * sent, in each lane.
 */
export type AnswerMessage = readonly [
  lane: Lane,
  results: readonly unknown[],
  failures: ReadonlyMap<number, ErrorData> | null,
];

/** The first message of a thread: what it reports of itself, or why it cannot work. */
export type GreetingMessage = { readonly ready: unknown } | { readonly failed: ErrorData };

/** Gives the thread a further client, which has the other end of the port. */
export interface ClientMessage {
  readonly client: MessagePort;
}

/** The last message to a thread, from who started it: let go of everything and end. */
export const CLOSE_MESSAGE = null;

export type ThreadMessage = BatchMessage | ClientMessage | typeof CLOSE_MESSAGE;

export interface ErrorData {
  readonly unavailable: boolean;
  readonly message: string;
  /** Of the error that SQLite gave, with its stack. */
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
