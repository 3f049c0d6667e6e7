/**
 * Applies retention: deletes expired files and reports, and uploads that were never submitted. It deletes the bytes
 * first, then the records. If a process is killed in between, the next sweep deletes the remaining record.
 */

import { LIMITS } from '../domain/limits.ts';
import { DAY_MS } from '../domain/vocabulary/iso-time.ts';
import type { FilePlace } from '../files/file-place.ts';
import { removeKept } from '../operations/files/kept-files.ts';
import type { FileStore } from '../store/port/files.ts';

export interface RetentionParts {
  readonly store: { readonly files: Pick<FileStore, 'listKeptBefore' | 'dropKept'> };
  readonly place: FilePlace;
  readonly nowMs: () => number;
}

const BATCH = 100;

/** A draft is deleted after this time without a write, which is longer than any upload may stall. */
const DRAFT_IDLE_MS = 7_200_000;

/** Unsubmitted uploads are kept a little longer than they are valid, because the clocks of processes differ. */
const UPLOAD_MS = LIMITS.upload_lifetime_days * DAY_MS + 3_600_000;

/** Orphaned files, left after a database was restored to an older state, are kept a little longer. */
const UNKNOWN_MS = (LIMITS.file_retention_days + 1) * DAY_MS;

export async function dropOldFiles({ store, place, nowMs }: RetentionParts): Promise<void> {
  const beforeMs = nowMs() - LIMITS.file_retention_days * DAY_MS;
  const list = () => store.files.listKeptBefore(beforeMs, nowMs() - UPLOAD_MS, BATCH);
  for (let found = await list(); found.length > 0; found = await list()) {
    for (const kept of found) await removeKept(store.files, place, kept);
  }
  await place.sweep('reports', nowMs() - LIMITS.report_lifetime_days * DAY_MS);
  await place.sweep('drafts', nowMs() - DRAFT_IDLE_MS);
  await place.sweep('all', nowMs() - UNKNOWN_MS);
}
