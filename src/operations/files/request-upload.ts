/** Use case: a merchant requests a URL to upload a file to. */
import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/account.ts';
import type { FileContext } from './file-context.ts';

/** Returns a new file id. */
export async function requestUpload({ store, nowMs }: FileContext, { accountId }: Account): Promise<string> {
  const fileId = randomUUID();
  await store.files.addFile({ accountId, fileId, createdMs: nowMs() });
  return fileId;
}
