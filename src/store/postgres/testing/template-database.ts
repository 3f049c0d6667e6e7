/**
 * In charge of the database that others are copied from: it has all tables, and nothing in them. To make them anew for each
 * test took 150 ms of two processes, and a run makes some 250. On Citus it is one database on each node; their copies know
 * each other as the originals do.
 */
import { randomBytes } from 'node:crypto';
import { openDatabase } from '../engine/engine.ts';
import { migrate } from '../engine/migrations.ts';
import { administer } from './administer.ts';
import { joinCitus } from './citus-nodes.ts';

/** `nodeUrls` are those of all nodes of a Citus, the first one before the others, or that of one PostgreSQL. */
export async function createTemplate(nodeUrls: readonly string[], { citus = false } = {}): Promise<string> {
  const name = `offerbook_test_template_${randomBytes(4).toString('hex')}`;
  for (const url of nodeUrls) await administer(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const urls = nodeUrls.map((url) => Object.assign(new URL(url), { pathname: `/${name}` }).href) as [string];
  if (citus) await joinCitus(urls);
  const database = openDatabase({ url: urls[0], call_ms_max: 600_000, statement_ms_max: 0, lock_ms_max: 0 });
  await migrate(database).finally(() => database.close());
  for (const url of nodeUrls) {
    // A database is copied only while nobody is connected to it, the daemon of Citus included.
    await administer(url, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await administer(url, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  }
  return name;
}

export async function dropTemplate(nodeUrls: readonly string[], name: string): Promise<void> {
  for (const url of nodeUrls) await administer(url, `DROP DATABASE ${name} WITH (FORCE)`);
}
