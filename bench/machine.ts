/** Reads CPU time and memory from /proc, and decides whether the machine was quiet enough for a figure. */
import { readdirSync, readFileSync } from 'node:fs';
import type { MeasuredServer } from './server-process.ts';

const TICKS_PER_SECOND = 100;
/** CPU time of the machine that must have passed before the noise is measured again. */
const WATCHED_SECONDS_MIN = 0.5;

/** Share of the machine's CPU time that the hypervisor may give to others, and that processes outside the benchmark may use. */
export const NOISE_LIMITS = Object.freeze({ stolen: 0.02, others: 0.05 });

/** Shares of the machine's CPU time. */
export interface Noise {
  readonly stolen: number;
  readonly others: number;
}

/** CPU seconds of the machine since its start. */
export interface MachineTime {
  readonly all: number;
  readonly stolen: number;
  /** Processes, without idle time and interrupts. */
  readonly busy: number;
  /** The benchmark, its servers and its clients. */
  readonly own: number;
}

/** Reads a file of /proc; undefined if there is none. */
export type ReadProc = (file: string) => string | undefined;

export function readProc(file: string): string | undefined {
  try {
    return file === '' ? readdirSync('/proc').join(' ') : readFileSync(`/proc/${file}`, 'utf8');
  } catch {
    // Not Linux, or the process has ended.
    return undefined;
  }
}

/** `root` is the process of the benchmark. Returns undefined where there is no /proc. */
export function machineTime(read: ReadProc, root: number): MachineTime | undefined {
  const ticks = /^cpu +(.+)$/m
    .exec(read('stat') ?? '')?.[1]
    ?.split(' ')
    .map(Number);
  if (ticks === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, interrupt = 0, softInterrupt = 0, stolen = 0] = ticks;
  const busy = user + nice + system;
  const all = busy + idle + ioWait + interrupt + softInterrupt + stolen;
  const own = ownTicks(read, root);
  return {
    all: all / TICKS_PER_SECOND,
    stolen: stolen / TICKS_PER_SECOND,
    busy: busy / TICKS_PER_SECOND,
    own: own / TICKS_PER_SECOND,
  };
}

/** Returns the CPU seconds of a process and all processes below it, including those that have ended; undefined without /proc. */
export function treeSeconds(root: number): number | undefined {
  return readProc('stat') === undefined ? undefined : ownTicks(readProc, root) / TICKS_PER_SECOND;
}

function ownTicks(read: ReadProc, root: number): number {
  const parents = new Map<number, number>();
  const ticks = new Map<number, number>();
  for (const pid of (read('') ?? '').split(' ').map(Number)) {
    const fields = statFields(read(`${pid}/stat`));
    if (fields === undefined) continue;
    parents.set(pid, Number(fields[1]));
    ticks.set(
      pid,
      fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0),
    );
  }
  let own = 0;
  for (const [pid, used] of ticks) {
    let above: number | undefined = pid;
    while (above !== undefined && above !== root) above = parents.get(above);
    if (above === root) own += used;
  }
  return own;
}

export function noiseBetween(before: MachineTime | undefined, after: MachineTime | undefined): Noise | undefined {
  if (before === undefined || after === undefined) return undefined;
  const all = after.all - before.all;
  const others = after.busy - before.busy - (after.own - before.own);
  return { stolen: (after.stolen - before.stolen) / all, others: Math.max(0, others / all) };
}

/** Measures the noise between two figures of a run. */
export class NoiseWatch {
  #last = machineTime(readProc, process.pid);
  #noise: Noise | undefined;

  /** Returns the noise since the last call; that of the last call, if hardly any time has passed since. */
  next(): Noise | undefined {
    const now = machineTime(readProc, process.pid);
    if (now !== undefined && this.#last !== undefined && now.all - this.#last.all < WATCHED_SECONDS_MIN)
      return this.#noise;
    this.#noise = noiseBetween(this.#last, now);
    this.#last = now;
    return this.#noise;
  }
}

/** Says why a figure does not count; undefined if the machine was quiet, or does not say. */
export function tooNoisy(noise: Noise | null | undefined): string | undefined {
  if (!noise) return undefined;
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  const reasons = [
    ...(noise.stolen > NOISE_LIMITS.stolen ? [`${percent(noise.stolen)} stolen`] : []),
    ...(noise.others > NOISE_LIMITS.others ? [`${percent(noise.others)} other load`] : []),
  ];
  return reasons.length === 0 ? undefined : reasons.join(', ');
}

/** Returns CPU seconds of the main thread and of all threads. Without /proc, the server reports the latter. */
export async function cpuTime({
  pid,
  cpuUrl,
}: Pick<MeasuredServer, 'pid' | 'cpuUrl'>): Promise<{ main?: number; all?: number }> {
  const main = threadSeconds(readProc(`${pid}/task/${pid}/stat`));
  const all = threadSeconds(readProc(`${pid}/stat`));
  if (main !== undefined && all !== undefined) return { main, all };
  const page = await (await fetch(cpuUrl)).text();
  return { all: Number(/^process_cpu_seconds_total (\S+)$/m.exec(page)?.[1]) };
}

function threadSeconds(stat: string | undefined): number | undefined {
  const fields = statFields(stat);
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the fields after the name of the process, which may contain spaces. */
function statFields(stat: string | undefined): string[] | undefined {
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns the memory that is not backed by a file. */
export function anonymousMegabytes(pid: number): number | undefined {
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`) ?? '')?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
}
