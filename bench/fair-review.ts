/**
 * `node bench/fair-review.ts`: measures how long a single write of a small merchant waits for its review: alone, while another merchant
 * uploads a file, and while many merchants have due offers. Prints a table, and writes bench/results/fair-review-<store>.json.
 *
 * `--rows N` and `--offers N` (due offers of all merchants) use fewer, to try a change; `--store postgres` measures on its own PostgreSQL.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Files } from '../client/src/files.ts';
import { Session } from '../client/src/session.ts';
import { Catalog } from '../src/catalog-generator/catalog.ts';
import { readSettings } from '../src/config/settings.ts';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { clearableOf } from '../src/store/contract/put-parts.ts';
import { openMoves } from '../src/store/open-store.ts';
import { type BulkServer, startBulkServer } from './bulk-server.ts';
import { FigureTable } from './floors.ts';
import { generateFile, planOf } from './generated-files.ts';
import { openDatabases } from './measured-databases.ts';
import { countOf, NOISY, storeOf } from './options.ts';
import { writeResult } from './report.ts';
import { sampleDocument } from './seed-store.ts';
import { FileUnderWay } from './watched-file.ts';

const { values: options } = parseArgs({
  options: {
    ...NOISY,
    rows: { type: 'string', default: '100000' },
    offers: { type: 'string', default: '250000' },
    store: { type: 'string', default: 'sqlite' },
  },
});
const ROWS = countOf('rows', options.rows);
const OFFERS = countOf('offers', options.offers);
const STORE = storeOf(options.store);

const SEED = 1;
const MERCHANTS = 500;
const WRITES = 15;
const DURING_UPLOAD_MS_MAX = 250;
const AMONG_MERCHANTS_MS_MAX = 1_000;
const POLL_MS = 5;

const figures = new FigureTable('Fair review', options.noisy);
const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const openDatabase = STORE === 'postgres' ? await openDatabases(opened) : undefined;
await duringUpload();
await amongMerchants();
figures.sayMissed();
const notes = [`${ROWS} rows, ${OFFERS} offers, ${STORE}`];
writeResult(`fair-review-${STORE}`, { notes, tables: [figures] });

async function start(name: string, variables: Readonly<Record<string, string>>): Promise<BulkServer> {
  return opened.adopt(await startBulkServer(folder, name, variables), (started) => started.stop());
}

async function duringUpload(): Promise<void> {
  const server = await start('upload', (await openDatabase?.('upload')) ?? {});
  const write = await writer(server);
  const alone: number[] = [];
  for (let turn = 0; turn < WRITES; turn++) alone.push(await write());
  addWaits('alone', alone);
  const { user, secret: pass } = DEMO_CREDENTIALS.live;
  const files = new Files(new Session({ url: server.url, user, pass }));
  const file = await FileUnderWay.send(files, server.pid, await generateFile(folder, 'MerchantSKUs', SEED, ROWS));
  await file.reached(0.05);
  const waits: number[] = [];
  while (!file.hasEnded) waits.push(await write());
  addWaits('during an upload', waits, DURING_UPLOAD_MS_MAX);
  const { rowsPerSecond } = await file.result();
  figures.figure({ what: 'rows of the upload', value: rowsPerSecond, unit: 'rows/s' });
}

async function amongMerchants(): Promise<void> {
  const variables = (await openDatabase?.('merchants')) ?? {};
  // Creates the demo merchant, which needs an empty database.
  await (await startBulkServer(folder, 'merchants', variables)).stop();
  await importMerchants(variables);
  const server = await start('merchants', variables);
  const startMs = performance.now();
  const due = await server.dueOffers();
  const write = await writer(server);
  const waits: number[] = [];
  for (let turn = 0; turn < WRITES; turn++) waits.push(await write());
  const left = await server.dueOffers();
  const rate = ((due - left) * 1000) / (performance.now() - startMs);
  const invalid = left > 0 ? undefined : 'the review ended before';
  addWaits(`among ${MERCHANTS} merchants`, waits, AMONG_MERCHANTS_MS_MAX, invalid);
  figures.figure({ what: `offers of ${MERCHANTS} merchants reviewed meanwhile`, value: rate, unit: 'offers/s' });
}

/** Imported offers are due. */
async function importMerchants(variables: Readonly<Record<string, string>>): Promise<void> {
  const place = path.join(folder, 'merchants');
  await using seeding = new AsyncDisposableStack();
  const moves = seeding.adopt(await openMoves(readSettings({ DATA_DIR: place, ...variables })), (one) => one.close());
  const catalog = new Catalog(planOf(SEED));
  for (let number = 0; number < MERCHANTS; number++) {
    const record = { merchantId: `merchant-${number}`, name: 'Measured', createdMs: Date.now(), suspended: false };
    const merchant = { ...record, timeToReturnDays: 30, returnShippingMethods: [] };
    const accounts = await moves.beginImport(merchant);
    if (typeof accounts === 'string') throw new Error(`The merchant ${accounts}.`);
    const offers = Array.from({ length: OFFERS / MERCHANTS }, (_, place) => ({
      skuId: catalog.skuId(place),
      archived: false,
      firstUploadMs: Date.now(),
      document: catalog.sku(place),
      documentUpdatedMs: Date.now(),
      price: null,
      inventory: { stampMs: Date.now(), nodes: [] },
      clearable: clearableOf(),
    }));
    await moves.importOffers(accounts.test, offers);
    await moves.finishImport(merchant, []);
  }
}

/** Returns a function that writes one SKU, and returns the milliseconds from the response to the event of its review. */
async function writer({ url, token }: BulkServer): Promise<() => Promise<number>> {
  const headers = { Authorization: `Bearer ${token}` };
  const read = async (after: string) => {
    const address = `${url}/events?types=offer.status_changed&after=${after}`;
    return (await (await fetch(address, { headers })).json()) as { events: { merchant_sku: string }[]; next: string };
  };
  let sku = 0;
  return async () => {
    const skuId = `fair-${sku++}`;
    let { next } = await read('latest');
    const body = sampleDocument(skuId);
    const { status } = await fetch(`${url}/merchant-skus/${skuId}`, { method: 'PUT', headers, body });
    if (status !== 202) throw new Error(`The write got status ${status}.`);
    const startMs = performance.now();
    for (;;) {
      const page = await read(next);
      if (page.events.some(({ merchant_sku }) => merchant_sku === skuId)) return performance.now() - startMs;
      next = page.next;
      await pause(POLL_MS);
    }
  };
}

function addWaits(what: string, waits: readonly number[], ceiling?: number, invalid?: string): void {
  const sorted = waits.toSorted((one, other) => one - other);
  const value = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  figures.figure({ what: `reviewed after, ${what}, median`, value, unit: 'ms', invalid });
  figures.figure({
    what: 'the slowest of them',
    value: sorted.at(-1) ?? Number.NaN,
    unit: 'ms',
    ...(ceiling && { ceiling }),
    invalid,
  });
}
