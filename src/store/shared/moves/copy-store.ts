/** Reads and writes whole databases for copies, on either engine. Until a copy is complete, its mark keeps the target from being opened. */
import {
  COPIED_TABLES,
  type CopiedRow,
  type CopiedTables,
  type CopyMark,
  type CopyStore,
  type StoreSnapshot,
  unfinishedCopyText,
} from '../../port/copy.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import { raiseSettingsVersion, undone } from '../command.ts';
import { columnsOf } from '../records.ts';
import { columnsIn } from '../schema/columns.ts';
import { listMerchants } from '../settings/merchants.ts';
import { insertStatement, listsOf, type Sql, statement } from '../sql.ts';
import type { MoveEngine } from './engine.ts';
import { readAccountSettings } from './merchant-records.ts';
import { countOffers, readGroups, readOffers } from './offer-rows.ts';

const MARK = columnsOf<CopyMark>()('source', 'tablesDigest', 'writeNumber', 'accountId', 'order');
export const READ_COPY_MARK = statement('read copy mark')`SELECT ${MARK.list} FROM copy_mark`;
const SET = insertStatement('set copy mark', 'copy_mark', ['only_row', ...MARK.names]);
const MOVE = statement<[1]>('move copy mark')`
  UPDATE copy_mark SET account_id = $3, upload_order = $4 WHERE account_id = $1 AND upload_order = $2 RETURNING 1`;
const REMOVE = statement<[]>('remove copy mark')`DELETE FROM copy_mark`;

export function copyMarkOf(rows: readonly (readonly unknown[])[]): CopyMark | undefined {
  return rows.map(MARK.of)[0];
}

/** Throws if a copy into the database is unfinished. */
export function refuseUnfinishedCopy(rows: readonly (readonly unknown[])[]): void {
  const mark = copyMarkOf(rows);
  if (mark !== undefined) throw new StoreUnavailableError(unfinishedCopyText(mark.source));
}

/** Offers per slice. With documents of 1.4 KB, a slice has about 800 KB, so its overhead is negligible. */
const SLICE_OFFERS = 512;

/**
 * Rows are ordered by the first two columns. Both engines sort text and bytes by their bytes, so equal tables have the same order.
 * `numberedBy` is the column with generated ids, which are never reused.
 */
export const TABLES = COPIED_TABLES.map((name) => {
  const found = columnsIn(name);
  const columns = found.map((column) => column.name);
  return {
    name,
    columns,
    numberedBy: found.find(({ isGenerated }) => isGenerated)?.name,
    find: statement<[1]>(`copy find ${name}`)`SELECT 1 FROM ${name} LIMIT 1`,
    read: statement<CopiedRow>(`copy read ${name}`)`
      SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${columns.slice(0, 2).join(', ')}`,
    insert: insertStatement(`copy write ${name}`, name, [], '', columns),
  };
});

export function createCopyStore(engine: MoveEngine): CopyStore {
  return {
    name: engine.name,
    openSnapshot: () => openSnapshot(engine),
    readMark: async () => copyMarkOf(await engine.sql.run(READ_COPY_MARK)),

    beginCopy: (origin, tables, counters) =>
      engine.write<'begun' | 'not_empty'>(async (sql) => {
        // Orders concurrent changes to account settings before or after the copy.
        await raiseSettingsVersion(sql);
        const marks = await sql.run(READ_COPY_MARK);
        if (marks.length > 0 || (await hasRows(sql))) return undone('not_empty');
        await sql.run(SET, [1, ...MARK.valuesOf({ ...origin, accountId: 0, order: 0 })]);
        await insertTables(sql, tables);
        await engine.counters.raise(sql, counters);
        return 'begun';
      }),

    writeOffers: async (from, accountId, offers) => {
      const last = offers.at(-1);
      if (last === undefined) return 'stored';
      return engine.write<'stored' | 'overtaken'>(async (sql) => {
        // Awaited before the inserts: another copy may have stored these very offers.
        const moved = await sql.run(MOVE, [from.accountId, from.order, accountId, last.order]);
        if (moved.length === 0) return undone('overtaken');
        const repeated = await engine.offers.insert(sql, accountId, offers);
        if (repeated !== undefined) throw new Error(`Account ${accountId} has two offers with the id ${repeated}.`);
        return 'stored';
      });
    },

    finishCopy: () =>
      engine.write(async (sql) => {
        await raiseSettingsVersion(sql);
        await sql.run(REMOVE);
      }),
    close: () => engine.close(),
  };
}

/** Also for exports. Rows that are written later are not seen. */
export async function openSnapshot({ counters, openMoment }: MoveEngine): Promise<StoreSnapshot> {
  const { sql, close } = await openMoment();
  return {
    listMerchants: () => listMerchants(sql),
    readAccount: (accountId) => readAccountSettings(sql, accountId),
    countOffers: (accountId) => countOffers(sql, accountId),
    readOffers: (accountId, after) => readOffers(sql, accountId, after, SLICE_OFFERS),
    readGroups: (accountId, after) => readGroups(sql, accountId, after, SLICE_OFFERS),
    readCounters: () => counters.read(sql),
    readTables: () => readTables(sql),
    close,
  };
}

async function readTables(sql: Sql): Promise<CopiedTables> {
  const tables: [string, readonly CopiedRow[]][] = [];
  for (const { name, read } of TABLES) tables.push([name, await sql.run(read)]);
  return Object.fromEntries(tables) as CopiedTables;
}

async function hasRows(sql: Sql): Promise<boolean> {
  const found = await Promise.all(TABLES.map(({ find }) => sql.run(find)));
  return found.some((rows) => rows.length > 0);
}

async function insertTables(sql: Sql, tables: CopiedTables): Promise<void> {
  for (const { name, columns, insert } of TABLES) {
    await sql.run(insert, listsOf<CopiedRow>(tables[name], ...columns.keys()));
  }
}
