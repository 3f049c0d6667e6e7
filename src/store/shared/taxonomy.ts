/** Stores the operator's taxonomy: a head, and its lines in parts. */
import type { TaxonomyStore } from '../port/settings.ts';
import { change, read, undone } from './command.ts';
import { beginSweepOfAll } from './review-sweeps.ts';
import { type Sql, statement } from './sql.ts';

const COUNT_OFFERS = statement<[categoryId: string, offers: number]>(
  'count all offers by category',
  'SELECT category_id, count(*) FROM offer_listing WHERE category_id IS NOT NULL GROUP BY category_id ORDER BY category_id',
);

type HeadRow = [tag: string, source: string, nodes: number, importedMs: number];

const READ_HEAD = statement<HeadRow>('read taxonomy head', 'SELECT tag, source, nodes, imported_ms FROM taxonomy');
/** One statement, so that head and parts belong together while another process replaces them. */
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

export const readTaxonomyHead = read<TaxonomyStore['readTaxonomyHead']>(async (sql) => {
  const [row] = await sql.run(READ_HEAD);
  if (row === undefined) return undefined;
  const [tag, source, nodes, importedMs] = row;
  return { tag, source, nodes, importedMs };
});

export const readTaxonomy = read<TaxonomyStore['readTaxonomy']>(async (sql) => {
  const rows = await sql.run(READ);
  const [first] = rows;
  if (first === undefined) return undefined;
  const [tag, source, nodes, importedMs] = first;
  return { tag, source, nodes, importedMs, parts: rows.map((row) => row[4]) };
});

export const putTaxonomy = change<TaxonomyStore['putTaxonomy']>(async (sql, { parts, ...head }) => {
  await drop(sql);
  await sql.run(INSERT_HEAD, [head.tag, head.source, head.nodes, head.importedMs]);
  for (const [number, lines] of parts.entries()) await sql.run(INSERT_PART, [number, lines]);
  await beginSweepOfAll(sql);
});

export const dropTaxonomy = change<TaxonomyStore['dropTaxonomy']>(async (sql) => {
  if (!(await drop(sql))) return undone('unset');
  await beginSweepOfAll(sql);
  return 'stored';
});

export const countOffersByCategory = read<TaxonomyStore['countOffersByCategory']>((sql) => sql.run(COUNT_OFFERS));

/** Returns false if there was none. */
async function drop(sql: Sql): Promise<boolean> {
  await sql.run(DROP_PARTS);
  return (await sql.run(DROP_HEAD)).length > 0;
}
