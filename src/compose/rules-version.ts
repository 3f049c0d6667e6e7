/**
 * In charge of telling one version of the rules from another: by the sources that they are written in, so that nobody has
 * to remember to count.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SOURCES = path.join(import.meta.dirname, '..');
/** What reviews, what it reviews by, and what brings the two together. */
const ROOMS = ['domain', 'operations', 'review', 'taxonomy'];

/** Another one after every change of these rooms, also where it changes no verdict. Takes some 16 ms at a start. */
export function rulesVersion(sources = SOURCES): string {
  const all = createHash('sha256');
  for (const room of ROOMS) {
    const folder = path.join(sources, room);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isInstalledEverywhere);
    for (const name of files.sort())
      all
        .update(`${room}/${name}\0`)
        .update(readFileSync(path.join(folder, name)))
        .update('\0');
  }
  return all.digest('base64url').slice(0, 22);
}

/** Tests and what they need are left out of some installations, which review by the same rules. */
function isInstalledEverywhere(name: string): boolean {
  return /(?<!\.test)\.(ts|ndjson)$/.test(name) && !name.split(path.sep).includes('testing');
}
