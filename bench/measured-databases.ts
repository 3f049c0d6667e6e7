/** PostgreSQL for a benchmark: durable commits, and one database per measurement. */
import { totalmem } from 'node:os';
import pg from 'pg';
import { startTestServer } from '../src/store/postgres/testing/test-server.ts';

/** Settings from docs/operate/scaling.md, because PostgreSQL's defaults are for a machine with little memory. */
const SETTINGS: readonly string[] = [
  `shared_buffers=${Math.floor(totalmem() / 4 / 1_048_576)}MB`,
  'max_wal_size=16GB',
  'checkpoint_timeout=15min',
];

/** Returns settings for a new database. The server ends with the stack. */
export async function openDatabases(
  opened: AsyncDisposableStack,
): Promise<(name: string) => Promise<Record<string, string>>> {
  const server = opened.adopt(await startTestServer({ durable: true, settings: SETTINGS }), (started) =>
    started.close(),
  );
  return async (name) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const address = new URL(server.url);
    address.pathname = `/${name}`;
    return { DATABASE_URL: address.href };
  };
}
