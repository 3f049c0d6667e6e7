/** Use case: a merchant submits an uploaded file. The time of this call determines where its rows come in the order of writes. */
import type { Account } from '../../domain/account.ts';
import type { FileUploaded } from '../../domain/bodies/file-uploaded.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import { type FileContext, isFileId, RETENTION_MS, UPLOAD_LIFETIME_MS } from './file-context.ts';

/**
 * `fileId` comes from the URL; undefined when the URL has none. A file that was already submitted does not change. An
 * expired upload is not found, whether or not it has been deleted yet.
 */
export async function receiveFile(
  { store, nowMs, onFileReceived }: FileContext,
  { accountId }: Account,
  fileId: string | undefined,
  { file_type, file_name }: Pick<FileUploaded, 'file_type' | 'file_name'>,
): Promise<Outcome<BulkFile>> {
  const now = nowMs();
  const file =
    fileId !== undefined && isFileId(fileId)
      ? await store.files.receiveFile(
          { accountId, fileId, type: file_type, name: file_name },
          now,
          now - UPLOAD_LIFETIME_MS,
        )
      : 'unknown';
  if (file === 'unknown' || file.createdMs <= now - RETENTION_MS) {
    const text =
      'No upload found: nothing was uploaded to this url, it is older than a day, or it belongs to another merchant.';
    return refuse([requestProblem('file_not_uploaded', text)]);
  }
  onFileReceived();
  return accept(file);
}
