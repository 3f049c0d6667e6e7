/**
 * In charge of the marks that moves of whole merchants set: who is moving which merchant in, and which one is half erased.
 * What a move that was cut off left behind is known by them, and so nobody takes it for a whole merchant.
 */

/** What was begun with a merchant and has not ended: it is half moved in, or half erased. */
export type Unfinished = 'import' | 'removal';

/** An import that gives no sign of life for that long counts as dead, and may be taken over. */
export const IMPORT_LEASE_MS = 10_000;

/** A store that was opened for moves is the owner of the marks that it sets. */
export interface MoveMarkStore {
  /** Says that the import still lives; each of its writes says so too. */
  renewImport(merchantId: string): Promise<void>;
  /**
   * Makes this store the owner of an import that was cut off, so that it may be erased; whoever had it can write no more.
   * `busy_ms`: its owner was alive just now, and counts as dead after that time unless it gives another sign.
   */
  takeOverImport(merchantId: string): Promise<'taken' | 'none' | { readonly busy_ms: number }>;

  /**
   * Suspends the merchant and marks it. Another removal that has not begun to erase is over then.
   * `exportedTo`: an earlier one has begun to erase, after the whole merchant was exported to that file.
   */
  beginRemoval(merchantId: string): Promise<'begun' | 'unknown' | { readonly exportedTo: string }>;
  /**
   * From here on the merchant cannot be let in again. `ended`: the removal is over, because the merchant was let in or another
   * removal was begun; nothing may be erased.
   */
  beginErasing(merchantId: string, exportedTo: string): Promise<'begun' | 'ended'>;
}

/** Another import, or a removal, has taken the merchant over, because this import gave no sign of life for too long. */
export class ImportOvertakenError extends Error {
  override readonly name = 'ImportOvertakenError';

  constructor(merchantId: string) {
    super(`The import of merchant ${merchantId} was taken over by another command.`);
  }
}
