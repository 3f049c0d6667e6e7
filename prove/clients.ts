/**
 * `node prove/clients.ts`: programs call two processes on PostgreSQL through the client package, while one of the processes is killed every
 * ten seconds. No call may fail after the client's own retries.
 *
 * Each program has an offer of its own: every read must return its last write, and the feed must list each write once and in order. It
 * shares another offer with a second program: the history must not have a price twice, because then a retry has overwritten the newer price
 * of the other program. `--calls N`, `--seconds N` from one kill to the next.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FigureTable } from '../bench/floors.ts';
import { countOf } from '../bench/options.ts';
import { writeResult } from '../bench/report.ts';
import { Offerbook, type SkuBody } from '../client/src/index.ts';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { startTestServer } from '../src/store/postgres/testing/test-server.ts';
import { minimalSku } from '../test/harness/api-client.ts';
import { waitForLines } from '../test/harness/log-lines.ts';
import { type ServeProcess, startServeProcess } from '../test/harness/serve-process.ts';
import { waitUntil } from '../test/harness/wait-until.ts';
import { NODES } from './model/offer-model.ts';

const { values: options } = parseArgs({
  options: { calls: { type: 'string', default: '300000' }, seconds: { type: 'string', default: '10' } },
});
const CALLS = countOf('calls', options.calls);
const KILL_EVERY_MS = Number(options.seconds) * 1000;
const PROGRAMS = 16;
/** Events that arrive later than this after the last write are lost. */
const EVENTS_MS_MAX = 60_000;

/** A program and its offers. An amount is never written twice. */
interface Program {
  readonly api: Offerbook;
  readonly own: string;
  readonly shared: string;
}

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-prove-'));
const figures = new FigureTable('Clients while processes are killed', true);
const database = await startTestServer({ durable: true });
const counted = { calls: 0, writes: 0, retries: 0, kills: 0, slowest_ms: 0 };
/** The amounts of own offers, by SKU and part: as written, and as the feed lists them. */
const written = new Map<string, number[]>();
const told = new Map<string, number[]>();
let server: ServeProcess | undefined;
try {
  await run();
} finally {
  await server?.stop('SIGKILL');
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(process.exitCode ?? 0);

async function run(): Promise<void> {
  const settings = { DATA_DIR: folder, DATABASE_URL: database.url, REQUESTS_PER_MINUTE: '100000000' };
  const started = await startServeProcess(settings, ['--demo', '--processes', '2']);
  server = started;
  const programs = Array.from({ length: PROGRAMS }, (_, n) => programOf(started.url, n));
  for (const { api, own, shared } of programs) {
    const offer = { sku: minimalSku() as SkuBody, price: { price: 1 }, inventory: stockOf(0) };
    for (const sku of [own, shared]) await api.putOffer(sku, offer);
  }
  const over = new AbortController();
  const following = follow(clientOf(started.url, over.signal), over.signal);
  const killing = killInTurn(started, over.signal);
  await Promise.race([Promise.all(programs.map(work)), killing, following]);
  await waitUntil('every event', EVENTS_MS_MAX, async () => total(told) >= total(written) || undefined).catch(
    // The comparison says which events are missing.
    () => console.error('Not every write has an event.'),
  );
  over.abort();
  await Promise.all([killing, following]);
  assert.deepEqual(told, written);
  const newest = await Promise.all(programs.map(assertNoneTwice));
  figures.figure({ what: 'sent without a failure', value: counted.calls, unit: 'calls', floor: CALLS });
  figures.figure({ what: 'writes of own offers, each once in the feed', value: total(written), unit: 'writes' });
  figures.figure({
    what: 'newest writes of shared offers, none of them twice',
    value: newest.reduce((sum, count) => sum + count, 0) / 2,
    unit: 'writes',
  });
  figures.figure({ what: 'processes killed', value: counted.kills, unit: 'kills', floor: 1 });
  figures.figure({ what: 'attempts that the client repeated', value: counted.retries, unit: 'calls', floor: 1 });
  figures.figure({ what: 'the longest call, with its repetitions', value: counted.slowest_ms, unit: 'ms' });
  if (figures.sayMissed()) process.exitCode = 1;
  writeResult('proof-clients', { tables: [figures] });
}

function programOf(url: string, n: number): Program {
  return { api: clientOf(url), own: `own-${n}`, shared: `shared-${Math.floor(n / 2)}` };
}

function clientOf(url: string, signal?: AbortSignal): Offerbook {
  const { user, secret: pass } = DEMO_CREDENTIALS.test;
  const onRetry = () => void counted.retries++;
  return new Offerbook({ url, user, pass, onRetry, ...(signal === undefined ? {} : { signal }) });
}

async function work({ api, own, shared }: Program): Promise<void> {
  while (counted.calls < CALLS || counted.kills === 0) {
    const price = await wrote(`${own} price`, (amount) => api.putPrice(own, { price: amount / 100 }));
    const read = await call(() => api.getPrice(own));
    assert.equal(read?.value.price, price / 100, own);
    const next = await wrote(`${own} price`, (amount) =>
      // A repeated attempt must not be refused because the first one changed the price.
      api.putPrice(own, { price: amount / 100 }, { ifMatch: read?.tag ?? '' }),
    );
    assert.equal((await call(() => api.getPrice(own)))?.value.price, next / 100, own);
    const quantity = await wrote(`${own} inventory`, (amount) => api.patchInventory(own, stockOf(amount)));
    const stock = await call(() => api.getInventory(own));
    assert.equal(stock?.value.fulfillment_nodes?.[0]?.quantity, quantity, own);
    const amount = ++counted.writes;
    await call(() => api.putPrice(shared, { price: amount / 100 }));
  }
}

function stockOf(quantity: number) {
  return { fulfillment_nodes: [{ fulfillment_node_id: NODES[0], quantity }] };
}

/** Writes the next amount, and returns it. */
async function wrote(key: string, write: (amount: number) => Promise<unknown>): Promise<number> {
  const amount = ++counted.writes;
  addTo(written, key, amount);
  await call(() => write(amount));
  return amount;
}

async function call<T>(make: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  const result = await make();
  counted.slowest_ms = Math.max(counted.slowest_ms, performance.now() - startMs);
  counted.calls++;
  return result;
}

/** Kills the processes in turn. Each time, both run before. */
async function killInTurn({ output }: ServeProcess, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const ready = await waitForLines({ output }, 'worker_ready', 2 + counted.kills);
    await pause(KILL_EVERY_MS, undefined, { signal: over }).catch(() => {});
    if (over.aborted) return;
    const victim = ready.filter(({ number }) => number === 1 + (counted.kills % 2)).at(-1);
    process.kill(Number(victim?.pid), 'SIGKILL');
    counted.kills++;
    console.log(`${counted.kills} kills, ${counted.calls} calls, ${counted.retries} repeated attempts`);
  }
}

/** Follows the feed through the kills, as a program would. */
async function follow(api: Offerbook, signal: AbortSignal): Promise<void> {
  for await (const event of api.events({ types: ['offer.updated'], include: ['changes'], signal })) {
    if (event.type !== 'offer.updated' || !event.merchant_sku.startsWith('own-')) continue;
    for (const { before, after } of event.changes ?? []) {
      // The first price and stock replace none.
      if (before === null || typeof after !== 'number') continue;
      addTo(told, `${event.merchant_sku} ${event.part}`, event.part === 'price' ? Math.round(after * 100) : after);
    }
  }
}

function addTo(amounts: Map<string, number[]>, key: string, amount: number): void {
  const known = amounts.get(key);
  if (known === undefined) amounts.set(key, [amount]);
  else known.push(amount);
}

/** Returns how many prices of the shared offer its history has; the oldest may be dropped. */
async function assertNoneTwice({ api, shared }: Program): Promise<number> {
  const prices = (await Array.fromAsync(api.history(shared, 200))).flatMap(({ part, after }) =>
    part === 'price' ? [(after as { price: number }).price] : [],
  );
  assert.equal(new Set(prices).size, prices.length, shared);
  return prices.length;
}

function total(amounts: ReadonlyMap<string, readonly number[]>): number {
  return amounts.values().reduce((sum, { length }) => sum + length, 0);
}
