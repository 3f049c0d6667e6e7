/**
 * In charge of the lock that keeps a second server out of a data folder.
 *
 * It is SQLite's lock on a small file: the operating system lets go of it when the process ends, however it ends, so
 * no stale lock is left to be cleared by hand.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createDataDir, createPrivateFile } from './data-dir.ts';
import type { Connection } from './engine.ts';
import { openExclusively } from './engine.ts';

export class DataDirLockedError extends Error {
  override readonly name = 'DataDirLockedError';
}

/** Keeps held connections from being garbage collected, which would close them and give up the lock. */
const held = new Set<Connection>();

/** Returns the function that gives the lock up. `advice`: what to do where another process has it. */
export function lockDataDir(dataDir: string, advice = ''): () => void {
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

/** True while a server has the folder; leaves everything as it is. */
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
