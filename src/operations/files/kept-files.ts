/**
 * Limits the disk space for an account's finished files and reports. Beyond the limit, the oldest are deleted before
 * they expire: first the bytes, then the records. This keeps any account from filling the shared disk.
 */
import type { KeptFile } from '../../domain/bulk-files.ts';
import { LIMITS } from '../../domain/limits.ts';
import { DAY_MS } from '../../domain/vocabulary/iso-time.ts';
import { type FileStorage, namesOfFile, reportName } from '../../files/file-storage.ts';
import type { FileStore } from '../../store/port/files.ts';

export interface KeptFilesParts {
  readonly store: {
    readonly files: Pick<FileStore, 'listKeptBeyond' | 'dropKept'>;
  };
  readonly storage: Pick<FileStorage, 'remove'>;
  readonly kept_bytes_max: number;
  readonly nowMs: () => number;
}

/** How long a report can be downloaded. */
export const REPORT_LIFETIME_MS = LIMITS.report_lifetime_days * DAY_MS;
const BATCH = 100;
/**
 * Share of the limit that may be added before the next sum, because summing all files of an account takes milliseconds.
 */
const UNCOUNTED_SHARE = 1 / 16;

export class KeptFiles {
  readonly #parts: KeptFilesParts;
  /** Bytes added to each account since its files were last summed. */
  readonly #added_bytes = new Map<number, number>();

  constructor(parts: KeptFilesParts) {
    this.#parts = parts;
  }

  /** Counts bytes added to the disk. If they exceed that share since the last sum, deletes the files beyond the limit. */
  async add(accountId: number, bytes: number): Promise<void> {
    const { kept_bytes_max } = this.#parts;
    // The first call sums all files, because files from before the process started are not counted yet.
    const added = (this.#added_bytes.get(accountId) ?? kept_bytes_max) + bytes;
    this.#added_bytes.set(accountId, added);
    if (added < kept_bytes_max * UNCOUNTED_SHARE) return;
    this.#added_bytes.set(accountId, 0);
    await this.#dropOldest(accountId);
  }

  async #dropOldest(accountId: number): Promise<void> {
    const { store, storage, kept_bytes_max, nowMs } = this.#parts;
    const list = () => store.files.listKeptBeyond(accountId, kept_bytes_max, nowMs() - REPORT_LIFETIME_MS, BATCH);
    for (let found = await list(); found.length > 0; found = await list()) {
      for (const kept of found) await removeKept(store.files, storage, kept);
    }
  }
}

/** Deletes the bytes first: if the process is killed in between, the record is found again. */
export async function removeKept(
  store: Pick<FileStore, 'dropKept'>,
  storage: Pick<FileStorage, 'remove'>,
  kept: KeptFile,
): Promise<void> {
  const { kind, accountId, id } = kept;
  const names = kind === 'file' ? namesOfFile({ accountId, fileId: id }) : [reportName({ accountId, reportId: id })];
  for (const name of names) await storage.remove(name);
  await store.dropKept(kept);
}
