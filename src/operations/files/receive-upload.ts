/**
 * Use case: a client uploads the bytes of a file. They are written to a draft, which is renamed when it is complete. So
 * an interrupted upload leaves nothing behind, and a URL accepts one file.
 *
 * The file is renamed before the upload is recorded. A process that dies in between has not responded. When the client
 * sends the file again, the existing file is found and recorded.
 */
import type { Account } from '../../domain/account.ts';
import { accept, type Outcome, type Refused, refuseRequest } from '../../domain/outcome.ts';
import { type FileDraft, type FileKey, fileName, StorageFullError } from '../../files/file-storage.ts';
import type { FileContext, FileLimits } from './file-context.ts';
import type { UploadUnderWay } from './uploads-under-way.ts';

export interface SentFile {
  /** The Content-Length; undefined when the client does not send it. */
  readonly announcedBytes: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** How many bytes may arrive before the account's limit is checked again. */
const CHECK_AFTER_BYTES = 33_554_432;

const GZIP_START = Object.freeze([0x1f, 0x8b]);

export async function receiveUpload(
  context: FileContext,
  { accountId }: Account,
  fileId: string,
  sent: SentFile,
): Promise<Outcome<undefined>> {
  const taken = await context.uploads.run(accountId, (upload) => receive(context, { accountId, fileId }, sent, upload));
  return taken ?? refuseRequest('uploads_too_many');
}

async function receive(
  context: FileContext,
  file: FileKey,
  sent: SentFile,
  upload: UploadUnderWay,
): Promise<Outcome<undefined>> {
  const { storage, limits } = context;
  const name = fileName(file, 'upload');
  if ((await storage.size(name)) !== undefined) return noteAndRefuse(context, file);
  if ((sent.announcedBytes ?? 0) > largestOf(limits)) return refuseTooLarge(largestOf(limits));
  if (!(await mayWait(context, file.accountId, upload, sent.announcedBytes ?? 0))) return refuseWaiting(limits);
  if (!(await hasRoomFor(context, sent.announcedBytes ?? 0))) return refuseFull();
  let draft: FileDraft | undefined;
  try {
    draft = await storage.create(name);
    const filled = await fill(context, draft, sent.chunks, (bytes) => mayWait(context, file.accountId, upload, bytes));
    if ('ok' in filled) return filled;
    // The bytes count from now on, because a file that is cancelled before processing is kept too. They are counted first, because counting
    // may fail.
    await context.kept.add(file.accountId, filled.bytes);
    if ((await draft.keep()) === 'exists') return await noteAndRefuse(context, file);
    return await note(context, file, filled.bytes);
  } catch (error) {
    if (error instanceof StorageFullError) return refuseFull();
    throw error;
  } finally {
    await draft?.discard();
  }
}

async function fill(
  context: FileContext,
  draft: FileDraft,
  chunks: AsyncIterable<Uint8Array>,
  mayHave: (bytes: number) => Promise<boolean>,
): Promise<Refused | { readonly bytes: number }> {
  const { limits } = context;
  const start: number[] = [];
  let bytes = 0;
  let inspect = CHECK_AFTER_BYTES;
  for await (const chunk of chunks) {
    if (start.length < GZIP_START.length) start.push(...chunk.subarray(0, GZIP_START.length - start.length));
    const bytes_max = GZIP_START.every((byte, index) => start[index] === byte)
      ? limits.fileBytesMax
      : limits.fileUnpackedBytesMax;
    bytes += chunk.length;
    if (bytes > bytes_max) return refuseTooLarge(bytes_max);
    await draft.write(chunk);
    if (bytes < inspect) continue;
    if (!(await mayHave(bytes))) return refuseWaiting(limits);
    inspect = bytes + CHECK_AFTER_BYTES;
  }
  if (bytes > 0) return (await mayHave(bytes)) ? { bytes } : refuseWaiting(limits);
  return refuseRequest('body_missing', 'The upload is empty. Send the file as the body.');
}

async function note({ store, storage }: FileContext, file: FileKey, bytes: number): Promise<Outcome<undefined>> {
  const noted = await store.files.noteUploaded(file.accountId, file.fileId, bytes);
  // A concurrent upload of the same file may have recorded it already.
  if (noted !== 'unknown') return accept(undefined);
  await storage.remove(fileName(file, 'upload'));
  return refuseRequest('file_not_found');
}

/** Records a file that already exists, in case the first upload could not record it. */
async function noteAndRefuse({ store, storage }: FileContext, file: FileKey): Promise<Refused> {
  const bytes = await storage.size(fileName(file, 'upload'));
  if (bytes !== undefined) await store.files.noteUploaded(file.accountId, file.fileId, bytes);
  return refuseRequest('file_uploaded_before');
}

/** Records the size of the upload, and returns whether the account's unprocessed files stay within the limit. */
async function mayWait(
  { store, uploads, limits }: FileContext,
  accountId: number,
  upload: UploadUnderWay,
  bytes: number,
): Promise<boolean> {
  const waiting = await store.files.readWaitingBytes(accountId);
  // There is no await between these two lines. So if two uploads together exceed the limit, the first one continues.
  upload.bytes = Math.max(upload.bytes, bytes);
  return waiting + uploads.bytes(accountId) <= limits.filesWaitingBytesMax;
}

async function hasRoomFor({ storage, limits }: FileContext, bytes: number): Promise<boolean> {
  return (await storage.freeBytes()) - bytes >= limits.filesFreeBytesMin;
}

function largestOf({ fileBytesMax, fileUnpackedBytesMax }: FileLimits): number {
  return Math.max(fileBytesMax, fileUnpackedBytesMax);
}

function refuseTooLarge(bytes_max: number): Refused {
  return refuseRequest('file_too_large', `The file must have at most ${bytes_max} bytes.`);
}

function refuseWaiting({ filesWaitingBytesMax }: FileLimits): Refused {
  const text = `Unprocessed files have reached the limit of ${filesWaitingBytesMax} bytes. Submit or cancel some, or wait.`;
  return refuseRequest('files_waiting_too_large', text);
}

export function refuseFull(): Refused {
  return refuseRequest('disk_full', 'The server has no disk space for the file. Nothing was stored; retry later.');
}

/** Reads a small file into memory. Returns the bytes in a separate buffer, which can be transferred to another thread. */
export async function collectBytes(
  { announcedBytes = 0, chunks }: SentFile,
  bytes_max: number,
): Promise<Uint8Array<ArrayBuffer> | 'too_large'> {
  if (announcedBytes > bytes_max) return 'too_large';
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > bytes_max) return 'too_large';
    parts.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
