/** Use case: a merchant hands a file over that it has uploaded. From here on its rows have their place in the order of writes. */
import type { Account } from '../../domain/account.ts';
import type { FileUploaded } from '../../domain/bodies/file-uploaded.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { BulkFile } from '../../store/port/files.ts';
import { type FileContext, isFileId, RETENTION_MS, UPLOAD_LIFETIME_MS } from './file-context.ts';

/**
 * `fileId` is the one in the address; undefined where that is none. A file that was handed over before stays as it is. One
 * whose time is over is not there, whether it was swept away already or not.
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
    const text = 'Nothing was uploaded to this url, it is more than a day old, or it is not one that you were given.';
    return refuse([requestProblem('file_not_uploaded', text)]);
  }
  onFileReceived();
  return accept(file);
}
