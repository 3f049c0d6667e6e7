/**
 * Use case: the bytes of a file arrive. They go to a draft as they come, which gets its name when it is whole: an upload
 * that is cut off leaves nothing behind, and an address takes one file.
 *
 * The name is given before the upload is noted. A process that dies in between has not answered; whoever sends the file
 * again finds that it is there, and notes it.
 */

import type { Account } from '../../domain/account.ts';
import { accept, type Outcome, type Refused, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import { type FileDraft, PlaceFullError, uploadName } from '../../files/file-place.ts';
import type { FileContext, FileLimits } from './file-context.ts';
import { refuseUnknownFile } from './file-outcomes.ts';
import type { UploadUnderWay } from './uploads-under-way.ts';

export interface SentFile {
  /** What the client says that it will send; undefined where it does not say. */
  readonly announcedBytes: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** How often the bytes of the account are looked at while an upload grows. */
const LOOK_AFTER_BYTES = 33_554_432;

const GZIP_START = Object.freeze([0x1f, 0x8b]);

export async function takeUpload(
  context: FileContext,
  { accountId }: Account,
  fileId: string,
  sent: SentFile,
): Promise<Outcome<undefined>> {
  const taken = await context.uploads.run(accountId, (upload) =>
    takeInTurn(context, { accountId, fileId }, sent, upload),
  );
  if (taken !== undefined) return taken;
  return refuse([requestProblem('uploads_too_many', 'Too many of your uploads are under way; finish them first.')]);
}

async function takeInTurn(
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
    // Counted now, because a file that is cancelled is kept without any work on it; first, because this may fail.
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
  let inspect = LOOK_AFTER_BYTES;
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
    inspect = bytes + LOOK_AFTER_BYTES;
  }
  if (bytes > 0) return (await mayHave(bytes)) ? { bytes } : refuseWaiting(limits);
  return refuse([requestProblem('body_missing', 'The upload has no bytes; send the file as the body.')]);
}

async function note(
  { store, place }: FileContext,
  file: { accountId: number; fileId: string },
  bytes: number,
): Promise<Outcome<undefined>> {
  const noted = await store.files.noteUploaded(file.accountId, file.fileId, bytes);
  // One who came too late may have noted it before.
  if (noted !== 'unknown') return accept(undefined);
  await place.remove(uploadName(file));
  return refuseUnknownFile();
}

/** The file is there. It is noted again, in case that whoever sent it could not. */
async function noteAndRefuse(
  { store, place }: FileContext,
  file: { accountId: number; fileId: string },
): Promise<Refused> {
  const bytes = await place.size(uploadName(file));
  if (bytes !== undefined) await store.files.noteUploaded(file.accountId, file.fileId, bytes);
  return refuseRepeated();
}

/** Notes how large the upload is, and says whether all files of the account that are not done may have that much. */
async function mayWait(
  { store, uploads, limits }: FileContext,
  accountId: number,
  upload: UploadUnderWay,
  bytes: number,
): Promise<boolean> {
  const waiting = await store.files.readWaitingBytes(accountId);
  // No wait between the two: of uploads that are too large together the first goes on.
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
  const text =
    `Your files that are not done would have more than ${filesWaitingBytesMax} bytes together; ` +
    'hand over or cancel some, or wait for them.';
  return refuse([requestProblem('files_waiting_too_large', text)]);
}

function refuseFull(): Refused {
  return refuse([requestProblem('disk_full', 'There is no room for the file now; nothing was kept. Try again later.')]);
}

function refuseRepeated(): Refused {
  const text = 'A file was uploaded to this address before; ask for another address to send another file.';
  return refuse([requestProblem('file_uploaded_before', text)]);
}
