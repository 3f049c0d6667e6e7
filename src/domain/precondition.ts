/** Defines a precondition of a write (`If-Match`, `If-None-Match`), and decides whether it holds. */

/** A condition on the current state of the part that a write changes. */
export interface Precondition {
  /** The part must have one of these tags; `*`: it must be set. */
  readonly ifMatch?: readonly string[] | '*';
  /** The part must not be set. */
  readonly ifNoneMatch?: '*';
}

/** Whether the precondition holds. `tag` is null if the part is not set. */
export function isMet({ ifMatch, ifNoneMatch }: Precondition, tag: string | null): boolean {
  if (ifNoneMatch !== undefined && tag !== null) return false;
  return ifMatch === undefined || (tag !== null && (ifMatch === '*' || ifMatch.includes(tag)));
}
