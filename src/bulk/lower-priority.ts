/** Lowers the priority of a thread, so that threads that serve requests run first. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';

/** From -20 (highest) to 19 (lowest). This costs nothing while a core is free; otherwise other threads get nine tenths of a core. */
const NICENESS = 10;

/** Applies to the calling thread permanently. Only Linux has thread priorities; returns false elsewhere. */
export function lowerPriority(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    // A link to the directory of the thread that reads it, `<process>/task/<thread>`.
    setPriority(Number(path.basename(readlinkSync('/proc/thread-self'))), NICENESS);
    return true;
  } catch {
    return false;
  }
}
