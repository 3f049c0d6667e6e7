/**
 * Keeps a number of worker processes running: starts them, restarts workers that end, replaces them one after the other, and stops them all.
 *
 * A worker that crashes repeatedly at start must not overload the machine, so each restart waits twice as long as the
 * one before, until a worker has run for a minute.
 */
import type { EventFields } from '../telemetry/events.ts';
import type { WorkerOrder, WorkerReport } from './primary-link.ts';

export interface WorkerProcess {
  readonly pid: number | undefined;
  tell(order: WorkerOrder): void;
  /** Sends SIGKILL. */
  kill(): void;
}

export interface WorkerListener {
  reported(report: WorkerReport): void;
  /** Called once. `how`: exit code, signal name, or why the process could not be started. */
  ended(how: number | string): void;
}

export type Fork = (number: number, listener: WorkerListener) => WorkerProcess;

export interface SupervisorOptions {
  readonly count: number;
  readonly fork: Fork;
  readonly monotonicMs: () => number;
  readonly observe: <Name extends 'worker_ready' | 'worker_ended' | 'workers_replaced'>(
    event: Name,
    fields: EventFields[Name],
  ) => void;
}

export type Ready = Extract<WorkerReport, { readonly kind: 'ready' }>;

/** Why a worker failed: its error output, or a sentence about it. */
export type WorkerFault = readonly string[] | string;

/** A worker could not start. */
export class WorkerFailedError extends Error {
  override readonly name = 'WorkerFailedError';
  readonly fault: WorkerFault;

  constructor(fault: WorkerFault) {
    super(typeof fault === 'string' ? fault : fault.join('\n'));
    this.fault = fault;
  }
}

/** The maximum is also the longest time until work resumes after a database outage that ended a worker. */
const PAUSE_MS = { first: 100, max: 5_000 };

/** After this run time the backoff starts again at its minimum. */
export const SETTLED_MS = 60_000;

/** Pause before restart `n` in a row, from 1. */
export function restartPauseMs(n: number): number {
  return Math.min(PAUSE_MS.first * 2 ** (n - 1), PAUSE_MS.max);
}

interface Slot {
  readonly number: number;
  /** Resolves with the worker's first `ready` report, or with undefined if a stop ended it before. */
  readonly firstReady: PromiseWithResolvers<Ready | undefined>;
  wasReady: boolean;
  process: WorkerProcess | undefined;
  /** Set while a restart is scheduled. */
  pause: NodeJS.Timeout | undefined;
  startedMs: number;
  earlyEnds: number;
  failure: readonly string[] | undefined;
  /** Set while the worker is replaced. Resolves with whether the new one is ready. */
  replacement: { readonly ready: PromiseWithResolvers<boolean>; isStarted: boolean } | undefined;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: readonly Slot[];
  readonly #allEnded = Promise.withResolvers<void>();
  readonly #faultsOfStop: WorkerFault[] = [];
  #isStopping = false;
  #isStarted = false;
  #isReplacing = false;
  #isReplacementWished = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      firstReady: Promise.withResolvers<Ready | undefined>(),
      wasReady: false,
      process: undefined,
      pause: undefined,
      startedMs: 0,
      earlyEnds: 0,
      failure: undefined,
      replacement: undefined,
    }));
  }

  /**
   * Resolves with the first worker's report once all are ready, or with undefined if stopped before. Rejects with
   * WorkerFailedError if a worker cannot start; then call `stop` for the others.
   *
   * The first worker starts alone: it creates the tables, and errors in settings, database or address appear once.
   */
  async start(): Promise<Ready | undefined> {
    const [first, ...others] = this.#slots;
    if (first === undefined) throw new Error('A supervisor has at least one worker.');
    this.#fork(first);
    const ready = await first.firstReady.promise;
    if (this.#isStopping) return undefined;
    for (const slot of others) this.#fork(slot);
    await Promise.all(others.map((slot) => slot.firstReady.promise));
    if (this.#isStopping) return undefined;
    this.#isStarted = true;
    if (this.#isReplacementWished) void this.replaceAll();
    return ready;
  }

  /**
   * Replaces the workers one after the other, so that the others keep serving. If a new worker cannot start, the rest keep running. A call
   * during a replacement repeats it, because workers that were replaced already may have read older settings. A call during the start
   * takes effect once all workers are ready.
   */
  async replaceAll(): Promise<void> {
    this.#isReplacementWished = true;
    if (this.#isReplacing || !this.#isStarted) return;
    this.#isReplacing = true;
    while (this.#isReplacementWished && !this.#isStopping) {
      this.#isReplacementWished = false;
      let replaced = 0;
      for (const slot of this.#slots) {
        if (!(await this.#replace(slot))) break;
        replaced++;
      }
      this.#options.observe('workers_replaced', { replaced, of: this.#slots.length });
    }
    this.#isReplacing = false;
  }

  /** Asks all workers to stop. Resolves when all have ended, with the failures of workers that did not stop cleanly. */
  async stop(): Promise<readonly WorkerFault[]> {
    this.#isStopping = true;
    for (const slot of this.#slots) {
      clearTimeout(slot.pause);
      slot.process?.tell({ kind: 'stop' });
    }
    this.#resolveWhenAllEnded();
    await this.#allEnded.promise;
    return this.#faultsOfStop;
  }

  /** Kills all workers, and restarts none. */
  kill(): void {
    this.#isStopping = true;
    for (const { process, pause } of this.#slots) {
      clearTimeout(pause);
      process?.kill();
    }
  }

  #fork(slot: Slot): void {
    slot.startedMs = this.#options.monotonicMs();
    slot.failure = undefined;
    slot.process = this.#options.fork(slot.number, {
      reported: (report) => this.#reported(slot, report),
      ended: (how) => this.#ended(slot, how),
    });
  }

  /** Stops the worker before the new one starts, because both would use the same metrics port. */
  async #replace(slot: Slot): Promise<boolean> {
    if (this.#isStopping) return false;
    slot.replacement = { ready: Promise.withResolvers(), isStarted: false };
    if (slot.process === undefined) this.#forkReplacement(slot);
    else slot.process.tell({ kind: 'stop' });
    const isReady = await slot.replacement.ready.promise;
    slot.replacement = undefined;
    return isReady;
  }

  #forkReplacement(slot: Slot): void {
    clearTimeout(slot.pause);
    if (slot.replacement !== undefined) slot.replacement.isStarted = true;
    this.#fork(slot);
  }

  #reported(slot: Slot, report: WorkerReport): void {
    if (report.kind === 'failed') {
      slot.failure = report.lines;
      return;
    }
    this.#options.observe('worker_ready', { number: slot.number, pid: slot.process?.pid });
    slot.wasReady = true;
    slot.firstReady.resolve(report);
    slot.replacement?.ready.resolve(true);
  }

  #ended(slot: Slot, how: number | string): void {
    const { number, failure } = slot;
    slot.process = undefined;
    if (how === 0 && slot.replacement?.isStarted === false && !this.#isStopping) {
      this.#forkReplacement(slot);
      return;
    }
    slot.replacement?.ready.resolve(false);
    if (this.#isStopping) {
      // A worker that was still starting may have been ended by the signal itself.
      if (how !== 0 && slot.wasReady) {
        this.#faultsOfStop.push(failure ?? `Process ${number} did not stop cleanly (${how}).`);
      }
      slot.firstReady.resolve(undefined);
      this.#resolveWhenAllEnded();
    } else if (!slot.wasReady) {
      const fault = failure ?? `Process ${number} ended (${how}) before it was ready.`;
      slot.firstReady.reject(new WorkerFailedError(fault));
    } else {
      const lived_ms = this.#options.monotonicMs() - slot.startedMs;
      slot.earlyEnds = lived_ms < SETTLED_MS ? slot.earlyEnds + 1 : 1;
      const pause_ms = restartPauseMs(slot.earlyEnds);
      this.#options.observe('worker_ended', { number, how, reason: failure?.join('\n'), pause_ms });
      slot.pause = setTimeout(() => this.#fork(slot), pause_ms);
    }
  }

  #resolveWhenAllEnded(): void {
    if (this.#slots.every(({ process }) => process === undefined)) this.#allEnded.resolve();
  }
}
