/**
 * Use case: a client uploads the bytes of a file. They are written to a draft, which is renamed when it is complete. So
 * an interrupted upload leaves nothing behind, and a URL accepts one file.
 *
 * The file is renamed before the upload is recorded. A process that dies in between has not responded. When the client
 * sends the file again, the existing file is found and recorded.
 */

import type { Account } from '../../domain/account.ts';
import { accept, type Outcome, type Refused, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import { type FileDraft, PlaceFullError, uploadName } from '../../files/file-place.ts';
import type { FileContext, FileLimits } from './file-context.ts';
import { refuseUnknownFile } from './file-outcomes.ts';
import type { UploadUnderWay } from './uploads-under-way.ts';

export interface SentFile {
  /** The Content-Length; undefined when the client does not send it. */
  readonly announcedBytes: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** How many bytes may arrive before the account's limit is checked again. */
const CHECK_AFTER_BYTES = 33_554_432;

const GZIP_START = Object.freeze([0x1f, 0x8b]);

export async function takeUpload(
  context: FileContext,
  { accountId }: Account,
  fileId: string,
  sent: SentFile,
): Promise<Outcome<undefined>> {
  const taken = await context.uploads.run(accountId, (upload) => receive(context, { accountId, fileId }, sent, upload));
  if (taken !== undefined) return taken;
  return refuse([requestProblem('uploads_too_many', 'Too many uploads are in progress. Wait for one to finish.')]);
}

async function receive(
  context: FileContext,
  file: { accountId: number; fileId: string },
  sent: SentFile,
  upload: UploadUnderWay,
): Promise<Outcome<undefined>> {
  const { place, limits } = context;
  const name = uploadName(file);
  if ((await place.size(name)) !== undefined) return noteAndRefuse(context, file);
  if ((sent.announcedBytes ?? 0) > largestOf(limits)) return refuseTooLarge(largestOf(limits));
  if (!(await mayWait(context, file.accountId, upload, sent.announcedBytes ?? 0))) return refuseWaiting(limits);
  if (!(await hasRoomFor(context, sent.announcedBytes ?? 0))) return refuseFull();
  let draft: FileDraft | undefined;
  try {
    draft = await place.create(name);
    const filled = await fill(context, draft, sent.chunks, (bytes) => mayWait(context, file.accountId, upload, bytes));
    if ('ok' in filled) return filled;
    // The bytes count from now on, because a file that is cancelled before processing is kept too. They are counted first, because counting
    // may fail.
    await context.kept.add(file.accountId, filled.bytes);
    if ((await draft.keep()) === 'exists') return await noteAndRefuse(context, file);
    return await note(context, file, filled.bytes);
  } catch (error) {
    if (error instanceof PlaceFullError) return refuseFull();
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
    const bytes_max = GZIP_START.every((byte, place) => start[place] === byte)
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
  return refuse([requestProblem('body_missing', 'The upload is empty. Send the file as the body.')]);
}

async function note(
  { store, place }: FileContext,
  file: { accountId: number; fileId: string },
  bytes: number,
): Promise<Outcome<undefined>> {
  const noted = await store.files.noteUploaded(file.accountId, file.fileId, bytes);
  // A concurrent upload of the same file may have recorded it already.
  if (noted !== 'unknown') return accept(undefined);
  await place.remove(uploadName(file));
  return refuseUnknownFile();
}

/** Records a file that already exists, in case the first upload could not record it. */
async function noteAndRefuse(
  { store, place }: FileContext,
  file: { accountId: number; fileId: string },
): Promise<Refused> {
  const bytes = await place.size(uploadName(file));
  if (bytes !== undefined) await store.files.noteUploaded(file.accountId, file.fileId, bytes);
  return refuseRepeated();
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

async function hasRoomFor({ place, limits }: FileContext, bytes: number): Promise<boolean> {
  return (await place.freeBytes()) - bytes >= limits.filesFreeBytesMin;
}

function largestOf({ fileBytesMax, fileUnpackedBytesMax }: FileLimits): number {
  return Math.max(fileBytesMax, fileUnpackedBytesMax);
}

function refuseTooLarge(bytes_max: number): Refused {
  return refuse([requestProblem('file_too_large', `The file must have at most ${bytes_max} bytes.`)]);
}

function refuseWaiting({ filesWaitingBytesMax }: FileLimits): Refused {
  const text = `Unprocessed files have reached the limit of ${filesWaitingBytesMax} bytes. Submit or cancel some, or wait.`;
  return refuse([requestProblem('files_waiting_too_large', text)]);
}

export function refuseFull(): Refused {
  return refuse([
    requestProblem('disk_full', 'The server has no disk space for the file. Nothing was stored; retry later.'),
  ]);
}

function refuseRepeated(): Refused {
  const text = 'A file was already uploaded to this URL. Request a new URL for each file.';
  return refuse([requestProblem('file_uploaded_before', text)]);
}
