/** Defines a precondition of a write (`If-Match`, `If-None-Match`), and decides whether it holds. */

/** A condition on the current state of the part that a write changes. */
export interface Precondition {
  /** The part must have one of these tags; `*`: it must be set. */
  readonly ifMatch?: readonly string[] | '*';
  /** The part must not be set. */
  readonly ifNoneMatch?: '*';
}

/** A write that repeats a request whose first run may have written. */
interface Repeat {
  /** The sequence number of the first run. Parts with a higher one stay, because they were written since, and count as stored. */
  readonly firstRunNumber: number;
}

/** Stands for the new tag in the response of a `KeyedRequest`, if only the store knows it. Tags have no such characters. */
export const NEW_TAG = '<new tag>';

/** A request with an Idempotency-Key, which is stored with its response in the commit of the write. */
export interface KeyedRequest {
  readonly key: string;
  readonly fingerprint: string;
  /** The response to an accepted write, as JSON. */
  readonly answer: string;
}

/** A write that is made only if its key is free. */
interface Keyed {
  readonly keyed: KeyedRequest;
}

type Only<T> = T & { readonly [Name in Exclude<keyof (Repeat & Keyed), keyof T>]?: never };

/** What a write depends on: a repeat has no precondition, because its own first run may have broken it. */
export type WriteConditions = Only<Precondition> | Only<Repeat> | Only<Keyed>;

/** Whether the precondition holds. `tag` is null if the part is not set. */
export function isMet({ ifMatch, ifNoneMatch }: Precondition, tag: string | null): boolean {
  if (ifNoneMatch !== undefined && tag !== null) return false;
  return ifMatch === undefined || (tag !== null && (ifMatch === '*' || ifMatch.includes(tag)));
}
