/**
 * `node prove/kills.ts`: kills the server with SIGKILL at random moments while writers change offers and a bulk file is processed. After each
 * restart, every offer must read as the last confirmed write left it. A write without a response may be stored or not, but not in part. At
 * the end, the feed must list each change once and in order.
 *
 * `--store postgres` uses its own PostgreSQL, with durable commits, and kills it in turn with the server. `--power-cuts` takes back unsynced
 * writes after each kill. `--kills N`, `--seed N`.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FigureTable } from '../bench/floors.ts';
import { storeOf } from '../bench/options.ts';
import { writeResult } from '../bench/report.ts';
import { finished, sendFile } from '../test/api/fixtures/bulk-files.ts';
import { ApiClient, minimalSku, requestToken, skuPath } from '../test/harness/api-client.ts';
import { type BreakablePostgres, startBreakablePostgres } from '../test/harness/breakable-postgres.ts';
import { type Chance, seededChance } from '../test/harness/seeded-random.ts';
import { type ServeProcess, startServeProcess } from '../test/harness/serve-process.ts';
import { FIRST_VARIANT } from '../test/harness/variants.ts';
import { waitUntil } from '../test/harness/wait-until.ts';
import { assertSame, changedOffers, type ModelRun, PATHS } from './model/offer-commands.ts';
import { type Account, NODES, type Part, RETURN_LOCATIONS, SIZE, type Write, written } from './model/offer-model.ts';
import { openPowerCuts } from './power-cut.ts';

const { values: options } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    kills: { type: 'string', default: '300' },
    'power-cuts': { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
});
const STORE = storeOf(options.store);
const KILLS = Number(options.kills);
const WRITERS = 16;
const OFFERS_PER_WRITER = 4;
const FILE_ROWS = 300;
/** The longest time from the first write to the kill. */
const KILL_MS_MAX = 1500;
const RECOVERY_MS_MAX = 120_000;

/** A writer and its offers. `unknown` is the account after a write whose response did not arrive. */
interface Writer extends ModelRun {
  readonly name: string;
  unknown: { readonly after: Account; readonly part: Part } | undefined;
}

const chance = seededChance(Number(options.seed));
const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-prove-'));
const powerCuts = options['power-cuts'] ? openPowerCuts(path.join(folder, 'data')) : undefined;
const figures = new FigureTable(powerCuts === undefined ? `Kills on ${STORE}` : 'Power cuts', true);
const database = STORE === 'postgres' ? await startBreakablePostgres() : undefined;
const writers = Array.from(
  { length: WRITERS },
  (_, at): Writer => ({ name: `k${at}`, account: {}, changed: new Map(), unknown: undefined }),
);
const counted = { confirmed: 0, unknown: 0, stored: 0, files: 0, offers: 0, unsynced: 0, lost: 0 };
let server: ServeProcess | undefined;
try {
  await run();
} finally {
  await server?.stop('SIGKILL');
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(process.exitCode ?? 0);

async function run(): Promise<void> {
  server = await start();
  let api = await clientOf(server);
  for (let n = 0; n < FILE_ROWS; n++) await api.uploadedSku({}, fileSku(n));
  let file: { readonly id: string; readonly price: number } | undefined;
  for (let kill = 0; kill < KILLS; kill++) {
    file ??= { id: await sendPrices(api, kill), price: kill + 0.5 };
    await killDuringWrites(api, database !== undefined && kill % 2 === 1 ? database : undefined);
    if (server.process.exitCode !== null || server.process.signalCode !== null) server = await start();
    api = await clientOf(server);
    for (const writer of writers) await settle(api, writer);
    if (kill % 3 === 2) {
      await assertProcessed(api, file);
      file = undefined;
      counted.files++;
    }
    if (kill % 25 === 24) console.log(`${kill + 1} kills, ${counted.confirmed} confirmed writes`);
  }
  for (const writer of writers)
    await assertSame(writer, { api, prefix: `${writer.name}-`, counted: { commands: 0 } }, '');
  figures.figure({
    what: STORE === 'sqlite' ? 'server killed' : 'server or database killed',
    value: KILLS,
    unit: 'kills',
  });
  figures.figure({ what: 'confirmed writes, all read back', value: counted.confirmed, unit: 'writes' });
  figures.figure({ what: 'writes without a response', value: counted.unknown, unit: 'writes' });
  figures.figure({ what: 'of these, stored as a whole', value: counted.stored, unit: 'writes' });
  figures.figure({ what: 'bulk files that went on after kills', value: counted.files, unit: 'files' });
  figures.figure({ what: 'offers read back after kills, all as written', value: counted.offers, unit: 'offers' });
  if (powerCuts !== undefined) {
    figures.figure({
      what: 'changes of files that were not synced',
      value: counted.unsynced,
      unit: 'writes',
      floor: 1,
    });
    figures.figure({ what: 'of these, taken back whole or in part', value: counted.lost, unit: 'writes', floor: 1 });
  }
  if (figures.sayMissed()) process.exitCode = 1;
  writeResult(powerCuts === undefined ? `proof-kills-${STORE}` : 'proof-power-cuts', { tables: [figures] });
}

function start(): Promise<ServeProcess> {
  return startServeProcess({
    DATA_DIR: path.join(folder, 'data'),
    ...powerCuts?.variables,
    REQUESTS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'info',
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
  });
}

async function clientOf({ url }: ServeProcess): Promise<ApiClient> {
  let reason: unknown;
  const ask = () =>
    requestToken(url, 'test').catch((error: unknown) => {
      reason = error;
      return undefined;
    });
  const token = await waitUntil('a token', RECOVERY_MS_MAX, ask).catch((error: unknown) => {
    throw new Error(`${reason}, exit ${server?.process.exitCode} ${server?.process.signalCode}\n${server?.output()}`, {
      cause: error,
    });
  });
  const place = { DATA_DIR: folder };
  return new ApiClient({ url, place, metricsUrl: undefined, passTime() {}, async close() {} }, FIRST_VARIANT, token);
}

/** Kills the database if given, and the server otherwise. */
async function killDuringWrites(api: ApiClient, postgres: BreakablePostgres | undefined): Promise<void> {
  const stopped = new AbortController();
  const writing = writers.map((writer) => writeUntil(api, writer, stopped.signal));
  await pause(20 + chance.below(KILL_MS_MAX));
  if (postgres === undefined) server?.process.kill('SIGKILL');
  else await postgres.kill();
  stopped.abort();
  await Promise.all(writing);
  if (postgres !== undefined) return postgres.start();
  await server?.stop('SIGKILL');
  const { unsynced, lost } = powerCuts?.cut(chance) ?? { unsynced: 0, lost: 0 };
  counted.unsynced += unsynced;
  counted.lost += lost;
}

/** Writes until the kill; then the last write may have no response. */
async function writeUntil(api: ApiClient, writer: Writer, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const write = randomWrite(writer);
    const [expected, after] = written(writer.account, write);
    const [method, target] = PATHS[write.part];
    const status = await api.send(method, skuPath(write.skuId) + target, write.body).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status === undefined || status === 503) {
      writer.unknown = { after, part: write.part };
      counted.unknown++;
      return;
    }
    assert.equal(status, expected.status, `${write.part} of ${write.skuId}`);
    if (status === 202) counted.confirmed++;
    takeOver(writer, after, write.part);
  }
}

function takeOver(writer: Writer, after: Account, part: Part): void {
  for (const skuId of changedOffers(writer.account, after)) {
    writer.changed.set(skuId, [...(writer.changed.get(skuId) ?? []), part]);
  }
  writer.account = after;
}

/** Finds out whether the write without a response was stored, and asserts that all offers are whole. */
async function settle(api: ApiClient, writer: Writer): Promise<void> {
  const { unknown } = writer;
  writer.unknown = undefined;
  const real = { api, prefix: `${writer.name}-`, counted: { commands: 0 } };
  const isSame = (account: Account) =>
    assertSame({ account, changed: writer.changed }, real).then(
      () => true,
      (error: unknown) => {
        if (error instanceof assert.AssertionError) return false;
        throw error;
      },
    );
  // An offer that the write created is in the later account alone.
  if (unknown !== undefined && unknown.after !== writer.account && (await isSame(unknown.after))) {
    counted.stored++;
    takeOver(writer, unknown.after, unknown.part);
  }
  await assertSame(writer, real);
  counted.offers += Object.keys(writer.account).length;
}

function randomWrite({ name, account }: Writer): Write {
  const skuId = `${name}-${chance.below(OFFERS_PER_WRITER)}`;
  const offer = account[skuId];
  if (offer === undefined) return { part: 'sku', skuId, body: skuBody(chance) };
  if (offer.isArchived) return { part: 'archive', skuId, body: { is_archived: false } };
  const amount = chance.below(1_000_000) / 100 + 0.01;
  const others = Object.keys(account).filter((id) => id !== skuId && account[id]?.isArchived === false);
  const choices: readonly Write[] = [
    { part: 'sku', skuId, body: skuBody(chance) },
    { part: 'price', skuId, body: { price: amount, fulfillment_nodes: [] } },
    {
      part: 'inventory',
      skuId,
      body: { fulfillment_nodes: NODES.map((id) => ({ fulfillment_node_id: id, quantity: chance.below(1000) })) },
    },
    { part: 'returns_exception', skuId, body: { return_location_ids: [chance.pick(RETURN_LOCATIONS)] } },
    { part: 'returns_exception', skuId, body: {} },
    ...(others.length === 0 ? [] : [groupOf(skuId, chance.pick(others))]),
    { part: 'archive', skuId, body: { is_archived: true } },
  ];
  return chance.pick(choices);
}

function groupOf(skuId: string, child: string): Write {
  const body = { relationship: 'Variation', variation_refinements: [SIZE], children_skus: [child] };
  return { part: 'variation', skuId, body };
}

function skuBody(random: Chance) {
  return {
    ...minimalSku(),
    product_title: `Title ${random.below(1_000_000)}`,
    attributes_node_specific: [{ attribute_id: SIZE, attribute_value: `size ${random.below(5)}` }],
  };
}

function fileSku(n: number): string {
  return `file-${n}`;
}

function sendPrices(api: ApiClient, kill: number): Promise<string> {
  const rows = Array.from({ length: FILE_ROWS }, (_, n) => [fileSku(n), { price: kill + 0.5 }]);
  return sendFile(api, 'Price', Object.fromEntries(rows));
}

/** The file of the last rounds goes on by itself, and every row is stored. */
async function assertProcessed(
  api: ApiClient,
  { id, price }: { readonly id: string; readonly price: number },
): Promise<void> {
  await finished(api, id);
  for (let n = 0; n < FILE_ROWS; n++) {
    const read = await api.foundNow(`${skuPath(fileSku(n))}/price`);
    assert.equal(read.price, price, fileSku(n));
  }
}
