/** Reads CPU time and memory of processes from the system. Linux only. */
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Returns the CPU seconds of the main thread; undefined if the system does not report them. */
export function mainThreadSeconds(pid: number): number | undefined {
  return secondsAt(`/proc/${pid}/task/${pid}/stat`, 11);
}

/** Returns the CPU seconds of all threads of a process. */
export function processSeconds(pid: number): number | undefined {
  return secondsAt(`/proc/${pid}/stat`, 11);
}

/** Returns the CPU seconds of ended child processes. */
export function endedChildrenSeconds(pid: number | 'self' = 'self'): number | undefined {
  return secondsAt(`/proc/${pid}/stat`, 13);
}

/** User and system time are adjacent; fields are counted after the name, which may contain spaces. */
function secondsAt(file: string, place: number): number | undefined {
  const stat = read(file);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && (Number(fields[place]) + Number(fields[place + 1])) / TICKS_PER_SECOND;
}

/** Returns the memory that is not backed by a file. */
export function anonymousMegabytes(pid: number): number | undefined {
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
