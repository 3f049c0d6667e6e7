/** Inspects a database: rows by table, damage, and schema version. */
import type { Connection } from './connection.ts';

/** The number of rows by table. */
export type Contents = Readonly<Record<string, number>>;

export function readContents(connection: Connection): Contents {
  // Virtual tables store their rows in separate tables.
  const tables = connection.query<[name: string]>(`
    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name`);
  return Object.fromEntries(
    tables.all().map(([name]) => [name, connection.query<[number]>(`SELECT count(*) FROM "${name}"`).get()?.[0] ?? 0]),
  );
}

export function readSchemaVersion(connection: Connection): number {
  return connection.query<[number]>('PRAGMA user_version').get()?.[0] ?? 0;
}

/** `quick` does not compare indexes with their tables, which takes most of the time. */
export type Depth = 'quick' | 'full';

const FAULTS_MAX = 10;

/** Returns the faults that SQLite finds. */
export function findFaults(connection: Connection, depth: Depth): readonly string[] {
  const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check';
  const rows = connection
    .query<[string]>(`PRAGMA ${pragma}(${FAULTS_MAX})`)
    .all()
    // A row may hold a heading and several faults.
    .flatMap(([text]) => text.split('\n').filter((line) => !line.startsWith('*** ')));
  return rows.length === 1 && rows[0] === 'ok' ? [] : rows;
}

/** Names the first fault and counts the others. */
export function faultsText([first, ...others]: readonly string[]): string {
  return others.length === 0 ? `${first}` : `${first}, and ${others.length} more`;
}
