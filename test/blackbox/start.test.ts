/** Tests starting and stopping the server: welcome, refusals, exit. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { requestToken } from '../harness/api-client.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { shellWithCurl } from '../harness/shell.ts';
import { tempFolder } from '../harness/temp-folder.ts';

it('the welcome names API, docs and demo credentials, and its curl works as printed', async (t) => {
  const server = await startServeProcess({ DATA_DIR: await tempFolder() });
  t.after(() => server.stop());
  assert.match(server.output(), new RegExp(`^API {12}${server.url}$`, 'm'));
  for (const word of ['demo-test-user', 'demo-test-secret', 'demo-live-user', 'demo-live-secret']) {
    assert.ok(server.output().includes(word), word);
  }
  const command = /^ {2}(curl .*)$/m.exec(server.output())?.[1] ?? '';
  const shell = await shellWithCurl();
  const run = shell(command);
  assert.equal(run.exitCode, 0, run.output);
  const { id_token, token_type } = JSON.parse(run.output) as Record<string, string>;
  assert.equal(token_type, 'Bearer');
  const check = await fetch(`${server.url}/authcheck`, { headers: { authorization: `Bearer ${id_token}` } });
  assert.deepEqual([check.status, await check.json()], [200, 'This message is authorized.']);
  const docs = await fetch(`${server.url}/docs`);
  assert.equal(docs.status, 200);
});

it('a second server on the same folder is refused, and names the folder', async (t) => {
  const dataDir = await tempFolder();
  const server = await startServeProcess({ DATA_DIR: dataDir });
  t.after(() => server.stop());
  await assert.rejects(startServeProcess({ DATA_DIR: dataDir }), (error: Error) => {
    assert.match(error.message, /ended with 1/);
    assert.ok(error.message.includes(dataDir), error.message);
    return true;
  });
});

it('SIGTERM ends it with 0 after the requests in flight', async () => {
  const server = await startServeProcess({ DATA_DIR: await tempFolder() });
  await requestToken(server.url, 'test');
  assert.equal(await server.stop('SIGTERM'), 0);
});

it('a completed setup takes under a second', () => {
  // A busy machine may slow down any single run, but not the best of several.
  const took_ms = Array.from({ length: 10 }, () => {
    const startMs = performance.now();
    const { status } = spawnSync(process.execPath, ['scripts/setup.mjs'], { stdio: 'ignore' });
    assert.equal(status, 0);
    return performance.now() - startMs;
  });
  assert.ok(Math.min(...took_ms) < 1000, `it took ${took_ms} ms`);
});

it('a start loads no package that most servers do not need', () => {
  const source = `
    import { Module } from 'node:module';
    await Promise.all(['./src/main.ts', './src/compose/api.ts', './src/bulk/bulk-work.ts'].map((file) => import(file)));
    console.log(Object.keys(Module._cache).join('\\n'));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const packages = new Set(Array.from(stdout.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g), ([, name]) => name));
  assert.ok(packages.has('pino'), stdout);
  assert.deepEqual(
    ['undici', 'sharp', '@img/colour', 'pino-pretty'].filter((name) => packages.has(name)),
    [],
  );
});
