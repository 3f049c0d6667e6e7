/** In charge of what crosses between the request thread and the store's threads: plain data only, errors included. */
import { StoreUnavailableError } from '../port.ts';
import { storeError } from './engine.ts';

/** The commands of one batch: the method of the service, and its arguments at the same place. */
export type BatchMessage = readonly [methods: readonly string[], args: readonly (readonly unknown[])[]];

/** The results of one batch, and the failures by the command's place. Batches are answered in the order sent. */
export type AnswerMessage = readonly [results: readonly unknown[], failures: ReadonlyMap<number, ErrorData> | null];

/** The first message of a thread: what it reports of itself, or why it cannot work. */
export type GreetingMessage = { readonly ready: unknown } | { readonly failed: ErrorData };

/** The last message to a thread: let go of everything and end. */
export const CLOSE_MESSAGE = null;

export interface ErrorData {
  readonly unavailable: boolean;
  readonly message: string;
  /** Of the error that SQLite gave, with its stack. */
  readonly cause: string;
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
