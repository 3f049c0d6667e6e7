/**
 * Backs up the whole database from one snapshot, alongside a running server.
 *
 * SQLite's backup copies it page by page from within one read transaction: the server keeps writing, and rows can be counted in the very
 * state that is copied, unlike with `VACUUM INTO`. The copy counts as a backup once it has been read back, is not damaged, and has as many
 * rows.
 */
import { existsSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { accept, type Outcome, refuse } from '../../../domain/outcome.ts';
import { requestProblem } from '../../../domain/problem.ts';
import type { OnCopyProgress } from '../engine/connection.ts';
import { databaseFile } from '../engine/data-dir.ts';
import { type Contents, faultsText, findFaults, readContents, readSchemaVersion } from '../engine/database-check.ts';
import { DraftFile } from '../engine/draft-file.ts';
import { copyDatabase, openForReading, openWithoutLog, RESTORE_ADVICE, storeError } from '../engine/engine.ts';

interface CopyReport {
  readonly bytes: number;
  readonly schemaVersion: number;
  readonly contents: Contents;
}

export interface BackupReport extends CopyReport {
  readonly file: string;
}

interface BackupOptions {
  readonly onProgress?: OnCopyProgress;
  /** Aborts the backup with its reason and removes its file. */
  readonly stopped?: AbortSignal;
}

export async function backupDatabase(
  dataDir: string,
  target: string,
  { onProgress = () => {}, stopped }: BackupOptions = {},
): Promise<Outcome<BackupReport>> {
  const source = databaseFile(dataDir);
  if (!existsSync(source)) {
    return refuse([requestProblem('database_missing', `There is no database in the data folder ${dataDir}.`)]);
  }
  const created = DraftFile.create(target);
  if (!created.ok) return created;
  using draft = created.value;
  const copied = await copyVerified(source, draft.path, (done, pages) => {
    onProgress(done, pages);
    stopped?.throwIfAborted();
  });
  if (!copied.ok) return copied;
  // Reading it back blocked the thread, so a signal that arrived meanwhile is handled now.
  await setImmediate();
  stopped?.throwIfAborted();
  const kept = draft.keep();
  return kept.ok ? accept({ file: draft.target, ...copied.value }) : kept;
}

/** Copies one database into an empty file and reads the copy back. */
export async function copyVerified(
  source: string,
  copy: string,
  onProgress: OnCopyProgress,
): Promise<Outcome<CopyReport>> {
  const expected = await copySnapshot(source, copy, onProgress);
  using connection = openWithoutLog(copy);
  try {
    const faults = findFaults(connection, 'full');
    if (faults.length > 0) {
      const text = `The database is probably damaged, because its copy is (${faultsText(faults)}): ${RESTORE_ADVICE}.`;
      return refuse([requestProblem('backup_damaged', text)]);
    }
    const contents = readContents(connection);
    const differing = Object.keys(expected).filter((table) => contents[table] !== expected[table]);
    if (differing.length > 0) {
      const text = `The copy of ${source} has a different number of rows in ${differing.join(', ')}. Run the command again.`;
      return refuse([requestProblem('backup_damaged', text)]);
    }
    return accept({ bytes: statSync(copy).size, schemaVersion: readSchemaVersion(connection), contents });
  } catch (error) {
    throw storeError(error);
  }
}

async function copySnapshot(source: string, copy: string, onProgress: OnCopyProgress): Promise<Contents> {
  using connection = openForReading(source);
  try {
    connection.exec('BEGIN');
    const contents = readContents(connection);
    await copyDatabase(connection, copy, onProgress);
    return contents;
  } catch (error) {
    throw storeError(error);
  }
}
