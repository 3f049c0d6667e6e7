/**
 * In charge of the databases that tests work in: each is new, and dropped at the latest when its test file has
 * ended. They are made on the server that the run has, else on one that this test file starts for itself.
 */
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { administer } from './administer.ts';
import { CITUS_VARIABLE, SERVER_VARIABLE, TEMPLATE_VARIABLE } from './availability.ts';
import { citusNodes, joinCitus } from './citus-nodes.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export interface TestDatabase {
  readonly url: string;
  /** Also while somebody is connected. */
  drop(): Promise<void>;
}

/**
 * For tests that are about something else than limits of time: what a database needs on a machine that is busy with other things.
 */
export const PATIENCE = Object.freeze({ call_ms_max: 60_000, statement_ms_max: 50_000, lock_ms_max: 40_000 });

let ownServer: Promise<TestServer> | undefined;
const databases = new Set<TestDatabase>();

// Those that their tests did not drop.
after(async () => {
  for (const database of databases) await database.drop();
  await (await ownServer)?.close();
});

/** With all tables where the run has such a database to copy; else empty, for whoever opens it first to make them. */
export function createReadyDatabase(): Promise<TestDatabase> {
  return createFrom(process.env[CITUS_VARIABLE] ? undefined : process.env[TEMPLATE_VARIABLE]);
}

/** Empty. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createFrom(undefined);
}

async function createFrom(template = 'template0'): Promise<TestDatabase> {
  const citusUrl = process.env[CITUS_VARIABLE];
  const nodeUrls = citusUrl ? await citusNodes(citusUrl) : [await findServer()];
  const name = `offerbook_test_${randomBytes(8).toString('hex')}`;
  for (const url of nodeUrls) {
    // The database of another user of the server may have any encoding and order; this one has what Offerbook asks for.
    await administer(url, `CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8'`);
  }
  const urls = nodeUrls.map((url) => Object.assign(new URL(url), { pathname: `/${name}` }).href) as [string];
  if (citusUrl) await joinCitus(urls);
  const database: TestDatabase = {
    url: urls[0],
    async drop() {
      if (!databases.delete(database)) return;
      for (const url of nodeUrls) await administer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
  databases.add(database);
  return database;
}

async function findServer(): Promise<string> {
  const given = process.env[SERVER_VARIABLE];
  if (given) return given;
  ownServer ??= startTestServer();
  return (await ownServer).url;
}
