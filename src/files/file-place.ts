/**
 * The place where bulk files and reports lie, as Offerbook asks for it. Today that is a folder (disk-file-place.ts), which
 * several machines may share; a bucket can take its place: nothing here needs more than whole objects that appear at
 * once, reads of ranges, and small files that grow.
 *
 * A file is named by its account and its own id, so that an operator sees what lies here of whom.
 */
import type { Readable } from 'node:stream';

/** A file that is being written. It has no name, and cannot be read, until it is kept. */
export interface FileDraft {
  /** Resolves when the bytes are written, which gives callers back-pressure. Rejects with PlaceFullError when there is no room. */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes it durable and gives it its name. `exists`: another one has that name, which stays; this one is gone. */
  keep(): Promise<'kept' | 'exists'>;
  /** Leaves nothing behind. Does nothing when it was kept or discarded before. */
  discard(): Promise<void>;
}

export interface FilePlace {
  create(name: string): Promise<FileDraft>;
  /** In bytes; undefined where there is no such file. */
  size(name: string): Promise<number | undefined>;
  /**
   * The bytes from `from` up to, but without, `to`; to the end without one. Less where the file is shorter. The stream
   * fails with FileGoneError when there is no such file. A caller that does not read to the end must destroy it.
   */
  read(name: string, from?: number, to?: number): Readable;
  /**
   * Puts `bytes` at `at`, durably; a file that is not there begins empty. What stands behind may be of a caller who died
   * before he noted it, or of one who has gone on meanwhile: it stays, and only the progress says whether it is valid. FileGoneError when the file is shorter than `at`.
   */
  append(name: string, at: number, bytes: Uint8Array): Promise<void>;
  /** One that is not there is as good as removed. */
  remove(name: string): Promise<void>;
  /** How much more fits. */
  freeBytes(): Promise<number>;
  /** False where less is free than the place must leave: every write fails with PlaceFullError then. */
  hasRoom(): Promise<boolean>;
  /** Removes files that were not changed since then, also orphaned ones. Returns how many. */
  sweep(what: SweptFiles, sinceMs: number): Promise<number>;
}

/** Drafts whose writers are gone, reports that have expired, or simply everything. */
export type SweptFiles = 'drafts' | 'reports' | 'all';

/** A file is not there, or not as long as it was: it was removed. */
export class FileGoneError extends Error {
  override readonly name = 'FileGoneError';
}

/** The place has no room left. */
export class PlaceFullError extends Error {
  override readonly name = 'PlaceFullError';
}

interface FileKey {
  readonly accountId: number;
  readonly fileId: string;
}

/** As it was sent: JSON, plain or gzip. */
export function uploadName({ accountId, fileId }: FileKey): string {
  return `${accountId}/${fileId}.upload`;
}

/** Errors of rows, in JSON that lacks its last brace. */
export function errorsName({ accountId, fileId }: FileKey): string {
  return `${accountId}/${fileId}.errors`;
}

/** The rows that failed, in JSON that lacks its last brace. */
export function retryName({ accountId, fileId }: FileKey): string {
  return `${accountId}/${fileId}.retry`;
}

/** Which rows were deferred. */
export function deferredName({ accountId, fileId }: FileKey): string {
  return `${accountId}/${fileId}.aside`;
}

/** All that one bulk file may have left. */
export function namesOfFile(file: FileKey): readonly string[] {
  return [uploadName(file), errorsName(file), retryName(file), deferredName(file)];
}

export function reportName({ accountId, reportId }: { accountId: number; reportId: string }): string {
  return `${accountId}/${reportId}.csv`;
}
