/** Renews the lease of an import while its lines are read, however long the next line takes. */

import type { MoveStore } from '../../store/port/moves.ts';
import { IMPORT_LEASE_MS } from '../../store/port/moves.ts';

/** Two renewals may fail before the lease expires and another command may take over the import. */
const SIGNS_PER_LEASE = 3;

export class HeldImport {
  readonly #timer: NodeJS.Timeout;
  #sign: Promise<void> = Promise.resolve();

  constructor(moves: Pick<MoveStore, 'renewImport'>, merchantId: string) {
    this.#timer = setInterval(() => {
      // A failed renewal is ignored, because the next slice also checks the mark and reports the problem.
      this.#sign = moves.renewImport(merchantId).catch(() => {});
    }, IMPORT_LEASE_MS / SIGNS_PER_LEASE);
  }

  /** Resolves when no more calls to the store are pending. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sign;
  }
}
