/** In charge of PostgreSQL for a benchmark: one with durable commits, and a database on it for each measurement. */
import pg from 'pg';
import { startTestServer } from '../src/store/postgres/testing/test-server.ts';

/** Gives the settings that lead to a new database. The server ends with the stack. */
export async function openDatabases(
  opened: AsyncDisposableStack,
): Promise<(name: string) => Promise<Record<string, string>>> {
  const server = opened.adopt(await startTestServer({ durable: true }), (started) => started.close());
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
