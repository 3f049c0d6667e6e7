/** Tests `offerbook diff` and `offerbook sync` against a real server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { readCatalog } from '../../client/src/cli/sync/catalog.ts';
import { SYNC_COMMANDS } from '../../client/src/cli/sync.ts';
import { readArguments } from '../../client/src/cli/usage.ts';
import { Offerbook, skuPath } from '../../client/src/offerbook.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku } from '../harness/api-client.ts';
import { ROOT } from '../harness/suites.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const { user, secret: pass } = DEMO_CREDENTIALS.test;
const EAST = 'demo-node-east';
const stock = (quantity: number, fulfillment_node_id = EAST) => ({
  fulfillment_nodes: [{ fulfillment_node_id, quantity }],
});
const sku = (product_title: string) => ({
  ...minimalSku(),
  product_title,
  attributes_node_specific: [{ attribute_id: 119, attribute_value: 'red' }],
});
const exception = { service_level: 'Standard', shipping_exception_type: 'include' };
/** An offer with all parts, and the child of its group. */
const CATALOG = [
  {
    id: "'=whole/ü",
    sku: sku('Whole offer'),
    price: { price: 9.5, fulfillment_nodes: [{ fulfillment_node_id: EAST, fulfillment_node_price: 9 }] },
    inventory: stock(7),
    shipping_exception: { fulfillment_nodes: [{ fulfillment_node_id: EAST, shipping_exceptions: [exception] }] },
    returns_exception: { return_location_ids: ['demo-returns-east'] },
    variation: { relationship: 'Variation', variation_refinements: [119], children_skus: ['child'] },
  },
  { id: 'child', sku: sku('Child'), price: { price: 3 } },
] as const;

type Line = Readonly<Record<string, unknown>> & { readonly id: string };

describe('a catalog', () => {
  let server: TestServer;
  let folder: string;
  let client: Offerbook;
  let count = 0;

  const clientWith = (options: { fetch?: typeof fetch; signal?: AbortSignal } = {}) =>
    new Offerbook({ url: server.url, user, pass, ...options });

  async function fileOf(lines: readonly Line[] | string): Promise<string> {
    const file = path.join(folder, `catalog-${++count}`);
    const content = typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(file, content);
    return file;
  }

  /** Runs the command in this process, and returns what it prints with --json. */
  async function run(name: 'diff' | 'sync', args: readonly string[], api = client) {
    const command = SYNC_COMMANDS[name] ?? assert.fail();
    const given = readArguments(name, command, args);
    // biome-ignore lint/suspicious/noExplicitAny: each command has its own.
    const results: any[] = [];
    const isDone = await command.run({
      ...given,
      variables: {},
      stopped: new AbortController().signal,
      client: async () => api,
      result: (value) => void results.push(value),
    });
    return { isDone: isDone !== false, results };
  }

  /** Number of rows to send for each part. */
  async function sync(lines: readonly Line[] | string, ...args: readonly string[]) {
    const { isDone, results } = await run('sync', [await fileOf(lines), '--yes', ...args]);
    const { plan, files } = results[0] as { plan: Record<string, number>; files: { rows_failed?: number }[] };
    return { isDone, plan, failed: files.reduce((sum, { rows_failed = 0 }) => sum + rows_failed, 0) };
  }

  async function diff(lines: readonly Line[] | string, ...args: readonly string[]) {
    const { isDone, results } = await run('diff', [await fileOf(lines), ...args]);
    return { isDone, parts: Object.fromEntries(results.map(({ sku: id, parts }) => [id, parts])) };
  }

  before(async () => {
    server = await startTestServer();
    folder = await tempFolder();
    client = clientWith();
  });
  after(() => server.close());

  it('is sent with all its parts, and the second run sends nothing', async () => {
    const first = await sync(CATALOG);
    assert.deepEqual(first, {
      isDone: true,
      plan: { sku: 2, price: 2, inventory: 1, shipping_exception: 1, returns_exception: 1, variation: 1 },
      failed: 0,
    });
    assert.deepEqual(await sync(CATALOG), { isDone: true, plan: {}, failed: 0 });
    assert.deepEqual(await diff(CATALOG), { isDone: true, parts: {} });
    assert.equal((await client.getPrice(CATALOG[0].id))?.value.price, 9.5);
  });

  it('shows drift in each part, and only that is sent', async () => {
    const [{ id, ...parts }] = CATALOG;
    const changes: Readonly<Record<string, [method: string, address: string, body: object]>> = {
      sku: ['PUT', '', sku('Another title')],
      price: ['PUT', '/price', { price: 9.5 }],
      inventory: ['PATCH', '/inventory', stock(8)],
      shipping_exception: ['PUT', '/shippingexception', {}],
      returns_exception: ['PUT', '/returnsexception', {}],
      variation: ['PUT', '/variation', { ...parts.variation, group_title: 'T' }],
    };
    const changed: string[] = [];
    for (const [part, [method, address, body]] of Object.entries(changes)) {
      await client.call(method, skuPath(id, address), { body });
      changed.push(part);
      assert.deepEqual(await diff(CATALOG), { isDone: false, parts: { [id]: changed } });
    }
    const { plan } = await sync(CATALOG);
    assert.deepEqual(plan, Object.fromEntries(Object.keys(changes).map((part) => [part, 1])));
    assert.deepEqual((await sync(CATALOG)).plan, {});
    // Stock at a node that the file does not name stays, and a part that the file does not name too.
    await client.patchInventory(id, stock(4, 'demo-node-west'));
    await client.putPrice('child', { price: 4 });
    assert.deepEqual(await diff([{ id, inventory: stock(7) }, { id: 'child' }]), { isDone: true, parts: {} });
    assert.deepEqual((await diff([{ id, returns_exception: {} }])).parts, { [id]: ['returns_exception'] });
  });

  it('may be CSV with prices and stock, with a row for each node', async () => {
    await client.call('PUT', skuPath('csv-1'), { body: sku('Number one') });
    await client.call('PUT', skuPath('csv "2"'), { body: sku('Number two') });
    const csv =
      '\ufeffSKU;price;node_id;quantity\r\ncsv-1;8.50;demo-node-west;3\r\ncsv-1;8.50;demo-node-east;0\r\n"csv ""2""";2;;\r\n';
    assert.deepEqual(await sync(csv), { isDone: true, plan: { price: 2, inventory: 1 }, failed: 0 });
    assert.deepEqual((await sync(csv)).plan, {});
    assert.deepEqual((await sync(csv.replace('west;3', 'west;5'))).plan, { inventory: 1 });
    assert.equal((await client.getPrice('csv "2"'))?.value.price, 2);
  });

  it('reports rows that the server refuses, and sends the others', async () => {
    const lines = [
      { id: 'good', sku: sku('A good one'), price: { price: 1 } },
      { id: 'bad', sku: sku('A bad price'), price: { price: 0 } },
      { id: 'unknown', inventory: stock(1) },
      { id: 'typo', sku: sku('A typo'), returns_exception: { return_locations: ['demo-returns-east'] } },
    ];
    const { isDone, plan, failed } = await sync(lines);
    assert.deepEqual([isDone, plan, failed], [false, { sku: 3, price: 2, inventory: 1, returns_exception: 1 }, 3]);
    assert.deepEqual((await sync(lines)).plan, { price: 1, inventory: 1, returns_exception: 1 });
    assert.equal((await client.getPrice('good'))?.value.price, 1);
  });

  it('goes on after an interruption', async () => {
    const lines = Array.from({ length: 50 }, (_, place) => {
      return { id: `cut-${place}`, sku: sku(`Title ${place}`), price: { price: 1 + place }, inventory: stock(place) };
    });
    const file = await fileOf(lines);
    const stop = new AbortController();
    // As Ctrl+C does: right after the file of SKUs was submitted.
    const cut: typeof fetch = async (address, init) => {
      const response = await fetch(address, init);
      if (String(address).endsWith('/files/uploaded')) stop.abort();
      return response;
    };
    await assert.rejects(run('sync', [file, '--yes'], clientWith({ fetch: cut, signal: stop.signal })), {
      name: 'AbortError',
    });
    assert.deepEqual((await sync(lines)).plan, { price: 50, inventory: 50 });
    assert.deepEqual((await sync(lines)).plan, {});
  });

  it('archives what it does not have if asked to, and brings back what it has again', async () => {
    const kept: Line[] = [];
    for await (const id of client.skus()) kept.push({ id });
    const without = kept.filter(({ id }) => id !== 'csv-1');
    assert.deepEqual((await sync(without)).plan, {});
    assert.deepEqual((await diff(without, '--prune=archive')).parts, { 'csv-1': ['archive'] });
    assert.deepEqual((await sync(without, '--prune', 'archive')).plan, { archive: 1 });
    assert.equal((await client.getSku('csv-1'))?.value.is_archived, true);
    assert.deepEqual((await sync(without, '--prune=archive')).plan, {});
    const back = kept.map((line) => (line.id === 'csv-1' ? { ...line, inventory: stock(2) } : line));
    assert.deepEqual((await sync(back, '--prune=archive')).plan, { unarchive: 1, inventory: 1 });
    assert.deepEqual((await sync(back, '--prune=archive')).plan, {});
    const flagged = back.map((line) => (line.id === 'csv-1' ? { ...line, is_archived: true } : line));
    assert.deepEqual((await sync(flagged)).plan, { archive: 1 });
    assert.deepEqual((await sync(flagged)).plan, {});
  });

  it('is not sent without a confirmation, and most SKUs are not archived without --yes', async () => {
    const changed = await fileOf([{ id: 'good', price: { price: 99 } }]);
    const expected = (message: RegExp) => ({ name: 'UsageError', message });
    await assert.rejects(run('sync', [changed]), expected(/^Nothing was sent\. Confirm the plan with --yes\.$/));
    await assert.rejects(run('sync', [changed, '--prune=archive']), expected(/^More than half of the SKUs would/));
    await assert.rejects(run('sync', [changed, '--prune=delete']), expected(/^--prune: must be "archive"\.$/));
    assert.equal((await client.getPrice('good'))?.value.price, 1);
  });

  it('is refused with the line of its fault, before anything is sent', async () => {
    const faults: readonly (readonly [string, RegExp])[] = [
      ['', /it is empty/],
      ['{"id":"a"}\n{"id":', /line 2 is not JSON/],
      ['{"sku":"a","price":1}', /line 1 has no "id"/],
      ['{"id":"a","prise":{}}', /line 1 has the unknown part "prise"/],
      ['{"id":"a","price":1}', /line 1: price must be an object/],
      ['sku,prise\na,1', /the column "prise" is unknown/],
      ['price\n1', /the column "sku" is missing/],
      ['sku,quantity\na,1', /belong together/],
      ['sku,price\na,"1,5"', /line 2: price must be a number/],
      ['sku,price\na,1\na,2', /line 3: price and is_archived must be the same/],
      ['sku,price\na,1,2', /line 2 has more cells/],
      ['sku,price\n"a,1', /line 2 has a quote that is not closed/],
    ];
    for (const [content, message] of faults) {
      const read = Array.fromAsync(readCatalog(await fileOf(content)));
      await assert.rejects(read, { name: 'UsageError', message }, content);
    }
    const changes = '{"id":"good","price":{"price":98}}\n';
    for (const [content, message] of [
      [`${changes}{"id":"a"}\n{"id":"a"}`, /SKU a occurs twice/],
      ['sku,price\ngood,98\nb,1\ngood,98', /SKU good occurs twice/],
      [`${changes}{`, /line 2 is not JSON/],
    ] as const) {
      await assert.rejects(run('sync', [await fileOf(content), '--yes']), { name: 'UsageError', message }, content);
    }
    assert.equal((await client.getPrice('good'))?.value.price, 1);
  });

  it('is compared on the command line, with exit codes', async () => {
    const offerbook = async (...args: readonly string[]) => {
      const child = spawn(process.execPath, [path.join(ROOT, 'client/src/cli/main.ts'), ...args], {
        env: { ...process.env, OFFERBOOK_URL: server.url, OFFERBOOK_USER: user, OFFERBOOK_PASS: pass },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [[exitCode], stdout, stderr] = await Promise.all([
        once(child, 'close'),
        text(child.stdout),
        text(child.stderr),
      ]);
      return { exitCode, stdout, stderr };
    };
    const file = await fileOf([{ id: 'good', price: { price: 5 }, inventory: stock(2) }]);
    const shown = await offerbook('diff', file);
    assert.deepEqual([shown.exitCode, shown.stdout], [1, 'good: price, inventory\n']);
    assert.match(shown.stderr, /^SKUs in the file: 1\. .*\nWhat differs:\n {2}price: 1\n {2}inventory: 1\n$/);
    const sent = await offerbook('sync', file, '--yes');
    assert.deepEqual(
      [sent.exitCode, sent.stdout.match(/^File \S+ Processed successfully\. 1 rows processed/gm)?.length],
      [0, 2],
    );
    assert.deepEqual((await offerbook('diff', file)).exitCode, 0);
    assert.equal((await offerbook('diff', 'none')).exitCode, 2);
    const wrong = await fileOf([{ id: 'good', price: { price: 0 } }]);
    assert.equal((await offerbook('sync', wrong, '--yes')).exitCode, 1);
  });
});
