/**
 * Tests that a reader that stops reading, such as `head`, ends a command without an error, unless partial output is useless. Output
 * that cannot be written is a failure, reported in one line.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { databaseFolder } from '../harness/own-server.ts';

const DISK_THAT_IS_FULL = '/dev/full';

/** Returns the result of a command whose output goes to `output`, or to a reader that has closed. */
async function run(output: number | 'closed', ...args: readonly string[]) {
  const DATA_DIR = await databaseFolder();
  const child = spawn(process.execPath, ['bin/offerbook.mjs', ...args], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env: { ...process.env, DATA_DIR, DATABASE_URL: '' },
    stdio: ['ignore', output === 'closed' ? 'pipe' : output, 'pipe'],
  });
  child.stdout?.destroy();
  if (child.stderr === null) throw new Error('Standard error is a pipe.');
  const [[exitCode], complaint] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  return { exitCode: exitCode as number | null, complaint };
}

describe('output whose reader closes early', () => {
  it('is not a failure', async () => {
    assert.deepEqual(await run('closed', 'taxonomy', 'show'), { exitCode: 0, complaint: '' });
    assert.deepEqual(await run('closed', 'generate-catalog', '1000'), { exitCode: 0, complaint: '' });
  });

  it('is a failure for an export, because it is incomplete', async () => {
    const message = 'Standard output was closed early: the export is incomplete.';
    assert.deepEqual(await run('closed', 'export', '-'), { exitCode: 1, complaint: `offerbook: ${message}\n` });
    const { exitCode, complaint } = await run('closed', 'export', '-', '--json');
    assert.equal(exitCode, 1);
    assert.deepEqual(JSON.parse(complaint).errors, [message]);
  });
});

describe('output to a full disk', { skip: existsSync(DISK_THAT_IS_FULL) ? false : 'there is no /dev/full' }, () => {
  for (const args of [['taxonomy', 'show'], ['generate-catalog', '1000'], ['export', '-'], ['--help']]) {
    it(`of ${args.join(' ')} is a failure, reported in one line`, async (t) => {
      const full = await open(DISK_THAT_IS_FULL, 'w');
      t.after(() => full.close());
      assert.deepEqual(await run(full.fd, ...args), {
        exitCode: 1,
        complaint: 'offerbook: Standard output cannot be written: the disk is full.\n',
      });
    });
  }
});
