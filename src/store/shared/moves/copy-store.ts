/**
 * A database as source and as target of a copy, on either engine. The mark of a copy on its way keeps everything else out
 * until the copy is whole.
 */
import { COPIED_TABLES, type CopiedRow, type CopiedTables, orderedBy } from '../../port/copied-tables.ts';
import {
  type CopiedOffer,
  type CopyMark,
  type CopyOrigin,
  type CopyPlace,
  type CopyReading,
  type CopyStore,
  unfinishedCopyText,
} from '../../port/copy.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import { raiseSettingsVersion, undone } from '../command.ts';
import { type Sql, statement } from '../sql.ts';
import type { MoveEngine } from './engine.ts';

type MarkRow = [source: string, tablesDigest: string, writeNumber: number, accountId: number, order: number];

export const READ_COPY_MARK = statement<MarkRow>(
  'read copy mark',
  'SELECT source, tables_digest, write_number, account_id, upload_order FROM copy_mark',
);
const SET = statement<[]>(
  'set copy mark',
  `INSERT INTO copy_mark (only_row, source, tables_digest, write_number, account_id, upload_order)
   VALUES (1, $1, $2, $3, 0, 0)`,
);
const MOVE = statement<[1]>(
  'move copy mark',
  'UPDATE copy_mark SET account_id = $3, upload_order = $4 WHERE account_id = $1 AND upload_order = $2 RETURNING 1',
);
const REMOVE = statement<[]>('remove copy mark', 'DELETE FROM copy_mark');

export function copyMarkOf([row]: readonly MarkRow[]): CopyMark | undefined {
  if (row === undefined) return undefined;
  const [source, tablesDigest, writeNumber, accountId, order] = row;
  return { source, tablesDigest, writeNumber, accountId, order };
}

/** For whoever opens the database. */
export function refuseUnfinishedCopy(rows: readonly MarkRow[]): void {
  const mark = copyMarkOf(rows);
  if (mark !== undefined) throw new StoreUnavailableError(unfinishedCopyText(mark.source));
}

async function setMark(sql: Sql, { source, tablesDigest, writeNumber }: CopyOrigin): Promise<void> {
  await sql.run(SET, [source, tablesDigest, writeNumber]);
}

/** False when it does not stand at `from`. Waits for another copy that moves it at the same time. */
async function moveMark(sql: Sql, from: CopyPlace, to: CopyPlace): Promise<boolean> {
  return (await sql.run(MOVE, [from.accountId, from.order, to.accountId, to.order])).length === 1;
}

async function removeMark(sql: Sql): Promise<void> {
  await sql.run(REMOVE);
}

/** Makes the cost of a slice negligible: some 800 KB of text where documents have 1.4 KB. */
export const SLICE_OFFERS = 512;

/** One by one, 50,000 rows take PostgreSQL 7.8 s in place of 1.6 s. */
const ROWS_TOGETHER = 100;

const TABLES = COPIED_TABLES.map((table) => {
  const { name, columns } = table;
  const inserting = `INSERT INTO ${name} (${columns.join(', ')}) VALUES`;
  return {
    name,
    find: statement<[1]>(`copy find ${name}`, `SELECT 1 FROM ${name} LIMIT 1`),
    read: statement<CopiedRow>(
      `copy read ${name}`,
      `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${orderedBy(table)}`,
    ),
    insertOne: statement<[]>(`copy write one ${name}`, `${inserting} ${placesOf(1, columns.length)}`),
    insertMany: statement<[]>(`copy write many ${name}`, `${inserting} ${placesOf(ROWS_TOGETHER, columns.length)}`),
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
  for (const { name, insertOne, insertMany } of TABLES) {
    const rows: readonly CopiedRow[] = tables[name];
    const together = rows.length - (rows.length % ROWS_TOGETHER);
    for (let from = 0; from < together; from += ROWS_TOGETHER) {
      await sql.run(insertMany, rows.slice(from, from + ROWS_TOGETHER).flat());
    }
    await Promise.all(rows.slice(together).map((row) => sql.run(insertOne, row)));
  }
}

function placesOf(rows: number, columns: number): string {
  const ofRow = (row: number) => Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`);
  return Array.from({ length: rows }, (_, row) => `(${ofRow(row).join(', ')})`).join(', ');
}
