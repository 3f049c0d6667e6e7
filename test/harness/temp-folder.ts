/** In charge of folders that a test leaves no trace of. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

const folders: string[] = [];

// Not before the last test of the file has ended: a server that still runs would write into a folder while it is being removed.
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offerbook-test-'));
  folders.push(folder);
  return folder;
}
