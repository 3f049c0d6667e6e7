/** Use cases: a merchant reads the progress of a file, lists files, and cancels one. */
import type { Account } from '../../domain/account.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import type { FilePageRequest } from '../../store/port/files.ts';
import { type FileContext, isFileId, RETENTION_MS } from './file-context.ts';

/** An expired file is not found, whether or not it has been deleted yet. */
export async function readFile(
  { store, nowMs }: FileContext,
  { accountId }: Account,
  fileId: string,
): Promise<Outcome<BulkFile>> {
  const file = isFileId(fileId) ? await store.files.readFile(accountId, fileId) : undefined;
  if (file === undefined || file.createdMs + RETENTION_MS <= nowMs()) return refuseRequest('file_not_found');
  return accept(file);
}

export interface FilePage {
  readonly files: readonly BulkFile[];
  readonly total: number;
}

/** Lists files, newest first, with the filters of `FileStore.listFiles`. */
export function listFiles(
  { store, nowMs }: FileContext,
  { accountId }: Account,
  page: Omit<FilePageRequest, 'madeAfterMs'>,
): Promise<FilePage> {
  return store.files.listFiles(accountId, { ...page, madeAfterMs: nowMs() - RETENTION_MS });
}

/** Cancels a file. Rows that were already applied stay applied. A finished file does not change. */
export async function cancelFile(context: FileContext, account: Account, fileId: string): Promise<Outcome<BulkFile>> {
  const { store, kept, nowMs, onFileReceived } = context;
  const known = await readFile(context, account, fileId);
  if (!known.ok) return known;
  const { endedMs, progress } = known.value;
  const { errorBytes, retryBytes, deferredBytes } = progress;
  // The upload was counted when it arrived. Its error file, retry file and deferred rows stay too. They are counted before the
  // cancellation, because counting may fail.
  if (endedMs === null) await kept.add(account.accountId, errorBytes + retryBytes + deferredBytes);
  const file = await store.files.cancelFile(account.accountId, fileId, nowMs());
  if (file === undefined) return refuseRequest('file_not_found');
  // Other files may be waiting for this one.
  onFileReceived();
  return accept(file);
}
