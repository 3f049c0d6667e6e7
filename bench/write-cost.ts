/**
 * `node bench/write-cost.ts [skus]`: shows which statements a single call runs on SQLite's writer, and the time of each per call. Runs the
 * writer's commands in this process, in transactions of 32 calls that change scattered SKUs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection, type Query } from '../src/store/sqlite/engine/connection.ts';
import { openForWriting } from '../src/store/sqlite/engine/engine.ts';
import { migrate } from '../src/store/sqlite/engine/migrations.ts';
import { writeTransaction } from '../src/store/sqlite/engine/transactions.ts';
import { WriteNumbers } from '../src/store/sqlite/engine/write-numbers.ts';
import { eventWrites } from '../src/store/sqlite/history/event-writes.ts';
import type { PackedRow } from '../src/store/sqlite/offers/offer-writes.ts';
import { commitTogether } from '../src/store/sqlite/threads/group-commit.ts';
import { createWriterService } from '../src/store/sqlite/threads/writer-service.ts';
import { scattered } from './lanes.ts';
import { SEEDER, sampleDocument } from './seed-store.ts';

const SKUS = Number(process.argv[2] ?? 100_000);
const CALLS = 64_000;
const BATCH = 32;
const ACCOUNT = 1;
const SHOWN_US_MIN = 0.3;

/** Milliseconds by text of the statement. */
const spent = new Map<string, number>();

const { query } = Connection.prototype;
Connection.prototype.query = function timed<Row extends readonly unknown[]>(this: Connection, text: string) {
  const made = query.call(this, text) as Query<Row>;
  const name = text.replaceAll(/\s+/g, ' ').trim();
  const timing =
    <Result>(run: (...values: never[]) => Result) =>
    (...values: never[]): Result => {
      const sinceMs = performance.now();
      try {
        return run(...values);
      } finally {
        spent.set(name, (spent.get(name) ?? 0) + performance.now() - sinceMs);
      }
    };
  return {
    get: timing(made.get.bind(made)),
    all: timing(made.all.bind(made)),
    run: timing(made.run.bind(made)),
  } as Query<Row>;
};

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
const connection = openForWriting(path.join(folder, 'offers.db'));
migrate(connection);
const numbers = new WriteNumbers(connection);
const events = eventWrites(connection, numbers);
const transaction = events.within(writeTransaction(connection, numbers));
const service = createWriterService(connection, numbers, events, true);

async function write(count: number, batch: number, rowOf: (call: number) => PackedRow): Promise<void> {
  for (let first = 0; first < count; first += batch) {
    const { failures } = await commitTogether(transaction, batch, (call) =>
      service.write(ACCOUNT, Date.now(), SEEDER, ...rowOf(first + call)),
    );
    if (failures !== null) throw failures.values().next().value;
  }
}

const stock = (skuId: string, quantity: number): PackedRow => ['inventory', skuId, ['node-east'], [quantity]];
await write(SKUS, 1000, (n) => ['sku', `sku-${n}`, sampleDocument(`sku-${n}`)]);
await write(SKUS, 1000, (n) => ['price', `sku-${n}`, 12.5, '[]']);
await write(SKUS, 1000, (n) => stock(`sku-${n}`, 12));

const next = scattered(SKUS);
for (const [title, rowOf] of [
  ['PUT price', (n: number): PackedRow => ['price', `sku-${next()}`, 20 + (n % 1000) / 100, '[]']],
  ['PATCH inventory', (n: number): PackedRow => stock(`sku-${next()}`, 20 + (n % 1000))],
  ['PUT sku', (n: number): PackedRow => ['sku', `sku-${next()}`, sampleDocument(`new title ${n}`)]],
] as const) {
  await write(CALLS, BATCH, rowOf);
  spent.clear();
  const since = process.cpuUsage();
  await write(CALLS, BATCH, (n) => rowOf(n + 1));
  const { user, system } = process.cpuUsage(since);
  const us = (value: number) => (value / CALLS).toFixed(1).padStart(6);
  console.log(`${title}: ${us(user + system)} us of CPU time a call, in the kernel ${us(system)}`);
  const steps = [...spent]
    .map(([name, ms]) => [name, ms * 1000] as const)
    .filter(([, time]) => time / CALLS >= SHOWN_US_MIN);
  for (const [name, time] of steps.toSorted(([, a], [, b]) => b - a))
    console.log(`${us(time)} us  ${name.slice(0, 100)}`);
}
connection.close();
rmSync(folder, { recursive: true });
