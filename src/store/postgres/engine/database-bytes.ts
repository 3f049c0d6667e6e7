/** Measures how much disk the database takes. */

import { statement } from '../../shared/sql.ts';
import type { Connection } from './connection.ts';

const SIZE = statement<[bytes: number]>('read size', 'SELECT pg_database_size(current_database())');

export async function readDatabaseBytes(connection: Connection): Promise<number> {
  const [row] = await connection.run(SIZE);
  return row?.[0] ?? 0;
}
