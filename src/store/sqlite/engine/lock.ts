/**
 * Locks a data folder, so that only one server uses it.
 *
 * Uses SQLite's lock on a small file: the operating system releases it when the process ends, so no stale lock is left.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from './connection.ts';
import { createDataDir, createPrivateFile } from './data-dir.ts';
import { openExclusively } from './engine.ts';

export class DataDirLockedError extends Error {
  override readonly name = 'DataDirLockedError';
}

/** Keeps connections from being garbage collected, which would release the lock. */
const held = new Set<Connection>();

const OTHER_FOLDER_ADVICE = ' Stop that server, or set DATA_DIR to another folder.';

/** Returns a function that releases the lock. `advice`: what to do if another process has it. */
export function lockDataDir(dataDir: string, advice = OTHER_FOLDER_ADVICE): () => void {
  createDataDir(dataDir);
  const file = lockFile(dataDir);
  createPrivateFile(file);
  const connection = openExclusively(file);
  if (connection === undefined) {
    throw new DataDirLockedError(`The data folder ${dataDir} is in use by another server.${advice}`);
  }
  held.add(connection);
  return () => {
    if (held.delete(connection)) connection.close();
  };
}

/** Returns whether a server holds the lock. Changes nothing. */
export function isDataDirLocked(dataDir: string): boolean {
  const file = lockFile(dataDir);
  if (!existsSync(file)) return false;
  const connection = openExclusively(file);
  connection?.close();
  return connection === undefined;
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'serve.lock');
}
