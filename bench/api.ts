/**
 * `npm run bench:api`: compares API calls with a bare node:http server, which only parses bodies, and a bare Fastify server, which
 * checks them. Alternates in one run, median of three; then measures the effect of database size. Durable commits, tokens and the
 * request limit are on (the limit is raised). Writes bench/results/api.json and api.svg.
 *
 * `--quick` uses fewer SKUs and shorter rounds, to try a change.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CALLS, type MeasuredCall } from './calls.ts';
import { diskFlushMilliseconds } from './disk-flush.ts';
import { LOAD_TOOL, type LoadResult, runLoad } from './load.ts';
import { plotSvg } from './plot.ts';
import { anonymousMegabytes, endedChildrenSeconds, mainThreadSeconds, processSeconds } from './process-figures.ts';
import { measureScale } from './scale.ts';
import { seedStore } from './seed-store.ts';
import { type MeasuredServer, requestToken, startOfferbook, startServer } from './server-process.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const isQuick = options.quick;
const SKUS = isQuick ? 10_000 : 100_000;
const SECONDS = isQuick ? 2 : 3;
const TURNS = 3;
/** With fewer connections, all of them sometimes wait for a commit, and the server's thread is idle. */
const CONNECTIONS = 256;
/** Below this share of a core the server waited for something else, and the comparison is meaningless. */
const BUSY_SHARE_MIN = 0.85;
/** A round also counts if server and load generator together used nearly all cores, because the machine was then the limit. */
const MACHINE_SHARE_MIN = 0.95;
const RESULTS = path.join(import.meta.dirname, 'results');

export interface MeasuredTurn extends LoadResult {
  /** Share of one core used by the server's main thread. */
  readonly mainShare: number;
  /** Number of cores used by all threads of the server, and by the load generator. */
  readonly serverShare: number;
  readonly clientShare: number;
}

export interface Row extends MeasuredTurn {
  readonly call: string;
  readonly server: string;
  readonly ratio: number;
  readonly valid: boolean;
}

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
const dataDir = path.join(folder, 'data');
const servers: Record<string, MeasuredServer> = {};
try {
  const flush_ms = diskFlushMilliseconds(folder);
  console.log(`One disk flush takes ${flush_ms.toFixed(2)} ms. Storing ${SKUS} SKUs ...`);
  await seedStore(dataDir, SKUS);
  servers['node:http'] = await startServer(['bench/bare-servers.ts', 'node']);
  servers.Fastify = await startServer(['bench/bare-servers.ts', 'fastify']);
  servers.Offerbook = await startOfferbook(dataDir);
  const token = await requestToken(servers.Offerbook.url);
  console.log(`${CONNECTIONS} connections, ${LOAD_TOOL}, median of ${TURNS} turns of ${SECONDS} s\n`);
  console.log(
    'call             server      requests/s   p50 ms   p99 ms    main   server   client   to Fastify   floor',
  );
  const rows: Row[] = [];
  for (const call of CALLS) rows.push(...(await measureCall(call, token)));
  const memory = anonymousMegabytes(servers.Offerbook.pid);
  console.log(`\nMemory of Offerbook while serving (RssAnon): ${memory?.toFixed(0)} MB`);
  for (const server of Object.values(servers)) await server.stop();
  const scale = await measureScale(folder, isQuick);
  mkdirSync(RESULTS, { recursive: true });
  const result = {
    when: new Date().toISOString(),
    node: process.version,
    tool: LOAD_TOOL,
    skus: SKUS,
    flush_ms,
    memory,
    rows,
    scale,
  };
  writeFileSync(path.join(RESULTS, 'api.json'), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(path.join(RESULTS, 'api.svg'), plotSvg(rows));
} finally {
  for (const server of Object.values(servers)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measureCall(call: MeasuredCall, token: string): Promise<Row[]> {
  const turns = new Map<string, MeasuredTurn[]>(Object.keys(servers).map((name) => [name, []]));
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, { url, pid }] of Object.entries(servers)) {
      const load = { ...call, url, token, skus: SKUS, connections: CONNECTIONS };
      await runLoad({ ...load, seconds: 1 });
      const before = usedSeconds(pid);
      const result = await runLoad({ ...load, seconds: SECONDS });
      const after = usedSeconds(pid);
      turns.get(name)?.push({
        ...result,
        mainShare: (after.main - before.main) / SECONDS,
        serverShare: (after.server - before.server) / SECONDS,
        clientShare: (after.client - before.client) / SECONDS,
      });
    }
  }
  const medians = Array.from(turns, ([server, results]) => ({ server, ...median(results) }));
  const bare = medians.find(({ server }) => server === 'Fastify')?.requestsPerSecond ?? Number.NaN;
  return medians.map((result) => {
    const row = {
      ...result,
      call: call.title,
      ratio: result.requestsPerSecond / bare,
      valid: isValid(result),
    };
    console.log(line(row, call.floor));
    return row;
  });
}

function usedSeconds(pid: number): { main: number; server: number; client: number } {
  return {
    main: mainThreadSeconds(pid) ?? Number.NaN,
    server: processSeconds(pid) ?? Number.NaN,
    client: endedChildrenSeconds() ?? Number.NaN,
  };
}

/** Unknown figures do not invalidate a round. */
function isValid({ mainShare, serverShare, clientShare }: MeasuredTurn): boolean {
  const isMachineFull = serverShare + clientShare >= MACHINE_SHARE_MIN * availableParallelism();
  return !(mainShare < BUSY_SHARE_MIN) || isMachineFull;
}

function percent(share: number): string {
  return Number.isNaN(share) ? '-' : `${(share * 100).toFixed(0)} %`;
}

function line(row: Row, floor: number | undefined): string {
  return (
    row.call.padEnd(17) +
    row.server.padEnd(12) +
    row.requestsPerSecond.toFixed(0).padStart(10) +
    row.p50Ms.toFixed(2).padStart(9) +
    row.p99Ms.toFixed(2).padStart(9) +
    percent(row.mainShare).padStart(8) +
    percent(row.serverShare).padStart(9) +
    percent(row.clientShare).padStart(9) +
    row.ratio.toFixed(2).padStart(13) +
    (row.server === 'Offerbook' && floor !== undefined ? floor.toFixed(2).padStart(8) : '') +
    (row.valid ? '' : '   invalid: the server was not busy')
  );
}

function median(results: readonly MeasuredTurn[]): MeasuredTurn {
  const sorted = results.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
  return sorted[Math.floor(sorted.length / 2)] as MeasuredTurn;
}
