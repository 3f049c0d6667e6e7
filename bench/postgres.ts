/**
 * `npm run bench:postgres`: measures price updates through the driver alone, through the store, and API calls, on one
 * PostgreSQL with durable commits; and the same calls on SQLite. Alternates in one run, median of three. Writes
 * bench/results/postgres.json and postgres.svg.
 *
 * `--quick` uses fewer SKUs and shorter rounds, to try a change, and writes nothing. `--citus` measures a Citus instead
 * (citus.ts).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { copyStore } from '../src/operations/moves/copy-store.ts';
import type { Store } from '../src/store/port.ts';
import { openPostgresCopyStore, openPostgresStore } from '../src/store/postgres/open.ts';
import { startTestServer } from '../src/store/postgres/testing/test-server.ts';
import { openSqliteCopyStore } from '../src/store/sqlite/open.ts';
import { CALLS } from './calls.ts';
import { diskFlushMilliseconds } from './disk-flush.ts';
import { rateOfLanes, scattered } from './lanes.ts';
import { LOAD_TOOL, runLoad } from './load.ts';
import { plotSvg } from './plot.ts';
import { BATCH_ROWS, RawUpserts } from './raw-upserts.ts';
import { SEEDER, sampleDocument, seedStore } from './seed-store.ts';
import { type MeasuredServer, requestToken, startOfferbook } from './server-process.ts';
import { startWatched } from './watched-server.ts';

const isQuick = process.argv.includes('--quick');
const SKUS = isQuick ? 5_000 : 100_000;
const SECONDS = isQuick ? 1 : 3;
const TURNS = 3;
const CONNECTIONS = 64;
const ACCOUNTS = 4;
const RESULTS = path.join(import.meta.dirname, 'results');

/** A measurement. All measurements of a group are compared with its first one. */
interface Contestant {
  readonly call: string;
  readonly server: 'driver' | 'SQLite' | 'PostgreSQL';
  /** Required share of the rate of the group's first measurement; PostgreSQL only. */
  readonly floor?: number;
  readonly run: (seconds: number) => Promise<{ readonly perSecond: number; readonly p99Ms?: number }>;
}

interface Row {
  readonly call: string;
  readonly server: string;
  readonly requestsPerSecond: number;
  readonly p99Ms: number | undefined;
  readonly ratio: number;
  readonly floor: number | undefined;
}

if (process.argv.includes('--citus')) {
  const { measureCitus } = await import('./citus.ts');
  await measureCitus({ skus: isQuick ? 800 : 80_000, seconds: SECONDS });
  process.exit();
}

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const server = opened.adopt(await startTestServer({ durable: true }), (started) => started.close());
const settings = await administer(server.url, 'CREATE DATABASE measured', 'CREATE DATABASE raw');
const url = databaseUrl('measured');
const dataDir = path.join(folder, 'data');
const flush_ms = diskFlushMilliseconds(folder);
console.log(`One disk flush takes ${flush_ms.toFixed(2)} ms. ${settings}. Storing ${SKUS} SKUs, then copying them ...`);
await seedStore(dataDir, SKUS);
const copyRate = await copyAll();
console.log(`Copied from SQLite to PostgreSQL and compared: ${copyRate.toFixed(0)} SKUs/s`);

const store = opened.adopt(await openPostgresStore({ url }), (held) => held.close());
await seedAccounts(store);
await administer(url, 'VACUUM ANALYZE offer');
const raw = opened.adopt(await RawUpserts.open(databaseUrl('raw'), SKUS), (held) => held.close());
const onSqlite = opened.adopt(await startOfferbook(dataDir), (started) => started.stop());
const onPostgres = opened.adopt(await startWatched(dataDir, { DATABASE_URL: url }), (started) => started.stop());
const tokens = new Map<MeasuredServer, string>();
for (const started of [onSqlite, onPostgres]) tokens.set(started, await requestToken(started.url));
await onPostgres.reviewed();

console.log(`${CONNECTIONS} in flight, ${LOAD_TOOL}, median of ${TURNS} turns of ${SECONDS} s\n`);
console.log('what                                  on            per second   p99 ms    ratio   floor');
const rows: Row[] = [];
for (const group of groups()) rows.push(...(await measureGroup(group)));
if (!isQuick) {
  mkdirSync(RESULTS, { recursive: true });
  const when = new Date().toISOString();
  const result = { when, node: process.version, tool: LOAD_TOOL, skus: SKUS, flush_ms, settings, copyRate, rows };
  writeFileSync(path.join(RESULTS, 'postgres.json'), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(path.join(RESULTS, 'postgres.svg'), plotSvg(rows));
}

/** Returns groups of measurements. In each group, the others are compared with the first. */
function groups(): readonly (readonly Contestant[])[] {
  const single: Contestant = {
    call: 'upserts, one by one',
    server: 'driver',
    run: async (seconds) => ({ perSecond: await raw.oneByOne(seconds) }),
  };
  const updates = [1, ACCOUNTS].map((accounts): Contestant[] => {
    const call =
      accounts === 1 ? `prices by ${BATCH_ROWS}, one account` : `prices by ${BATCH_ROWS}, ${accounts} accounts`;
    return [
      { call, server: 'driver', run: async (seconds) => ({ perSecond: await raw.byUnnest(accounts, seconds) }) },
      {
        call,
        server: 'PostgreSQL',
        floor: 0.5,
        run: async (seconds) => ({ perSecond: await storeRate(accounts, seconds) }),
      },
    ];
  });
  const calls = ['PUT price', 'PATCH inventory', 'GET price'].map((title): Contestant[] => [
    { call: title, server: 'SQLite', run: (seconds) => callRate(onSqlite, title, seconds) },
    {
      call: title,
      server: 'PostgreSQL',
      ...(title === 'PUT price' ? { floor: 0.5 } : {}),
      run: (seconds) => callRate(onPostgres, title, seconds),
    },
  ]);
  return [[single], ...updates, ...calls];
}

async function measureGroup(group: readonly Contestant[]): Promise<Row[]> {
  const results = group.map(() => [] as { perSecond: number; p99Ms?: number }[]);
  for (const { run } of group) await run(SECONDS / 2);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [place, { run }] of group.entries()) results[place]?.push(await run(SECONDS));
  }
  const medians = results.map((turns) => turns.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(TURNS / 2)]);
  const first = medians[0]?.perSecond ?? Number.NaN;
  return group.map(({ call, server: on, floor }, place) => {
    const { perSecond = Number.NaN, p99Ms } = medians[place] ?? {};
    const row = { call, server: on, requestsPerSecond: perSecond, p99Ms, ratio: perSecond / first, floor };
    console.log(line(row, place > 0));
    return row;
  });
}

function line({ call, server: on, requestsPerSecond, p99Ms, ratio, floor }: Row, isRated: boolean): string {
  return (
    call.padEnd(38) +
    on.padEnd(12) +
    requestsPerSecond.toFixed(0).padStart(12) +
    (p99Ms?.toFixed(2) ?? '').padStart(9) +
    (isRated ? ratio.toFixed(2) : '').padStart(9) +
    (floor?.toFixed(2) ?? '').padStart(8) +
    (floor !== undefined && ratio < floor ? '   below the floor' : '')
  );
}

/** Calls the store as requests do, without HTTP: 64 writes of each account in flight. */
function storeRate(accounts: number, seconds: number): Promise<number> {
  const next = scattered(SKUS);
  return rateOfLanes(accounts * BATCH_ROWS, seconds, async (lane) => {
    const key = { accountId: accountOf(lane % accounts), skuId: `sku-${next()}`, by: SEEDER };
    const outcome = await store.offers.write(
      key,
      [{ kind: 'price', skuId: key.skuId, price: 12.5, nodes: [] }],
      Date.now(),
    );
    if (outcome !== 'stored') throw new Error(`The store returned ${outcome}.`);
    return 1;
  });
}

async function callRate(target: MeasuredServer, title: string, seconds: number) {
  const call = CALLS.find((known) => known.title === title);
  if (call === undefined) throw new Error(`There is no call ${title}.`);
  const load = { ...call, url: target.url, token: tokens.get(target) ?? '', skus: SKUS, connections: CONNECTIONS };
  const { requestsPerSecond, p99Ms } = await runLoad({ ...load, seconds: Math.max(1, Math.round(seconds)) });
  return { perSecond: requestsPerSecond, p99Ms };
}

async function copyAll(): Promise<number> {
  const source = await openSqliteCopyStore({ dataDir });
  const target = await openPostgresCopyStore({ url });
  const startMs = performance.now();
  const outcome = await copyStore(source, target, { copied: () => {}, compared: () => {} });
  const seconds = (performance.now() - startMs) / 1000;
  await source.close();
  await target.close();
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return SKUS / seconds;
}

/** Returns an account id beyond the demo merchant's. The store accepts offers of any account. */
function accountOf(number: number): number {
  return 1000 + number;
}

async function seedAccounts(target: Store): Promise<void> {
  const nowMs = Date.now();
  for (let account = 0; account < ACCOUNTS; account++) {
    const accountId = accountOf(account);
    for (let from = 0; from < SKUS; from += 1000) {
      const skuIds = Array.from({ length: Math.min(1000, SKUS - from) }, (_, n) => `sku-${from + n}`);
      await Promise.all(
        skuIds.map((skuId) =>
          target.offers.write(
            { accountId, skuId, by: SEEDER },
            [{ kind: 'sku', skuId, document: sampleDocument(skuId) }],
            nowMs,
          ),
        ),
      );
    }
  }
}

/** Runs the statements one by one; returns what the server reports about its durability. */
async function administer(databaseAddress: string, ...statements: readonly string[]): Promise<string> {
  const client = new pg.Client({ connectionString: databaseAddress });
  await client.connect();
  for (const text of statements) await client.query(text);
  const { rows: found } = await client.query(
    `SELECT 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync')
       || ', synchronous_commit ' || current_setting('synchronous_commit') AS settings`,
  );
  await client.end();
  return String(found[0]?.settings);
}

function databaseUrl(name: string): string {
  const address = new URL(server.url);
  address.pathname = `/${name}`;
  return address.href;
}
