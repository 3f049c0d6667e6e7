/** In charge of the operator's taxonomy: one head, and its lines in parts. */
import type { StoredTaxonomy, TaxonomyHead } from '../port/taxonomy.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

type HeadRow = [tag: string, source: string, nodes: number, importedMs: number];

export function readTaxonomyHead(connection: Connection): TaxonomyHead | undefined {
  const row = query<HeadRow>(connection, 'SELECT tag, source, nodes, imported_ms FROM taxonomy').get();
  return row && headOf(row);
}

/** One statement, so that head and parts are of one state, whoever replaces them meanwhile. */
export function readTaxonomy(connection: Connection): StoredTaxonomy | undefined {
  const rows = query<[...HeadRow, lines: string]>(
    connection,
    'SELECT tag, source, nodes, imported_ms, lines FROM taxonomy, taxonomy_part ORDER BY number',
  ).all();
  const [first] = rows;
  if (first === undefined) return undefined;
  const [tag, source, nodes, importedMs] = first;
  return { ...headOf([tag, source, nodes, importedMs]), parts: rows.map((row) => row[4]) };
}

export function putTaxonomy(connection: Connection, { parts, ...head }: StoredTaxonomy): void {
  dropTaxonomy(connection);
  query(connection, 'INSERT INTO taxonomy (only_row, tag, source, nodes, imported_ms) VALUES (1, ?, ?, ?, ?)').run(
    head.tag,
    head.source,
    head.nodes,
    head.importedMs,
  );
  const insert = query(connection, 'INSERT INTO taxonomy_part (number, lines) VALUES (?, ?)');
  for (const [number, lines] of parts.entries()) insert.run(number, lines);
}

export function dropTaxonomy(connection: Connection): 'stored' | 'unset' {
  query(connection, 'DELETE FROM taxonomy_part').run();
  return query(connection, 'DELETE FROM taxonomy').run().changes === 0 ? 'unset' : 'stored';
}

function headOf([tag, source, nodes, importedMs]: HeadRow): TaxonomyHead {
  return { tag, source, nodes, importedMs };
}
