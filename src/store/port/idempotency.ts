/**
 * Port for idempotency keys. A key is a merchant's name for a request, so that a retry gets the stored response and writes nothing.
 *
 * A request claims its key, runs, and stores its response. On SQLite, the first attempt at a write of one part stores key and response in
 * the commit of the write instead (`OfferStore.write` with `keyed`). The claim has a sequence number and a lease. If the lease expires
 * without a stored response, the process died, and the outcome of the request is unknown. A retry then gets the same claim, and writes with
 * its number (`firstRunNumber`), so that it never overwrites newer data.
 */

export interface KeyClaim {
  readonly accountId: number;
  readonly key: string;
  /** Hash of the call, its URL, body and preconditions: a key belongs to one request. */
  readonly fingerprint: string;
}

export type ClaimOutcome =
  /** The caller runs the request. `isRepeat`: an earlier run stored no response, but may have written data. */
  | { readonly state: 'claimed'; readonly number: number; readonly isRepeat: boolean }
  | { readonly state: 'answered'; readonly answer: string }
  /** `left_ms`: time until the lease expires, unless a response is stored before. */
  | { readonly state: 'running'; readonly left_ms: number }
  | { readonly state: 'other_request' };

/** A claim that the caller holds. */
export interface HeldKey extends Omit<KeyClaim, 'fingerprint'> {
  readonly number: number;
}

export interface IdempotencyStore {
  /**
   * Claims the key, unless another request has it. The first claim draws a sequence number, which no other claim gets: no completed write
   * has a higher number, and every write that starts after this call returns gets a higher one.
   */
  claimKey(claim: KeyClaim, nowMs: number, lease_ms: number): Promise<ClaimOutcome>;
  /** Stores the response, unless one is stored already. */
  storeAnswer(held: HeldKey, answer: string): Promise<void>;
  /** Ends the lease without a response, so that a retry runs immediately. */
  releaseKey(held: HeldKey): Promise<void>;
  /** Deletes some keys of the account that were claimed before `beforeMs`. Returns whether more may be left. */
  dropKeys(accountId: number, beforeMs: number): Promise<boolean>;
}
