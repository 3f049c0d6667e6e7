/**
 * Creates a new database for each test, and drops it at the latest when the test file ends. Uses the server of the test run, else
 * starts one for the test file.
 */
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { administer } from './administer.ts';
import { CITUS_VARIABLE, SERVER_VARIABLE, TEMPLATE_VARIABLE } from './availability.ts';
import { citusNodes, joinCitus } from './citus-nodes.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export interface TestDatabase {
  readonly url: string;
  /** Drops the database, even while clients are connected. */
  drop(): Promise<void>;
}

/** Generous timeouts for a busy machine, in tests that are not about timeouts. */
export const PATIENCE = Object.freeze({ call_ms_max: 60_000, statement_ms_max: 50_000, lock_ms_max: 40_000 });

let ownServer: Promise<TestServer> | undefined;
const databases = new Set<TestDatabase>();

// Drops the databases that their tests did not drop.
after(async () => {
  for (const database of databases) await database.drop();
  await (await ownServer)?.close();
});

/** Creates a database with all tables if the run has a template to copy; else it is empty, and the first process that opens it migrates. */
export function createReadyDatabase(): Promise<TestDatabase> {
  return createFrom(process.env[TEMPLATE_VARIABLE]);
}

/** Creates an empty database. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createFrom(undefined);
}

/** Creates an empty database on each Citus node. `join` makes them one database. */
export async function createDatabaseBeforeCitus(): Promise<TestDatabase & { join(): Promise<void> }> {
  const { database, urls } = await createOnNodes();
  return { ...database, join: () => joinCitus(urls) };
}

async function createFrom(template?: string): Promise<TestDatabase> {
  const { database, urls } = await createOnNodes(template);
  if (process.env[CITUS_VARIABLE] && template === undefined) await joinCitus(urls);
  return database;
}

async function createOnNodes(template = 'template0'): Promise<{ database: TestDatabase; urls: [string, ...string[]] }> {
  const citusUrl = process.env[CITUS_VARIABLE];
  const nodeUrls = citusUrl ? await citusNodes(citusUrl) : [await findServer()];
  const name = `offerbook_test_${randomBytes(8).toString('hex')}`;
  // Copying files takes 31 ms of CPU time, and copying through the log takes 72 ms. But copying files needs two checkpoints, which are
  // cheap only on the test run's own server, which does not sync its files.
  const strategy = !citusUrl && process.env[TEMPLATE_VARIABLE] ? 'STRATEGY FILE_COPY' : '';
  // The template of a foreign server may have another encoding and collation than Offerbook needs.
  const creation = `CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8' ${strategy}`;
  await Promise.all(nodeUrls.map((url) => administer(url, creation)));
  const urls = nodeUrls.map((url) => Object.assign(new URL(url), { pathname: `/${name}` }).href) as [string];
  const database: TestDatabase = {
    url: urls[0],
    async drop() {
      if (!databases.delete(database)) return;
      await Promise.all(nodeUrls.map((url) => administer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)));
    },
  };
  databases.add(database);
  return { database, urls };
}

async function findServer(): Promise<string> {
  const given = process.env[SERVER_VARIABLE];
  if (given) return given;
  ownServer ??= startTestServer();
  return (await ownServer).url;
}
