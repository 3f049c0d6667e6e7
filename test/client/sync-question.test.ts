/** Tests the question of `offerbook sync`, on a real terminal and without one. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { Offerbook, skuPath } from '../../client/src/offerbook.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku } from '../harness/api-client.ts';
import { ROOT } from '../harness/suites.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const { user, secret: pass } = DEMO_CREDENTIALS.test;
/** This program is part of the essential packages of Debian and Ubuntu. On other systems, it has other options. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');
const skip = hasScript ? false : 'the command script of util-linux, which opens a terminal, is not installed';

describe('the question of sync', () => {
  let server: TestServer;
  let client: Offerbook;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    server = await startTestServer();
    client = new Offerbook({ url: server.url, user, pass });
    await client.call('PUT', skuPath('asked'), { body: minimalSku() });
    await client.putPrice('asked', { price: 1 });
    const file = path.join(await tempFolder(), 'catalog.csv');
    await writeFile(file, 'sku,price\nasked,2\n');
    const keys = { OFFERBOOK_URL: server.url, OFFERBOOK_USER: user, OFFERBOOK_PASS: pass };
    const main = path.join(ROOT, 'client/src/cli/main.ts');
    env = { ...process.env, ...keys, SHELL: '/bin/sh', NODE: process.execPath, MAIN: main, CATALOG: file };
  });
  after(() => server.close());

  const price = async () => (await client.getPrice('asked'))?.value.price;

  /** Types the keys when the command asks. */
  async function answered(typed: string) {
    const child = spawn('script', ['-qec', '"$NODE" "$MAIN" sync "$CATALOG"', '/dev/null'], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
      // If the command never asks, nothing else would end it.
      timeout: 60_000,
    });
    let shown = '';
    let isTyped = false;
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      shown += chunk;
      if (isTyped || !shown.includes('Send the changes? [y/N] ')) return;
      isTyped = true;
      child.stdin.write(typed);
    });
    const [exitCode] = await once(child, 'close');
    assert.ok(isTyped, shown);
    return { exitCode, shown };
  }

  for (const [what, typed] of Object.entries({ no: 'n\r', 'an empty line': '\r', 'the end of the input': '\u0004' })) {
    it(`sends nothing after ${what}`, { skip }, async () => {
      const { exitCode, shown } = await answered(typed);
      assert.match(shown, /Nothing was sent\.\s*$/);
      assert.equal(exitCode, 2);
      assert.equal(await price(), 1);
    });
  }

  it('is interrupted by Ctrl+C', { skip }, async () => {
    const { exitCode, shown } = await answered('\u0003');
    assert.match(shown, /\nInterrupted\. Nothing was sent\. Run the same command again\.\s*$/);
    assert.equal(exitCode, 130);
    assert.equal(await price(), 1);
  });

  it('refuses without a terminal and without --yes', async () => {
    const child = spawn(process.execPath, [String(env.MAIN), 'sync', String(env.CATALOG)], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [[exitCode], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    assert.equal(exitCode, 2);
    assert.match(said, /Nothing was sent\. Confirm the plan with --yes\.\n$/);
    assert.equal(await price(), 1);
  });

  it('sends the changes after yes', { skip }, async () => {
    const { exitCode, shown } = await answered('y\r');
    assert.match(shown, /^To see the values: offerbook diff \S+catalog\.csv --values\s*$/m);
    assert.match(shown, /Processed successfully\. 1 row processed, 0 failed\.\s*$/);
    assert.equal(exitCode, 0);
    assert.equal(await price(), 2);
  });
});
