/** In charge of the data folder and its files, which only their owner may read: they hold merchants' secrets. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailableError } from '../port.ts';

/** Creates what is missing and returns the path of the database file. */
export function createDatabaseFile(dataDir: string): string {
  createDataDir(dataDir);
  const file = join(dataDir, 'offerbook.db');
  createPrivateFile(file);
  return file;
}

export function createDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreUnavailableError(`The data folder ${dataDir} cannot be created.`, { cause: error });
  }
}

/** SQLite gives the files beside it (`-wal`, `-shm`) the mode of this one. */
export function createPrivateFile(file: string): void {
  try {
    // 'wx' never opens a file that is there: closing it again would drop the locks this process holds on it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw new StoreUnavailableError(`The file ${file} cannot be created.`, { cause: error });
  }
}
