/**
 * `node bench/history.ts [rows]`: measures the cost of recording history in SQLite. Writes slices of a file in this process,
 * with and without history, and prints the CPU time per row, so that other load on the machine matters little.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NO_PROGRESS } from '../src/domain/bulk-files.ts';
import type { FileType } from '../src/domain/vocabulary/file-types.ts';
import { addFile, noteUploaded, receiveFile, startFile } from '../src/store/shared/files/progress.ts';
import { writeSqlOn } from '../src/store/sqlite/engine/connection.ts';
import { openForWriting } from '../src/store/sqlite/engine/engine.ts';
import { migrate } from '../src/store/sqlite/engine/migrations.ts';
import { inTransaction, writeTransaction } from '../src/store/sqlite/engine/transactions.ts';
import { WriteNumbers } from '../src/store/sqlite/engine/write-numbers.ts';
import type { RowColumns } from '../src/store/sqlite/files/file-rows.ts';
import { eventWrites } from '../src/store/sqlite/history/event-writes.ts';
import { createWriterService } from '../src/store/sqlite/threads/writer-service.ts';
import { sampleDocument } from './seed-store.ts';

const ROWS = Number(process.argv[2] ?? 100_000);
const SLICE = 800;
const ACCOUNT = 1;
const NODES = ['node-east', 'node-west'];
const NOW_MS = Date.UTC(2026, 0, 1);

type Columns = (skuIds: readonly string[]) => RowColumns;

const documents =
  (variant: string): Columns =>
  (skuIds) => ['sku', skuIds, skuIds.map((skuId) => sampleDocument(`${skuId}${variant}`))];
const prices =
  (cents: number): Columns =>
  (skuIds) => ['price', skuIds, skuIds.map(() => cents / 100), skuIds.map(() => '[]')];
const stock =
  (quantity: number): Columns =>
  (skuIds) => {
    const counts = skuIds.map(() => NODES.length);
    return ['inventory', skuIds, counts, skuIds.flatMap(() => NODES), skuIds.flatMap(() => NODES.map(() => quantity))];
  };

const STEPS: readonly (readonly [what: string, type: FileType, columns: Columns])[] = [
  ['SKUs, new', 'MerchantSKUs', documents('')],
  ['prices, new', 'Price', prices(100)],
  ['stock of 2 nodes, new', 'Inventory', stock(1)],
  ['prices, changed', 'Price', prices(200)],
  ['stock of 2 nodes, changed', 'Inventory', stock(2)],
  ['prices, the same', 'Price', prices(200)],
  ['SKUs, changed', 'MerchantSKUs', documents(' again')],
];

const SKU_IDS = Array.from({ length: ROWS }, (_, row) => `sku-${row}`);

/** Microseconds per row, by step. */
async function measure(keepsHistory: boolean): Promise<Record<string, number>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
  const connection = openForWriting(path.join(folder, 'offers.db'));
  migrate(connection);
  const numbers = new WriteNumbers(connection);
  const events = eventWrites(connection, numbers);
  const transaction = events.within(writeTransaction(connection, numbers));
  const sql = writeSqlOn(connection, numbers);
  const writer = createWriterService(connection, numbers, events, keepsHistory);
  const commit = (work: () => void) => {
    transaction.begin();
    work();
    transaction.commit();
  };
  const taken: [what: string, microseconds: number][] = [];
  for (const [step, [what, type, columns]] of STEPS.entries()) {
    const file = await inTransaction(transaction, async () => {
      const key = { accountId: ACCOUNT, fileId: `file-${step}` };
      await addFile(sql, { ...key, createdMs: NOW_MS });
      await noteUploaded(sql, key.accountId, key.fileId, 1);
      const received = await receiveFile(sql, { ...key, type, name: 'rows.json' }, NOW_MS, 0);
      if (received === 'unknown') throw new Error('The file was just added.');
      await startFile(sql, received, NOW_MS);
      return received;
    });
    const slices = [];
    for (let from = 0; from < ROWS; from += SLICE) slices.push(columns(SKU_IDS.slice(from, from + SLICE)));
    const before = process.cpuUsage();
    for (const slice of slices) commit(() => void writer.applyRows(file, NO_PROGRESS, slice, NOW_MS + step));
    const { user, system } = process.cpuUsage(before);
    taken.push([what, (user + system) / ROWS]);
  }
  connection.close();
  rmSync(folder, { recursive: true });
  return Object.fromEntries(taken);
}

// The first round is warm-up.
await measure(true);
const [without, kept] = [await measure(false), await measure(true)];
console.log(`${ROWS.toLocaleString('en-US')} rows, microseconds of a row    without       with`);
for (const [what, microseconds] of Object.entries(without)) {
  console.log(
    what.padEnd(40) + microseconds.toFixed(2).padStart(9) + (kept[what] ?? Number.NaN).toFixed(2).padStart(11),
  );
}
