/** Measures how much disk the embedded database takes, and whether enough is left. */
import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { StoreFullError } from '../../port/errors.ts';

/**
 * With less, the next write may be refused: the log grows to 4 MB before its pages go to the database file, which grows as
 * much, and a slice of rows or of an erasure takes some more.
 */
export const DISK_BYTES_FREE_MIN = 16_777_216;

export async function requireRoom(file: string): Promise<void> {
  const { bavail, bsize } = await statfs(path.dirname(file));
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
