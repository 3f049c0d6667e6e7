/** Defines the errors a store throws when it cannot do what the port promises. */

/** The store cannot accept or finish the call: it is locked, full, read-only or gone. The write must not be reported as stored. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** The database node of the account is unreachable; other accounts may be served. */
export class AccountUnavailableError extends StoreUnavailableError {}

/** The disk of the embedded database is full; reads work. */
export class StoreFullError extends StoreUnavailableError {}

/** Too many calls are waiting; this one was refused. */
export class StoreOverloadedError extends Error {
  override readonly name = 'StoreOverloadedError';
}

/** The key of the write is taken, or the write is refused. Nothing was written. */
export class KeyNotStoredError extends Error {
  override readonly name = 'KeyNotStoredError';
}

/** Another import or a removal took over the merchant, because the lease of this import expired. */
export class ImportOvertakenError extends Error {
  override readonly name = 'ImportOvertakenError';

  constructor(merchantId: string) {
    super(`The import of merchant ${merchantId} was taken over by another command.`);
  }
}

/** Returns `otherwise` if the database is unavailable: for figures and extras that an answer can do without. */
export async function unlessStoreIsDown<T, Otherwise>(read: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof StoreUnavailableError || error instanceof StoreOverloadedError) return otherwise;
    throw error;
  }
}
