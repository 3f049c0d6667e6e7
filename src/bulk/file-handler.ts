/**
 * Decides which file of an account and type is processed next, and for how long.
 *
 * Files of a type run in the order of submission. If rows of a file wait for another file, later files may run first;
 * sequence numbers keep the order of rows. Some types wait for all earlier SKU files, and stock for earlier archive files.
 */
import type { WorkHandler } from '../background/leased-loop.ts';
import type { BulkFile } from '../domain/bulk-files.ts';
import { PART_OF_FILE } from '../domain/offers/parts.ts';
import { type FileType, TYPES_THAT_ADD_SKUS } from '../domain/vocabulary/file-types.ts';
import type { FileStorage } from '../files/file-storage.ts';
import { fileKind } from '../store/port/files.ts';
import type { WorkStore } from '../store/port/work.ts';
import { type ProcessFileParts, processFile, type RunLimits } from './process-file.ts';

export interface FileHandlerParts extends ProcessFileParts {
  readonly store: ProcessFileParts['store'] & { readonly work: Pick<WorkStore, 'readWorkFigures'> };
  /** Whether the process is stopping. Files then continue in another process, or later. */
  readonly isStopping: () => boolean;
  readonly storage: ProcessFileParts['storage'] & Pick<FileStorage, 'hasRoom'>;
  /** Called when files are waiting for disk space. */
  readonly onFull: () => void;
  /** Called when a file has ended, because other files may have waited for it. */
  readonly onFileEnded: () => void;
  /** Never runs backwards. */
  readonly monotonicMs: () => number;
}

/** Time share of an account while other accounts are waiting. */
const SHARE_MS_MAX = 10_000;
/** How often to re-check for waiting accounts if there are none. */
const RECHECK_MS = 1_000;
/** The time share is at least this multiple of the time it took to skip to the resume position of a large file. */
const SKIP_FACTOR = 3;
/** How often to re-check for disk space, and for a file that has ended but whose announcement was lost. */
const WAIT_MS = 10_000;
/** Delay before re-reading a file that another process has advanced. */
const STALE_MS = 100;
/** How many unfinished files of a type are searched for one that can run. If all of them must wait, later files wait too. */
const FILES_LISTED_MAX = 100;
/**
 * Share of an account's disk limit that waiting files may use. Beyond it, no later file may run, because it would add
 * errors and deferred rows.
 */
const WAITING_SHARE = 1 / 8;

export function fileHandler(type: FileType, parts: FileHandlerParts): WorkHandler {
  const { store } = parts;
  return async ({ accountId, signal }) => {
    const run = new FileRun(type, parts, signal);
    for (;;) {
      signal.throwIfAborted();
      const found = await nextFile(store, accountId, type, parts.kept_bytes_max * WAITING_SHARE);
      if (found === 'none') return undefined;
      if (found === 'waits') return WAIT_MS;
      if (!(await parts.storage.hasRoom())) {
        parts.onFull();
        return WAIT_MS;
      }
      if (!(await run.mayContinue())) return 0;
      const result = await processFile(parts, found, run);
      if (result === 'ended') parts.onFileEnded();
      if (result === 'paused') return 0;
      // Cancelled, taken over or erased: the next lookup finds the remaining work.
      if (result === 'stale') return (await parts.account(accountId)) === undefined ? undefined : STALE_MS;
    }
  };
}

async function nextFile(
  store: FileHandlerParts['store'],
  accountId: number,
  type: FileType,
  waiting_bytes_max: number,
): Promise<BulkFile | 'none' | 'waits'> {
  let waiting_bytes = 0;
  const files = await store.files.listUnfinishedFiles(accountId, type, FILES_LISTED_MAX);
  for (const file of files) {
    if (!(await mustWait(store, file))) return file;
    const { phase, errorBytes, retryBytes, deferredBytes } = file.progress;
    waiting_bytes += errorBytes + retryBytes + deferredBytes;
    if (phase !== 'waiting' || waiting_bytes > waiting_bytes_max) return 'waits';
  }
  return files.length === 0 ? 'none' : 'waits';
}

async function mustWait(
  { files }: FileHandlerParts['store'],
  { accountId, type, number, progress }: BulkFile,
): Promise<boolean> {
  const isBehindSkus = (type !== 'Offers' && PART_OF_FILE[type].isBehindUploads) || progress.phase === 'waiting';
  if (isBehindSkus && (await files.hasUnfinishedBefore(accountId, TYPES_THAT_ADD_SKUS, number))) return true;
  // An earlier archive file may unarchive SKUs, which refuse stock until then.
  const hasStock = type === 'Inventory' || type === 'Offers';
  return hasStock && (await files.hasUnfinishedBefore(accountId, ['Archive'], number));
}

class FileRun implements RunLimits {
  readonly signal: AbortSignal;
  readonly #kind: string;
  readonly #parts: FileHandlerParts;
  #askedMs: number;
  #endMs: number;

  constructor(type: FileType, parts: FileHandlerParts, signal: AbortSignal) {
    this.signal = signal;
    this.#kind = fileKind(type);
    this.#parts = parts;
    this.#askedMs = parts.monotonicMs();
    this.#endMs = this.#askedMs + SHARE_MS_MAX;
  }

  begin(): void {
    const now = this.#parts.monotonicMs();
    this.#endMs = Math.max(this.#endMs, now + (now - this.#askedMs) * SKIP_FACTOR);
  }

  mustEnd(): boolean {
    return this.#parts.isStopping();
  }

  async mayContinue(): Promise<boolean> {
    // Rows also make the database grow, most likely on the same disk. The remaining space is left to single calls.
    if (this.mustEnd() || !(await this.#parts.storage.hasRoom())) return false;
    const now = this.#parts.monotonicMs();
    this.#askedMs = now;
    if (now < this.#endMs) return true;
    const figures = await this.#parts.store.work.readWorkFigures();
    if (figures.some(({ kind, due }) => kind === this.#kind && due > 0)) return false;
    this.#endMs = now + RECHECK_MS;
    return true;
  }
}
