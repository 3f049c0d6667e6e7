/** The operator's taxonomy: one head, and its lines in parts. */
import type { StoredTaxonomy, TaxonomyHead } from '../port/settings.ts';
import { change, type Outcome, read, undone } from './command.ts';
import { beginSweepOfAll } from './review-sweeps.ts';
import { type Sql, statement } from './sql.ts';

const COUNT_OFFERS = statement<[categoryId: string, offers: number]>(
  'count all offers by category',
  'SELECT category_id, count(*) FROM offer_listing WHERE category_id IS NOT NULL GROUP BY category_id ORDER BY category_id',
);

type HeadRow = [tag: string, source: string, nodes: number, importedMs: number];

const READ_HEAD = statement<HeadRow>('read taxonomy head', 'SELECT tag, source, nodes, imported_ms FROM taxonomy');
/** One statement, so that head and parts are of the same taxonomy while another one replaces it. */
const READ = statement<[...HeadRow, lines: string]>(
  'read taxonomy',
  'SELECT tag, source, nodes, imported_ms, lines FROM taxonomy, taxonomy_part ORDER BY number',
);
const INSERT_HEAD = statement<[]>(
  'add taxonomy',
  'INSERT INTO taxonomy (only_row, tag, source, nodes, imported_ms) VALUES (1, $1, $2, $3, $4)',
);
const INSERT_PART = statement<[]>('add taxonomy part', 'INSERT INTO taxonomy_part (number, lines) VALUES ($1, $2)');
const DROP_PARTS = statement<[]>('drop taxonomy parts', 'DELETE FROM taxonomy_part');
const DROP_HEAD = statement<[one: number]>('drop taxonomy', 'DELETE FROM taxonomy RETURNING 1');

const readTaxonomyHead = read(async (sql): Promise<TaxonomyHead | undefined> => {
  const [row] = await sql.run(READ_HEAD);
  return row && headOf(row);
});

const readTaxonomy = read(async (sql): Promise<StoredTaxonomy | undefined> => {
  const rows = await sql.run(READ);
  const [first] = rows;
  if (first === undefined) return undefined;
  const [tag, source, nodes, importedMs] = first;
  return { ...headOf([tag, source, nodes, importedMs]), parts: rows.map((row) => row[4]) };
});

const putTaxonomy = change(async (sql, { parts, ...head }: StoredTaxonomy): Promise<void> => {
  await drop(sql);
  await sql.run(INSERT_HEAD, [head.tag, head.source, head.nodes, head.importedMs]);
  for (const [number, lines] of parts.entries()) await sql.run(INSERT_PART, [number, lines]);
  await beginSweepOfAll(sql);
});

const dropTaxonomy = change(async (sql): Promise<Outcome<'stored' | 'unset'>> => {
  if (!(await drop(sql))) return undone('unset');
  await beginSweepOfAll(sql);
  return 'stored';
});

const countOffersByCategory = read((sql) => sql.run(COUNT_OFFERS));

export const taxonomy = { readTaxonomyHead, readTaxonomy, putTaxonomy, dropTaxonomy, countOffersByCategory };

/** Returns false where there was none. */
async function drop(sql: Sql): Promise<boolean> {
  await sql.run(DROP_PARTS);
  return (await sql.run(DROP_HEAD)).length > 0;
}

function headOf([tag, source, nodes, importedMs]: HeadRow): TaxonomyHead {
  return { tag, source, nodes, importedMs };
}
