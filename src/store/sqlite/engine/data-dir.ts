/** Creates the data folder and its files, and measures the disk. Only the owner may read the files, because they contain secrets. */

import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { sizeText } from '../../../domain/vocabulary/sizes.ts';
import { StoreFullError, StoreUnavailableError } from '../../port/errors.ts';

export function databaseFile(dataDir: string): string {
  return join(dataDir, 'offerbook.db');
}

/** See log-mark.ts. */
export function markFile(file: string): string {
  return `${file}-mark`;
}

/** Throws StoreUnavailableError if this user may not enter the folder: the database may exist. */
export function hasDatabaseFile(dataDir: string): boolean {
  try {
    return statSync(databaseFile(dataDir), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const text = `The data folder ${dataDir} cannot be read: ${readingReasonOf(error)}.`;
    throw new StoreUnavailableError(text, { cause: error });
  }
}

/** Creates what is missing and returns the path of the database file. */
export function createDatabaseFile(dataDir: string): string {
  createDataDir(dataDir);
  const file = databaseFile(dataDir);
  // The mark of a removed database would seem to be this one's if the system uses the inode again.
  if (createPrivateFile(file)) rmSync(markFile(file), { force: true });
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

/** Does not use `mkdirSync` with `recursive`, which loops forever if an existing parent reports that it does not exist, as in `/proc`. */
function createFolder(dir: string): void {
  if (isFolder(dir)) return;
  if (dirname(dir) !== dir) createFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // A process that starts at the same time may have been first.
    if (!isThere(error) || !isFolder(dir)) throw error;
  }
}

/**
 * Creates a file that only the owner may read. SQLite gives its `-wal` and `-shm` files the mode of the database. Returns false if the file
 * exists.
 */
export function createPrivateFile(file: string): boolean {
  try {
    // 'wx' never opens an existing file: closing it would drop the locks this process holds on it.
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (isThere(error)) return false;
    throw new StoreUnavailableError(`The file ${file} cannot be created: ${reasonOf(error)}.`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'user USER has no write permission there',
  EPERM: 'the system does not allow it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of user USER is used up',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'a file with that name exists',
  ENOENT: 'the folder does not exist',
};

const REASONS_AGAINST_READING: Readonly<Record<string, string>> = {
  ...REASONS,
  EACCES: 'user USER has no read permission',
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
};

/** Explains why a file cannot be read. */
export function readingReasonOf(error: unknown): string {
  return reasonOf(error, REASONS_AGAINST_READING);
}

/** Explains why a file cannot be created or written. */
export function reasonOf(error: unknown, reasons = REASONS): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code]?.replace('USER', userName()) ?? message;
}

/** A user in a container may have no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.());
  }
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
 * With less free space, the next write may be refused: the log grows to 4 MB before its pages move to the database file, which grows as
 * much, and a slice of rows or of an erasure needs more.
 */
export const DISK_BYTES_FREE_MIN = 16_777_216;

export async function requireRoom(file: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(file));
  if (bavail * bsize >= DISK_BYTES_FREE_MIN) return;
  const text = `The disk that holds ${file} is full: less than ${sizeText(DISK_BYTES_FREE_MIN)} is free. Free some space.`;
  throw new StoreFullError(text);
}

/** Returns the size of the database and its log; missing files count 0. */
export async function databaseBytes(file: string): Promise<number> {
  const found = await Promise.allSettled([file, `${file}-wal`].map((each) => stat(each)));
  return found.reduce((sum, each) => sum + (each.status === 'fulfilled' ? each.value.size : 0), 0);
}
