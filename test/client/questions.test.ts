/** Tests the prompts of `offerbook-client sync` and `offerbook-client login`, with and without a terminal. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { Offerbook } from '../../client/src/offerbook.ts';
import { skuPath } from '../../client/src/parts.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku } from '../harness/api-client.ts';
import { ROOT } from '../harness/suites.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const { user, secret: pass } = DEMO_CREDENTIALS.test;
/** This program is part of the essential packages of Debian and Ubuntu. On other systems, it has other options. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');
const skip = hasScript ? false : 'the command script of util-linux, which opens a terminal, is not installed';

describe('the question', () => {
  let server: TestServer;
  let client: Offerbook;
  let env: NodeJS.ProcessEnv;
  let home: string;
  before(async () => {
    server = await startTestServer();
    client = new Offerbook({ url: server.url, user, pass });
    await client.call('PUT', skuPath('asked'), { body: minimalSku() });
    await client.putPrice('asked', { price: 1 });
    home = await tempFolder();
    const file = path.join(home, 'catalog.csv');
    await writeFile(file, 'sku,price\nasked,2\n');
    const keys = { OFFERBOOK_URL: server.url, OFFERBOOK_USER: user, OFFERBOOK_PASS: pass };
    const main = path.join(ROOT, 'client/src/cli/main.ts');
    env = { ...process.env, ...keys, SHELL: '/bin/sh', NODE: process.execPath, MAIN: main, CATALOG: file };
  });
  after(() => server.close());

  const price = async () => (await client.getPrice('asked'))?.value.price;

  /** Types the keys when the command asks. */
  async function answered(
    typed: string,
    command = 'sync "$CATALOG"',
    question = 'Send the changes? [y/N] ',
    variables = env,
  ) {
    const child = spawn('script', ['-qec', `"$NODE" "$MAIN" ${command}`, '/dev/null'], {
      env: variables,
      stdio: ['pipe', 'pipe', 'inherit'],
      // If the command never asks, nothing else would end it.
      timeout: 60_000,
    });
    let shown = '';
    let isTyped = false;
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      shown += chunk;
      if (isTyped || !shown.includes(question)) return;
      isTyped = true;
      child.stdin.write(typed);
    });
    const [exitCode] = await once(child, 'close');
    assert.ok(isTyped, shown);
    return { exitCode, shown };
  }

  async function withoutTerminal(variables: NodeJS.ProcessEnv, ...args: readonly string[]) {
    const child = spawn(process.execPath, [String(env.MAIN), ...args], {
      env: variables,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [[exitCode], stdout, stderr] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ]);
    return { exitCode, stdout, stderr };
  }

  for (const [what, typed] of Object.entries({ no: 'n\r', 'an empty line': '\r', 'the end of the input': '\u0004' })) {
    it(`of sync sends nothing after ${what}`, { skip }, async () => {
      const { exitCode, shown } = await answered(typed);
      assert.match(shown, /Nothing was sent\.\s*$/);
      assert.equal(exitCode, 2);
      assert.equal(await price(), 1);
    });
  }

  it('of sync is interrupted by Ctrl+C', { skip }, async () => {
    const { exitCode, shown } = await answered('\u0003');
    assert.match(shown, /\nInterrupted\. Nothing was sent\. Run the same command again\.\s*$/);
    assert.equal(exitCode, 130);
    assert.equal(await price(), 1);
  });

  it('of sync is not asked without a terminal, and needs --yes', async () => {
    const { exitCode, stderr } = await withoutTerminal(env, 'sync', String(env.CATALOG));
    assert.equal(exitCode, 2);
    assert.match(stderr, /Nothing was sent\. Confirm the plan with --yes\.\n$/);
    assert.equal(await price(), 1);
  });

  it('of sync sends the changes after yes', { skip }, async () => {
    const { exitCode, shown } = await answered('y\r');
    assert.match(shown, /^To see the values: offerbook-client diff \S+catalog\.csv --values\s*$/m);
    assert.match(shown, /Processed successfully\. 1 row processed, 0 failed\.\s*$/);
    assert.equal(exitCode, 0);
    assert.equal(await price(), 2);
  });

  it('of login hides the secret, and stores it as the given profile', { skip }, async () => {
    const { OFFERBOOK_URL, OFFERBOOK_USER, OFFERBOOK_PASS, ...others } = env;
    const variables = { ...others, OFFERBOOK_HOME: path.join(home, 'profiles') };
    const login = `login --server ${server.url} --user ${user} --profile asked`;
    const question = `Secret for ${user}: `;
    const { exitCode, shown } = await answered('\u0004', login, question, variables);
    assert.match(shown, /The secret is missing: set OFFERBOOK_PASS\.\s*$/);
    assert.equal(exitCode, 2);
    const stored = await answered(`${pass}\r`, login, question, variables);
    const file = path.join(home, 'profiles/profiles.json');
    assert.equal(stored.shown.trim(), `${question}\r\nThe API key works. Stored as profile asked in ${file}.`);
    assert.equal(stored.exitCode, 0);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { asked: { url: server.url, user, pass } });
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const { stdout } = await withoutTerminal(variables, 'nodes', '--profile', 'asked');
    assert.match(stdout, /^demo-node-east /m);
  });
});
