/** Tests `npm start` as a user types it: setup, runtime and server, with any Node of the machine. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { copyClone } from '../harness/clone.ts';
import { ROOT } from '../harness/suites.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

const BUILD_MS_MAX = 300_000;

/** Resolves when the server has printed its welcome. */
async function npmStart(t: TestContext, cwd: string) {
  // The PATH lacks the folders that npm adds for scripts, as in a user's shell.
  const userPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.includes('node_modules') && !folder.includes('node-gyp-bin'))
    .join(path.delimiter);
  const child = spawn('npm', ['start'], {
    cwd,
    env: { PATH: userPath, HOME: process.env.HOME, PORT: '0', DATA_DIR: await tempFolder() },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // Waits for `close` instead of `exit`, because npm exits first, while the server still writes into its folder.
  const exited = once(child, 'close');
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL');
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (output.includes('Ctrl+C')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    exited.then(() => reject(new Error(`npm start ended:\n${output}`)), reject);
  });
  return {
    url: /^API +(\S+)$/m.exec(output)?.[1] ?? assert.fail(output),
    /** Sends the signal to the whole process group, as Ctrl+C in a terminal does. */
    stop: async () => {
      process.kill(-(child.pid ?? 0), 'SIGINT');
      await exited;
    },
  };
}

it('npm start installs what is missing, serves with the demo merchant and ends on SIGINT', async (t) => {
  const { url, stop } = await npmStart(t, ROOT);
  const token = await fetch(`${url}/token`, {
    method: 'POST',
    body: JSON.stringify({ user: 'demo-test-user', pass: 'demo-test-secret' }),
  });
  assert.equal(token.status, 200);
  await stop();
});

it('npm start serves the API while the pages are built, and then the pages', async (t) => {
  const clone = await copyClone();
  // While this process holds the lock of the setup, nothing is built.
  const lock = path.join(clone, '.setup.lock');
  await writeFile(lock, String(process.pid));
  const { url, stop } = await npmStart(t, clone);
  const pages = ['/portal/', '/docs/'];
  for (const page of pages) {
    const early = await fetch(`${url}${page}`);
    assert.equal(early.status, 503, page);
    assert.match(await early.text(), /<meta http-equiv="refresh"/);
  }
  await rm(lock);
  for (const page of pages) {
    await waitUntil(page, BUILD_MS_MAX, async () => (await fetch(`${url}${page}`)).status === 200 || undefined);
  }
  await stop();
});
