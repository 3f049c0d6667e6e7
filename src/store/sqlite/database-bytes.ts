/** In charge of how much room the store takes on disk. */
import { stat } from 'node:fs/promises';

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
