/** Tests that a file that leaves something open fails by name instead of blocking the run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { tempFolder } from './temp-folder.ts';

const harness = (name: string) => path.join(import.meta.dirname, name);

/** Runs a file as `npm test` does; returns exit code and output. */
async function runFile(body: string, seconds = 1): Promise<{ status: number | null; stdout: string }> {
  const file = path.join(await tempFolder(), 'one.test.mjs');
  await writeFile(file, `import { it } from 'node:test';\nimport { createServer } from 'node:net';\n${body}\n`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = [
    '--test',
    '--import',
    harness('ends-after-tests.ts'),
    `--test-reporter=${harness('reporter.ts')}`,
    file,
  ];
  return spawnSync(process.execPath, args, {
    cwd: path.dirname(file),
    env: { ...env, TEST_FILE_END_SECONDS: String(seconds) },
    encoding: 'utf8',
    timeout: 120_000,
  });
}

it('a file that leaves a server open fails, and names what is open', async () => {
  const { status, stdout } = await runFile(`it('leaves', () => void createServer().listen(0));`);
  assert.equal(status, 1, stdout);
  assert.match(stdout, /1 seconds after its last test this file still had something open: TCPServerWrap\.\n/);
  assert.match(stdout, /✖ one\.test\.mjs/);
});

it('a file whose first cleanup failed, so that later ones were skipped, fails too', async () => {
  const { status, stdout } = await runFile(`it('leaves', (t) => {
    const server = createServer().listen(0);
    t.after(() => { throw new Error('no ending'); });
    t.after(() => server.close());
  });`);
  assert.equal(status, 1, stdout);
  assert.match(stdout, /Error: no ending/);
  assert.match(stdout, /something open: TCPServerWrap/);
});

it('a file that closes what it opened passes', async () => {
  const body = `it('closes', (t) => {
    const server = createServer().listen(0);
    t.after(() => server.close());
  });`;
  const { status, stdout } = await runFile(body, 60);
  assert.equal(status, 0, stdout);
  assert.equal(stdout, '✔ one.test.mjs: 1 passed, 0 failed\n\n1 passed, 0 failed\n');
});
