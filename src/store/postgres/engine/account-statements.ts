/**
 * Prepares statements on a connection to a Citus worker, one for each account, with the account as a literal.
 *
 * With the account as a parameter, a worker plans the statement again each time. Citus 13.2.2 also keeps each of these plans, 50 KB of
 * memory for every read (docs/decisions/0060). With a literal it reuses its plan, like PostgreSQL.
 */
import type { Statement } from '../../shared/sql.ts';
import type { Rewritten } from './pooled-connection.ts';
import { accountIndex } from './worker-gates.ts';

/** A prepared statement takes 41 KB of the worker's memory, so a connection takes up to 10 MB. */
const PREPARED_MAX = 250;

interface Prepared {
  readonly name: string;
  readonly text: string;
}

export class AccountStatements {
  readonly #prepared_max: number;
  /** The least recently used first. */
  readonly #prepared = new Map<string, Prepared>();
  #count = 0;

  constructor(prepared_max = PREPARED_MAX) {
    this.#prepared_max = prepared_max;
  }

  /** Returns undefined if the statement is not about one account. */
  rewrite(asked: Statement, values: readonly unknown[]): Rewritten | undefined {
    const index = accountIndex(asked);
    const accountId = values[index];
    if (!Number.isSafeInteger(accountId)) return undefined;
    const key = `${accountId} ${asked.name}`;
    const known = this.#prepared.get(key);
    this.#prepared.delete(key);
    const forgotten = known === undefined ? this.#forgetOldest() : undefined;
    // A name is never used again, because statements that use it may still be in flight.
    const prepared = known ?? {
      name: `account_${this.#count++}`,
      text: withLiteral(asked.text, index, Number(accountId)),
    };
    this.#prepared.set(key, prepared);
    return { ...prepared, values: values.filter((_, each) => each !== index), forgotten };
  }

  #forgetOldest(): string | undefined {
    if (this.#prepared.size < this.#prepared_max) return undefined;
    const [key, oldest] = this.#prepared.entries().next().value as [string, Prepared];
    this.#prepared.delete(key);
    return oldest.name;
  }
}

function withLiteral(text: string, index: number, accountId: number): string {
  return text.replaceAll(/\$(\d+)/g, (found, digits: string) => {
    const each = Number(digits) - 1;
    return each === index ? `'${accountId}'::bigint` : each > index ? `$${each}` : found;
  });
}
