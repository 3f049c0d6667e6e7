/**
 * Simulates power cuts: a library that is loaded into the server records what each write replaces, and when a file was synced. After a kill,
 * a random part of what was written since the last sync of each file is taken back, as if it had never reached the disk: all of it, all
 * after some point, or single sectors.
 *
 * Not simulated: names of files (a created, renamed or removed file stays so), writes through mappings, and a disk that lies about a sync.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Chance } from '../test/harness/seeded-random.ts';

const SECTOR_BYTES = 512;
const HEAD_BYTES = 48;

interface Change {
  readonly at: number;
  /** Size of the file before the change. */
  readonly oldSize: number;
  readonly old: Buffer;
  /** Undefined: the file got the size `at`. */
  readonly fresh: Buffer | undefined;
  readonly number: number;
}

export interface PowerCuts {
  /** Variables for the server. */
  readonly variables: Readonly<Record<string, string>>;
  /** Takes back unsynced writes of a server that was killed; returns how many. */
  cut(chance: Chance): { readonly unsynced: number; readonly lost: number };
}

/** `folder` has the server's data; the library and its log are next to it. This needs a C compiler. */
export function openPowerCuts(folder: string): PowerCuts {
  const [library, log] = [`${folder}.so`, `${folder}.log`];
  execFileSync('cc', [
    '-shared',
    '-fPIC',
    '-O2',
    '-o',
    library,
    path.join(import.meta.dirname, 'power-cut.c'),
    '-ldl',
    '-lpthread',
  ]);
  return {
    variables: { LD_PRELOAD: library, POWER_CUT_FOLDER: `${folder}/`, POWER_CUT_LOG: log },
    cut(chance) {
      const files = unsyncedChanges(existsSync(log) ? readFileSync(log) : Buffer.alloc(0));
      rmSync(log, { force: true });
      let [unsynced, lost] = [0, 0];
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const file = path.join(folder, name);
        const { ino, isFile } = { ino: statSync(file).ino, isFile: statSync(file).isFile() };
        const changes = isFile ? (files.get(ino) ?? []) : [];
        if (changes.length === 0) continue;
        unsynced += changes.length;
        lost += loseSome(file, changes, chance);
      }
      return { unsynced, lost };
    },
  };
}

/** Returns the changes of each file, by inode, since its last sync. */
function unsyncedChanges(log: Buffer): Map<number, Change[]> {
  const files = new Map<number, Change[]>();
  for (let [start, number] = [0, 0]; start + HEAD_BYTES <= log.length; number++) {
    const [kind, id, a, b, oldLength, length] = Array.from({ length: 6 }, (_, field) =>
      Number(log.readBigUInt64LE(start + field * 8)),
    ) as [number, number, number, number, number, number];
    const old = log.subarray(start + HEAD_BYTES, start + HEAD_BYTES + oldLength);
    const fresh = log.subarray(start + HEAD_BYTES + oldLength, start + HEAD_BYTES + oldLength + length);
    // The kill came while the record was written, so its change was not made.
    if (old.length < oldLength || fresh.length < length) break;
    start += HEAD_BYTES + oldLength + length;
    const changes = files.get(id) ?? [];
    files.set(id, changes);
    const letter = String.fromCharCode(kind);
    if (letter === 'W') changes.push({ at: a, oldSize: b, old, fresh, number });
    else if (letter === 'T') changes.push({ at: a, oldSize: b, old, fresh: undefined, number });
    else files.set(id, letter === 'N' ? [] : changes.filter((change) => change.number >= a));
  }
  return files;
}

/** Undoes all changes, and makes some of them again. Returns how many were lost, whole or in part. */
function loseSome(file: string, changes: readonly Change[], chance: Chance): number {
  const fd = openSync(file, 'r+');
  try {
    for (const change of changes.toReversed()) {
      if (change.fresh === undefined) {
        ftruncateSync(fd, change.oldSize);
        write(fd, change.old.subarray(Math.min(change.at, change.old.length)), change.at);
      } else {
        write(fd, change.old, change.at);
        ftruncateSync(fd, change.oldSize);
      }
    }
    // All is lost, all after some point, or each with a chance of its own.
    const kind = chance.below(3);
    const kept = kind === 1 ? chance.below(changes.length + 1) : 0;
    let lost = 0;
    for (const [place, change] of changes.entries()) {
      const isKept = kind === 1 ? place < kept : kind === 2 && chance.below(2) === 0;
      if (!isKept) lost++;
      else if (change.fresh === undefined) ftruncateSync(fd, change.at);
      else if (kind === 2 && chance.below(4) === 0) lost += writeTorn(fd, change.fresh, change.at, chance);
      else write(fd, change.fresh, change.at);
    }
    return lost;
  } finally {
    closeSync(fd);
  }
}

/** Writes only some sectors. */
function writeTorn(fd: number, bytes: Buffer, at: number, chance: Chance): 1 {
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + SECTOR_BYTES - ((at + start) % SECTOR_BYTES));
    if (chance.below(2) === 0) write(fd, bytes.subarray(start, end), at + start);
    start = end;
  }
  return 1;
}

function write(fd: number, bytes: Buffer, at: number): void {
  for (let start = 0; start < bytes.length; ) start += writeSync(fd, bytes, start, bytes.length - start, at + start);
}
