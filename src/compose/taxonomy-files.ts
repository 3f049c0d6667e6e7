/** Processes uploaded taxonomy files one after the other, each in its own thread. */
import { Worker } from 'node:worker_threads';
import { LIMITS } from '../domain/limits.ts';
import { type Outcome, refuse } from '../domain/outcome.ts';
import { requestProblem } from '../domain/problem.ts';
import type { SentFile } from '../operations/files/receive-upload.ts';
import { collectBytes } from '../operations/files/receive-upload.ts';
import { type ChangeGate, commandGate } from '../operations/review/rule-change.ts';
import type { TaxonomyFiles } from '../operations/taxonomy/import-taxonomy.ts';
import { taxonomyProblems } from '../operations/taxonomy/import-taxonomy.ts';
import type { TaxonomyPreview } from '../operations/taxonomy/preview-taxonomy.ts';
import { TAXONOMY_TOO_LARGE } from '../operations/taxonomy/read-taxonomy-file.ts';
import { type StoreSettings, storeSettingsOf } from '../store/open-store.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import type { TaxonomyHead } from '../store/port/settings.ts';
import type { FromTaxonomyThread, TaxonomyJob, TaxonomyJobResult, TaxonomyThreadData } from './taxonomy-thread.ts';

const FILE = new URL('./taxonomy-thread.ts', import.meta.url);
/** Heap limit of the thread. A 16 MB file needs a tenth of it; a file that needs more ends only its own thread. */
const HEAP_MB_MAX = 1024;
/** Limit of running and queued files. Each file is in memory, and there are few operators. */
const JOBS_MAX = 4;
/** One connection for the import's transaction, and one to read the version during it. */
const CONNECTIONS = 2;

export class ThreadedTaxonomyFiles implements TaxonomyFiles {
  readonly #store: StoreSettings;
  readonly #nowMs: () => number;
  #jobs = 0;
  #last: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #isClosed = false;

  constructor(settings: StoreSettings, nowMs: () => number) {
    this.#store = storeSettingsOf(settings, CONNECTIONS);
    this.#nowMs = nowMs;
  }

  preview(sent: SentFile, gate = commandGate()): Promise<Outcome<TaxonomyPreview>> {
    return this.#take(sent, gate, () => ({ kind: 'preview' })) as Promise<Outcome<TaxonomyPreview>>;
  }

  import(sent: SentFile, source: string, gate = commandGate()): Promise<Outcome<TaxonomyHead>> {
    const job = (): TaxonomyJob => ({ kind: 'import', source, nowMs: this.#nowMs() });
    return this.#take(sent, gate, job) as Promise<Outcome<TaxonomyHead>>;
  }

  /** Rejects pending calls; an unfinished import changes nothing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  async #take(sent: SentFile, gate: ChangeGate, job: () => TaxonomyJob): Promise<TaxonomyJobResult> {
    if (this.#jobs >= JOBS_MAX) {
      return refuse([requestProblem('overloaded', 'Too many taxonomy files are being processed. Try again later.')]);
    }
    this.#jobs++;
    try {
      const file = await collectBytes(sent, LIMITS.taxonomy_file_bytes_max);
      if (file === 'too_large') return refuse(taxonomyProblems([TAXONOMY_TOO_LARGE]));
      const mine = this.#last.then(() => this.#run({ store: this.#store, file, job: job() }, gate));
      this.#last = mine.catch(() => {});
      return await mine;
    } finally {
      this.#jobs--;
    }
  }

  #run(
    workerData: TaxonomyThreadData & { file: Uint8Array<ArrayBuffer> },
    gate: ChangeGate,
  ): Promise<TaxonomyJobResult> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailableError('The server is stopping.'));
    const result = Promise.withResolvers<TaxonomyJobResult>();
    // Started without the flags of the process, because --eval, for example, would keep the thread from starting.
    const worker = new Worker(FILE, {
      workerData,
      transferList: [workerData.file.buffer],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    this.#worker = worker;
    worker.on('message', (message: FromTaxonomyThread) => {
      if ('done' in message) result.resolve(message.done);
      else if ('gate' in message) {
        gate.pass(...message.gate).then(
          (passed) => worker.postMessage(passed),
          (error) => {
            result.reject(error);
            void worker.terminate();
          },
        );
      } else result.reject(new StoreUnavailableError(message.unavailable));
    });
    worker.on('error', result.reject);
    worker.on('exit', (code) => {
      // The next worker may have started already.
      if (this.#worker === worker) this.#worker = undefined;
      // Has no effect if the result is already set.
      result.reject(
        this.#isClosed
          ? new StoreUnavailableError('The server is stopping.')
          : new Error(`The taxonomy thread ended with code ${code}.`),
      );
    });
    return result.promise;
  }
}
