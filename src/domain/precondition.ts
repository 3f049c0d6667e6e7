/** Defines a precondition of a write (`If-Match`, `If-None-Match`), and decides whether it holds. */

/** A condition on the current state of the part that a write changes. */
export interface Precondition {
  /** The part must have one of these tags; `*`: it must be set. */
  readonly ifMatch?: readonly string[] | '*';
  /** The part must not be set. */
  readonly ifNoneMatch?: '*';
}

/** What a write depends on. */
export interface WriteConditions extends Precondition {
  /**
   * The sequence number of an earlier run of the request. Parts with a higher one stay, because they were written since, and count as
   * stored.
   */
  readonly late?: number;
}

export function hasPrecondition({ ifMatch, ifNoneMatch }: Precondition): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined;
}

/** Whether the precondition holds. `tag` is null if the part is not set. */
export function isMet({ ifMatch, ifNoneMatch }: Precondition, tag: string | null): boolean {
  if (ifNoneMatch !== undefined && tag !== null) return false;
  return ifMatch === undefined || (tag !== null && (ifMatch === '*' || ifMatch.includes(tag)));
}
