/** Tests `npm start` as a user types it: setup, runtime and server, with any Node of the machine. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { it } from 'node:test';
import { tempFolder } from '../harness/temp-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

it('npm start installs what is missing, serves with the demo merchant and ends on SIGINT', async (t) => {
  // The PATH lacks the folders that npm adds for scripts, as in a user's shell.
  const userPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.includes('node_modules') && !folder.includes('node-gyp-bin'))
    .join(path.delimiter);
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
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
  const welcomed = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (output.includes('Ctrl+C')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    exited.then(() => reject(new Error(`npm start ended:\n${output}`)), reject);
  });
  await welcomed;
  const url = /^API +(\S+)$/m.exec(output)?.[1];
  const token = await fetch(`${url}/token`, {
    method: 'POST',
    body: JSON.stringify({ user: 'demo-test-user', pass: 'demo-test-secret' }),
  });
  assert.equal(token.status, 200);
  // Sends the signal to the whole process group, as Ctrl+C in a terminal does.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await exited;
});
