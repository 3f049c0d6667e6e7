/**
 * `npm run bench:api`: PUT price and GET price of Offerbook against a bare node:http and a bare Fastify server, turn
 * by turn in one run; the median of three. Durable commits, tokens and the request limit are on (the limit raised).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { LOAD_TOOL, type LoadResult, runLoad } from './load.ts';
import { seedStore } from './seed-store.ts';
import { type MeasuredServer, startServer } from './server-process.ts';

const SKUS = 10_000;
const TURNS = 3;
const SECONDS = 4;
const WARM_UP_SECONDS = 1;
const CONNECTIONS = 64;

const CALLS = [
  { title: 'PUT price', method: 'PUT', path: '/merchant-skus/sku-{n}/price', body: '{"price":12.5}' },
  { title: 'GET price', method: 'GET', path: '/merchant-skus/sku-{n}/price' },
] as const;

const dataDir = await mkdtemp(path.join(tmpdir(), 'offerbook-bench-'));
const servers: Record<string, MeasuredServer> = {};
try {
  await seedStore(dataDir, SKUS);
  servers['node:http'] = await startServer(['bench/bare-servers.ts', 'node']);
  servers.Fastify = await startServer(['bench/bare-servers.ts', 'fastify']);
  servers.Offerbook = await startServer(['src/cli/main.ts', 'serve', '--demo'], {
    PORT: '0',
    DATA_DIR: dataDir,
    REQUESTS_PER_MINUTE: '100000000',
  });
  const token = await requestToken(servers.Offerbook.url);

  console.log(`${SKUS} SKUs, ${CONNECTIONS} connections, ${LOAD_TOOL}, median of ${TURNS} turns of ${SECONDS} s\n`);
  console.log('call       server      requests/s   p50 ms   p99 ms   to Fastify');
  for (const call of CALLS) {
    const results = new Map<string, LoadResult[]>(Object.keys(servers).map((name) => [name, []]));
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [name, { url }] of Object.entries(servers)) {
        const load = { ...call, url, token, skus: SKUS, connections: CONNECTIONS };
        await runLoad({ ...load, seconds: WARM_UP_SECONDS });
        results.get(name)?.push(await runLoad({ ...load, seconds: SECONDS }));
      }
    }
    const medians = new Map(Array.from(results, ([name, runs]) => [name, median(runs)]));
    const bare = medians.get('Fastify')?.requestsPerSecond ?? Number.NaN;
    for (const [name, result] of medians) {
      console.log(
        call.title.padEnd(11) +
          name.padEnd(12) +
          result.requestsPerSecond.toFixed(0).padStart(10) +
          result.p50Ms.toFixed(2).padStart(9) +
          result.p99Ms.toFixed(2).padStart(9) +
          (result.requestsPerSecond / bare).toFixed(2).padStart(13),
      );
    }
  }
} finally {
  for (const server of Object.values(servers)) await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

function median(results: readonly LoadResult[]): LoadResult {
  const sorted = results.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
  return sorted[Math.floor(sorted.length / 2)] as LoadResult;
}

async function requestToken(url: string): Promise<string> {
  const { user, secret } = DEMO_CREDENTIALS.test;
  const response = await fetch(`${url}/token`, { method: 'POST', body: JSON.stringify({ user, pass: secret }) });
  return ((await response.json()) as { id_token: string }).id_token;
}
