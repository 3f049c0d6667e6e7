/** Temporary folders that are removed after the test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

const folders: string[] = [];

// Removes folders after the last test of the file, because a running server would write into them. A killed one may still be ending.
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 20 }))));

export async function tempFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(path.join(parent, 'offerbook-test-'));
  folders.push(folder);
  return folder;
}
