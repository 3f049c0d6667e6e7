/** In charge of what the size of the store costs: reads, list pages, memory and the start, with few and with many SKUs. */
import path from 'node:path';
import { runLoad } from './load.ts';
import { anonymousMegabytes } from './process-figures.ts';
import { seedStore } from './seed-store.ts';
import { requestToken, startOfferbook } from './server-process.ts';

const TURNS = 3;
const SECONDS = 3;

export interface ScaleRow {
  readonly skus: number;
  readonly getPricePerSecond: number;
  readonly listPageFirstMs: number;
  readonly listPageDeepMs: number;
  readonly memory: number | undefined;
  readonly startMs: number;
}

export async function measureScale(folder: string, isQuick: boolean): Promise<ScaleRow[]> {
  const sizes = isQuick ? [1000, 20_000] : [10_000, 1_000_000];
  const rows: ScaleRow[] = [];
  console.log('\nSKUs        GET price/s   first page ms   deep page ms   RssAnon MB   start ms');
  for (const skus of sizes) {
    const row = await measureSize(path.join(folder, `scale-${skus}`), skus);
    rows.push(row);
    console.log(
      String(skus).padEnd(12) +
        row.getPricePerSecond.toFixed(0).padStart(11) +
        row.listPageFirstMs.toFixed(2).padStart(16) +
        row.listPageDeepMs.toFixed(2).padStart(15) +
        (row.memory?.toFixed(0) ?? '-').padStart(13) +
        row.startMs.toFixed(0).padStart(11),
    );
  }
  const [few, many] = rows;
  if (few && many) console.log(`Ratio of the rates: ${(many.getPricePerSecond / few.getPricePerSecond).toFixed(2)}`);
  return rows;
}

async function measureSize(dataDir: string, skus: number): Promise<ScaleRow> {
  await seedStore(dataDir, skus);
  const start = performance.now();
  const server = await startOfferbook(dataDir);
  try {
    const token = await requestToken(server.url);
    const startMs = performance.now() - start;
    const load = {
      url: server.url,
      token,
      skus,
      method: 'GET',
      path: '/merchant-skus/sku-{n}/price',
      connections: 64,
    } as const;
    await runLoad({ ...load, seconds: 2 });
    const rates: number[] = [];
    for (let turn = 0; turn < TURNS; turn++)
      rates.push((await runLoad({ ...load, seconds: SECONDS })).requestsPerSecond);
    const page = (query: string) => pageMilliseconds(`${server.url}/merchant-skus?limit=100${query}`, token);
    return {
      skus,
      getPricePerSecond: middle(rates),
      listPageFirstMs: await page(''),
      listPageDeepMs: await page(`&after=sku-${Math.floor(skus * 0.9)}`),
      memory: anonymousMegabytes(server.pid),
      startMs,
    };
  } finally {
    await server.stop();
  }
}

async function pageMilliseconds(url: string, token: string): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 50; turn++) {
    const startMs = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The list answered ${response.status}.`);
    times.push(performance.now() - startMs);
  }
  return middle(times);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
