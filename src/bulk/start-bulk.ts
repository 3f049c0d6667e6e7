/**
 * Starts the bulk file thread, and restarts it when it ends unexpectedly. Its work continues when its leases have
 * expired.
 */
import { type Transferable, Worker } from 'node:worker_threads';
import type { StoreShare } from '../store/open-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { BulkThreadData, FromBulkThread, ToBulkThread } from './bulk-messages.ts';

export interface BulkOptions extends Omit<BulkThreadData, 'store'> {
  /** Returns the data with which a thread opens its store, and the objects to transfer. Called once per thread. */
  readonly shareStore: () => { readonly store: StoreShare; readonly transfer: readonly Transferable[] };
  readonly telemetry: Pick<Telemetry, 'observe'>;
  /** Called when offers may be due for review. */
  readonly onRowsWritten: () => void;
  /** Only tests set this. */
  readonly threadFile?: URL;
  readonly pause_ms_first?: number;
}

export interface RunningBulk {
  /** Call it when a file or a report may be waiting. */
  wake(): void;
  /** Stops work in progress. Another process continues it, or this one after a restart. */
  close(wait_ms_max: number): Promise<void>;
}

const FILE = new URL('./bulk-thread.ts', import.meta.url);
/** Heap limit of the thread. Rows are short-lived, so a thread that needs more has a bug, which must not crash the process. */
const HEAP_MB_MAX = 384;
/** Delays of 1 s, 2 s, 4 s and so on, up to 30 s, until a thread has run for a minute. */
const PAUSE_MS_FIRST = 1_000;
const PAUSE_MS_MAX = 30_000;
const LIVED_MS = 60_000;
/** Time for a stopping thread to release its store. */
const END_MS = 2_000;

/** Resolves when the thread is running; rejects when it cannot start. */
export async function startBulk(options: BulkOptions): Promise<RunningBulk> {
  const bulk = new Bulk(options);
  await bulk.start();
  return bulk;
}

class Bulk implements RunningBulk {
  readonly #options: BulkOptions;
  #worker: Worker | undefined;
  #failures = 0;
  #pause: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(options: BulkOptions) {
    this.#options = options;
  }

  wake(): void {
    this.#send({ kind: 'wake' });
  }

  async close(wait_ms_max: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#pause);
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.#send({ kind: 'stop', wait_ms_max });
    const deadline = setTimeout(() => void worker.terminate(), wait_ms_max + END_MS);
    await ended;
    clearTimeout(deadline);
  }

  /** Settles when the thread is ready, or has ended before that. */
  start(): Promise<void> {
    const { shareStore, telemetry, onRowsWritten, filesFolder, names, feeds, holder } = this.#options;
    const { unpacked_bytes_max, free_bytes_min, kept_bytes_max, check_threads_max } = this.#options;
    const ready = Promise.withResolvers<void>();
    const { store, transfer } = shareStore();
    const limits = { unpacked_bytes_max, free_bytes_min, kept_bytes_max, check_threads_max };
    const workerData: BulkThreadData = { store, filesFolder, names, feeds, ...limits, holder };
    // Started without the flags of the process: --eval, for example, would keep the thread from starting.
    const worker = new Worker(this.#options.threadFile ?? FILE, {
      workerData,
      transferList: [...transfer],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    this.#worker = worker;
    const startedMs = performance.now();
    let isReady = false;
    let fault: Error | undefined;
    worker.on('message', (message: FromBulkThread) => {
      switch (message.kind) {
        case 'ready':
          isReady = true;
          ready.resolve();
          break;
        case 'written':
          onRowsWritten();
          break;
        default:
          telemetry.observe(message.event, message.fields);
      }
    });
    worker.on('error', (error: Error) => {
      fault = error;
    });
    worker.on('exit', (code) => {
      this.#worker = undefined;
      const error = fault ?? new Error(`The thread ended with code ${code}.`);
      if (!isReady) ready.reject(error);
      else if (!this.#isClosing) this.#startAnew(error, performance.now() - startedMs);
    });
    return ready.promise;
  }

  #startAnew(error: Error, lived_ms: number): void {
    this.#failures = lived_ms >= LIVED_MS ? 1 : this.#failures + 1;
    const { telemetry, pause_ms_first = PAUSE_MS_FIRST } = this.#options;
    const pause_ms = Math.min(pause_ms_first * 2 ** (this.#failures - 1), PAUSE_MS_MAX);
    telemetry.observe('bulk_thread_ended', { error, pause_ms });
    this.#pause = setTimeout(() => {
      this.#startAgain().catch((failure: unknown) => {
        if (!this.#isClosing) this.#startAnew(failure as Error, 0);
      });
    }, pause_ms);
  }

  async #startAgain(): Promise<void> {
    if (!this.#isClosing) await this.start();
  }

  #send(message: ToBulkThread): void {
    this.#worker?.postMessage(message);
  }
}
