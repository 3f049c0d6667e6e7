/** Tests the command `offerbook-client` as a process: help, exit codes, JSON, ignored fields, and what it says when it is interrupted. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { FILE_TYPES } from '../../src/domain/vocabulary/file-types.ts';
import { minimalSku } from '../harness/api-client.ts';
import { freePort } from '../harness/free-port.ts';
import { ROOT } from '../harness/suites.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const { user, secret } = DEMO_CREDENTIALS.test;
const EAST = 'demo-node-east';
const COLOR = 119;

/** Returns the id of a file, an event or a webhook. The profile renames the field of a file. */
function idOf(result: Readonly<Record<string, string>>): string {
  return Object.entries(result).find(([field]) => /^(?:\w+_file_id|id|webhook_id)$/.test(field))?.[1] ?? assert.fail();
}

/** Reads one JSON value, or one on each line. */
function resultsOf(stdout: string): unknown[] {
  try {
    return [JSON.parse(stdout)];
  } catch {
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }
}

describe('the command', () => {
  let server: TestServer;
  let folder: string;

  function started(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const keys = { OFFERBOOK_URL: server.url, OFFERBOOK_USER: user, OFFERBOOK_PASS: secret };
    return spawn(process.execPath, [path.join(ROOT, 'client/src/cli/main.ts'), ...args], {
      cwd: folder,
      // Halves the time of a start.
      env: { NODE_COMPILE_CACHE: path.join(folder, 'cache'), ...process.env, ...keys, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function offerbook(args: readonly string[], env?: NodeJS.ProcessEnv) {
    return ended(started(args, env));
  }

  async function ended(child: ReturnType<typeof started>) {
    const [[exitCode], stdout, stderr] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ]);
    return { exitCode: exitCode as number | null, stdout, stderr };
  }

  before(async () => {
    server = await startTestServer({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    folder = await tempFolder();
    await writeFile(path.join(folder, 'sku.json'), JSON.stringify({ ...minimalSku(), colour: 'red', 'a/b': 1 }));
    await writeFile(path.join(folder, 'catalog.ndjson'), '{"id":"a","price":{"price":5}}\n');
  });
  after(() => server.close());

  it('lists the commands that begin with the given word', async () => {
    const listed = /^Usage: offerbook-client COMMAND\n\n {2}price get <sku> .*\n {2}price set .*\n\n/;
    const cases: readonly (readonly [readonly string[], number])[] = [
      [['price', '--help'], 0],
      [['price'], 2],
      [['price', 'gett', 'a'], 2],
    ];
    const shown = await Promise.all(cases.map(([args]) => offerbook(args)));
    for (const [place, [, exitCode]] of cases.entries()) {
      assert.match(shown[place]?.stdout ?? '', listed);
      assert.deepEqual([shown[place]?.exitCode, shown[place]?.stderr], [exitCode, '']);
    }
  });

  it('has help that names the variables, the kinds of files and all types', async () => {
    const [overview, sync, upload] = await Promise.all([
      offerbook(['help']),
      offerbook(['sync', '--help']),
      offerbook(['upload', '--help']),
    ]);
    for (const { stdout } of [overview, sync]) assert.match(stdout, /OFFERBOOK_URL, OFFERBOOK_USER and OFFERBOOK_PASS/);
    assert.match(sync.stdout, /The file is NDJSON with any parts of the offers, or CSV with prices and stock\./);
    assert.match(sync.stdout, /--prune archive /);
    assert.ok(upload.stdout.includes(FILE_TYPES.join(', ')));
  });

  it('exits with 4 if the server refuses the call, unlike a difference or a failed row', async () => {
    const commands = [
      ['diff', 'catalog.ndjson'],
      ['sync', 'catalog.ndjson', '--yes'],
      ['price', 'set', 'none', '5'],
    ];
    const [unknown, elsewhere, ...wrong] = await Promise.all([
      offerbook(['price', 'set', 'none', '5']),
      offerbook(['nodes'], { OFFERBOOK_URL: 'offers.example' }),
      ...commands.map((args) => offerbook(args, { OFFERBOOK_PASS: 'wrong' })),
    ]);
    for (const { exitCode, stderr } of wrong) {
      assert.match(stderr, /\[credentials_wrong\]/);
      assert.equal(exitCode, 4);
    }
    assert.match(unknown.stderr, /\[sku_unknown\]/);
    assert.equal(unknown.exitCode, 4);
    assert.deepEqual(
      [elsewhere.exitCode, elsewhere.stderr],
      [2, 'OFFERBOOK_URL: must be a URL such as https://offers.example.\n'],
    );
  });

  it('names the fields that were not stored', async () => {
    const { exitCode, stdout, stderr } = await offerbook(['sku', 'put', 'ignoring', 'sku.json']);
    assert.deepEqual([exitCode, stdout], [0, 'ignoring: stored.\n']);
    assert.equal(stderr, '/colour: unknown field, ignored.\n/a~1b: unknown field, ignored.\n');
  });

  it('names an option in front of the command', async () => {
    const [server, json] = await Promise.all([offerbook(['--server', 'x', 'nodes']), offerbook(['--json', 'nodes'])]);
    const login =
      'Only "login" takes --server and --user. Other commands use the stored profile, or OFFERBOOK_URL and OFFERBOOK_USER.';
    assert.deepEqual(server, {
      exitCode: 2,
      stdout: '',
      stderr: `--server: options come after the command. ${login}\n`,
    });
    assert.equal(json.stderr, '{"error":"--json: options come after the command. See \\"offerbook-client help\\"."}\n');
    const { exitCode, stderr } = await offerbook(['nodes', '--server', 'x']);
    assert.deepEqual([exitCode, stderr], [2, `${login} See "offerbook-client nodes --help".\n`]);
  });

  it('prints what a write would change, and stores nothing', async () => {
    await writeFile(path.join(folder, 'offer.json'), JSON.stringify({ sku: minimalSku(), price: { price: 5 } }));
    await offerbook(['sku', 'put', 'dry', 'offer.json', '--offer']);
    const set = await offerbook(['price', 'set', 'dry', '6', '--dry-run']);
    assert.deepEqual([set.exitCode, set.stderr], [0, '']);
    assert.match(
      set.stdout,
      /^dry: dry run, nothing was stored\. Would change:\n {2}\/price\/price: 5 -> 6\nStatus afterwards: .+\n$/,
    );
    const put = await offerbook(['sku', 'put', 'dry', 'sku.json', '--dry-run']);
    assert.equal(put.stderr, '/colour: unknown field, ignored.\n/a~1b: unknown field, ignored.\n');
    const { stdout } = await offerbook(['history', 'dry']);
    assert.match(
      stdout,
      /^\d+ {2}\S+Z {2}key \S+\n {2}price: none -> \{"price":5,.*\}\n\d+ .*\n {2}sku: none -> \{.*…\n$/,
    );
  });

  it('says that an option needs a value', async () => {
    const pruned = await offerbook(['sync', 'catalog.ndjson', '--prune', '--yes']);
    assert.equal(pruned.exitCode, 2);
    assert.equal(pruned.stderr, '--prune needs a value: --prune=archive. See "offerbook-client sync --help".\n');
    const { stderr } = await offerbook(['upload', 'x.json', '--type']);
    assert.match(stderr, /^--type needs a value: --type=<type>\. /);
  });

  it('does not upload a catalog as a bulk file', async () => {
    const { exitCode, stderr } = await offerbook(['upload', 'catalog.ndjson', '--type', 'Price']);
    assert.equal(exitCode, 2);
    assert.equal(stderr, 'catalog.ndjson looks like a catalog. Send it with "offerbook-client sync catalog.ndjson".\n');
    await writeFile(path.join(folder, 'rows.json'), '{"id": {"price": 5}, "ignoring": {"price": 6}}');
    const sent = await offerbook(['upload', 'rows.json', '--type', 'Price']);
    assert.deepEqual([sent.exitCode, sent.stderr], [1, '']);
    assert.match(sent.stdout, /2 rows processed, 1 failed/);
  });

  it('prints JSON with --json in every command', async (t) => {
    const receiver = createServer((request, response) => void request.resume().once('end', () => response.end()));
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    t.after(() => receiver.close());
    const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    await writeFile(path.join(folder, 'wrong.json'), '{"json-1": {"price": 0}}');
    await writeFile(path.join(folder, 'good.json'), '{"json-1": {"price": 6}}');
    await writeFile(path.join(folder, 'empty.json'), '{}');
    for (const attribute_value of ['red', 'blue']) {
      const sku = { ...minimalSku(), attributes_node_specific: [{ attribute_id: COLOR, attribute_value }] };
      await writeFile(path.join(folder, `${attribute_value}.json`), JSON.stringify(sku));
    }
    const group = { relationship: 'Variation', variation_refinements: [COLOR], children_skus: ['=json-2'] };
    await writeFile(path.join(folder, 'group.json'), JSON.stringify(group));
    const ids: string[] = [];
    /** A number in the arguments stands for an id in `ids`: first the ids of two files, then of an event and a webhook. */
    type Case = readonly [command: string, args: readonly (string | number)[], exitCode: number, results: unknown[]];
    const done = { sku: 'json-1', done: true };
    const priced = { sku: 'json-1', title: minimalSku().product_title, price: 6, node_quantities: { [EAST]: 2 } };
    const archived = { sku: '=json-2', archived: true, price_hash: null };
    const cases: readonly Case[] = [
      ['login', ['--server', server.url, '--user', user, '--profile', 'json'], 0, [{ profile: 'json' }]],
      ['sku put', ['json-1', 'red.json'], 0, [done]],
      ['sku put', ['=json-2', 'blue.json'], 0, [{ sku: '=json-2', done: true }]],
      ['sku get', ['json-1'], 0, [{ merchant_sku: 'json-1' }]],
      ['sku get', ['none'], 1, [null]],
      ['sku get', ['json-1', '--offer'], 0, [{ merchant_sku: 'json-1', inventory: { fulfillment_nodes: [] } }]],
      ['price set', ['json-1', '5'], 0, [done]],
      ['price get', ['json-1'], 0, [{ price: 5 }]],
      ['inventory set', ['json-1', `${EAST}=2`], 0, [done]],
      ['inventory get', ['json-1'], 0, [{ fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 2 }] }]],
      ['price set', ['json-1', '5.5', '--dry-run'], 0, [{ sku: 'json-1', changes: [{ before: 5, after: 5.5 }] }]],
      ['history', ['json-1', '--limit', '2'], 0, [{ part: 'inventory' }, { part: 'price' }]],
      ['price set', ['json-1', '4'], 0, [done]],
      ['undo', ['json-1'], 0, [done]],
      ['price get', ['json-1'], 0, [{ price: 5 }]],
      ['variation put', ['json-1', 'group.json'], 0, [done]],
      ['variation get', ['json-1'], 0, [{ children_skus: ['=json-2'] }]],
      ['shipping-exception put', ['json-1', 'empty.json'], 0, [done]],
      ['shipping-exception get', ['json-1'], 1, [null]],
      ['returns-exception put', ['json-1', 'empty.json'], 0, [done]],
      ['returns-exception get', ['json-1'], 1, [null]],
      ['return-locations', [], 0, [{ return_locations: [] }]],
      ['upcoming', [], 0, [[]]],
      ['taxonomy search', ['kitchen'], 0, [[{ active: true }]]],
      ['taxonomy show', ['1'], 1, [null]],
      ['archive', ['=json-2'], 0, [{ sku: '=json-2', done: true }]],
      ['review', ['json-1'], 0, [{ checks: [] }]],
      ['nodes', [], 0, [{ fulfillment_nodes: [] }]],
      ['upload', ['wrong.json', '--type', 'Price'], 1, [{ rows_failed: 1 }]],
      ['upload', ['good.json', '--type', 'Price'], 0, [{ rows_failed: 0 }]],
      ['sku list', [], 0, ['json-1', '=json-2']],
      ['files list', ['--limit', '1'], 0, [[{ file_name: 'good.json' }]]],
      ['files show', [0], 0, [{ file_name: 'wrong.json', rows_failed: 1 }]],
      ['files cancel', [0], 0, [{ file_name: 'wrong.json', status: 'Processed with errors' }]],
      ['files errors', [0], 0, [{ 'json-1': { details: [{ code: 'too_small' }] } }]],
      ['files errors', [0, '--retry', 'fix.json'], 0, [{ file: 'fix.json' }]],
      ['files undo', [0], 0, [{ offers: 0, skipped: 0 }]],
      ['plans list', [], 0, [[]]],
      ['plans undo', ['--by', user], 0, [[]]],
      ['files errors', [1], 1, [{}]],
      ['files errors', [1, '--retry', 'none.json'], 1, [{ file: null }]],
      ['report', [], 0, [priced, { sku: '=json-2', price: null, quantity: 0 }]],
      ['report', ['Fingerprints'], 0, [{ sku: 'json-1', archived: false }, archived]],
      ['report', ['--out', 'status.csv'], 0, [{ type: 'ProductStatus', file: 'status.csv' }]],
      ['diff', ['json.csv'], 1, [{ sku: 'json-1', line: 2, parts: ['price'] }]],
      ['sync', ['json.csv', '--yes'], 0, [{ plan: { price: 1 }, not_sent: {} }]],
      ['events', ['--types', 'file.finished'], 0, [{ type: 'file.finished' }]],
      ['listen', ['--forward-to', target, '--after', 2], 130, [{ outcome: '200' }]],
      [
        'webhooks add',
        [`${target}/`, '--types', 'file.finished', '--include', 'changes', '--batches', 'on'],
        0,
        [{ types: ['file.finished'], include: ['changes'], batches: true }],
      ],
      ['webhooks list', [], 0, [[{ url: `${target}/` }]]],
      [
        'webhooks change',
        [3, '--disable', '--batches', 'off', '--include', 'none'],
        0,
        [{ enabled: false, batches: false }],
      ],
      ['webhooks secret', [3, '--overlap', '0'], 0, [{ enabled: false }]],
      ['webhooks test', [3], 0, [{ type: 'webhook.test', status: 200 }]],
      ['webhooks replay', [3, 2], 0, [{ type: 'file.finished', failure: null }]],
      ['webhooks deliveries', [3], 0, [[{ type: 'file.finished' }, { type: 'webhook.test' }]]],
      ['webhooks remove', [3], 0, [{ done: true }]],
    ];
    await writeFile(path.join(folder, 'json.csv'), 'sku,price\njson-1,7\n');
    for (const [command, args, exitCode, expected] of cases) {
      const given = args.map((arg) => (typeof arg === 'number' ? (ids[arg] ?? assert.fail()) : arg));
      const child = started([...command.split(' '), ...given, '--json'], { OFFERBOOK_HOME: folder });
      // Nothing else ends this command.
      if (command === 'listen') child.stdout.once('data', () => child.kill('SIGINT'));
      const run = await ended(child);
      const what = `${command} ${given.join(' ')}: ${run.stdout}${run.stderr}`;
      assert.equal(run.exitCode, exitCode, what);
      const results = resultsOf(run.stdout);
      assert.partialDeepStrictEqual(results, expected, what);
      const [result] = results as Record<string, string>[];
      if (['upload', 'events', 'webhooks add'].includes(command)) ids.push(idOf(result ?? {}));
    }
    const { stdout: help } = await offerbook(['help']);
    const commands = Array.from(help.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) /gm), ([, name = '']) => name);
    assert.deepEqual(new Set(cases.map(([command]) => command)), new Set(commands));
    const [fix, csv] = await Promise.all(
      ['fix.json', 'status.csv'].map((file) => readFile(path.join(folder, file), 'utf8')),
    );
    assert.deepEqual(JSON.parse(fix ?? ''), { 'json-1': { price: 0 } });
    assert.match(csv ?? '', /^sku,title,.*\r\n(?:.*\r\n)*'=json-2,/);
  });

  it('reports at Ctrl+C that nothing was sent', async () => {
    const env = { OFFERBOOK_URL: `http://127.0.0.1:${await freePort()}` };
    const child = started(['sync', 'catalog.ndjson', '--yes'], env);
    const ended = once(child, 'close');
    let last = '';
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes('cannot be reached')) child.kill('SIGINT');
      last = line;
    }
    assert.deepEqual(await ended, [130, null]);
    assert.equal(last, 'Interrupted. Nothing was sent. Run the same command again.');
  });
});
