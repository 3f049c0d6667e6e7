/**
 * In charge of keeping a number of worker processes alive: starts them, replaces those that end, and stops them all.
 *
 * One that ends at once, again and again, must not take the machine with it: each replacement waits twice as long as the
 * one before, until one has lived for a while.
 */
import type { EventFields } from '../telemetry/events.ts';
import type { WorkerOrder, WorkerReport } from './messages.ts';

export interface WorkerProcess {
  readonly pid: number | undefined;
  tell(order: WorkerOrder): void;
  /** At once, whatever it is doing. */
  kill(): void;
}

export interface WorkerListener {
  reported(report: WorkerReport): void;
  /** Called once. `how` is the exit code, or the name of a signal, or why there never was a process. */
  ended(how: number | string): void;
}

export type Fork = (number: number, listener: WorkerListener) => WorkerProcess;

export interface SupervisorOptions {
  readonly count: number;
  readonly fork: Fork;
  readonly monotonicMs: () => number;
  readonly observe: <Name extends 'worker_ready' | 'worker_ended'>(event: Name, fields: EventFields[Name]) => void;
}

export type Ready = Extract<WorkerReport, { readonly kind: 'ready' }>;

/** Why a worker failed: in lines of its own, as they would stand on standard error, or in a sentence about it. */
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

/** The longest is as long as work may take to resume when the database is back, for one that died without it. */
const PAUSE_MS = { first: 100, max: 5_000 };

/** One that has lived this long was no false start, and the next pause is the first again. */
export const SETTLED_MS = 60_000;

/** Before the replacement of the `n`-th one in a row that ended early, from 1 on. */
export function restartPauseMs(n: number): number {
  return Math.min(PAUSE_MS.first * 2 ** (n - 1), PAUSE_MS.max);
}

interface Place {
  readonly number: number;
  /** Resolves with its first report of being ready, or with undefined when it ends because of a stop. */
  readonly firstReady: PromiseWithResolvers<Ready | undefined>;
  wasReady: boolean;
  process: WorkerProcess | undefined;
  /** While a replacement waits for its time. */
  pause: NodeJS.Timeout | undefined;
  startedMs: number;
  earlyEnds: number;
  failure: readonly string[] | undefined;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #places: readonly Place[];
  readonly #allEnded = Promise.withResolvers<void>();
  readonly #faultsOfStop: WorkerFault[] = [];
  #isStopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#places = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      firstReady: Promise.withResolvers<Ready | undefined>(),
      wasReady: false,
      process: undefined,
      pause: undefined,
      startedMs: 0,
      earlyEnds: 0,
      failure: undefined,
    }));
  }

  /**
   * Resolves with what the first worker reports, once all are ready; with undefined when it was stopped before. Rejects
   * with WorkerFailedError when one cannot start; the others are still to be stopped then.
   *
   * The first starts alone: it makes the tables, and what is wrong with settings, database or address shows once.
   */
  async start(): Promise<Ready | undefined> {
    const [first, ...others] = this.#places;
    if (first === undefined) throw new Error('A supervisor has at least one worker.');
    this.#fork(first);
    const ready = await first.firstReady.promise;
    if (this.#isStopping) return undefined;
    for (const place of others) this.#fork(place);
    await Promise.all(others.map((place) => place.firstReady.promise));
    return this.#isStopping ? undefined : ready;
  }

  /** Asks all to stop in good order. Resolves when none is left, with the faults of those that ended otherwise. */
  async stop(): Promise<readonly WorkerFault[]> {
    this.#isStopping = true;
    for (const place of this.#places) {
      clearTimeout(place.pause);
      place.process?.tell({ kind: 'stop' });
    }
    this.#resolveWhenAllEnded();
    await this.#allEnded.promise;
    return this.#faultsOfStop;
  }

  /** Ends all at once, and replaces none. */
  kill(): void {
    this.#isStopping = true;
    for (const { process, pause } of this.#places) {
      clearTimeout(pause);
      process?.kill();
    }
  }

  #fork(place: Place): void {
    place.startedMs = this.#options.monotonicMs();
    place.failure = undefined;
    place.process = this.#options.fork(place.number, {
      reported: (report) => this.#reported(place, report),
      ended: (how) => this.#ended(place, how),
    });
  }

  #reported(place: Place, report: WorkerReport): void {
    if (report.kind === 'failed') {
      place.failure = report.lines;
      return;
    }
    this.#options.observe('worker_ready', { number: place.number, pid: place.process?.pid });
    place.wasReady = true;
    place.firstReady.resolve(report);
  }

  #ended(place: Place, how: number | string): void {
    const { number, failure } = place;
    place.process = undefined;
    if (this.#isStopping) {
      // One that was still starting may have been ended by the signal itself.
      if (how !== 0 && place.wasReady) {
        this.#faultsOfStop.push(failure ?? `Process ${number} did not stop in good order (${how}).`);
      }
      place.firstReady.resolve(undefined);
      this.#resolveWhenAllEnded();
    } else if (!place.wasReady) {
      const fault = failure ?? `Process ${number} ended (${how}) before it was ready.`;
      place.firstReady.reject(new WorkerFailedError(fault));
    } else {
      const livedMs = this.#options.monotonicMs() - place.startedMs;
      place.earlyEnds = livedMs < SETTLED_MS ? place.earlyEnds + 1 : 1;
      const pause_ms = restartPauseMs(place.earlyEnds);
      this.#options.observe('worker_ended', { number, how, reason: failure?.join('\n'), pause_ms });
      place.pause = setTimeout(() => this.#fork(place), pause_ms);
    }
  }

  #resolveWhenAllEnded(): void {
    if (this.#places.every(({ process }) => process === undefined)) this.#allEnded.resolve();
  }
}
