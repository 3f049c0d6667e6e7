/** Restores a backup. Every step leaves either the old or the new database in place, complete; the old one is never deleted. */

import { existsSync, linkSync, renameSync } from 'node:fs';
import { accept, type Outcome, type Refused, refuse } from '../../../domain/outcome.ts';
import { requestProblem } from '../../../domain/problem.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { OnCopyProgress } from '../engine/connection.ts';
import { databaseFile } from '../engine/data-dir.ts';
import { readContents, readSchemaVersion } from '../engine/database-check.ts';
import { DraftFile, flush } from '../engine/draft-file.ts';
import { isBusy, isDamage, openForReading, openWithoutLog, storeError } from '../engine/engine.ts';
import { lockDataDir } from '../engine/lock.ts';
import { MIGRATIONS } from '../schema/migration-list.ts';
import { type BackupReport, copyVerified } from './backup.ts';

interface RestoreOptions {
  /** Moves an existing database away; without it the restore is refused. */
  readonly replace: boolean;
  readonly nowMs: number;
  readonly onProgress?: OnCopyProgress;
}

/** `before` is the new path of the previous database. Throws DataDirLockedError while a server uses the folder. */
export async function restoreDatabase(
  dataDir: string,
  backupFile: string,
  { replace, nowMs, onProgress = () => {} }: RestoreOptions,
): Promise<Outcome<BackupReport & { readonly before: string | undefined }>> {
  // First, because with a wrong file nothing else matters, and locking creates a missing folder.
  const usable = checkBackup(backupFile);
  if (!usable.ok) return usable;
  const unlock = lockDataDir(dataDir, ' Stop it first.');
  try {
    const file = databaseFile(dataDir);
    if (existsSync(file) && !replace) {
      const text = `The data folder ${dataDir} already has a database; use --replace to move it aside.`;
      return refuse([requestProblem('database_exists', text)]);
    }
    const aside = `${file}.before-restore-${stamp(nowMs)}`;
    if (existsSync(aside)) {
      const text = `The file ${aside} already exists and was not overwritten. Wait a second and run the command again.`;
      return refuse([requestProblem('file_exists', text)]);
    }
    // The name contains the time, so that the file can be recognized if the machine fails before it is renamed.
    const created = DraftFile.create(`${file}.restored-${stamp(nowMs)}`);
    if (!created.ok) return created;
    using draft = created.value;
    const copied = await copyVerified(backupFile, draft.path, onProgress).catch((error) => {
      if (isDamage(error)) return damaged(backupFile, 'backup_invalid');
      throw error;
    });
    if (!copied.ok) return damaged(backupFile, 'backup_damaged');
    flush(draft.path);
    const before = moveAway(file, aside);
    renameSync(draft.path, file);
    flush(dataDir);
    return accept({ file, ...copied.value, before });
  } finally {
    unlock();
  }
}

/** Checks before anything is written that the file is a database of Offerbook, of this release or an older one. */
function checkBackup(backupFile: string): Outcome<undefined> {
  const refused = (code: 'backup_invalid' | 'backup_newer', text: string) => refuse([requestProblem(code, text)]);
  if (!existsSync(backupFile)) return refused('backup_invalid', `There is no file ${backupFile}.`);
  try {
    using connection = openForReading(backupFile);
    const version = readSchemaVersion(connection);
    if (version > MIGRATIONS.length) {
      return refused(
        'backup_newer',
        `The schema of ${backupFile} has version ${version}, but this release supports only up to ${MIGRATIONS.length}. Run the newer release.`,
      );
    }
    if (version > 0 && 'setup_version' in readContents(connection)) return accept(undefined);
    return refused('backup_invalid', `The file ${backupFile} is not a backup of Offerbook.`);
  } catch (error) {
    const mapped = storeError(error);
    if (!(mapped instanceof StoreUnavailableError)) throw error;
    return isDamage(error)
      ? damaged(backupFile, 'backup_invalid')
      : refused('backup_invalid', `The file ${backupFile} cannot be read: ${mapped.message}`);
  }
}

function damaged(backupFile: string, code: 'backup_invalid' | 'backup_damaged'): Refused {
  const text = `The backup ${backupFile} is damaged, or it is not a database. Nothing was changed. Use an older backup.`;
  return refuse([requestProblem(code, text)]);
}

/**
 * Moves the database away and returns its new path; undefined without a database. The log moves first, even if its database was
 * deleted: left behind, it would be replayed into the new database.
 */
function moveAway(file: string, aside: string): string | undefined {
  const isThere = existsSync(file);
  if (isThere) foldLogIn(file);
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${aside}${suffix}`);
  }
  if (!isThere) return undefined;
  try {
    // Adds a second name: the old database keeps its place until the new one takes it.
    linkSync(file, aside);
  } catch {
    // Some file systems have no links.
    renameSync(file, aside);
  }
  return aside;
}

/** Merges the log into the old database. A damaged database keeps its log. */
function foldLogIn(file: string): void {
  try {
    openWithoutLog(file).close();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError) || isBusy(error.cause)) throw error;
  }
}

/** Formats the time like 20260131T093000Z. */
function stamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}
