/** Promise: a reader that stops reading, as `head` does, ends a command quietly. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { it } from 'node:test';
import { tempFolder } from '../harness/temp-folder.ts';

it('output that nobody reads to its end is no failure', async () => {
  const DATA_DIR = await tempFolder();
  const child = spawn(process.execPath, ['bin/offerbook.mjs', 'taxonomy', 'show'], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env: { ...process.env, DATA_DIR, DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  assert.deepEqual({ exitCode, complaint }, { exitCode: 0, complaint: '' });
});
