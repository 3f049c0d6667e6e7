/** Tests the command `offerbook` as a process: help, exit codes, ignored fields, and what it says when it is interrupted. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
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

describe('the command', () => {
  let server: TestServer;
  let folder: string;

  function started(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const keys = { OFFERBOOK_URL: server.url, OFFERBOOK_USER: user, OFFERBOOK_PASS: secret };
    return spawn(process.execPath, [path.join(ROOT, 'client/src/cli/main.ts'), ...args], {
      cwd: folder,
      env: { ...process.env, ...keys, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function offerbook(args: readonly string[], env?: NodeJS.ProcessEnv) {
    const child = started(args, env);
    const [[exitCode], stdout, stderr] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ]);
    return { exitCode: exitCode as number | null, stdout, stderr };
  }

  before(async () => {
    server = await startTestServer();
    folder = await tempFolder();
    await writeFile(path.join(folder, 'sku.json'), JSON.stringify({ ...minimalSku(), colour: 'red', 'a/b': 1 }));
    await writeFile(path.join(folder, 'catalog.ndjson'), '{"id":"a","price":{"price":5}}\n');
  });
  after(() => server.close());

  it('lists the commands that begin with the given word', async () => {
    const listed = /^Usage: offerbook COMMAND\n\n {2}price get <sku> .*\n {2}price set .*\n\n/;
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

  it('says that an option needs a value', async () => {
    const pruned = await offerbook(['sync', 'catalog.ndjson', '--prune', '--yes']);
    assert.equal(pruned.exitCode, 2);
    assert.equal(pruned.stderr, '--prune needs a value: --prune=archive. See "offerbook sync --help".\n');
    const { stderr } = await offerbook(['upload', 'x.json', '--type']);
    assert.match(stderr, /^--type needs a value: --type=<type>\. /);
  });

  it('does not upload a catalog as a bulk file', async () => {
    const { exitCode, stderr } = await offerbook(['upload', 'catalog.ndjson', '--type', 'Price']);
    assert.equal(exitCode, 2);
    assert.equal(stderr, 'catalog.ndjson looks like a catalog. Send it with "offerbook sync catalog.ndjson".\n');
    await writeFile(path.join(folder, 'rows.json'), '{"id": {"price": 5}, "ignoring": {"price": 6}}');
    const sent = await offerbook(['upload', 'rows.json', '--type', 'Price']);
    assert.deepEqual([sent.exitCode, sent.stderr], [1, '']);
    assert.match(sent.stdout, /2 rows processed, 1 failed/);
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
