/**
 * In charge of dropping what was found of pictures that no offer needs any more. Runs in the writer thread, inside a transaction
 * that is not its own.
 */
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

export class UnusedImages {
  readonly #last;
  readonly #drop;

  constructor(connection: Connection) {
    this.#last = query<[key: Uint8Array | null]>(
      connection,
      'SELECT max(address_hash) FROM (SELECT address_hash FROM image WHERE address_hash > ? ORDER BY address_hash LIMIT ?)',
    );
    this.#drop = query(
      connection,
      `DELETE FROM image WHERE address_hash > ? AND address_hash <= ? AND judged_ms < ?
       AND NOT EXISTS (SELECT 1 FROM image_user u WHERE u.address_hash = image.address_hash)
       AND NOT EXISTS (SELECT 1 FROM image_waiting w WHERE w.address_hash = image.address_hash)`,
    );
  }

  drop(beforeMs: number, after: Uint8Array, limit: number): Uint8Array | undefined {
    const last = this.#last.get(after, limit)?.[0] ?? undefined;
    if (last !== undefined) this.#drop.run(after, last, beforeMs);
    return last;
  }
}
