/**
 * Use case: the holder of a signed URL reads the errors of a file's rows, or the rows to fix and resend. Both can be
 * read during processing; they are complete up to the position in the file's progress.
 */
import { Readable } from 'node:stream';
import type { Account } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { errorsName, retryName } from '../../files/file-place.ts';
import type { FileContext } from './file-context.ts';
import { refuseUnknownFile } from './file-outcomes.ts';
import { readFile } from './read-file.ts';

export interface ReadBytes {
  readonly bytes: number;
  readonly open: () => Readable;
}

export async function readRowErrors(
  context: FileContext,
  account: Account,
  fileId: string,
  part: 'errors' | 'retry',
): Promise<Outcome<ReadBytes>> {
  const read = await readFile(context, account, fileId);
  if (!read.ok) return read;
  const { place } = context;
  const file = read.value;
  const { errorBytes, retryBytes } = file.progress;
  const [name, length] = part === 'errors' ? [errorsName(file), errorBytes] : [retryName(file), retryBytes];
  if (length === 0) return accept(wholeText('{}'));
  // The record is deleted after the files.
  if (((await place.size(name)) ?? 0) < length) return refuseUnknownFile();
  return accept({ bytes: length + 1, open: () => closed(place.read(name, 0, length)) });
}

/** On disk the file lacks its closing brace, because it is still growing. */
function closed(object: Readable): Readable {
  return Readable.from(
    (async function* () {
      yield* object;
      yield Buffer.from('}');
    })(),
    { objectMode: false },
  );
}

function wholeText(text: string): ReadBytes {
  return { bytes: Buffer.byteLength(text), open: () => Readable.from([Buffer.from(text)], { objectMode: false }) };
}
