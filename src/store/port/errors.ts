/** The errors a store throws when it cannot do what the port promises. */

/** The store cannot take or finish the request: locked, full, read-only, gone. Nothing may be reported as stored. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** The database node that holds the account cannot be asked; other accounts may be served. */
export class AccountUnavailableError extends StoreUnavailableError {}

/** The disk of the embedded database has no room for writes; reads work. */
export class StoreFullError extends StoreUnavailableError {}

/** More calls are waiting than the store lets wait; this one was not taken. */
export class StoreOverloadedError extends Error {
  override readonly name = 'StoreOverloadedError';
}

/** Another import, or a removal, has taken the merchant over, because this import gave no sign of life for too long. */
export class ImportOvertakenError extends Error {
  override readonly name = 'ImportOvertakenError';

  constructor(merchantId: string) {
    super(`The import of merchant ${merchantId} was taken over by another command.`);
  }
}
