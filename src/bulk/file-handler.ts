/**
 * In charge of which of an account's files of one type is worked on, and for how long.
 *
 * Files of a type run in the order in which they were handed over. One whose rows wait for another file lets later ones
 * pass; the numbers of the rows keep the order. Some types as a whole wait for files that upload SKUs.
 */
import type { WorkHandler } from '../background/leased-loop.ts';
import type { FileType } from '../domain/vocabulary/file-types.ts';
import type { FilePlace } from '../files/file-place.ts';
import { type BulkFile, fileKind } from '../store/port/files.ts';
import type { WorkStore } from '../store/port/work.ts';
import { type ProcessFileParts, processFile, type Turn } from './process-file.ts';

export interface FileHandlerParts extends ProcessFileParts {
  readonly store: ProcessFileParts['store'] & { readonly work: Pick<WorkStore, 'readWorkFigures'> };
  /** The process stops: files go on elsewhere, or later. */
  readonly isStopping: () => boolean;
  readonly place: ProcessFileParts['place'] & Pick<FilePlace, 'hasRoom'>;
  /** Files wait for room on the disk. */
  readonly onFull: () => void;
  /** A file has ended, for which others may have waited. */
  readonly onFileEnded: () => void;
  /** Never runs backwards. */
  readonly monotonicMs: () => number;
}

/** What these say of a SKU is reviewed against it, so that the SKU has to be there as it was sent last. */
const BEHIND_SKUS: ReadonlySet<FileType> = new Set(['Variation', 'ShippingException', 'ReturnsException']);

/** After this long other accounts have their turn, when there are some. */
const TURN_MS_MAX = 10_000;
/** When there are none: how often the handler re-checks whether other accounts wait. */
const RECHECK_MS = 1_000;
/** Of the time that it took to reach the place where a large file goes on: a turn is to be longer than the way to it. */
const WAY_FACTOR = 3;
/** What waits for a file is announced when that ends; this is for an announcement that was lost, and for room on the disk. */
const WAIT_MS = 10_000;
/** Before a file is looked at again that somebody else has moved on. */
const STALE_MS = 100;
/** Files that wait let later ones pass, but not any number of them. */
const FILES_LOOKED_AT_MAX = 100;
/** Of what an account may keep: beyond it, files that wait let no later ones of their type pass, which would add errors. */
const WAITING_SHARE = 1 / 8;

export function fileHandler(type: FileType, parts: FileHandlerParts): WorkHandler {
  const { store } = parts;
  return async ({ accountId, signal }) => {
    const turn = new FileRun(type, parts, signal);
    for (;;) {
      signal.throwIfAborted();
      const found = await nextFile(store, accountId, type, parts.kept_bytes_max * WAITING_SHARE);
      if (found === 'none') return undefined;
      if (found === 'waits') return WAIT_MS;
      if (!(await parts.place.hasRoom())) {
        parts.onFull();
        return WAIT_MS;
      }
      if (!(await turn.mayGoOn())) return 0;
      const result = await processFile(parts, found, turn);
      if (result === 'ended') parts.onFileEnded();
      if (result === 'paused') return 0;
      // Cancelled, taken over or erased: what there is to do then is found when it is looked at anew.
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
  const files = await store.files.listUnfinishedFiles(accountId, type, FILES_LOOKED_AT_MAX);
  for (const file of files) {
    const mustWait = BEHIND_SKUS.has(type) || file.progress.phase === 'waiting';
    if (!mustWait || !(await store.files.hasUnfinishedBefore(accountId, 'MerchantSKUs', file.number))) return file;
    const { phase, errorBytes, retryBytes, deferredBytes } = file.progress;
    waiting_bytes += errorBytes + retryBytes + deferredBytes;
    if (phase !== 'waiting' || waiting_bytes > waiting_bytes_max) return 'waits';
  }
  return files.length === 0 ? 'none' : 'waits';
}

class FileRun implements Turn {
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
    this.#endMs = this.#askedMs + TURN_MS_MAX;
  }

  begin(): void {
    const now = this.#parts.monotonicMs();
    this.#endMs = Math.max(this.#endMs, now + (now - this.#askedMs) * WAY_FACTOR);
  }

  mustEnd(): boolean {
    return this.#parts.isStopping();
  }

  async mayGoOn(): Promise<boolean> {
    // Rows fill the disk of the database, too, most likely the same one: single calls need what is left.
    if (this.mustEnd() || !(await this.#parts.place.hasRoom())) return false;
    const now = this.#parts.monotonicMs();
    this.#askedMs = now;
    if (now < this.#endMs) return true;
    const figures = await this.#parts.store.work.readWorkFigures();
    if (figures.some(({ kind, due }) => kind === this.#kind && due > 0)) return false;
    this.#endMs = now + RECHECK_MS;
    return true;
  }
}
