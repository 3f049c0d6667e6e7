/**
 * In charge of the numbers that put writes in order: one counter in the database, never a clock. Drawn under the write
 * lock, and so in the order of the commits.
 *
 * The counter does not move with every number: that would add a page of 16 KB to each commit, which made 16 prices take
 * 214 us where 168 us do. A connection reserves some numbers and gives them out for as long as the counter stands where
 * it left it, that is, while no other connection has reserved higher ones.
 */
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import type { Transaction } from './transactions.ts';

/** So many are left unused at most when a process ends or another connection reserves; 2^53 last for 8e12 such losses. */
export const RESERVED_TOGETHER = 1024;

const NONE = 0;

export class WriteNumbers {
  readonly #readReserved;
  readonly #reserve;
  /** The numbers behind `#last` up to this one are reserved for this connection, if the counter still stands there. */
  #reserved = NONE;
  #last = NONE;
  #current = NONE;
  #transactions = 0;

  constructor(connection: Connection) {
    this.#readReserved = query<[reserved: number]>(connection, 'SELECT reserved FROM write_number');
    this.#reserve = query<[reserved: number]>(
      connection,
      `UPDATE write_number SET reserved = reserved + ${RESERVED_TOGETHER} RETURNING reserved`,
    );
  }

  /** The number of the writes of this transaction: the first of them draws it for all. */
  current(): number {
    if (this.#current === NONE) this.#current = this.#draw();
    return this.#current;
  }

  /** A number that no write has; those behind it in the transaction have a higher one. */
  drawApart(): number {
    this.#current = NONE;
    return this.#draw();
  }

  /** To be called where a transaction begins. */
  begin(): void {
    this.#current = NONE;
    this.#transactions++;
  }

  /** Which transaction of this connection is open. Its number would not do: after a rollback another one may have it. */
  get transaction(): number {
    return this.#transactions;
  }

  /** To be called where one is rolled back: so is what it reserved, which another connection may reserve next. */
  forget(): void {
    this.#reserved = NONE;
    this.#last = NONE;
    this.#current = NONE;
  }

  #draw(): number {
    if (this.#last === this.#reserved || only(this.#readReserved.get()) !== this.#reserved) {
      this.#reserved = only(this.#reserve.get());
      this.#last = this.#reserved - RESERVED_TOGETHER;
    }
    this.#last++;
    return this.#last;
  }
}

/** A number for each transaction that writes. */
export function numbered(transaction: Transaction, numbers: WriteNumbers): Transaction {
  return {
    begin: () => {
      numbers.begin();
      transaction.begin();
    },
    commit: transaction.commit,
    rollback: () => {
      numbers.forget();
      transaction.rollback();
    },
  };
}

function only(row: [number] | undefined): number {
  if (row === undefined) throw new Error('The counter of writes has one row.');
  return row[0];
}
