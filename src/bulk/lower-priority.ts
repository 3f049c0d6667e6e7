/** In charge of a thread's place among the threads of the machine: behind those that somebody waits for. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';

/** Of -20, first, to 19, last. Where a core is free it costs nothing; where none is, others have nine tenths of one. */
const NICENESS = 10;

/** For the thread that calls it, for ever. Only Linux knows priorities of threads; false: all stays as it is. */
export function lowerPriority(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    // A link to the thread that reads it, `<process>/task/<thread>`.
    setPriority(Number(path.basename(readlinkSync('/proc/thread-self'))), NICENESS);
    return true;
  } catch {
    return false;
  }
}
