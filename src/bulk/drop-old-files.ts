/**
 * Applies retention: deletes expired files and reports, and uploads that were never submitted. It deletes the bytes
 * first, then the records. If a process is killed in between, the next sweep deletes the remaining record.
 */

import { LIMITS } from '../domain/limits.ts';
import { DAY_MS, HOUR_MS } from '../domain/vocabulary/iso-time.ts';
import type { FileStorage } from '../files/file-storage.ts';
import { RETENTION_MS } from '../operations/files/file-context.ts';
import { REPORT_LIFETIME_MS, removeKept } from '../operations/files/kept-files.ts';
import type { FileStore } from '../store/port/files.ts';

export interface RetentionParts {
  readonly store: { readonly files: Pick<FileStore, 'listKeptBefore' | 'dropKept'> };
  readonly storage: FileStorage;
  readonly nowMs: () => number;
}

const BATCH = 100;

/** A draft is deleted after this time without a write, which is longer than any upload may stall. */
const DRAFT_IDLE_MS = 2 * HOUR_MS;

/** Unsubmitted uploads are kept a little longer than they are valid, because the clocks of processes differ. */
const UPLOAD_MS = LIMITS.upload_lifetime_days * DAY_MS + HOUR_MS;

/** Orphaned files, left after a database was restored to an older state, are kept a little longer. */
const UNKNOWN_MS = RETENTION_MS + DAY_MS;

export async function dropOldFiles({ store, storage, nowMs }: RetentionParts): Promise<void> {
  const list = () => store.files.listKeptBefore(nowMs() - RETENTION_MS, nowMs() - UPLOAD_MS, BATCH);
  for (let found = await list(); found.length > 0; found = await list()) {
    for (const kept of found) await removeKept(store.files, storage, kept);
  }
  await storage.sweep('reports', nowMs() - REPORT_LIFETIME_MS);
  await storage.sweep('drafts', nowMs() - DRAFT_IDLE_MS);
  await storage.sweep('all', nowMs() - UNKNOWN_MS);
}
