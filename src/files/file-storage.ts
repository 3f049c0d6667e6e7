/**
 * The port to the storage of bulk files and reports. Today that is a folder (disk-file-storage.ts), which several
 * machines may share. An object store could replace it: the port needs only whole objects that appear at once, range
 * reads, and small files that grow.
 *
 * A file is named by its account and its id, so that an operator can tell whose it is.
 */
import type { Readable } from 'node:stream';

/** A file that is being written. Until `keep` is called, it has no name and cannot be read. */
export interface FileDraft {
  /** Resolves when the bytes are written, for back-pressure. Rejects with StorageFullError when the disk is full. */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the file durable and gives it its name. `exists`: the name is taken; the other file stays, and this one is deleted. */
  keep(): Promise<'kept' | 'exists'>;
  /** Deletes the draft. Does nothing after `keep` or `discard`. */
  discard(): Promise<void>;
}

export interface FileStorage {
  create(name: string): Promise<FileDraft>;
  /** Resolves with the size in bytes; undefined if there is no such file. */
  size(name: string): Promise<number | undefined>;
  /**
   * Reads the bytes from `from` up to, but not including, `to`, or to the end of the file if that comes first. The
   * stream fails with FileGoneError if there is no such file. A caller that does not read to the end must destroy it.
   */
  read(name: string, from?: number, to?: number): Readable;
  /**
   * Writes `bytes` at `at`, durably; at 0, creates the file if it is missing. Later bytes stay, because only the progress
   * tells whether they come from a caller that died or from one that continued. Rejects with FileGoneError when the
   * file is missing or shorter than `at`.
   */
  append(name: string, at: number, bytes: Uint8Array): Promise<void>;
  /** Also succeeds if the file does not exist. */
  remove(name: string): Promise<void>;
  /** Resolves with the free space in bytes. */
  freeBytes(): Promise<number>;
  /** Resolves with false if free space is below the minimum. Then every write fails with StorageFullError. */
  hasRoom(): Promise<boolean>;
  /** Deletes files that were not changed since `sinceMs`, including orphaned ones. Returns their number. */
  sweep(what: SweptFiles, sinceMs: number): Promise<number>;
}

/** Drafts whose writers are gone, expired reports, or everything. */
export type SweptFiles = 'drafts' | 'reports' | 'all';

/** A file does not exist or is shorter than before, because it was deleted. */
export class FileGoneError extends Error {
  override readonly name = 'FileGoneError';
}

/** The disk is full. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}

export interface FileKey {
  readonly accountId: number;
  readonly fileId: string;
}

/**
 * The files of a bulk file. `upload`: as uploaded. `errors`: the error file, JSON without its closing brace. `retry`: the
 * retry file, in the format of the upload; JSON without its closing brace. `deferred`: the list of deferred rows.
 */
const FILE_PARTS = ['upload', 'errors', 'retry', 'deferred'] as const;

export function fileName({ accountId, fileId }: FileKey, part: (typeof FILE_PARTS)[number]): string {
  return `${accountId}/${fileId}.${part}`;
}

export function namesOfFile(file: FileKey): readonly string[] {
  return FILE_PARTS.map((part) => fileName(file, part));
}

export function reportName({ accountId, reportId }: { accountId: number; reportId: string }): string {
  return `${accountId}/${reportId}.csv`;
}
