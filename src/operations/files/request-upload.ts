/** Use case: a merchant asks where to send a file to. */
import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/account.ts';
import type { FileContext } from './file-context.ts';

/** The id of a file that nobody has sent yet. */
export async function requestUpload({ store, nowMs }: FileContext, { accountId }: Account): Promise<string> {
  const fileId = randomUUID();
  await store.files.addFile({ accountId, fileId, createdMs: nowMs() });
  return fileId;
}
