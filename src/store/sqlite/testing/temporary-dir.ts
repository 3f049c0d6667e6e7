/** Creates temporary folders for tests, which are removed when the test file ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const dirs: string[] = [];

process.once('exit', () => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'offerbook-'));
  dirs.push(dir);
  return dir;
}
