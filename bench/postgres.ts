/**
 * `npm run bench:postgres`: measures price updates through the driver alone, through the store, and API calls, on one
 * PostgreSQL with durable commits; and the same calls on SQLite. Alternates in one run, median of three. Writes
 * bench/results/postgres.json.
 *
 * `--quick` uses fewer SKUs and shorter rounds. `--citus` measures a Citus instead
 * (citus.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { copyStore } from '../src/operations/moves/copy-store.ts';
import type { Store } from '../src/store/port.ts';
import { openPostgresCopyStore, openPostgresStore } from '../src/store/postgres/open.ts';
import { startTestServer } from '../src/store/postgres/testing/test-server.ts';
import { openSqliteCopyStore } from '../src/store/sqlite/open.ts';
import { CALLS } from './calls.ts';
import { runClients } from './clients.ts';
import { diskFlushMilliseconds } from './disk-flush.ts';
import { rateOfLanes, scattered } from './lanes.ts';
import { NoiseWatch, tooNoisy } from './machine.ts';
import { median } from './median.ts';
import { NOISY } from './options.ts';
import { BATCH_ROWS, RawUpserts } from './raw-upserts.ts';
import { shown, Table, writeResult } from './report.ts';
import { SEEDER, sampleDocument, seedStore, skuName } from './seed-store.ts';
import { type MeasuredServer, requestToken, startOfferbook } from './server-process.ts';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, citus: { type: 'boolean', default: false }, ...NOISY },
});
const isQuick = options.quick;
const SKUS = isQuick ? 5_000 : 100_000;
const SECONDS = isQuick ? 1 : 3;
const TURNS = 3;
const CONNECTIONS = 64;
const ACCOUNTS = 4;

/** A measurement. All measurements of a group are compared with its first one. */
interface Contestant {
  readonly call: string;
  readonly server: 'driver' | 'SQLite' | 'PostgreSQL';
  /** Required share of the rate of the group's first measurement; PostgreSQL only. */
  readonly floor?: number;
  readonly run: (seconds: number) => Promise<{ readonly perSecond: number; readonly p99Ms?: number }>;
}

if (options.citus) {
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
const onPostgres = opened.adopt(await startOfferbook(dataDir, { DATABASE_URL: url }), (started) => started.stop());
const tokens = new Map<MeasuredServer, string>();
let sentBefore = 0;
for (const started of [onSqlite, onPostgres]) tokens.set(started, await requestToken(started.url));
await onPostgres.reviewed();

const table = new Table('PostgreSQL', ['what', 'on', 'per second', 'p99, ms', 'ratio', 'required ratio', 'machine']);
const noise = new NoiseWatch();
console.log(`${CONNECTIONS} in flight, median of ${TURNS} turns of ${SECONDS} s\n\n${table.head}`);
for (const group of groups()) await measureGroup(group);
writeResult('postgres', {
  notes: [
    `${settings}, ${SKUS.toLocaleString('en-US')} SKUs, one disk flush ${flush_ms.toFixed(2)} ms, ${CONNECTIONS} in flight, median of ${TURNS} turns of ${SECONDS} s`,
    `copied from SQLite and compared: ${shown(copyRate)} SKUs/s`,
  ],
  tables: [table],
});

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
  const calls = ['PUT price, new price', 'PATCH inventory, new quantity', 'GET price'].map((title): Contestant[] => [
    { call: title, server: 'SQLite', run: (seconds) => callRate(onSqlite, title, seconds) },
    {
      call: title,
      server: 'PostgreSQL',
      ...(title === 'PUT price, new price' ? { floor: 0.5 } : {}),
      run: (seconds) => callRate(onPostgres, title, seconds),
    },
  ]);
  return [[single], ...updates, ...calls];
}

/** Adds the rows of a group. Their noise is that of the whole group. */
async function measureGroup(group: readonly Contestant[]): Promise<void> {
  const results = group.map(() => [] as { perSecond: number; p99Ms?: number }[]);
  for (const { run } of group) await run(SECONDS / 2);
  noise.next();
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [place, { run }] of group.entries()) results[place]?.push(await run(SECONDS));
  }
  const noisy = tooNoisy(noise.next());
  const timed = (value: number, decimals?: number) => {
    if (Number.isNaN(value)) return '';
    return noisy === undefined ? shown(value, decimals) : options.noisy ? `~${shown(value, decimals)}` : '-';
  };
  const rates = results.map((turns) => median(turns.map(({ perSecond }) => perSecond)));
  for (const [place, { call, server: on, floor }] of group.entries()) {
    const rate = rates[place] ?? Number.NaN;
    const p99Ms = median(results[place]?.map((turn) => turn.p99Ms ?? Number.NaN) ?? []);
    const ratio = place === 0 ? Number.NaN : rate / (rates[0] ?? Number.NaN);
    const isBelow = noisy === undefined && floor !== undefined && ratio < floor;
    const state = noisy === undefined ? `quiet${isBelow ? ', below the required ratio' : ''}` : `too noisy: ${noisy}`;
    const required = floor === undefined ? '' : `>= ${floor.toFixed(2)}`;
    console.log(table.add([call, on, timed(rate, 0), timed(p99Ms, 1), timed(ratio, 2), required, state]));
  }
}

/** Calls the store as requests do, without HTTP: 64 writes of each account in flight. */
function storeRate(accounts: number, seconds: number): Promise<number> {
  const next = scattered(SKUS);
  return rateOfLanes(accounts * BATCH_ROWS, seconds, async (lane) => {
    const key = { accountId: accountOf(lane % accounts), skuId: skuName(next()), by: SEEDER };
    const outcome = await store.offers.write(
      key,
      [{ part: 'price', skuId: key.skuId, price: 12.5, nodes: [] }],
      Date.now(),
    );
    if (outcome !== 'stored') throw new Error(`The store returned ${outcome}.`);
    return 1;
  });
}

async function callRate(target: MeasuredServer, title: string, seconds: number) {
  const call = CALLS.find((known) => known.title === title);
  if (call === undefined) throw new Error(`There is no call ${title}.`);
  const times = { warmUp_seconds: 0.5, seconds };
  const load = { ...call, server: target, token: tokens.get(target) ?? '', skus: SKUS, connections: CONNECTIONS };
  const result = await runClients({ ...load, ...times, sentBefore });
  sentBefore = result.sent;
  return { perSecond: result.takenPerSecond, p99Ms: result.takenP99Ms ?? Number.NaN };
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
      const skuIds = Array.from({ length: Math.min(1000, SKUS - from) }, (_, n) => skuName(from + n));
      await Promise.all(
        skuIds.map((skuId) =>
          target.offers.write(
            { accountId, skuId, by: SEEDER },
            [{ part: 'sku', skuId, document: sampleDocument(skuId) }],
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
