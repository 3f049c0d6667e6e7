/**
 * Keeps files, offers and work in memory, for tests of the bulk engine. memory-file-store.test.ts checks that it
 * behaves like the SQLite store.
 */

import { type BulkFile, type FileProgress, NO_PROGRESS, type RowOutcome } from '../../domain/bulk-files.ts';
import type { PartWrite } from '../../domain/offers/part.ts';
import { outcomeFor, type SkuState, skuState } from '../../domain/offers/write-state.ts';
import type { FileStatus, FileType } from '../../domain/vocabulary/file-types.ts';
import type { FileStore } from '../../store/port/files.ts';
import type { GroupMember, SkuKey } from '../../store/port/offers.ts';
import type { WorkFigures } from '../../store/port/work.ts';

interface Offer {
  archived: boolean;
  /** The last write to each part, and its sequence number. */
  readonly parts: Map<string, { readonly write: PartWrite; readonly number: number }>;
}

type Used =
  | 'slice_rows_max'
  | 'upload_weight'
  | 'listUnfinishedFiles'
  | 'hasUnfinishedBefore'
  | 'startFile'
  | 'applyRows'
  | 'moveFile'
  | 'finishFile';

export class MemoryFileStore implements Pick<FileStore, Used> {
  readonly slice_rows_max: number;
  readonly upload_weight = 3;
  readonly files = new Map<string, BulkFile>();
  readonly offers = new Map<string, Offer>();
  figures: readonly WorkFigures[] = [];
  #lastNumber = 0;
  /** Called before each commit of rows. */
  beforeRows: (file: BulkFile, rows: readonly PartWrite[]) => void | Promise<void> = () => {};

  constructor(slice_rows_max = 10) {
    this.slice_rows_max = slice_rows_max;
  }

  drawNumber(): number {
    return ++this.#lastNumber;
  }

  /** Adds a file that was uploaded and submitted. */
  addReceived(accountId: number, type: FileType, fileId: string, bytes: number): BulkFile {
    const file: BulkFile = {
      accountId,
      fileId,
      createdMs: 0,
      type,
      name: `${fileId}.json`,
      bytes,
      receivedMs: 0,
      number: this.drawNumber(),
      status: 'Acknowledged',
      startedMs: null,
      endedMs: null,
      progress: NO_PROGRESS,
    };
    this.files.set(fileId, file);
    return file;
  }

  file(fileId: string): BulkFile {
    const file = this.files.get(fileId);
    if (file === undefined) throw new Error(`There is no file ${fileId}.`);
    return file;
  }

  cancel(fileId: string): void {
    this.files.set(fileId, { ...this.file(fileId), status: 'Cancelled' });
  }

  /** Makes a single call, with its own sequence number. */
  put(accountId: number, write: PartWrite): RowOutcome {
    return this.#write(accountId, write, this.drawNumber());
  }

  offer(accountId: number, skuId: string): Offer | undefined {
    return this.offers.get(`${accountId}/${skuId}`);
  }

  async readSkuState({ accountId, skuId }: SkuKey): Promise<SkuState> {
    const offer = this.offer(accountId, skuId);
    if (offer === undefined) return 'unknown';
    return offer.archived ? 'archived' : 'open';
  }

  /** Returns members that all have the same brand and all attributes. */
  async readMembers(accountId: number, skuIds: readonly string[]): Promise<readonly GroupMember[]> {
    return skuIds.flatMap((skuId, valuesClass) => {
      const offer = this.offer(accountId, skuId);
      if (offer === undefined) return [];
      return [{ skuId, brand: 'Brand', brandClass: 0, valuesClass, missing: [], archived: offer.archived }];
    });
  }

  async readWorkFigures(): Promise<readonly WorkFigures[]> {
    return this.figures;
  }

  async listUnfinishedFiles(accountId: number, type: FileType, limit: number): Promise<readonly BulkFile[]> {
    return this.#unfinished(accountId, type).slice(0, limit);
  }

  async hasUnfinishedBefore(accountId: number, type: FileType, number: number): Promise<boolean> {
    const files = this.#unfinished(accountId, type);
    return files.some((file) => file.number < number && file.progress.phase !== 'waiting');
  }

  async startFile(file: BulkFile, nowMs: number): Promise<'stored' | 'stale'> {
    if (!this.#isAt(file, 'Acknowledged', 'Processing')) return 'stale';
    this.#change(file, { status: 'Processing', startedMs: this.file(file.fileId).startedMs ?? nowMs });
    return 'stored';
  }

  async applyRows(
    file: BulkFile,
    done: FileProgress,
    rows: readonly PartWrite[],
  ): Promise<readonly RowOutcome[] | 'stale'> {
    if (rows.length > this.slice_rows_max) throw new Error('The slice has more rows than the store takes.');
    await this.beforeRows(file, rows);
    if (!this.#isAt(file, 'Processing')) return 'stale';
    this.#change(file, { progress: done });
    return rows.map((row) => this.#write(file.accountId, row, file.number));
  }

  async moveFile(
    file: BulkFile,
    progress: FileProgress,
    status: FileStatus = 'Processing',
  ): Promise<'stored' | 'stale'> {
    if (!this.#isAt(file, status)) return 'stale';
    this.#change(file, { progress });
    return 'stored';
  }

  async finishFile(
    file: BulkFile,
    status: FileStatus,
    progress: FileProgress,
    nowMs: number,
  ): Promise<'stored' | 'stale'> {
    if (!this.#isAt(file, 'Processing')) return 'stale';
    this.#change(file, { status, progress, endedMs: nowMs });
    return 'stored';
  }

  #unfinished(accountId: number, type: FileType): BulkFile[] {
    return [...this.files.values()]
      .filter((file) => file.accountId === accountId && file.type === type)
      .filter(({ status }) => status === 'Acknowledged' || status === 'Processing')
      .sort((a, b) => a.number - b.number);
  }

  #isAt({ fileId, progress }: BulkFile, ...statuses: readonly FileStatus[]): boolean {
    const { status, progress: at } = this.file(fileId);
    return statuses.includes(status) && at.phase === progress.phase && at.offset === progress.offset;
  }

  #change({ fileId }: BulkFile, changes: Partial<BulkFile>): void {
    this.files.set(fileId, { ...this.file(fileId), ...changes });
  }

  #write(accountId: number, write: PartWrite, number: number): RowOutcome {
    const key = `${accountId}/${write.skuId}`;
    const offer = this.offers.get(key) ?? { archived: false, parts: new Map() };
    const outcome = outcomeFor(write.kind, skuState(this.offers.get(key)?.archived));
    if (outcome !== 'stored') return outcome;
    if (write.kind === 'variation') {
      const refused: { skuId: string; state: 'unknown' | 'archived' }[] = [];
      for (const skuId of write.group.childrenSkus) {
        const child = this.offer(accountId, skuId);
        if (child?.archived !== false) refused.push({ skuId, state: child === undefined ? 'unknown' : 'archived' });
      }
      if (refused.length > 0) return { refused };
    }
    if ((offer.parts.get(write.kind)?.number ?? 0) > number) return 'superseded';
    offer.parts.set(write.kind, { write, number });
    if (write.kind === 'archive') offer.archived = write.archived;
    this.offers.set(key, offer);
    return 'stored';
  }
}
