/** Measures the effect of database size on reads, list pages, memory and start, with few and with many SKUs. */
import path from 'node:path';
import { runLoad } from './load.ts';
import { anonymousMegabytes } from './process-figures.ts';
import { seedStore } from './seed-store.ts';
import { type MeasuredServer, requestToken, startOfferbook } from './server-process.ts';

const TURNS = 3;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;

export interface ScaleRow {
  readonly skus: number;
  readonly getPricePerSecond: number;
  readonly listPageFirst_ms: number;
  readonly listPageDeep_ms: number;
  readonly memory: number | undefined;
  readonly startMs: number;
}

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

export async function measureScale(folder: string, isQuick: boolean): Promise<ScaleRow[]> {
  const sizes = (isQuick ? [1000, 20_000] : [10_000, 1_000_000]).map((skus): SeededSize => {
    return { skus, dataDir: path.join(folder, `scale-${skus}`) };
  });
  for (const { skus, dataDir } of sizes) await seedStore(dataDir, skus);
  const starts = await startTimes(sizes);
  const served: ServedSize[] = [];
  try {
    for (const size of sizes) served.push(await serve(size));
    const rates = await priceRates(served);
    console.log('\nSKUs        GET price/s   first page ms   deep page ms   RssAnon MB   start ms');
    const rows: ScaleRow[] = [];
    for (const [place, size] of served.entries()) {
      rows.push(await rowOf(size, rates[place] ?? Number.NaN, starts[place] ?? Number.NaN));
    }
    const [few, many] = rows;
    if (few && many) console.log(`Ratio of the rates: ${(many.getPricePerSecond / few.getPricePerSecond).toFixed(2)}`);
    return rows;
  } finally {
    for (const { server } of served) await server.stop();
  }
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
  return times.map(middle);
}

/** Returns the median rate of each size, in requests per second. Alternates, because the machine's speed varies over time. */
async function priceRates(served: readonly ServedSize[]): Promise<readonly number[]> {
  const rates = served.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [place, { skus, server, token }] of served.entries()) {
      const what = { method: 'GET', path: '/merchant-skus/sku-{n}/price', connections: 64 } as const;
      const load = { ...what, url: server.url, token, skus };
      await runLoad({ ...load, seconds: WARM_UP_SECONDS });
      rates[place]?.push((await runLoad({ ...load, seconds: SECONDS })).requestsPerSecond);
    }
  }
  return rates.map(middle);
}

async function rowOf(
  { skus, server, token }: ServedSize,
  getPricePerSecond: number,
  startMs: number,
): Promise<ScaleRow> {
  const page = (query: string) => pageMilliseconds(`${server.url}/merchant-skus?limit=100${query}`, token);
  const row = {
    skus,
    getPricePerSecond,
    listPageFirst_ms: await page(''),
    listPageDeep_ms: await page(`&after=sku-${Math.floor(skus * 0.9)}`),
    memory: anonymousMegabytes(server.pid),
    startMs,
  };
  console.log(
    String(skus).padEnd(12) +
      row.getPricePerSecond.toFixed(0).padStart(11) +
      row.listPageFirst_ms.toFixed(2).padStart(16) +
      row.listPageDeep_ms.toFixed(2).padStart(15) +
      (row.memory?.toFixed(0) ?? '-').padStart(13) +
      row.startMs.toFixed(0).padStart(11),
  );
  return row;
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
  return middle(times);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
