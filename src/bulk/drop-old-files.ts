/**
 * Applies retention: deletes expired files and reports, and uploads that were never submitted. It deletes the bytes
 * first, then the records. If a process is killed in between, the next sweep deletes the remaining record.
 */
import { LIMITS } from '../domain/limits.ts';
import { type FilePlace, namesOfFile, reportName } from '../files/file-place.ts';
import type { FileStore, NewFile, ReportStore } from '../store/port/files.ts';

export interface RetentionParts {
  readonly store: {
    readonly files: Pick<FileStore, 'listFilesBefore' | 'listUploadsBefore' | 'dropFile'>;
    readonly reports: Pick<ReportStore, 'listReportsBefore' | 'dropReport'>;
  };
  readonly place: FilePlace;
  readonly nowMs: () => number;
}

const DAY_MS = 86_400_000;
const BATCH = 100;

/** Longer than any upload may stall. */
const DRAFT_IDLE_MS = 7_200_000;

/** Unsubmitted uploads are kept a little longer than they are valid, because the clocks of processes differ. */
const UPLOAD_MS = LIMITS.upload_lifetime_days * DAY_MS + 3_600_000;

/** Orphaned files, left after a database was restored to an older state, are kept a little longer. */
const UNKNOWN_MS = (LIMITS.file_retention_days + 1) * DAY_MS;

export async function dropOldFiles({ store, place, nowMs }: RetentionParts): Promise<void> {
  const beforeMs = nowMs() - LIMITS.file_retention_days * DAY_MS;
  const dropFile = async (file: NewFile): Promise<void> => {
    for (const name of namesOfFile(file)) await place.remove(name);
    await store.files.dropFile(file.accountId, file.fileId);
  };
  await inBatches(() => store.files.listFilesBefore(beforeMs, BATCH), dropFile);
  await inBatches(() => store.files.listUploadsBefore(nowMs() - UPLOAD_MS, BATCH), dropFile);
  await inBatches(
    () => store.reports.listReportsBefore(beforeMs, BATCH),
    async (report) => {
      await place.remove(reportName(report));
      await store.reports.dropReport(report.accountId, report.reportId);
    },
  );
  await place.sweep('reports', nowMs() - LIMITS.report_lifetime_days * DAY_MS);
  await place.sweep('drafts', nowMs() - DRAFT_IDLE_MS);
  await place.sweep('all', nowMs() - UNKNOWN_MS);
}

async function inBatches<T>(list: () => Promise<readonly T[]>, drop: (one: T) => Promise<void>): Promise<void> {
  for (let found = await list(); found.length > 0; found = await list()) {
    for (const one of found) await drop(one);
  }
}
