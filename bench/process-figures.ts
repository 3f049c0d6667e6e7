/** In charge of what the system knows of processes: the processor time they used, memory of their own. Linux only. */
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Seconds of processor time that the main thread has used; undefined where the system does not tell. */
export function mainThreadSeconds(pid: number): number | undefined {
  return secondsAt(`/proc/${pid}/task/${pid}/stat`, 11);
}

/** Of all its threads. */
export function processSeconds(pid: number): number | undefined {
  return secondsAt(`/proc/${pid}/stat`, 11);
}

/** Of the child processes of a process that have ended. */
export function endedChildrenSeconds(pid: number | 'self' = 'self'): number | undefined {
  return secondsAt(`/proc/${pid}/stat`, 13);
}

/** User and system time stand one behind the other; places count from behind the name, which may hold spaces. */
function secondsAt(file: string, place: number): number | undefined {
  const stat = read(file);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && (Number(fields[place]) + Number(fields[place + 1])) / TICKS_PER_SECOND;
}

/** Memory that is not backed by a file. */
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
