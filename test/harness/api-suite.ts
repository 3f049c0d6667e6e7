/**
 * In charge of running the files of the API suite several in one process: each would load the whole server anew and run it
 * while nothing of it is compiled. Twelve of them took 54 s of processor time apart and 33 s together. Every file also runs
 * alone.
 */
import { globSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../api');
/** As many as keep two processes busy to the end. */
const PARTS = 4;

/** Defines the tests of every fourth file, beginning with the given one: 0 to 3. */
export async function defineApiPart(part: number): Promise<void> {
  const files = globSync('*.test.ts', { cwd: FOLDER }).sort();
  for (const [place, file] of files.entries()) {
    if (place % PARTS === part) await import(path.join(FOLDER, file));
  }
}
