/** In charge of one import while its lines are read: says that it lives, however long the next line takes to come. */

import type { MoveStore } from '../../store/port/moves.ts';
import { IMPORT_LEASE_MS } from '../../store/port/moves.ts';

/** Two signs of life may fail before others may take the import over. */
const SIGNS_PER_LEASE = 3;

export class HeldImport {
  readonly #timer: NodeJS.Timeout;
  #sign: Promise<void> = Promise.resolve();

  constructor(moves: Pick<MoveStore, 'renewImport'>, merchantId: string) {
    this.#timer = setInterval(() => {
      // One that fails is no fault by itself: the next slice asks for the mark as well, and says what is wrong.
      this.#sign = moves.renewImport(merchantId).catch(() => {});
    }, IMPORT_LEASE_MS / SIGNS_PER_LEASE);
  }

  /** Resolves when nothing is asked of the store any more. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sign;
  }
}
