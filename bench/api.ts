/**
 * `npm run bench:api`: compares API calls with a bare Fastify server that parses and checks the same bodies and keeps them in memory.
 * Alternates in one run, median of three. Each write changes something, unless the row says otherwise. Durable commits, history, change
 * feed, tokens and the request limit are on (the limit is raised). Writes bench/results/api.json.
 *
 * `--quick` uses fewer SKUs and shorter turns; `--only "PUT price"` measures the calls whose title contains the text; `--seconds N`
 * sets the length of a turn; `--noisy` shows figures of a busy machine too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { API_COLUMNS, type ApiRow, apiCells, figuresOf } from './api-table.ts';
import { CALLS, type MeasuredCall, skusOf } from './calls.ts';
import { type ClientsResult, runClients } from './clients.ts';
import { anonymousMegabytes } from './machine.ts';
import { NOISY } from './options.ts';
import { Table, writeResult } from './report.ts';
import { seedStore } from './seed-store.ts';
import { type MeasuredServer, requestToken, startOfferbook, startServer } from './server-process.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    ...NOISY,
    only: { type: 'string', default: '' },
    seconds: { type: 'string' },
  },
});
const SKUS = options.quick ? 10_000 : 100_000;
const SECONDS = Number(options.seconds ?? (options.quick ? 1 : 4));
const WARM_UP_SECONDS = options.quick ? 0.5 : 1;
const TURNS = options.quick ? 1 : 3;
/** With fewer connections, all of them sometimes wait for a commit, and the server's thread is idle. */
const CONNECTIONS = 256;

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const dataDir = path.join(folder, 'data');
console.log(`Storing ${SKUS} SKUs ...`);
await seedStore(dataDir, SKUS);
const fastify = opened.adopt(await startServer(['bench/bare-server.ts']), (started) => started.stop());
const offerbook = opened.adopt(await startOfferbook(dataDir), (started) => started.stop());
const token = await requestToken(offerbook.url);
const conditions = `${SKUS.toLocaleString('en-US')} stored SKUs, ${CONNECTIONS} connections, median of ${TURNS} turns of ${SECONDS} s`;
const table = new Table('API calls', API_COLUMNS);
console.log(`${conditions}\n\n${table.head}`);
for (const call of CALLS.filter(({ title }) => title.includes(options.only))) {
  const row = await measureCall(call);
  console.log(table.add(apiCells(row, options.noisy)));
}
const memory = anonymousMegabytes(offerbook.pid);
const notes = [conditions, `Memory of Offerbook after all calls (RssAnon): ${memory?.toFixed(0) ?? 'unknown'} MB`];
console.log(`\n${notes[1]}`);
if (options.only === '') writeResult('api', { notes, tables: [table] });

async function measureCall(call: MeasuredCall): Promise<ApiRow> {
  const turns = { fastify: [] as ClientsResult[], offerbook: [] as ClientsResult[] };
  let sentBefore = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, server] of [
      ['fastify', fastify],
      ['offerbook', offerbook],
    ] as const) {
      const result = await runClients({ ...call, ...skusOf(call, SKUS), ...loadOf(server), sentBefore });
      sentBefore = result.sent;
      turns[name].push(result);
      // Changed offers are reviewed after the turn, so that they cost the next one nothing.
      await offerbook.reviewed();
    }
  }
  return { title: call.title, fastify: figuresOf(turns.fastify), offerbook: figuresOf(turns.offerbook) };
}

function loadOf({ url, pid, cpuUrl }: MeasuredServer) {
  const server = { url, pid, cpuUrl };
  return { server, token, connections: CONNECTIONS, warmUp_seconds: WARM_UP_SECONDS, seconds: SECONDS };
}
