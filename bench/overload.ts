/**
 * `npm run bench:overload`: measures the server under overload. Sends four times its peak rate with up to 8,000 requests in
 * flight, from clients that honor `Retry-After` and from clients that do not; then floods it from one merchant and measures
 * another one. Counts the refusals of clients with many connections that are no flood, and measures one merchant while another
 * reads long lists. Prints required and measured figures.
 *
 * `--store postgres` measures on its own PostgreSQL; `--quick` uses fewer SKUs and one short round for each figure.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { copyStore } from '../src/operations/moves/copy-store.ts';
import { openPostgresCopyStore } from '../src/store/postgres/open.ts';
import { openSqliteCopyStore } from '../src/store/sqlite/open.ts';
import { CALLS, type MeasuredCall } from './calls.ts';
import { type Clients, type ClientsResult, runClients } from './clients.ts';
import { type Figure, FigureTable } from './floors.ts';
import { openDatabases } from './measured-databases.ts';
import { NOISY, storeOf } from './options.ts';
import { writeResult } from './report.ts';
import { sampleDocument, seedStore, skuName } from './seed-store.ts';
import { requestToken, startOfferbook } from './server-process.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    call: { type: 'string', default: 'PUT price, new price; GET price' },
    store: { type: 'string', default: 'sqlite' },
    ...NOISY,
  },
});
const STORE = storeOf(options.store);
const SKUS = options.quick ? 2_000 : 20_000;
const SECONDS = options.quick ? 3 : 8;
const TURNS = options.quick ? 1 : 3;
const OFFERED_TIMES = 4;
const OUTSTANDING_MAX = 8000;
const PEAK_CONNECTIONS = 192;
const FLOOD_CONNECTIONS = 2000;
const QUIET_CONNECTIONS = 16;
const QUIET_RATE = 50;
/** Connections of clients that must not be refused. */
const USUAL_CONNECTIONS = [160, 256, 512];
/** Long lists, and how many clients read them. */
const LISTS = ['/events?limit=1000', '/merchant-skus?limit=1000'];
const LIST_READERS = 10;
/** Requests per second of another merchant that is hardly active. */
const SLIGHT_RATE = 2;

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
const figures = new FigureTable('Overload', options.noisy);
let sentBefore = 0;
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const dataDir = path.join(folder, 'data');
console.log(`Storing ${SKUS} SKUs ...`);
await seedStore(dataDir, SKUS);
const variables = {
  ...(STORE === 'postgres' ? await copyToPostgres() : {}),
  CONNECTIONS_MAX: String(2 * OUTSTANDING_MAX),
  LOG_LEVEL: 'error',
};
const server = opened.adopt(await startOfferbook(dataDir, variables), (started) => started.stop());
const token = await requestToken(server.url);
const quietToken = await requestToken(server.url, DEMO_CREDENTIALS.live);
await putQuietSku(server.url, quietToken);
const notes = [`${SKUS.toLocaleString('en-US')} stored SKUs, ${STORE}, median of ${TURNS} turns of ${SECONDS} s`];
for (const call of CALLS.filter(({ title }) => options.call.includes(title))) {
  await measureUsual(call);
  await measureOverload(call);
  await measureFlood(call);
  if (call.method === 'GET') await measureReaders(call);
}
figures.sayMissed();
writeResult(`overload-${STORE}`, { notes, tables: [figures] });

/** Returns the settings of the server for the copy. */
async function copyToPostgres(): Promise<Record<string, string>> {
  const settings = await (await openDatabases(opened))('overload');
  const source = await openSqliteCopyStore({ dataDir });
  const target = await openPostgresCopyStore({ url: settings.DATABASE_URL ?? '' });
  const outcome = await copyStore(source, target, { copied: () => {}, compared: () => {} });
  await source.close();
  await target.close();
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return settings;
}

/** Clients with many connections are no flood: none is refused while its own p99 is below 250 ms, whether others send or not. */
async function measureUsual(call: MeasuredCall): Promise<void> {
  const slight = { ...clientsOf(call, quietToken), skus: 1, connections: 1, requestsPerSecond: SLIGHT_RATE };
  for (const connections of USUAL_CONNECTIONS) {
    const clients = { ...clientsOf(call, token), connections };
    for (const isAlone of [true, false]) {
      const result = await medianOf('takenP99Ms', async () => {
        const [measured] = await Promise.all([runClients(clients), isAlone ? undefined : runClients(slight)]);
        return measured;
      });
      const p99Ms = result.takenP99Ms ?? Number.POSITIVE_INFINITY;
      const what = `${connections} connections${isAlone ? '' : `, another merchant sends ${SLIGHT_RATE}/s`}`;
      add(call, `${what}: p99`, 'ms', p99Ms);
      const invalid = p99Ms < 250 ? undefined : 'the machine is too slow for this many connections';
      add(call, `${what}: refused`, 'requests/s', result.refusedPerSecond, { ceiling: 0, invalid });
    }
  }
}

async function measureOverload(call: MeasuredCall): Promise<void> {
  const clients = clientsOf(call, token);
  const peak = await medianOf('takenPerSecond', () => runClients(clients));
  add(call, 'peak rate', 'requests/s', peak.takenPerSecond);
  add(call, 'CPU time of the server at the peak', 'us/response', peak.serverUs);
  add(call, 'CPU time of the clients at the peak', 'us/response', peak.clientUs);
  for (const isPatient of [true, false]) {
    const offered = {
      ...clients,
      connections: OUTSTANDING_MAX,
      requestsPerSecond: OFFERED_TIMES * peak.takenPerSecond,
      isPatient,
    };
    const result = await medianOf('takenPerSecond', () => runClients(offered));
    const what = `${OFFERED_TIMES} x peak, ${isPatient ? 'clients wait' : 'no client waits'}`;
    add(call, `${what}: taken`, 'of the peak', result.takenPerSecond / peak.takenPerSecond, { floor: 0.8 });
    add(call, `${what}: CPU time of the server`, 'us/response', result.serverUs);
    add(call, `${what}: CPU time of the clients`, 'us/response', result.clientUs);
    add(call, `${what}: p99 of those taken`, 'ms', result.takenP99Ms, { ceiling: 250 });
    add(call, `${what}: refused`, 'requests/s', result.refusedPerSecond);
    if (result.refusedP50Ms !== null) add(call, `${what}: p50 of refusals`, 'ms', result.refusedP50Ms);
    if (result.refusedP99Ms !== null) add(call, `${what}: p99 of refusals`, 'ms', result.refusedP99Ms);
  }
}

async function measureFlood(call: MeasuredCall): Promise<void> {
  const flood = { ...clientsOf(call, token), connections: FLOOD_CONNECTIONS, seconds: SECONDS + 1 };
  const quiet = {
    ...clientsOf(call, quietToken),
    skus: 1,
    connections: QUIET_CONNECTIONS,
    requestsPerSecond: QUIET_RATE,
  };
  const idle = await medianOf('takenP99Ms', () => runClients(quiet));
  add(call, 'p99 of a quiet merchant', 'ms', idle.takenP99Ms);
  const flooded = await medianOf('takenP99Ms', async () => {
    const [, result] = await Promise.all([runClients(flood), runClients(quiet)]);
    return result;
  });
  const ceiling = Math.max(4 * (idle.takenP99Ms ?? 0), 50);
  add(call, 'p99 of a quiet merchant during a flood', 'ms', flooded.takenP99Ms, { ceiling });
  const share = flooded.takenPerSecond / (flooded.takenPerSecond + flooded.refusedPerSecond);
  add(call, 'requests of a quiet merchant accepted during a flood', 'share', share, { floor: 0.99 });
}

async function measureReaders(call: MeasuredCall): Promise<void> {
  const other = {
    ...clientsOf(call, quietToken),
    skus: 1,
    connections: QUIET_CONNECTIONS,
    requestsPerSecond: QUIET_RATE,
  };
  const idle = await medianOf('takenP50Ms', () => runClients(other));
  add(call, 'p50 of a quiet merchant', 'ms', idle.takenP50Ms);
  for (const list of LISTS) {
    const readers = { ...clientsOf(call, token), path: list, connections: LIST_READERS, seconds: SECONDS + 1 };
    const beside = await medianOf('takenP50Ms', async () => {
      const [, result] = await Promise.all([runClients(readers), runClients(other)]);
      return result;
    });
    const times = (beside.takenP50Ms ?? Number.POSITIVE_INFINITY) / (idle.takenP50Ms ?? 0);
    const ceiling = { ceiling: 3 };
    add(call, `p50 of a quiet merchant alongside ${LIST_READERS} readers of ${list}`, 'times', times, ceiling);
  }
}

/** Returns the clients that find the peak: few enough for short queues, and enough to keep every thread busy. */
function clientsOf({ method, path: template, body }: MeasuredCall, of: string): Clients {
  return {
    server,
    token: of,
    method,
    path: template,
    ...(body === undefined ? {} : { body }),
    skus: SKUS,
    sentBefore,
    connections: PEAK_CONNECTIONS,
    warmUp_seconds: 2,
    seconds: SECONDS,
  };
}

function add(
  call: MeasuredCall,
  what: string,
  unit: string,
  value: number | null,
  bounds: Pick<Figure, 'floor' | 'ceiling' | 'invalid'> = {},
): void {
  if (value === null) throw new Error(`${call.title}: ${what}: no request was accepted.`);
  figures.figure({ what: `${call.title}: ${what}`, value, unit, ...bounds });
}

async function medianOf(
  by: 'takenPerSecond' | 'takenP50Ms' | 'takenP99Ms',
  run: () => Promise<ClientsResult>,
): Promise<ClientsResult> {
  const results: ClientsResult[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const result = await run();
    sentBefore = Math.max(sentBefore, result.sent);
    const unexpected = Object.keys(result.refused).filter((status) => status !== '503');
    if (unexpected.length > 0) throw new Error(`Unexpected responses: ${JSON.stringify(result.refused)}`);
    results.push(result);
    await server.connectionsClosed();
  }
  results.sort((one, other) => (one[by] ?? 0) - (other[by] ?? 0));
  return results[Math.floor(TURNS / 2)] as ClientsResult;
}

async function putQuietSku(url: string, of: string): Promise<void> {
  const parts = { '': sampleDocument(skuName(0)), '/price': '{"price":12.5}' };
  for (const [part, body] of Object.entries(parts)) {
    const headers = { authorization: `Bearer ${of}` };
    const answer = await fetch(`${url}/merchant-skus/${skuName(0)}${part}`, { method: 'PUT', headers, body });
    if (answer.status !== 202) throw new Error(`The quiet merchant's SKU got ${answer.status}.`);
  }
}
