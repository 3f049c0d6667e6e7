/** In charge of the embedded store as source and as target of a copy. Runs on the thread of whoever copies. */
import { dirname } from 'node:path';
import type { CopiedTables } from '../port/copied-tables.ts';
import type {
  CopiedCounters,
  CopiedOffer,
  CopyMark,
  CopyOrigin,
  CopyPlace,
  CopyReading,
  CopyStore,
} from '../port/copy.ts';
import { moveMark, readMark, removeMark, setMark } from './copy-mark.ts';
import { SqliteCopyReading } from './copy-reads.ts';
import { CopiedOfferWrites, hasCopiedRows, insertTables, raiseCounters } from './copy-writes.ts';
import type { Connection } from './engine.ts';
import { answered } from './setup.ts';
import { inWriteTransaction } from './transactions.ts';

export class SqliteCopyStore implements CopyStore {
  readonly name: string;
  readonly #file: string;
  readonly #connection: Connection;
  readonly #offers: CopiedOfferWrites;

  constructor(file: string, connection: Connection) {
    this.name = `sqlite:${dirname(file)}`;
    this.#file = file;
    this.#connection = connection;
    this.#offers = new CopiedOfferWrites(connection);
  }

  openReading(): Promise<CopyReading> {
    return answered(() => new SqliteCopyReading(this.#file));
  }

  readMark(): Promise<CopyMark | undefined> {
    return answered(() => readMark(this.#connection));
  }

  beginCopy(origin: CopyOrigin, tables: CopiedTables, counters: CopiedCounters): Promise<'begun' | 'not_empty'> {
    return this.#write((connection) => {
      if (readMark(connection) !== undefined || hasCopiedRows(connection)) return 'not_empty';
      setMark(connection, origin);
      insertTables(connection, tables);
      raiseCounters(connection, counters);
      return 'begun';
    });
  }

  writeOffers(from: CopyPlace, accountId: number, offers: readonly CopiedOffer[]): Promise<'stored' | 'overtaken'> {
    return this.#write((connection) => {
      const last = offers.at(-1);
      if (last === undefined) return 'stored';
      if (!moveMark(connection, from, { accountId, order: last.order })) return 'overtaken';
      for (const offer of offers) this.#offers.insert(accountId, offer);
      return 'stored';
    });
  }

  finishCopy(): Promise<void> {
    return this.#write((connection) => {
      removeMark(connection);
      connection.exec('UPDATE setup_version SET version = version + 1');
    });
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close();
  }

  #write<T>(work: (connection: Connection) => T): Promise<T> {
    return answered(() => inWriteTransaction(this.#connection, () => work(this.#connection)));
  }
}
