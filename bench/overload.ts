/**
 * `npm run bench:overload`: measures the server under overload. Sends four times its peak rate with up to 8,000 requests in
 * flight, from clients that honor `Retry-After` and from clients that do not; then floods it from one merchant and measures
 * another one. Prints required and measured figures.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { CALLS, type MeasuredCall } from './calls.ts';
import { FIGURE_HEAD, FigureTable } from './floors.ts';
import { sampleDocument, seedStore } from './seed-store.ts';
import { requestToken } from './server-process.ts';
import { startWatched, type WatchedServer } from './watched-server.ts';

export interface Clients {
  readonly url: string;
  readonly token: string;
  readonly method: string;
  /** `{n}` is replaced by a number below `skus`. */
  readonly path: string;
  readonly body: string;
  readonly skus: number;
  readonly connections: number;
  /** Rate at which requests are sent even if responses are missing, as long as a connection is free. */
  readonly requestsPerSecond: number;
  /** Whether clients honor `Retry-After`. */
  readonly isPatient: boolean;
  readonly warmUp_seconds: number;
  readonly seconds: number;
}

/** Times from sending a request to the end of its response; null if there was none. */
export interface ClientsResult {
  readonly takenPerSecond: number;
  readonly takenP50Ms: number | null;
  readonly takenP99Ms: number | null;
  readonly refusedPerSecond: number;
  readonly refusedP50Ms: number | null;
  readonly refusedP99Ms: number | null;
  /** Responses with other statuses. */
  readonly others: Readonly<Record<string, number>>;
}

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, call: { type: 'string', default: 'PUT price, GET price' } },
});
const SKUS = options.quick ? 2_000 : 20_000;
const SECONDS = options.quick ? 3 : 8;
const TURNS = options.quick ? 1 : 3;
const OFFERED_TIMES = 4;
const OUTSTANDING_MAX = 8000;
const PEAK_CONNECTIONS = 192;
const FLOOD_CONNECTIONS = 2000;
/** A rate beyond what the server can handle. */
const ANY_RATE = 100_000;
const QUIET_CONNECTIONS = 16;
const QUIET_RATE = 50;
const RESULTS = path.join(import.meta.dirname, 'results');

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
const figures = new FigureTable();
try {
  const dataDir = path.join(folder, 'data');
  console.log(`Storing ${SKUS} SKUs ...`);
  await seedStore(dataDir, SKUS);
  const server = await startWatched(dataDir, { CONNECTIONS_MAX: String(2 * OUTSTANDING_MAX), LOG_LEVEL: 'error' });
  try {
    const token = await requestToken(server.url);
    const quietToken = await requestToken(server.url, DEMO_CREDENTIALS.live);
    await putQuietSku(server.url, quietToken);
    console.log(`Median of ${TURNS} turns of ${SECONDS} s\n${FIGURE_HEAD}`);
    for (const call of CALLS.filter(({ title }) => options.call.includes(title))) {
      await measureOverload(server, call, token);
      await measureFlood(server, call, token, quietToken);
    }
  } finally {
    await server.stop();
  }
  figures.sayMissed();
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(path.join(RESULTS, 'overload.json'), `${JSON.stringify(figures.withVerdicts(), null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureOverload(server: WatchedServer, call: MeasuredCall, token: string): Promise<void> {
  const clients = clientsOf(server, call, token);
  const peak = await medianOf('takenPerSecond', server, () => runClients(clients));
  add(call, 'peak rate', 'requests/s', peak.takenPerSecond);
  for (const isPatient of [true, false]) {
    const offered = {
      ...clients,
      connections: OUTSTANDING_MAX,
      requestsPerSecond: OFFERED_TIMES * peak.takenPerSecond,
      isPatient,
    };
    const result = await medianOf('takenPerSecond', server, () => runClients(offered));
    const what = `${OFFERED_TIMES} x peak, ${isPatient ? 'clients wait' : 'no client waits'}`;
    add(call, `${what}: taken`, 'of the peak', result.takenPerSecond / peak.takenPerSecond, { floor: 0.9 });
    add(call, `${what}: p99 of those taken`, 'ms', result.takenP99Ms, { ceiling: 250 });
    add(call, `${what}: refused`, 'requests/s', result.refusedPerSecond);
    add(call, `${what}: p50 of refusals`, 'ms', result.refusedP50Ms);
    add(call, `${what}: p99 of refusals`, 'ms', result.refusedP99Ms);
  }
}

async function measureFlood(
  server: WatchedServer,
  call: MeasuredCall,
  token: string,
  quietToken: string,
): Promise<void> {
  const flood = { ...clientsOf(server, call, token), connections: FLOOD_CONNECTIONS, seconds: SECONDS + 1 };
  const quiet = {
    ...clientsOf(server, call, quietToken),
    skus: 1,
    connections: QUIET_CONNECTIONS,
    requestsPerSecond: QUIET_RATE,
  };
  const idle = await medianOf('takenP99Ms', server, () => runClients(quiet));
  add(call, 'p99 of a quiet merchant', 'ms', idle.takenP99Ms);
  const flooded = await medianOf('takenP99Ms', server, async () => {
    const [, result] = await Promise.all([runClients(flood), runClients(quiet)]);
    return result;
  });
  const ceiling = Math.max(4 * (idle.takenP99Ms ?? 0), 50);
  add(call, 'p99 of a quiet merchant during a flood', 'ms', flooded.takenP99Ms, { ceiling });
  const share = flooded.takenPerSecond / (flooded.takenPerSecond + flooded.refusedPerSecond);
  add(call, 'requests of a quiet merchant accepted during a flood', 'share', share, { floor: 0.99 });
}

/** Returns the clients that find the peak: few enough for short queues, and enough to keep every thread busy. */
function clientsOf({ url }: WatchedServer, { method, path: template, body }: MeasuredCall, token: string): Clients {
  return {
    url,
    token,
    method,
    path: template,
    body: body ?? '',
    skus: SKUS,
    connections: PEAK_CONNECTIONS,
    requestsPerSecond: ANY_RATE,
    isPatient: false,
    warmUp_seconds: 2,
    seconds: SECONDS,
  };
}

function add(
  call: MeasuredCall,
  what: string,
  unit: string,
  value: number | null,
  bounds: { readonly floor?: number; readonly ceiling?: number } = {},
): void {
  figures.add({ what: `${call.title}: ${what}`, value: value ?? Number.NaN, unit, ...bounds });
}

async function medianOf(
  by: 'takenPerSecond' | 'takenP99Ms',
  server: WatchedServer,
  run: () => Promise<ClientsResult>,
): Promise<ClientsResult> {
  const results: ClientsResult[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    results.push(await run());
    await server.connectionsClosed();
  }
  results.sort((one, other) => (one[by] ?? 0) - (other[by] ?? 0));
  return results[Math.floor(TURNS / 2)] as ClientsResult;
}

async function runClients(clients: Clients): Promise<ClientsResult> {
  const script = path.join(import.meta.dirname, 'overload-clients.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(clients)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`The client process ended with code ${code}.`);
  const result = JSON.parse(output) as ClientsResult;
  if (Object.keys(result.others).length > 0) throw new Error(`Unexpected responses: ${JSON.stringify(result.others)}`);
  return result;
}

async function putQuietSku(url: string, token: string): Promise<void> {
  const parts = { '': sampleDocument('sku-0'), '/price': '{"price":12.5}' };
  for (const [part, body] of Object.entries(parts)) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/merchant-skus/sku-0${part}`, { method: 'PUT', headers, body });
    if (answer.status !== 202) throw new Error(`The quiet merchant's SKU got ${answer.status}.`);
  }
}
