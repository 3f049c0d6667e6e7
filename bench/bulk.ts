/**
 * `npm run bench:bulk`: measures bulk files of a generated catalog from "uploaded" to "processed": rates for SKUs, prices and
 * stock, memory, the effect on single calls and on a stock file, and plain SQLite for comparison. Prints a table, and writes
 * bench/results/bulk-<store>.json.
 *
 * `--rows N` uses fewer than a million rows, to try a change; `--store postgres` measures on its own PostgreSQL.
 * `--formats` compares the formats of files instead, in six rounds; then 100,000 rows are enough.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { compareFormats } from './bulk-formats.ts';
import { type BulkServer, startBulkServer } from './bulk-server.ts';
import { diskFlushMilliseconds } from './disk-flush.ts';
import { FigureTable } from './floors.ts';
import { type GeneratedFile, generateFile } from './generated-files.ts';
import { openDatabases } from './measured-databases.ts';
import { countOf, type MeasuredStore, NOISY, storeOf } from './options.ts';
import { putPrices } from './put-prices.ts';
import { rawInsertRate } from './raw-inserts.ts';
import { writeResult } from './report.ts';
import { FileUnderWay, type WatchedFile, watchFile } from './watched-file.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    store: { type: 'string', default: 'sqlite' },
    ...NOISY,
    formats: { type: 'boolean', default: false },
  },
});
const ROWS = countOf('rows', options.rows);
const STORE = storeOf(options.store);

type AskedRates = Readonly<Record<string, readonly [floor: number, aim?: number]>>;
/** Required and targeted rows per second. */
const RATES_OF: Readonly<Record<MeasuredStore, AskedRates>> = {
  sqlite: { MerchantSKUs: [20_000, 40_000], Price: [60_000, 150_000], Inventory: [60_000, 150_000] },
  postgres: { MerchantSKUs: [10_000], Price: [25_000], Inventory: [25_000] },
};
const RATES = RATES_OF[STORE];
/** Minimum rows per second of the generator, which must be faster than the server. */
const GENERATED_FLOOR = 50_000;
const FINGERPRINTS_SECONDS_PER_MILLION = 20;
const REPORT_POLL_MS = 250;
const MEMORY_MB_MAX = 512;
const LATE_SHARE_MIN = 0.8;
/** Single calls may take this many times their idle duration, or this long, whichever is more. */
const SLOWER_MAX = 3;
const P99_MS_ALLOWED = 25;
const LOAD_SECONDS = ROWS >= 500_000 ? 10 : 2;
const STOCK_TURNS = 3;
/** SKUs stored before the large file. */
const SEEDED = Math.max(1000, Math.round(ROWS / 10));
const SEED = { large: 1, before: 2 };

const figures = new FigureTable('Bulk files', options.noisy);
const files: Record<string, WatchedFile> = {};

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const newDatabase = STORE === 'postgres' ? await openDatabases(opened) : undefined;

const flush_ms = diskFlushMilliseconds(folder);
const notes = [`${ROWS.toLocaleString('en-US')} rows, ${STORE}, one disk flush ${flush_ms.toFixed(2)} ms`];
if (options.formats) {
  await compareFormats(folder, ROWS, figures, newDatabase);
  figures.sayMissed();
  // Ends the run here, so that nothing else is measured and the stored results of the other figures stay.
  await opened.disposeAsync();
  process.exit();
}
const generated = await generateAll();
const rawRate = STORE === 'sqlite' ? rawInsertRate(folder, ROWS) : undefined;
await measureAlone();
await measureMeanwhile();
figures.sayMissed();
writeResult(`bulk-${STORE}`, { notes, tables: [figures] });

async function generateAll(): Promise<
  Record<'skus' | 'prices' | 'stock' | 'skusBefore' | 'stockBefore', GeneratedFile>
> {
  const skus = await generateFile(folder, 'MerchantSKUs', SEED.large, ROWS);
  figures.figure({
    what: 'tool: catalog generated',
    value: skus.rowsPerSecond,
    unit: 'rows/s',
    floor: GENERATED_FLOOR,
  });
  figures.figure({ what: 'a row of the SKU file', value: skus.bytesPerRow, unit: 'bytes' });
  return {
    skus,
    prices: await generateFile(folder, 'Price', SEED.large, ROWS),
    stock: await generateFile(folder, 'Inventory', SEED.large, ROWS),
    skusBefore: await generateFile(folder, 'MerchantSKUs', SEED.before, SEEDED),
    stockBefore: await generateFile(folder, 'Inventory', SEED.before, SEEDED),
  };
}

/** Measures one file after the other, as a merchant sends them. The review of the SKUs runs at the same time. */
async function measureAlone(): Promise<void> {
  const server = await startBulkServer(folder, 'alone', (await newDatabase?.('alone')) ?? {});
  try {
    for (const file of [generated.skus, generated.prices, generated.stock]) {
      const watched = await watchFile(server.files, server.pid, file);
      files[file.type] = watched;
      const [floor, aim] = RATES[file.type] ?? [];
      figures.figure({
        what: file.type,
        value: watched.rowsPerSecond,
        unit: 'rows/s',
        ...(floor === undefined ? {} : { floor }),
        ...(aim === undefined ? {} : { aim }),
      });
      figures.figure({
        what: `${file.type}: processor time of the server`,
        value: watched.processorUsPerRow,
        unit: 'us/row',
      });
      if (file === generated.skus) addSkuFigures(watched);
      figures.figure({
        what: `${file.type}: offers due for review at its end`,
        value: await server.dueOffers(),
        unit: 'offers',
      });
    }
    figures.figure({
      what: 'report Fingerprints',
      value: await reportSeconds(server, 'Fingerprints'),
      unit: 's',
      ceiling: Math.max(1, FINGERPRINTS_SECONDS_PER_MILLION * (ROWS / 1_000_000)),
    });
    const most = Math.max(...Object.values(files).map(({ memoryMost }) => memoryMost ?? Number.NaN));
    figures.figure({
      what: 'memory at its highest (RssAnon), all three files',
      value: most,
      unit: 'MB',
      ceiling: MEMORY_MB_MAX,
    });
  } finally {
    await server.stop();
  }
}

/** Returns the time from the request to the finished report, by the server's clock. */
async function reportSeconds({ url, token }: BulkServer, type: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const call = async (path: string, method = 'GET') =>
    (await (await fetch(`${url}${path}`, { method, headers })).json()) as Readonly<Record<string, string>>;
  const { report_id } = await call(`/reports/${type}`, 'POST');
  for (;;) {
    const { report_status, requested, processing_end } = await call(`/reports/state/${report_id}`);
    if (report_status === 'Ready') return (Date.parse(String(processing_end)) - Date.parse(String(requested))) / 1000;
    if (report_status !== 'Requested') return Number.NaN;
    await pause(REPORT_POLL_MS);
  }
}

function addSkuFigures({ rowsPerSecond, rateEarly, rateLate }: WatchedFile): void {
  if (rawRate !== undefined) {
    figures.figure({ what: 'SQLite alone, the same documents, one thread', value: rawRate, unit: 'rows/s' });
    figures.figure({ what: 'MerchantSKUs: share of that', value: rowsPerSecond / rawRate, unit: 'ratio' });
  }
  const tenth = Math.round(ROWS / 10).toLocaleString('en-US');
  figures.figure({ what: `MerchantSKUs: around row ${tenth}`, value: rateEarly, unit: 'rows/s' });
  figures.figure({
    what: `MerchantSKUs: rate at nine tenths to that at row ${tenth}`,
    value: rateLate / rateEarly,
    unit: 'ratio',
    floor: LATE_SHARE_MIN,
  });
}

/** Measures the effect of a large SKU file on single calls and another file, on a database that already has SKUs. */
async function measureMeanwhile(): Promise<void> {
  const server = await startBulkServer(folder, 'meanwhile', (await newDatabase?.('meanwhile')) ?? {});
  try {
    await watchFile(server.files, server.pid, generated.skusBefore);
    await server.reviewed();
    // The first file adds stock records, which the measured files only change.
    await watchFile(server.files, server.pid, generated.stockBefore);
    await server.reviewed();
    const stockAlone = await stockSeconds(server, () => true);
    const { token } = server;
    const load = { server, token, seed: SEED.before, skus: SEEDED, seconds: LOAD_SECONDS };
    const idle = await putPrices(load);
    figures.figure({ what: 'PUT price 500/s, idle, p99', value: idle.p99Ms, unit: 'ms', invalid: idle.invalid });

    const large = await FileUnderWay.send(server.files, server.pid, generated.skus);
    await large.reached(0.02);
    const meanwhile = await putPrices(load);
    const ended = 'the SKU file ended before';
    figures.figure({
      what: 'PUT price 500/s, during the SKU file, p99',
      value: meanwhile.p99Ms,
      unit: 'ms',
      ceiling: Math.max(SLOWER_MAX * idle.p99Ms, P99_MS_ALLOWED),
      invalid: large.hasEnded ? ended : meanwhile.invalid,
    });
    figures.figure({ what: 'the slowest of them', value: meanwhile.maxMs, unit: 'ms' });
    const stockMeanwhile = await stockSeconds(server, () => !large.hasEnded);
    const rows = SEEDED.toLocaleString('en-US');
    figures.figure({ what: `Inventory file of ${rows} rows, alone`, value: stockAlone, unit: 's' });
    figures.figure({
      what: 'the same during the SKU file, times as long',
      value: stockMeanwhile / stockAlone,
      unit: 'ratio',
      ceiling: SLOWER_MAX,
      invalid: Number.isNaN(stockMeanwhile) ? ended : undefined,
    });
    const watched = await large.result();
    figures.figure({ what: 'MerchantSKUs meanwhile', value: watched.rowsPerSecond, unit: 'rows/s' });
    const memory = watched.memoryMost ?? Number.NaN;
    figures.figure({ what: 'memory at its highest meanwhile', value: memory, unit: 'MB', ceiling: MEMORY_MB_MAX });
  } finally {
    await server.stop();
  }
}

/** Returns the median of the rounds in which `isValid` was true at the end; NaN if there is none. */
async function stockSeconds(server: BulkServer, isValid: () => boolean): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < STOCK_TURNS; turn++) {
    const { seconds } = await watchFile(server.files, server.pid, generated.stockBefore);
    if (isValid()) times.push(seconds);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN;
}
