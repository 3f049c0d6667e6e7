/** In charge of the data folder and its files, which only their owner may read: they hold merchants' secrets. Measures their disk. */

import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreFullError, StoreUnavailableError } from '../../port/errors.ts';

export function databaseFile(dataDir: string): string {
  return join(dataDir, 'offerbook.db');
}

/** Creates what is missing and returns the path of the database file. */
export function createDatabaseFile(dataDir: string): string {
  createDataDir(dataDir);
  const file = databaseFile(dataDir);
  createPrivateFile(file);
  return file;
}

export function createDataDir(dataDir: string): void {
  try {
    createFolder(dataDir);
  } catch (error) {
    const text = `The data folder ${dataDir} cannot be created: ${reasonOf(error)}.`;
    throw new StoreUnavailableError(text, { cause: error });
  }
}

/**
 * Not `mkdirSync` with `recursive`: that one asks for ever where a parent exists and answers that it does not, as
 * `/proc` does.
 */
function createFolder(dir: string): void {
  if (isFolder(dir)) return;
  if (dirname(dir) !== dir) createFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same time may have been first.
    if (!isThere(error) || !isFolder(dir)) throw error;
  }
}

/** SQLite gives the files beside it (`-wal`, `-shm`) the mode of this one. */
export function createPrivateFile(file: string): void {
  try {
    // 'wx' never opens a file that is there: closing it again would drop the locks this process holds on it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (isThere(error)) return;
    throw new StoreUnavailableError(`The file ${file} cannot be created: ${reasonOf(error)}.`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'the system does not allow it',
  EROFS: 'the file system can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'there is a file of that name',
  ENOENT: 'there is no place for it',
};

const REASONS_AGAINST_READING: Readonly<Record<string, string>> = {
  ...REASONS,
  EACCES: 'this user may not read it',
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
};

/** What the operating system had against reading a file, in words. */
export function readingReasonOf(error: unknown): string {
  return inWords(REASONS_AGAINST_READING, error);
}

/** What the operating system had against making or writing a file, in words. */
export function reasonOf(error: unknown): string {
  return inWords(REASONS, error);
}

function inWords(reasons: Readonly<Record<string, string>>, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * With less, the next write may be refused: the log grows to 4 MB before its pages go to the database file, which grows as
 * much, and a slice of rows or of an erasure takes some more.
 */
export const DISK_BYTES_FREE_MIN = 16_777_216;

export async function requireRoom(file: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(file));
  if (bavail * bsize >= DISK_BYTES_FREE_MIN) return;
  throw new StoreFullError(`The disk of ${file} is full: it has less than ${DISK_BYTES_FREE_MIN} bytes left.`);
}

/** Of the database and its write-ahead log; what is not there takes none. */
export async function databaseBytes(file: string): Promise<number> {
  const sizes = await Promise.all([file, `${file}-wal`].map(bytesOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function bytesOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
