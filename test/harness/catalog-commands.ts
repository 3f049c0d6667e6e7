/** Runs `offerbook-client diff` and `offerbook-client sync` against one server for all tests of a suite. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before } from 'node:test';
import { SYNC_COMMANDS } from '../../client/src/cli/sync.ts';
import { readArguments } from '../../client/src/cli/usage.ts';
import { Offerbook } from '../../client/src/offerbook.ts';
import type { SessionOptions } from '../../client/src/session.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku } from './api-client.ts';
import type { StoreKind } from './store-place.ts';
import { ROOT } from './suites.ts';
import { tempFolder } from './temp-folder.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const { user, secret: pass } = DEMO_CREDENTIALS.test;
export const EAST = 'demo-node-east';

export function stock(quantity: number, fulfillment_node_id = EAST) {
  return { fulfillment_nodes: [{ fulfillment_node_id, quantity }] };
}

export function sku(product_title: string) {
  const attributes_node_specific = [{ attribute_id: 119, attribute_value: 'red' }];
  return { ...minimalSku(), product_title, attributes_node_specific };
}

export type CatalogLine = Readonly<Record<string, unknown>> & { readonly id: string };
/** The lines of a catalog, or its whole text. */
type Catalog = readonly CatalogLine[] | string;

/** Call it in a suite: its server starts before the tests and is closed after them. */
export function catalogCommands(store?: StoreKind) {
  let server: TestServer;
  let shared: Offerbook;
  let folder: string;
  let count = 0;

  before(async () => {
    server = await startTestServer({}, store);
    shared = clientWith();
    folder = await tempFolder();
  });
  after(() => server.close());

  const clientWith = (options: Partial<SessionOptions> = {}) =>
    new Offerbook({ url: server.url, user, pass, ...options });
  const client = () => shared;

  async function fileOf(lines: Catalog): Promise<string> {
    const file = path.join(folder, `catalog-${++count}`);
    const content = typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(file, content);
    return file;
  }

  /** Runs the command in this process, and returns what it prints with --json. */
  async function run(name: 'diff' | 'sync', args: readonly string[], api = client()) {
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

  function started(env: NodeJS.ProcessEnv, ...args: readonly string[]) {
    const keys = { OFFERBOOK_URL: server.url, OFFERBOOK_USER: user, OFFERBOOK_PASS: pass };
    const child = spawn(process.execPath, [path.join(ROOT, 'client/src/cli/main.ts'), ...args], {
      env: { ...process.env, ...keys, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { child, ended: once(child, 'exit') };
  }

  async function offerbookWith(env: NodeJS.ProcessEnv, ...args: readonly string[]) {
    const { child, ended } = started(env, ...args);
    const [[exitCode], stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { exitCode, stdout, stderr };
  }

  const offerbook = (...args: readonly string[]) => offerbookWith({}, ...args);

  /** Number of rows to send for each part. */
  async function sync(lines: Catalog, ...args: readonly string[]) {
    const { isDone, results } = await run('sync', [await fileOf(lines), '--yes', ...args]);
    const { plan, files } = results[0] as { plan: Record<string, number>; files: { rows_failed?: number }[] };
    return { isDone, plan, failed: files.reduce((sum, { rows_failed = 0 }) => sum + rows_failed, 0) };
  }

  async function diff(lines: Catalog, ...args: readonly string[]) {
    const { isDone, results } = await run('diff', [await fileOf(lines), ...args]);
    return { isDone, parts: Object.fromEntries(results.map(({ sku: id, parts }) => [id, parts])) };
  }

  const serverUrl = () => server.url;

  return { client, clientWith, serverUrl, fileOf, run, started, offerbook, offerbookWith, sync, diff };
}
