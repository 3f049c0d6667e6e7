/**
 * Starts threads that check rows of SKU files, and distributes batches of rows among them. The threads end when no file has used them for a
 * while, because each takes memory.
 *
 * If a thread dies, its batches fail, and with them the run of the file, which resumes after its last slice as after a crash. It then runs
 * without threads for a while, so that a row that kills its thread cannot do so forever.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { KnownNodes } from '../../domain/bodies/all-bodies.ts';
import type { NameSettings } from '../../domain/names.ts';
import type { CheckedBatch, CheckThreadData, RowBatch } from './check-messages.ts';

export interface CheckThreadsOptions {
  readonly threads_max: number;
  readonly names: NameSettings;
  readonly taxonomy: KnownNodes;
  /** Only tests set these. */
  readonly threadFile?: URL;
  readonly idle_ms?: number;
  readonly pause_ms?: number;
}

const FILE = new URL('./check-thread.ts', import.meta.url);
/** Rows are short-lived, and a batch has about 100 KB. */
const HEAP_MB_MAX = 64;
/** A batch makes about 1 MB of garbage. With the 16 MB of the other threads, two threads take 158 instead of 135 MB, and the same time. */
const SEMI_SPACE_MB_MAX = 2;
const IDLE_MS = 5_000;
const PAUSE_MS = 60_000;
/** A thread has one batch to work on and one waiting, so that it never waits for the bulk file thread. */
const BATCHES_PER_THREAD = 2;

interface Thread {
  readonly worker: Worker;
  readonly batches: PromiseWithResolvers<CheckedBatch>[];
}

/** During a file, the writer thread and the bulk file thread are busy. With 2 threads more, the writer thread limits the rate. */
export function spareCores(): number {
  return Math.min(2, Math.max(0, availableParallelism() - 2));
}

export class CheckThreads {
  readonly taxonomy: KnownNodes;
  readonly #options: CheckThreadsOptions;
  /** The threads that are ready. */
  readonly #threads = new Set<Thread>();
  /** All threads, also those that are still starting. */
  readonly #workers = new Set<Worker>();
  #idle: NodeJS.Timeout | undefined;
  #pausedUntilMs = 0;
  #isClosed = false;

  constructor(options: CheckThreadsOptions) {
    this.taxonomy = options.taxonomy;
    this.#options = options;
  }

  /** How many batches a file may have in flight, which bounds its memory: 0 while no thread is ready. */
  get batches_max(): number {
    return this.#threads.size * BATCHES_PER_THREAD;
  }

  /** Starts the threads, unless they run. A file need not wait until they are ready. */
  start(): void {
    const { threads_max } = this.#options;
    if (this.#isClosed || performance.now() < this.#pausedUntilMs) return;
    while (this.#workers.size < threads_max) this.#startOne();
    this.#endLater();
  }

  /** Call it only while `batches_max` is not 0. Rejects if the thread dies. */
  check(batch: RowBatch): Promise<CheckedBatch> {
    const [thread] = [...this.#threads].sort((a, b) => a.batches.length - b.batches.length);
    if (thread === undefined) throw new Error('No thread is ready.');
    const checked = Promise.withResolvers<CheckedBatch>();
    // The file that takes the result gets the failure. If the file ends first, nothing handles it.
    checked.promise.catch(() => {});
    thread.batches.push(checked);
    thread.worker.postMessage(batch, [batch.bytes.buffer, batch.offsets.buffer]);
    this.#endLater();
    return checked.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #startOne(): void {
    // Applies to threads that start from now on. The flag of `npm start` would override a limit set for the thread itself.
    setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE_MB_MAX}`);
    const workerData: CheckThreadData = { names: this.#options.names };
    const worker = new Worker(this.#options.threadFile ?? FILE, {
      workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    const thread: Thread = { worker, batches: [] };
    let fault: Error | undefined;
    this.#workers.add(worker);
    worker.once('message', () => {
      this.#threads.add(thread);
      worker.on('message', (checked: CheckedBatch) => thread.batches.shift()?.resolve(checked));
    });
    worker.on('error', (error: Error) => {
      fault = error;
      this.#pausedUntilMs = performance.now() + (this.#options.pause_ms ?? PAUSE_MS);
    });
    worker.on('exit', (code) => {
      this.#workers.delete(worker);
      this.#threads.delete(thread);
      const error = fault ?? new Error(`The thread ended with code ${code}.`);
      for (const batch of thread.batches) batch.reject(error);
    });
  }

  #endLater(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), this.#options.idle_ms ?? IDLE_MS).unref();
  }

  #end(): void {
    const isStarting = this.#threads.size < this.#workers.size;
    if (isStarting || [...this.#threads].some(({ batches }) => batches.length > 0)) {
      this.#endLater();
      return;
    }
    for (const worker of this.#workers) void worker.terminate();
    // A file that continues now starts new threads, because a batch sent to these would be lost.
    this.#threads.clear();
    this.#workers.clear();
  }
}
