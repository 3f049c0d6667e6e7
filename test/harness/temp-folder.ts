/** In charge of folders that a test leaves no trace of. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

export async function tempFolder(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offerbook-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
