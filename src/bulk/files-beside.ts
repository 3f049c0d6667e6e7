/**
 * In charge of the files beside a bulk file while it is worked on: errors, rows to retry, rows set aside. How long each is
 * stands in the progress, and what is written goes behind that: bytes of a slice whose progress was never stored are
 * overwritten by whoever does the slice again.
 */
import type { BulkFile, FileProgress } from '../store/file-port.ts';
import type { FileFault } from './file-fault.ts';
import { asideName, errorsName, type FilePlace, retryName } from './file-place.ts';
import type { CheckedRow } from './row-checks.ts';
import { errorText, extendExcerpt, type FailedRow, faultText, retryText } from './row-errors.ts';
import { asideBytes } from './rows-aside.ts';

export type BesidePlace = Pick<FilePlace, 'append'>;

/** The lengths, the first errors and the number of faults, as they are once everything was written. */
type Lengths = Pick<FileProgress, 'errorBytes' | 'retryBytes' | 'asideBytes' | 'errorExcerpt' | 'fileFaults'>;

/** Durable when it resolves. */
export async function noteRows(
  place: BesidePlace,
  file: BulkFile,
  progress: FileProgress,
  failed: readonly FailedRow[],
  aside: readonly CheckedRow[],
): Promise<Lengths> {
  if (failed.length === 0 && aside.length === 0) return progress;
  const append = (name: string, at: number, bytes: Buffer) =>
    bytes.length === 0 ? at : place.append(name, at, bytes).then(() => at + bytes.length);
  const { errorBytes, retryBytes } = progress;
  const lengths = await Promise.all([
    append(errorsName(file), errorBytes, Buffer.from(errorText(failed, errorBytes > 0))),
    append(retryName(file), retryBytes, Buffer.from(retryText(failed, retryBytes > 0))),
    append(asideName(file), progress.asideBytes, asideBytes(aside)),
  ]);
  const told = failed.map(({ row, problems }) => ({ key: row.key, problems }));
  return {
    errorBytes: lengths[0],
    retryBytes: lengths[1],
    asideBytes: lengths[2],
    fileFaults: progress.fileFaults,
    errorExcerpt: withErrors(progress, told),
  };
}

/** A fault of the file stands with the errors of rows; there is no row to retry. */
export async function noteFault(
  place: BesidePlace,
  file: BulkFile,
  progress: FileProgress,
  fault: FileFault,
): Promise<Lengths> {
  const { errorBytes, retryBytes, asideBytes } = progress;
  const bytes = Buffer.from(faultText(fault, errorBytes > 0));
  await place.append(errorsName(file), errorBytes, bytes);
  const errorExcerpt = withErrors(progress, [{ key: '', problems: [fault.problem] }]);
  const fileFaults = progress.fileFaults + 1;
  return { errorBytes: errorBytes + bytes.length, retryBytes, asideBytes, fileFaults, errorExcerpt };
}

function withErrors({ errorExcerpt }: FileProgress, failed: Parameters<typeof extendExcerpt>[1]): string {
  const excerpt = JSON.parse(errorExcerpt) as readonly string[];
  const extended = extendExcerpt(excerpt, failed);
  return extended === excerpt ? errorExcerpt : JSON.stringify(extended);
}
