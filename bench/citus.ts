/**
 * Compares Citus with PostgreSQL on the same nodes, for `npm run bench:postgres -- --citus`. Needs TEST_CITUS_URL, the
 * coordinator of a Citus with at least two workers.
 *
 * PostgreSQL is a database of the coordinator without the extension, so that version, settings and machine are the same. Both
 * get the same accounts, SKU files, price files and single calls; CPU time of the nodes is shown if they run on this machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { storedCredential } from '../src/access/tokens/secrets.ts';
import { readSettings } from '../src/config/settings.ts';
import { openSetupStore } from '../src/store/open-store.ts';
import { administer } from '../src/store/postgres/testing/administer.ts';
import { citusNodes, joinCitus } from '../src/store/postgres/testing/citus-nodes.ts';
import { CALLS } from './calls.ts';
import { runClients } from './clients.ts';
import { treeSeconds } from './machine.ts';
import { median } from './median.ts';
import { sampleDocument, skuName } from './seed-store.ts';
import { type MeasuredServer, startOfferbook } from './server-process.ts';

const ACCOUNTS = 8;
const CONNECTIONS = 64;
const TURNS = 3;
const FLOOR = 0.5;

interface Sizes {
  readonly skus: number;
  readonly seconds: number;
}

/** One database with a server on it. */
interface Contestant {
  readonly name: string;
  readonly server: MeasuredServer;
  readonly tokens: readonly string[];
  readonly url: string;
  /** The nodes of the database, the coordinator first. */
  readonly nodes: readonly string[];
}

export async function measureCitus({ skus, seconds }: Sizes): Promise<void> {
  const first = process.env.TEST_CITUS_URL;
  if (!first) throw new Error('TEST_CITUS_URL must name the coordinator of a Citus cluster.');
  const nodes = await citusNodes(first);
  if (nodes.length < 3) throw new Error('The Citus cluster must have two workers.');
  const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [versions] = await administer(first, 'SELECT citus_version() AS citus, version() AS postgres');
  console.log(`${versions?.citus}; ${versions?.postgres}`);
  console.log(
    `${ACCOUNTS} accounts, ${skus} SKUs, ${CONNECTIONS} in flight, median of ${TURNS} turns of ${seconds} s\n`,
  );

  const perAccount = Math.ceil(skus / ACCOUNTS);
  const measured = new Map<string, number[]>();
  for (const [place, name] of ['PostgreSQL', 'Citus, 1 worker', 'Citus, 2 workers'].entries()) {
    const contestant = await open(opened, name, nodes.slice(0, place + 1), path.join(folder, String(place)));
    const before = contestant.nodes.map(nodeSeconds);
    const note = (what: string, perSecond: number) => {
      measured.set(what, [...(measured.get(what) ?? []), perSecond]);
      const ratio = perSecond / (measured.get(what)?.[0] ?? Number.NaN);
      const isBelow = place > 0 && ratio < FLOOR ? '   below the floor' : '';
      console.log(
        `${what.padEnd(24)}${name.padEnd(18)}${perSecond.toFixed(0).padStart(10)}/s${ratio.toFixed(2).padStart(8)}${isBelow}`,
      );
    };
    note(
      'SKU files, rows',
      await fileRate(contestant, 'MerchantSKUs', perAccount, (n) => JSON.parse(sampleDocument(skuName(n)))),
    );
    note('price files, rows', await fileRate(contestant, 'Price', perAccount, () => ({ price: 11 })));
    for (const title of ['PUT price, new price', 'GET price']) {
      const rates: number[] = [];
      for (let turn = 0; turn < TURNS; turn++) rates.push(await callRate(contestant, title, perAccount, seconds));
      note(title, median(rates));
    }
    await tellSpread(contestant, before);
    await contestant.server.stop();
  }
}

async function open(
  opened: AsyncDisposableStack,
  name: string,
  nodes: readonly string[],
  dataDir: string,
): Promise<Contestant> {
  const database = `offerbook_bench_${process.pid}_${nodes.length}`;
  const urls = nodes.map((node) => Object.assign(new URL(node), { pathname: `/${database}` }).href) as [string];
  for (const node of nodes) {
    await administer(node, `CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8'`);
    opened.defer(async () => void (await administer(node, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)));
  }
  if (urls.length > 1) await joinCitus(urls);
  const [url] = urls;
  const place = { DATA_DIR: dataDir, DATABASE_URL: url };
  const setup = await openSetupStore(readSettings({ ...process.env, ...place }));
  for (let number = 0; number < ACCOUNTS; number++) {
    const credential = (environment: string) => storedCredential(`m${number}-${environment}`, 'secret');
    await setup.settings.addMerchant(
      {
        merchantId: `m${number}`,
        name: `Merchant ${number}`,
        timeToReturnDays: 30,
        returnShippingMethods: [],
        credentials: { test: credential('test'), live: credential('live') },
      },
      Date.now(),
    );
  }
  await setup.close();
  const server = opened.adopt(await startOfferbook(dataDir, place), (started) => started.stop());
  const tokens: string[] = [];
  for (let number = 0; number < ACCOUNTS; number++) {
    const body = JSON.stringify({ user: `m${number}-test`, pass: 'secret' });
    const response = await fetch(`${server.url}/token`, { method: 'POST', body });
    tokens.push(((await response.json()) as { id_token: string }).id_token);
  }
  return { name, server, tokens, url, nodes };
}

/** Returns rows per second of concurrent files of all accounts, from the first submit to the end of the last. */
async function fileRate(
  { server, tokens }: Contestant,
  type: string,
  rows: number,
  rowOf: (n: number) => unknown,
): Promise<number> {
  const content = JSON.stringify(Object.fromEntries(Array.from({ length: rows }, (_, n) => [skuName(n), rowOf(n)])));
  const startMs = performance.now();
  await Promise.all(
    tokens.map(async (token) => {
      const call = async (method: string, address: string, body?: unknown) => {
        const headers = { authorization: `Bearer ${token}` };
        const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
        const response = await fetch(`${server.url}${address}`, request);
        if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`);
        return (await response.json()) as Record<string, string>;
      };
      const { url = '', marketplace_file_id } = await call('GET', '/files/uploadToken');
      await fetch(url, { method: 'PUT', body: content });
      await call('POST', '/files/uploaded', { url, file_type: type, file_name: 'bench.json' });
      for (;;) {
        const { status = '' } = await call('GET', `/files/${marketplace_file_id}`);
        if (status === 'Processed successfully') return;
        if (status.startsWith('Processed')) throw new Error(`A file of ${type} was ${status}.`);
        await pause(50);
      }
    }),
  );
  return (rows * tokens.length) / ((performance.now() - startMs) / 1_000);
}

/** Returns the rate of all accounts together, each with its share of the connections. */
async function callRate({ server, tokens }: Contestant, title: string, skus: number, seconds: number): Promise<number> {
  const call = CALLS.find((known) => known.title === title);
  if (call === undefined) throw new Error(`There is no call ${title}.`);
  const connections = CONNECTIONS / tokens.length;
  const load = { ...call, server, skus, connections, warmUp_seconds: 0.5, seconds };
  const results = await Promise.all(tokens.map((token) => runClients({ ...load, token })));
  return results.reduce((sum, { takenPerSecond }) => sum + takenPerSecond, 0);
}

async function tellSpread({ nodes, url }: Contestant, before: readonly NodeSeconds[]): Promise<void> {
  if (nodes.length === 1) return;
  const counted = await administer(
    url,
    `SELECT nodeport, sum(result::bigint) AS rows FROM run_command_on_shards('offer', 'SELECT count(*) FROM %s') AS counted
     JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid) GROUP BY nodeport`,
  );
  for (const [place, node] of nodes.entries()) {
    const { port } = new URL(node);
    const rows = counted.find(({ nodeport }) => String(nodeport) === port)?.rows ?? 0;
    const [used, had] = [await nodeSeconds(node), await before[place]];
    const spent = used === undefined || had === undefined ? 'unknown' : (used - had).toFixed(1);
    console.log(`  ${place === 0 ? 'coordinator' : `worker ${place}`}: ${rows} offers, ${spent} s of processor time`);
  }
}

type NodeSeconds = Promise<number | undefined>;

/** Returns the CPU time of a node's processes, including ended ones; undefined if it runs elsewhere. */
async function nodeSeconds(node: string): NodeSeconds {
  const [found] = await administer(node, `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`);
  return treeSeconds(Number(found?.pid)) || undefined;
}
