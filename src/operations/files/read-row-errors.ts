/**
 * Use case: the holder of a signed URL reads the errors of a file's rows, or the rows to fix and resend. Both can be
 * read during processing; they are complete up to the position in the file's progress.
 */
import { Readable } from 'node:stream';
import type { Account } from '../../domain/account.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import type { FileFormat } from '../../domain/vocabulary/file-types.ts';
import { fileName } from '../../files/file-storage.ts';
import type { FileContext } from './file-context.ts';
import { readFile } from './read-file.ts';

export interface ReadBytes {
  readonly bytes: number;
  readonly open: () => Readable;
}

export interface RowFile extends ReadBytes {
  readonly format: FileFormat;
}

export async function readRowErrors(
  context: FileContext,
  account: Account,
  fileId: string,
  part: 'errors' | 'retry',
): Promise<Outcome<RowFile>> {
  const read = await readFile(context, account, fileId);
  if (!read.ok) return read;
  const { storage } = context;
  const file = read.value;
  const { errorBytes, retryBytes } = file.progress;
  const name = fileName(file, part);
  const length = part === 'errors' ? errorBytes : retryBytes;
  // The retry file has the format of the upload.
  const format = part === 'errors' ? 'JSON' : file.progress.format || 'JSON';
  if (length === 0) return accept(wholeText(format === 'JSON' ? '{}' : '', format));
  // The files may already be deleted, because they are deleted before their record.
  if (((await storage.size(name)) ?? 0) < length) return refuseRequest('file_not_found');
  const open = () => storage.read(name, 0, length);
  if (format !== 'JSON') return accept({ bytes: length, open, format });
  return accept({ bytes: length + 1, open: () => closed(open()), format });
}

/** Adds the closing brace, which the file on disk lacks because it may still grow. */
function closed(object: Readable): Readable {
  return Readable.from(
    (async function* () {
      yield* object;
      yield Buffer.from('}');
    })(),
    { objectMode: false },
  );
}

function wholeText(text: string, format: FileFormat): RowFile {
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, open: () => Readable.from([bytes], { objectMode: false }), format };
}
