/**
 * `node bench/check-threads.ts`: measures how the check of a SKU file scales with the number of threads that check rows, without a
 * database: CPU time per row of the thread that reads the file, of each checking thread, and of the process, and its memory.
 *
 * `--rows N` sets the size of the file. The rate that the threads allow counts only their CPU time, so that it does not depend on how
 * many cores are free: it is the rate on a machine where each of them has a core.
 */
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { NO_ACCOUNT } from '../src/bulk/rows/check-rows.ts';
import { readEntries } from '../src/bulk/rows/read-entries.ts';
import { rowCheck } from '../src/bulk/rows/row-checks.ts';
import { CheckThreads } from '../src/bulk/threads/check-threads.ts';
import { RowsAhead } from '../src/bulk/threads/rows-ahead.ts';
import { ANY_NODES, createBodyChecks } from '../src/domain/bodies/all-bodies.ts';
import { Names, NEUTRAL_NAMES } from '../src/domain/names.ts';
import { generateFile } from './generated-files.ts';
import { anonymousMegabytes } from './machine.ts';
import { countOf } from './options.ts';

// As in the server: otherwise each thread also loads the compiler of types.
enableCompileCache();

const { values: options } = parseArgs({ options: { rows: { type: 'string', default: '200000' } } });
const ROWS = countOf('rows', options.rows);
const THREADS = [0, 1, 2, 3];
const names = new Names(NEUTRAL_NAMES);
const store = { offers: { readMembers: async () => [] } };
const check = rowCheck('MerchantSKUs', { names, bodies: createBodyChecks(names, ANY_NODES), store });

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
try {
  const file = await generateFile(folder, 'MerchantSKUs', 1, ROWS);
  console.log(
    `${ROWS.toLocaleString('en-US')} rows of ${Math.round(file.bytesPerRow)} bytes, ${availableParallelism()} cores, Node ${process.version}\n`,
  );
  console.log(
    '| threads | reading thread, us/row | each checking thread, us/row | process, us/row | rows/s they allow | rows/s here | memory, MB |',
  );
  console.log('|---|---|---|---|---|---|---|');
  // The first round compiles the code.
  await measure(file.path, 0);
  for (const threads_max of THREADS)
    console.log(`| ${threads_max} | ${(await measure(file.path, threads_max)).join(' | ')} |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(file: string, threads_max: number): Promise<string[]> {
  const threads = new CheckThreads({ threads_max, names: NEUTRAL_NAMES, taxonomy: ANY_NODES });
  const idle = threadSeconds();
  threads.start();
  while (threads.batches_max < threads_max) await pause(10);
  const ahead = new RowsAhead(threads, check);
  const before = threadSeconds();
  const processBefore = process.cpuUsage();
  const startMs = performance.now();
  let memory = 0;
  const entries = readEntries(createReadStream(file), { type: 'MerchantSKUs', from: 0, unpacked_bytes_max: 1e12 });
  for await (const piece of ahead.read(entries)) {
    for (const entry of piece) {
      const row = await ahead.check(NO_ACCOUNT, entry);
      if (row.write === undefined) throw new Error('The generated rows have no problems.');
    }
    memory = Math.max(memory, anonymousMegabytes(process.pid) ?? Number.NaN);
  }
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(processBefore);
  const after = threadSeconds();
  const perRow = (thread: string) => ((after.get(thread) ?? 0) - (before.get(thread) ?? 0)) * (1e6 / ROWS);
  const reading = perRow(String(process.pid));
  const checking = [...after.keys()].filter((thread) => !idle.has(thread) && perRow(thread) > 1).map(perRow);
  await threads.close();
  const busiest = Math.max(reading, ...checking);
  return [
    reading.toFixed(1),
    checking.map((us) => us.toFixed(1)).join(', '),
    ((user + system) / ROWS).toFixed(1),
    Math.round(1e6 / busiest).toLocaleString('en-US'),
    Math.round(ROWS / seconds).toLocaleString('en-US'),
    memory.toFixed(0),
  ];
}

/** Returns the CPU seconds of each thread of this process. */
function threadSeconds(): Map<string, number> {
  const folder = '/proc/self/task';
  return new Map(readdirSync(folder).map((thread) => [thread, nanoseconds(`${folder}/${thread}/schedstat`) / 1e9]));
}

/** The first number is the time on a core. */
function nanoseconds(file: string): number {
  return Number(readFileSync(file, 'utf8').split(' ')[0]);
}
