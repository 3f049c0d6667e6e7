/** A database as source and as target of a copy, on either engine. */
import { COPIED_TABLES, type CopiedRow, type CopiedTables, orderedBy } from '../../port/copied-tables.ts';
import type { CopiedOffer, CopyReading, CopyStore } from '../../port/copy.ts';
import { undone } from '../command.ts';
import { raiseSettingsVersion } from '../settings-version.ts';
import { type Sql, statement } from '../sql.ts';
import { copyMarkOf, moveMark, READ_COPY_MARK, removeMark, setMark } from './copy-mark.ts';
import type { MoveEngine } from './engine.ts';

/** Makes the cost of a slice negligible: some 800 KB of text where documents have 1.4 KB. */
export const SLICE_OFFERS = 512;

const TABLES = COPIED_TABLES.map((table) => {
  const { name, columns } = table;
  const places = columns.map((_, place) => `$${place + 1}`).join(', ');
  return {
    name,
    find: statement<[1]>(`copy find ${name}`, `SELECT 1 FROM ${name} LIMIT 1`),
    read: statement<CopiedRow>(
      `copy read ${name}`,
      `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${orderedBy(table)}`,
    ),
    insert: statement<[]>(`copy write ${name}`, `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places})`),
  };
});

export function createCopyStore(engine: MoveEngine): CopyStore {
  return {
    name: engine.name,
    openReading: () => openReading(engine),
    readMark: async () => copyMarkOf(await engine.sql.run(READ_COPY_MARK)),

    beginCopy: (origin, tables, counters) =>
      engine.write<'begun' | 'not_empty'>(async (sql) => {
        // Changes of account settings that are made at the same time come before the copy or after it.
        await raiseSettingsVersion(sql);
        const marks = await sql.run(READ_COPY_MARK);
        if (marks.length > 0 || (await hasRows(sql))) return undone('not_empty');
        await setMark(sql, origin);
        await insertTables(sql, tables);
        await engine.counters.raise(sql, counters);
        return 'begun';
      }),

    writeOffers: async (from, accountId, offers) => {
      const last = offers.at(-1);
      if (last === undefined) return 'stored';
      return engine.write<'stored' | 'overtaken'>(async (sql) => {
        // Waits, though both statements could travel together: another copy may have stored these very offers.
        if (!(await moveMark(sql, from, { accountId, order: last.order }))) return undone('overtaken');
        const repeated = await engine.offers.insert(sql, accountId, offers);
        if (repeated !== undefined) throw new Error(`Account ${accountId} has two offers with the id ${repeated}.`);
        return 'stored';
      });
    },

    finishCopy: () =>
      engine.write(async (sql) => {
        await raiseSettingsVersion(sql);
        await removeMark(sql);
      }),
    close: () => engine.close(),
  };
}

async function openReading({ offers, counters, openMoment }: MoveEngine): Promise<CopyReading> {
  const { sql, close } = await openMoment();
  return {
    readCounters: () => counters.read(sql),
    readTables: () => readTables(sql),
    countOffers: (accountId) => offers.count(sql, accountId),
    readOffers: (accountId, after): Promise<readonly CopiedOffer[]> => offers.read(sql, accountId, after, SLICE_OFFERS),
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
  for (const { name, insert } of TABLES) await Promise.all(tables[name].map((row) => sql.run(insert, row)));
}
