/**
 * `npm run bench:review`: measures the review of 100,000 uploaded SKUs with 1,000 different images from a local server: offers
 * per second with images to fetch and with known images, memory, and the effect on single calls. Prints a table, and writes
 * bench/results/review-<store>.json and .svg.
 *
 * `--skus N` uses fewer, to try a change; `--store postgres` measures on its own PostgreSQL.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startBulkServer } from './bulk-server.ts';
import { diskFlushMilliseconds } from './disk-flush.ts';
import { FigureTable } from './floors.ts';
import { generateFile } from './generated-files.ts';
import { anonymousMegabytes } from './machine.ts';
import { openDatabases } from './measured-databases.ts';
import { countOf, NOISY, storeOf } from './options.ts';
import { putPrices } from './put-prices.ts';
import { writeResult } from './report.ts';
import { startServer } from './server-process.ts';
import { watchFile } from './watched-file.ts';

const { values: options } = parseArgs({
  options: { skus: { type: 'string', default: '100000' }, store: { type: 'string', default: 'sqlite' }, ...NOISY },
});
const SKUS = countOf('skus', options.skus);
const STORE = storeOf(options.store);

const IMAGES = 1_000;
const TURNS = 3;
const SEED = 1;
const OFFERS_PER_SECOND_MIN = 3_000;
const OFFERS_PER_SECOND_AIM = 10_000;
const LOAD_SECONDS = SKUS >= 50_000 ? 6 : 1;
/** Single calls may take this many times their idle duration, or this long, whichever is more. */
const SLOWER_MAX = 3;
const P99_MS_ALLOWED = 25;
const SAMPLE_MS = 100;
/** No offer has this brand. Excluding it changes no result, but re-reviews all offers. */
const BRAND = 'No Such Brand';

interface Sweep {
  readonly offersPerSecond: number;
  readonly memory: number;
}

const figures = new FigureTable('Review', options.noisy);
const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const database = STORE === 'postgres' ? await (await openDatabases(opened))('review') : {};
const images = opened.adopt(await startServer(['bench/image-server.ts', String(IMAGES)]), (started) => started.stop());
const flush = diskFlushMilliseconds(folder).toFixed(2);
const notes = [`${SKUS.toLocaleString('en-US')} SKUs, ${IMAGES} images, ${STORE}, one disk flush ${flush} ms`];
const server = opened.adopt(
  await startBulkServer(folder, 'review', {
    ...database,
    IMAGE_CHECK: 'on',
    IMAGE_ALLOWED_HOSTS: new URL(images.url).host,
  }),
  (started) => started.stop(),
);

await uploadCatalog();
const { token } = server;
const priceLoad = { server, token, seed: SEED, skus: SKUS, seconds: LOAD_SECONDS };
const idle = await putPrices(priceLoad);
figures.figure({ what: 'PUT price 500/s, idle, p99', value: idle.p99Ms, unit: 'ms', invalid: idle.invalid });
const sweeps: Sweep[] = [];
for (let turn = 0; turn < TURNS; turn++) sweeps.push(await sweep(turn));
const rates = sweeps.map(({ offersPerSecond }) => offersPerSecond).toSorted((one, other) => one - other);
figures.figure({
  what: 're-reviewed, images known (median of 3)',
  value: rates[1] ?? Number.NaN,
  unit: 'offers/s',
  floor: OFFERS_PER_SECOND_MIN,
  aim: OFFERS_PER_SECOND_AIM,
});
figures.figure({
  what: 'memory at its highest (RssAnon)',
  value: Math.max(...sweeps.map(({ memory }) => memory)),
  unit: 'MB',
});
await measureCallsMeanwhile();
figures.sayMissed();
writeResult(`review-${STORE}`, { notes, tables: [figures] });

/** Uploads a file of SKUs and one of prices, as a merchant would. The review runs at the same time and fetches each image once. */
async function uploadCatalog(): Promise<void> {
  const addresses = Array.from({ length: IMAGES }, (_, number) => `${images.url}/${number}.jpg`);
  const startMs = performance.now();
  for (const type of ['MerchantSKUs', 'Price'] as const) {
    await watchFile(server.files, server.pid, await generateFile(folder, type, SEED, SKUS, addresses));
  }
  await server.reviewed();
  const seconds = (performance.now() - startMs) / 1000;
  figures.figure({ what: 'uploaded, images fetched, all reviewed', value: seconds, unit: 's' });
}

/** A policy change re-reviews every offer. */
async function sweep(turn: number): Promise<Sweep> {
  await policy(...(turn % 2 === 0 ? ['exclude'] : ['remove']), '--brand', BRAND);
  const startMs = performance.now();
  const dueOverTime: { seconds: number; value: number }[] = [];
  let memory = 0;
  for (let wasDue = false; ; ) {
    const due = await server.dueOffers();
    dueOverTime.push({ seconds: (performance.now() - startMs) / 1000, value: due });
    memory = Math.max(memory, anonymousMegabytes(server.pid) ?? Number.NaN);
    if (due > 0) wasDue = true;
    else if (wasDue) break;
    await pause(SAMPLE_MS);
  }
  // The server checks for changes twice a second: measure from the first mark.
  const first = dueOverTime.findIndex(({ value }) => value > 0);
  const from = dueOverTime[Math.max(0, first - 1)]?.seconds ?? 0;
  const offersPerSecond = SKUS / ((dueOverTime.at(-1)?.seconds ?? Number.NaN) - from);
  return { offersPerSecond, memory };
}

async function measureCallsMeanwhile(): Promise<void> {
  await policy(...(TURNS % 2 === 0 ? ['exclude'] : ['remove']), '--brand', BRAND);
  while ((await server.dueOffers()) === 0) await pause(SAMPLE_MS);
  const { p99Ms, maxMs, invalid } = await putPrices(priceLoad);
  const isStillDue = (await server.dueOffers()) > 0;
  figures.figure({
    what: 'PUT price 500/s, while offers are reviewed, p99',
    value: p99Ms,
    unit: 'ms',
    ceiling: Math.max(SLOWER_MAX * idle.p99Ms, P99_MS_ALLOWED),
    invalid: isStillDue ? invalid : 'the review ended before',
  });
  figures.figure({ what: 'the slowest of them', value: maxMs, unit: 'ms' });
  await server.reviewed();
}

/** Changes a policy on the command line while the server runs, as an operator does. */
async function policy(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['src/cli/main.mjs', 'policy', ...args], {
    env: { ...process.env, NODE_ENV: '', DATA_DIR: path.join(folder, 'review'), ...database },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The command ended with code ${code}.`);
}
