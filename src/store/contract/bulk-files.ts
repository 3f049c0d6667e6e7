/** Creates bulk files for the contract tests: requested, uploaded, submitted or started. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { BulkFile, FileProgress, RowOutcome } from '../../domain/bulk-files.ts';
import type { FileRow } from '../../domain/offers/part.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import type { Store } from '../port.ts';
import { LATER_MS, NOW_MS, newAccountId } from './subject.ts';

/** Creates a file that is uploaded but not submitted. */
export async function uploadedFile(store: Store, accountId = newAccountId()): Promise<string> {
  const fileId = randomUUID();
  await store.files.addFile({ accountId, fileId, createdMs: NOW_MS });
  assert.equal(await store.files.noteUploaded(accountId, fileId, 1000), 'stored');
  return fileId;
}

export async function receivedFile(store: Store, type: FileType, accountId = newAccountId()): Promise<BulkFile> {
  const fileId = await uploadedFile(store, accountId);
  const file = await store.files.receiveFile({ accountId, fileId, type, name: `${type}.json` }, NOW_MS, 0);
  assert.ok(file !== 'unknown');
  return file;
}

/** Starts a new file, and returns its record as the worker process reads it. */
export async function startedFile(store: Store, type: FileType, accountId = newAccountId()): Promise<BulkFile> {
  const file = await receivedFile(store, type, accountId);
  assert.equal(await store.files.startFile(file, NOW_MS), 'stored');
  return (await store.files.readFile(accountId, file.fileId)) ?? assert.fail('The file must exist.');
}

/** Writes rows without advancing the file's progress. */
export async function applied(store: Store, file: BulkFile, ...rows: FileRow[]): Promise<readonly RowOutcome[]> {
  const outcomes = await store.files.applyRows(file, file.progress, rows, LATER_MS);
  assert.ok(outcomes !== 'stale');
  return outcomes;
}

export function movedTo(file: BulkFile, changes: Partial<FileProgress>): FileProgress {
  return { ...file.progress, ...changes };
}
