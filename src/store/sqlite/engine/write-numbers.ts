/**
 * Draws the sequence numbers that order writes: one counter in the database, never a clock. Numbers are drawn under the write
 * lock, so they follow the order of commits.
 *
 * The counter is not updated for every number: that would add a page to each commit. A connection reserves some numbers and uses them
 * until another connection reserves higher ones.
 */
import type { Connection } from './connection.ts';

/**
 * Numbers reserved at a time: the most that stay unused when a process ends or another connection reserves. 2^53 allows for 8e12 such
 * losses.
 */
export const RESERVED_TOGETHER = 1024;

const NONE = 0;

export class WriteNumbers {
  readonly #readReserved;
  readonly #reserve;
  /** This connection owns the numbers after `#last` up to this one, as long as the counter has this value. */
  #reserved = NONE;
  #last = NONE;
  #current = NONE;
  #transactions = 0;

  constructor(connection: Connection) {
    this.#readReserved = connection.query<[reserved: number]>('SELECT reserved FROM write_number');
    this.#reserve = connection.query<[reserved: number]>(`
      UPDATE write_number SET reserved = reserved + ${RESERVED_TOGETHER} RETURNING reserved`);
  }

  /** Returns the number of this transaction's writes, which the first call draws. */
  current(): number {
    if (this.#current === NONE) this.#current = this.#draw();
    return this.#current;
  }

  /** Draws a number that no write has. Later writes of the transaction get a higher one. */
  drawApart(): number {
    this.#current = NONE;
    return this.#draw();
  }

  /** Call this when a transaction begins. */
  begin(): void {
    this.#current = NONE;
    this.#transactions++;
  }

  /** Counts transactions of this connection. A sequence number does not identify one: after a rollback it is drawn again. */
  get transaction(): number {
    return this.#transactions;
  }

  /** Call this on rollback, which also undoes the reservation: another connection may reserve the same numbers. */
  forget(): void {
    this.#reserved = NONE;
    this.#last = NONE;
    this.#current = NONE;
  }

  /** The highest number that this connection owns; 0 after a rollback. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Reserves numbers, even if some are left. */
  reserveAnew(): void {
    this.#reserved = only(this.#reserve.get());
    this.#last = this.#reserved - RESERVED_TOGETHER;
  }

  #draw(): number {
    if (this.#last === this.#reserved || only(this.#readReserved.get()) !== this.#reserved) this.reserveAnew();
    this.#last++;
    return this.#last;
  }
}

function only(row: [number] | undefined): number {
  if (row === undefined) throw new Error('The counter of writes has no row.');
  return row[0];
}
