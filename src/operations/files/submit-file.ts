/**
 * Use cases: a merchant requests an upload, which gets a record, and submits the uploaded file. The time of the second call determines
 * where its rows come in the order of writes.
 */

import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/account.ts';
import type { FileUploaded } from '../../domain/bodies/file-uploaded.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { type FileContext, isFileId, RETENTION_MS, UPLOAD_LIFETIME_MS } from './file-context.ts';

/**
 * `fileId` comes from the URL; undefined when the URL has none. A file that was already submitted does not change. An
 * expired upload is not found, whether or not it has been deleted yet. `validateOnly`: its rows are checked, and not written. `number`: where its rows come in the
 * order of writes, if it was drawn before.
 */
export async function submitFile(
  { store, nowMs, onFileReceived }: FileContext,
  { accountId }: Account,
  fileId: string | undefined,
  { file_type, file_name }: Pick<FileUploaded, 'file_type' | 'file_name'>,
  options: Partial<Pick<BulkFile, 'validateOnly' | 'number'>> = {},
): Promise<Outcome<BulkFile>> {
  const now = nowMs();
  const file =
    fileId !== undefined && isFileId(fileId)
      ? await store.files.receiveFile(
          { accountId, fileId, type: file_type, name: file_name, ...options },
          now,
          now - UPLOAD_LIFETIME_MS,
        )
      : 'unknown';
  if (file === 'unknown' || file.createdMs <= now - RETENTION_MS) return refuseRequest('file_not_uploaded');
  onFileReceived();
  return accept(file);
}

/** Returns a new file id. `http/endpoints/files.ts` signs its URL. */
export async function requestUpload({ store, nowMs }: FileContext, { accountId }: Account): Promise<string> {
  const fileId = randomUUID();
  await store.files.addFile({ accountId, fileId, createdMs: nowMs() });
  return fileId;
}
