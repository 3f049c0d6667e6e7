/**
 * Bounds what an account keeps of files that have ended and of reports: beyond the limit the oldest go before their time,
 * bytes first and records after. So no account fills the disk of all others, whatever its files leave behind.
 */
import { type FilePlace, namesOfFile, reportName } from '../../bulk/file-place.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { FileStore, ReportStore } from '../../store/file-port.ts';

export interface KeptFilesParts {
  readonly store: Pick<FileStore, 'listKeptBeyond' | 'dropFile'> & Pick<ReportStore, 'dropReport'>;
  readonly place: Pick<FilePlace, 'remove'>;
  readonly kept_bytes_max: number;
  readonly nowMs: () => number;
}

const BATCH = 100;
/** Of the limit: summing up all files of an account takes milliseconds, too many for each small file. */
const SLACK = 1 / 16;
const REPORT_LIFETIME_MS = LIMITS.report_lifetime_days * 86_400_000;

export class KeptFiles {
  readonly #parts: KeptFilesParts;
  /** By account, since it was summed up. */
  readonly #added_bytes = new Map<number, number>();

  constructor(parts: KeptFilesParts) {
    this.#parts = parts;
  }

  /** So many bytes more of the account are on disk. What is too much by now is gone when it resolves. */
  async add(accountId: number, bytes: number): Promise<void> {
    const { kept_bytes_max } = this.#parts;
    // Nobody knows what was there when the process began.
    const added = (this.#added_bytes.get(accountId) ?? kept_bytes_max) + bytes;
    this.#added_bytes.set(accountId, added);
    if (added < kept_bytes_max * SLACK) return;
    this.#added_bytes.set(accountId, 0);
    await this.#dropOldest(accountId);
  }

  async #dropOldest(accountId: number): Promise<void> {
    const { store, place, kept_bytes_max, nowMs } = this.#parts;
    const list = () => store.listKeptBeyond(accountId, kept_bytes_max, nowMs() - REPORT_LIFETIME_MS, BATCH);
    for (let found = await list(); found.length > 0; found = await list()) {
      for (const { kind, id } of found) {
        const names =
          kind === 'file' ? namesOfFile({ accountId, fileId: id }) : [reportName({ accountId, reportId: id })];
        for (const name of names) await place.remove(name);
        if (kind === 'file') await store.dropFile(accountId, id);
        else await store.dropReport(accountId, id);
      }
    }
  }
}
