/**
 * Processes one bulk file, from its saved progress to its end or until it has to wait.
 *
 * The process can be killed at any point. A slice of rows is committed together with the progress of everything before
 * it. The errors of the slice are written afterwards, and its counts are part of the next commit. So the last slice
 * runs again after a crash: its rows have the same sequence number and change nothing, its errors overwrite the earlier
 * ones, and its counts are added once.
 */

import type { Account } from '../domain/account.ts';
import type { BulkFile, FileProgress } from '../domain/bulk-files.ts';
import { TYPES_THAT_ADD_SKUS } from '../domain/vocabulary/file-types.ts';
import { type FileStorage, fileName } from '../files/file-storage.ts';
import type { KeptFiles } from '../operations/files/kept-files.ts';
import type { PartCheckContext } from '../operations/offers/write.ts';
import type { FileStore } from '../store/port/files.ts';
import type { OfferStore } from '../store/port/offers.ts';
import { noteFault, noteRows } from './error-files.ts';
import type { FileFault } from './file-fault.ts';
import { DeferredKeys, keyMark } from './rows/deferred-keys.ts';
import { onlyDeferred, readDeferredKeys } from './rows/deferred-rows.ts';
import { countIgnored } from './rows/ignored-fields.ts';
import { readEntries } from './rows/read-entries.ts';
import { rowCheck } from './rows/row-checks.ts';
import { holdBack, type RowSlice, sliceRows } from './rows/row-slices.ts';
import { type SettledSlice, settleSlice } from './rows/settle-slice.ts';
import { tryRows } from './rows/try-rows.ts';
import type { CheckThreads } from './threads/check-threads.ts';
import { RowsAhead } from './threads/rows-ahead.ts';

export interface ProcessFileParts {
  readonly store: { readonly files: FileStore; readonly offers: Pick<OfferStore, 'readSkuState' | 'readMembers'> };
  readonly storage: Pick<FileStorage, 'read' | 'append' | 'remove'>;
  readonly checks: PartCheckContext;
  /** Threads that check the rows of SKU files. If absent, this thread checks them. */
  readonly checkThreads?: CheckThreads;
  /** The account with its current settings; undefined when it is gone. */
  readonly account: (accountId: number) => Promise<Account | undefined>;
  readonly nowMs: () => number;
  /** Called after rows were written, because offers may be due for review. */
  readonly onRowsWritten: () => void;
  readonly unpacked_bytes_max: number;
  readonly kept: Pick<KeptFiles, 'add'>;
  /** Disk limit for all finished files and reports of an account. */
  readonly kept_bytes_max: number;
  /** Only tests set this. */
  readonly error_bytes_max?: number;
}

/** Limits how long a file is processed in one run. */
export interface RunLimits {
  /** Aborts after the write in progress, which the next run repeats. */
  readonly signal: AbortSignal;
  /** Called when the resume position is reached, which may take seconds in a large file. */
  begin(): void;
  /** Called between two slices. */
  mayContinue(): boolean | Promise<boolean>;
  /** Called while no row arrives. Returns true only if the process must stop: a pause here would lose the position. */
  mustEnd(): boolean;
}

/**
 * `ended`: finished. `waiting`: deferred rows wait for another file. `paused`: the time share is used up. `stale`: the
 * file was cancelled or taken over, or its account is gone.
 */
export type FileResult = 'ended' | 'waiting' | 'paused' | 'stale';

/**
 * Limit of the error file and of the retry file, relative to the upload, because 25 KB of gzip can hold a million
 * failing rows. JSON rows compress to a tenth, so the retry file of a normal upload is complete.
 */
const ERROR_BYTES_PER_UPLOADED_BYTE = 16;
const ERROR_BYTES = Object.freeze({ min: 262_144, max: 1_073_741_824 });
/** Share of an account's disk limit: 1 GiB by default, less on a small disk. Several files run at once. */
const ERROR_SHARE = 1 / 16;

export async function processFile(parts: ProcessFileParts, file: BulkFile, limits: RunLimits): Promise<FileResult> {
  const { store, nowMs } = parts;
  if (file.status === 'Acknowledged' && (await store.files.startFile(file, nowMs())) === 'stale') return 'stale';
  const work = new FileWork(parts, file);
  if (file.progress.phase === 'waiting') work.advance({ phase: 'again', offset: 0 });
  return work.run(limits);
}

class FileWork {
  readonly #parts: ProcessFileParts;
  /** The progress as stored. */
  #file: BulkFile;
  /** The progress that the next commit will store: everything counted and written so far. */
  #done: FileProgress;
  #bytesRead = 0;
  /** Whether an earlier file can still add unknown SKUs. Once false, it stays false: later files have higher sequence numbers. */
  #mayWait: boolean;
  /** Keys deferred by the first pass; the second pass tries all of them in order. */
  readonly #deferredKeys = new DeferredKeys();

  constructor(parts: ProcessFileParts, file: BulkFile) {
    this.#parts = parts;
    this.#file = file;
    this.#done = file.progress;
    this.#mayWait = file.type !== 'MerchantSKUs';
  }

  advance(by: Partial<FileProgress>): void {
    this.#done = { ...this.#done, ...by };
  }

  async run(limits: RunLimits): Promise<FileResult> {
    const { store, nowMs, storage } = this.#parts;
    const end = await this.#writeRows(limits);
    if (end === 'stale') return this.#lose();
    if (end === 'account_gone') return 'stale';
    if (end === 'paused') return (await this.#commitProgress()) ? 'paused' : this.#lose();
    const { phase } = this.#done;
    // The first pass reports this error. The second pass repeats it only if deferred rows are left.
    if (end !== undefined && (phase === 'rows' || this.#done.rowsWaiting > 0)) {
      this.advance(await noteFault(storage, this.#file, this.#done, end));
    }
    this.#noteBytesRead(this.#bytesRead);
    if (phase === 'rows' && this.#done.rowsWaiting > 0) {
      this.advance({ phase: 'waiting' });
      return (await this.#commitProgress()) ? 'waiting' : this.#lose();
    }
    const status = this.#done.errorBytes > 0 ? 'Processed with errors' : 'Processed successfully';
    const finished = await store.files.finishFile(this.#file, status, this.#done, nowMs());
    if (finished === 'stale') return this.#lose();
    if (this.#done.deferredBytes > 0) await storage.remove(fileName(this.#file, 'deferred'));
    // The upload was counted when it arrived.
    await this.#parts.kept.add(this.#file.accountId, this.#done.errorBytes + this.#done.retryBytes);
    return 'ended';
  }

  /** Ends a run that lost its file. After a cancellation, all rows that were already applied still count. */
  async #lose(): Promise<'stale'> {
    if (this.#file.progress !== this.#done) await this.#parts.store.files.moveFile(this.#file, this.#done, 'Cancelled');
    return 'stale';
  }

  /**
   * Writes the remaining rows. Returns why it ended: at the last row, possibly with an error of the file, or because of another process.
   */
  async #writeRows(limits: RunLimits): Promise<FileFault | undefined | 'paused' | 'stale' | 'account_gone'> {
    await this.#recallDeferredKeys();
    const slices = this.#slices(limits.signal);
    try {
      let coming = slices.next();
      for (let hasBegun = false; ; ) {
        const next = await coming;
        const isEmpty = next.done !== true && next.value.rows.length === 0;
        if (!hasBegun && !isEmpty) limits.begin();
        if (next.done === true) return next.value;
        limits.signal.throwIfAborted();
        if (isEmpty ? limits.mustEnd() : hasBegun && !(await limits.mayContinue())) return 'paused';
        hasBegun ||= !isEmpty;
        const mayWait = await this.#asksWhetherToWait();
        const slice = holdBack(next.value, this.#deferredKeys);
        const writing = this.#write(slice);
        // Starts to read and check the next slice while the store writes this one. The result is awaited above or
        // abandoned below.
        coming = slices.next();
        coming.catch(() => {});
        const outcomes = await writing;
        if (outcomes === 'stale') return 'stale';
        // If the lease was lost, another process owns the file now and writes its error files.
        limits.signal.throwIfAborted();
        this.#file = { ...this.#file, progress: this.#done };
        const { store } = this.#parts;
        const { accountId } = this.#file;
        const settled = await settleSlice(slice, outcomes, { store: store.offers, accountId, mayWait });
        await this.#note(slice, settled);
      }
    } finally {
      await slices.return(undefined);
    }
  }

  async #recallDeferredKeys(): Promise<void> {
    const { phase, deferredBytes } = this.#done;
    if (phase !== 'rows' || deferredBytes === 0) return;
    await readDeferredKeys(
      this.#parts.storage.read(fileName(this.#file, 'deferred'), 0, deferredBytes),
      this.#deferredKeys,
    );
  }

  #slices(signal: AbortSignal) {
    const { store, storage, checks, checkThreads, account, unpacked_bytes_max } = this.#parts;
    const file = this.#file;
    const check = rowCheck(file.type, checks);
    const ahead = file.type === 'MerchantSKUs' && checkThreads && new RowsAhead(checkThreads, check);
    const { phase, offset, deferredBytes } = this.#done;
    const entries = readEntries(storage.read(fileName(file, 'upload')), {
      type: file.type,
      from: offset,
      signal,
      unpacked_bytes_max,
      onRead: (bytes) => {
        this.#bytesRead = bytes;
      },
      onFormat: (format, compression) => {
        if (this.#done.format === '') this.advance({ format, compression });
      },
    });
    const options = {
      check,
      from: offset,
      account: () => account(file.accountId),
      writes_max: store.files.slice_rows_max,
      upload_weight: store.files.upload_weight,
      bytesRead: () => this.#bytesRead,
    };
    if (ahead) return sliceRows(ahead.read(entries), { ...options, check: ahead.check });
    if (phase !== 'again') return sliceRows(entries, options);
    return sliceRows(onlyDeferred(entries, storage.read(fileName(file, 'deferred'), 0, deferredBytes)), options);
  }

  /** Checked before rows are written, because only a file that is unfinished now can still add an unknown SKU. */
  async #asksWhetherToWait(): Promise<boolean> {
    const { accountId, number } = this.#file;
    if (!this.#mayWait || this.#done.phase === 'again') return false;
    this.#mayWait = await this.#parts.store.files.hasUnfinishedBefore(accountId, TYPES_THAT_ADD_SKUS, number);
    return this.#mayWait;
  }

  async #write({ writes }: RowSlice) {
    const { store, nowMs, onRowsWritten } = this.#parts;
    // Stored even if nothing has changed, because this detects a cancellation.
    if (writes.length === 0) return (await store.files.moveFile(this.#file, this.#done)) === 'stale' ? 'stale' : [];
    if (this.#file.validateOnly) {
      const moved = await store.files.moveFile(this.#file, this.#done);
      return moved === 'stale' ? moved : tryRows(store.offers, this.#file.accountId, writes);
    }
    const outcomes = await store.files.applyRows(this.#file, this.#done, writes, nowMs());
    onRowsWritten();
    return outcomes;
  }

  async #commitProgress(): Promise<boolean> {
    if (this.#file.progress === this.#done) return true;
    if ((await this.#parts.store.files.moveFile(this.#file, this.#done)) === 'stale') return false;
    this.#file = { ...this.#file, progress: this.#done };
    return true;
  }

  async #note({ rows, end, bytesRead }: RowSlice, { failed, deferred, superseded }: SettledSlice): Promise<void> {
    const done = this.#done;
    const left = new Set(deferred);
    const finished = left.size === 0 ? rows : rows.filter((row) => !left.has(row));
    const tried = done.phase === 'again' ? rows.length : 0;
    this.advance({
      ...(await noteRows(this.#parts.storage, this.#file, done, failed, deferred, this.#errorBytesMax())),
      offset: end,
      rowsProcessed: done.rowsProcessed + finished.length,
      rowsFailed: done.rowsFailed + failed.length,
      rowsSuperseded: done.rowsSuperseded + superseded,
      rowsWaiting: done.rowsWaiting + deferred.length - tried,
      ignoredFields: countIgnored(done.ignoredFields, finished),
    });
    for (const { key } of deferred) this.#deferredKeys.add(keyMark(key));
    this.#noteBytesRead(bytesRead);
  }

  /** Records how many bytes were read. The number never falls, although a second or resumed pass reads bytes again. */
  #noteBytesRead(bytesRead: number): void {
    this.advance({ bytesRead: Math.max(this.#done.bytesRead, bytesRead) });
  }

  #errorBytesMax(): number {
    const { error_bytes_max, kept_bytes_max } = this.#parts;
    const relative = this.#file.bytes * ERROR_BYTES_PER_UPLOADED_BYTE;
    return (
      error_bytes_max ?? Math.max(Math.min(relative, kept_bytes_max * ERROR_SHARE, ERROR_BYTES.max), ERROR_BYTES.min)
    );
  }
}
