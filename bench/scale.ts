/**
 * `npm run bench:scale`: measures the effect of database size on reads, list pages, memory and start, with few and with many SKUs.
 * Writes bench/results/scale.json. `--noisy` shows figures of a busy machine too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runClients } from './clients.ts';
import { FigureTable } from './floors.ts';
import { anonymousMegabytes } from './machine.ts';
import { median } from './median.ts';
import { NOISY } from './options.ts';
import { writeResult } from './report.ts';
import { seedStore, skuName } from './seed-store.ts';
import { type MeasuredServer, requestToken, startOfferbook } from './server-process.ts';

const { values: options } = parseArgs({ options: NOISY });
const SKUS = [10_000, 1_000_000];
const RATE_RATIO_MIN = 0.9;
const START_MS_MAX = 1_000;
const TURNS = 3;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;

interface SeededSize {
  readonly skus: number;
  readonly dataDir: string;
}

interface ServedSize {
  readonly skus: number;
  readonly server: MeasuredServer;
  readonly token: string;
  /** Time to the first response. */
  readonly startMs: number;
}

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const sizes = SKUS.map((skus): SeededSize => ({ skus, dataDir: path.join(folder, String(skus)) }));
for (const { skus, dataDir } of sizes) await seedStore(dataDir, skus);
const figures = new FigureTable('Database size', options.noisy);
for (const [place, value] of (await startTimes(sizes)).entries()) {
  figures.figure({ what: `${name(place)}: start to first token`, value, unit: 'ms', ceiling: START_MS_MAX });
}
const served: ServedSize[] = [];
for (const size of sizes) {
  const one = await serve(size);
  opened.adopt(one.server, (server) => server.stop());
  served.push(one);
}
const rates = await priceRates(served);
for (const [place, value] of rates.entries()) {
  figures.figure({ what: `${name(place)}: GET price`, value, unit: 'requests/s' });
}
const [few = Number.NaN, many = Number.NaN] = rates;
figures.figure({
  what: 'GET price: rate with many to that with few',
  value: many / few,
  unit: 'ratio',
  floor: RATE_RATIO_MIN,
});
for (const [place, { skus, server, token }] of served.entries()) {
  const page = (query: string) => pageMilliseconds(`${server.url}/merchant-skus?limit=100${query}`, token);
  const after = skuName(Math.floor(skus * 0.9));
  figures.figure({ what: `${name(place)}: first page of the list`, value: await page(''), unit: 'ms' });
  figures.figure({ what: `${name(place)}: page after 90 %`, value: await page(`&after=${after}`), unit: 'ms' });
  const memory = anonymousMegabytes(server.pid) ?? Number.NaN;
  figures.figure({ what: `${name(place)}: memory (RssAnon)`, value: memory, unit: 'MB' });
}
figures.sayMissed();
writeResult('scale', { tables: [figures] });

function name(place: number): string {
  return `${SKUS[place]?.toLocaleString('en-US')} SKUs`;
}

async function serve({ skus, dataDir }: SeededSize): Promise<ServedSize> {
  const start = performance.now();
  const server = await startOfferbook(dataDir);
  const token = await requestToken(server.url);
  return { skus, server, token, startMs: performance.now() - start };
}

/** Returns the median start time of each size, in milliseconds. Starts one server at a time, alternating between the sizes. */
async function startTimes(sizes: readonly SeededSize[]): Promise<readonly number[]> {
  const times = sizes.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [place, size] of sizes.entries()) {
      const { server, startMs } = await serve(size);
      await server.stop();
      times[place]?.push(startMs);
    }
  }
  return times.map(median);
}

/** Returns the median rate of each size, in requests per second. Alternates, because the machine's speed varies over time. */
async function priceRates(served: readonly ServedSize[]): Promise<readonly number[]> {
  const rates = served.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [place, { skus, server, token }] of served.entries()) {
      const what = { method: 'GET', path: '/merchant-skus/{sku}/price', connections: 64 } as const;
      const times = { warmUp_seconds: WARM_UP_SECONDS, seconds: SECONDS };
      rates[place]?.push((await runClients({ ...what, server, token, skus, ...times })).takenPerSecond);
    }
  }
  return rates.map(median);
}

async function pageMilliseconds(url: string, token: string): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 50; turn++) {
    const startMs = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The list returned ${response.status}.`);
    times.push(performance.now() - startMs);
  }
  return median(times);
}
