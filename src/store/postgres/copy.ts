/** In charge of a PostgreSQL store as source and as target of a copy. */
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
import { PostgresCopyReading } from './copy-reads.ts';
import { hasCopiedRows, insertOffers, insertTables, raiseCounters } from './copy-writes.ts';
import { type Database, type DatabaseOptions, openDatabase } from './engine.ts';
import { MOVE_LIMITS } from './moves.ts';
import { changeSetup } from './setup-version.ts';
import { openMoment } from './snapshot.ts';
import { inWriteTransaction, kept, undone } from './transactions.ts';

export class PostgresCopyStore implements CopyStore {
  readonly name: string;
  readonly #options: DatabaseOptions;
  readonly #database: Database;

  constructor({ url }: Pick<DatabaseOptions, 'url'>) {
    this.name = nameOf(url);
    this.#options = { url, ...MOVE_LIMITS };
    this.#database = openDatabase(this.#options);
  }

  async openReading(): Promise<CopyReading> {
    const { connection, close } = await openMoment(this.#options);
    return new PostgresCopyReading(connection, close);
  }

  readMark(): Promise<CopyMark | undefined> {
    return readMark(this.#database);
  }

  /** A change of the set-up, so that one which is made at the same time comes before it or after it. */
  beginCopy(origin: CopyOrigin, tables: CopiedTables, counters: CopiedCounters): Promise<'begun' | 'not_empty'> {
    return changeSetup<'begun' | 'not_empty'>(this.#database, async (connection) => {
      if ((await readMark(connection)) !== undefined || (await hasCopiedRows(connection))) return undone('not_empty');
      await setMark(connection, origin);
      await insertTables(connection, tables);
      await raiseCounters(connection, counters);
      return kept('begun');
    });
  }

  async writeOffers(
    from: CopyPlace,
    accountId: number,
    offers: readonly CopiedOffer[],
  ): Promise<'stored' | 'overtaken'> {
    const last = offers.at(-1);
    if (last === undefined) return 'stored';
    return inWriteTransaction<'stored' | 'overtaken'>(this.#database, async (connection) => {
      // Waited for, though they could travel together: another copy may have stored these very offers.
      if (!(await moveMark(connection, from, { accountId, order: last.order }))) return undone('overtaken');
      await insertOffers(connection, accountId, offers);
      return kept('stored');
    });
  }

  finishCopy(): Promise<void> {
    return changeSetup(this.#database, async (connection) => kept(await removeMark(connection)));
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** Without user and password. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
