/** Tests that a run removes what a killed run left. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { createRunFolder } from './global-setup.ts';
import { CANNOT_MOUNT } from './small-disk.ts';
import { tempFolder } from './temp-folder.ts';

it('removes the folder of a killed run with its mounted disks', { skip: CANNOT_MOUNT }, async () => {
  const parent = await tempFolder();
  const { pid } = spawnSync('true');
  const disk = path.join(parent, `offerbook-run-${pid}`, 'disk');
  await mkdir(disk, { recursive: true });
  assert.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status, 0);
  const folder = createRunFolder(parent);
  assert.deepEqual(await readdir(parent), [path.basename(folder)]);
});
