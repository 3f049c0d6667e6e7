/** In charge of what the system knows of a process: processor time of its main thread, memory of its own. Linux only. */
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Seconds of processor time that the main thread has used; undefined where the system does not tell. */
export function mainThreadSeconds(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/task/${pid}/stat`);
  // The name in parentheses may hold spaces; user and system time are the 12th and 13th field behind it.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
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
