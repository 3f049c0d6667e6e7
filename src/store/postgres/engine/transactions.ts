/** In charge of transactions that look before they write, and that may end with a result and nothing stored. */
import type { Connection, Database } from './engine.ts';

/** How a transaction ends: with what it wrote, or as if it had never been. */
export interface Ending<T> {
  readonly isKept: boolean;
  readonly result: T;
}

export function kept<T>(result: T): Ending<T> {
  return { isKept: true, result };
}

export function undone<T>(result: T): Ending<T> {
  return { isKept: false, result };
}

export async function inWriteTransaction<T>(
  database: Database,
  work: (connection: Connection) => Promise<Ending<T>>,
): Promise<T> {
  try {
    return await database.inTransaction(async (connection) => {
      const { isKept, result } = await work(connection);
      if (!isKept) throw new Undone(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Undone) return error.result;
    throw error;
  }
}

/** Makes the database roll back; never leaves this file. */
class Undone<T> extends Error {
  override readonly name = 'Undone';
  readonly result: T;

  constructor(result: T) {
    super('The transaction is undone.');
    this.result = result;
  }
}
