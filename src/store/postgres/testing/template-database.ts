/**
 * Creates the template that test databases are copied from: all tables, without rows. Creating the tables for each test took 150
 * ms in two processes, and a run needs about 250 databases. On Citus there is one template per node, and the copies form a
 * cluster too.
 */
import { randomBytes } from 'node:crypto';
import { openDatabase } from '../engine/engine.ts';
import { migrate } from '../engine/migrations.ts';
import { administer } from './administer.ts';
import { joinCitus } from './citus-nodes.ts';

/** `nodeUrls` has all nodes of Citus, the coordinator first, or the one PostgreSQL server. */
export async function createTemplate(nodeUrls: readonly string[], { citus = false } = {}): Promise<string> {
  const name = `offerbook_test_template_${randomBytes(4).toString('hex')}`;
  for (const url of nodeUrls) await administer(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const urls = nodeUrls.map((url) => Object.assign(new URL(url), { pathname: `/${name}` }).href) as [string];
  if (citus) await joinCitus(urls);
  const database = openDatabase({ url: urls[0], call_ms_max: 600_000, statement_ms_max: 0, lock_ms_max: 0 });
  await migrate(database).finally(() => database.close());
  for (const url of nodeUrls) {
    // A database can be copied only while it has no connection, not even the connection of the Citus daemon.
    await administer(url, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await administer(url, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  }
  return name;
}

export async function dropTemplate(nodeUrls: readonly string[], name: string): Promise<void> {
  for (const url of nodeUrls) await administer(url, `DROP DATABASE ${name} WITH (FORCE)`);
}
