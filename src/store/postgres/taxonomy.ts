/** In charge of the operator's taxonomy: one head, and its lines in parts. */
import type { StoredTaxonomy, TaxonomyHead } from '../port/taxonomy.ts';
import { type Connection, statement } from './engine.ts';
import { type Ending, kept, undone } from './transactions.ts';

type HeadRow = [tag: string, source: string, nodes: number, importedMs: number];

const READ_HEAD = statement<HeadRow>('read taxonomy head', 'SELECT tag, source, nodes, imported_ms FROM taxonomy');
/** One statement, so that head and parts are of one state, whoever replaces them meanwhile. */
const READ = statement<[...HeadRow, lines: string]>(
  'read taxonomy',
  'SELECT tag, source, nodes, imported_ms, lines FROM taxonomy, taxonomy_part ORDER BY number',
);
const INSERT_HEAD = statement<[]>(
  'add taxonomy',
  'INSERT INTO taxonomy (only_row, tag, source, nodes, imported_ms) VALUES (1, $1, $2, $3, $4)',
);
const INSERT_PARTS = statement<[]>(
  'add taxonomy parts',
  'INSERT INTO taxonomy_part (number, lines) SELECT number, lines FROM unnest($1::int[], $2::text[]) AS i (number, lines)',
);
const DROP_PARTS = statement<[]>('drop taxonomy parts', 'DELETE FROM taxonomy_part');
const DROP_HEAD = statement<[one: number]>('drop taxonomy', 'DELETE FROM taxonomy RETURNING 1');

export async function readTaxonomyHead(connection: Connection): Promise<TaxonomyHead | undefined> {
  const [row] = await connection.run(READ_HEAD);
  return row && headOf(row);
}

export async function readTaxonomy(connection: Connection): Promise<StoredTaxonomy | undefined> {
  const rows = await connection.run(READ);
  const [first] = rows;
  if (first === undefined) return undefined;
  const [tag, source, nodes, importedMs] = first;
  return { ...headOf([tag, source, nodes, importedMs]), parts: rows.map((row) => row[4]) };
}

export async function putTaxonomy(
  connection: Connection,
  { parts, ...head }: StoredTaxonomy,
): Promise<Ending<undefined>> {
  await dropTaxonomy(connection);
  await connection.run(INSERT_HEAD, [head.tag, head.source, head.nodes, head.importedMs]);
  await connection.run(INSERT_PARTS, [[...parts.keys()], parts]);
  return kept(undefined);
}

export async function dropTaxonomy(connection: Connection): Promise<Ending<'stored' | 'unset'>> {
  await connection.run(DROP_PARTS);
  const dropped = await connection.run(DROP_HEAD);
  return dropped.length === 0 ? undone('unset') : kept('stored');
}

function headOf([tag, source, nodes, importedMs]: HeadRow): TaxonomyHead {
  return { tag, source, nodes, importedMs };
}
