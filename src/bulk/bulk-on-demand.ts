/**
 * Starts the bulk file thread on demand: most processes never see a file, and the thread costs memory and start time.
 */
import { FILE_TYPES } from '../domain/vocabulary/file-types.ts';
import { fileKind, REPORT_KIND } from '../store/port/files.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { RunningBulk } from './start-bulk.ts';

export interface OnDemandOptions {
  readonly start: () => Promise<RunningBulk>;
  /** Whether a file or a report is waiting, whichever process received it. */
  readonly hasWork: () => Promise<boolean>;
  readonly telemetry: Pick<Telemetry, 'observe'>;
  /** How often to check until the thread runs and checks by itself; also after a failed start. */
  readonly poll_ms?: number;
}

const POLL_MS = 1_000;

/** The kinds of work of the thread. */
export const BULK_KINDS: readonly string[] = Object.freeze([...FILE_TYPES.map(fileKind), REPORT_KIND]);

export class BulkOnDemand implements RunningBulk {
  readonly #options: OnDemandOptions;
  readonly #poll_ms: number;
  #bulk: RunningBulk | undefined;
  #starting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(options: OnDemandOptions) {
    this.#options = options;
    this.#poll_ms = options.poll_ms ?? POLL_MS;
    this.#poll();
  }

  wake(): void {
    if (this.#bulk === undefined) this.#begin();
    else this.#bulk.wake();
  }

  async close(wait_ms_max: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    await this.#starting;
    await this.#bulk?.close(wait_ms_max);
  }

  #poll(): void {
    this.#options
      .hasWork()
      .catch((error: unknown) => {
        this.#options.telemetry.observe('work_stalled', { kind: 'file', error });
        return false;
      })
      .then((hasWork) => {
        if (hasWork) this.#begin();
        this.#lookLater();
      });
  }

  #lookLater(): void {
    if (this.#isClosing || this.#bulk !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#poll(), this.#poll_ms);
  }

  #begin(): void {
    if (this.#isClosing || this.#starting !== undefined) return;
    this.#starting = this.#options.start().then(
      (bulk) => {
        this.#bulk = bulk;
        clearTimeout(this.#timer);
      },
      (error: unknown) => {
        this.#starting = undefined;
        this.#options.telemetry.observe('bulk_thread_ended', { error, pause_ms: this.#poll_ms });
      },
    );
  }
}
