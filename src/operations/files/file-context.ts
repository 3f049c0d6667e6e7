/** Defines the context of every operation on bulk files and reports: their records, their storage and the time. */

import type { BulkFile } from '../../domain/bulk-files.ts';
import { LIMITS } from '../../domain/limits.ts';
import { DAY_MS } from '../../domain/vocabulary/iso-time.ts';
import type { FileStorage } from '../../files/file-storage.ts';
import type { Store } from '../../store/port.ts';
import type { KeptFiles } from './kept-files.ts';
import type { UploadsUnderWay } from './uploads-under-way.ts';

export interface FileContext {
  readonly store: FileRecords;
  readonly storage: FileStorage;
  readonly limits: FileLimits;
  readonly uploads: UploadsUnderWay;
  readonly kept: Pick<KeptFiles, 'add'>;
  /** Yields the SKU ids of the rows of a file. An id that is repeated later may occur again. */
  readonly readKeys: (file: BulkFile) => AsyncIterable<readonly string[]>;
  readonly nowMs: () => number;
  /** Called when a file or a report is submitted, so that work on it starts immediately. */
  readonly onFileReceived: () => void;
}

type FileRecords = Pick<Store, 'files' | 'reports'>;

export interface FileLimits {
  /** Limit for a compressed file. */
  readonly fileBytesMax: number;
  /** Limit for an uncompressed file, or after decompression. */
  readonly fileUnpackedBytesMax: number;
  /** Free disk space that uploads leave for other data. */
  readonly filesFreeBytesMin: number;
  /** Limit per account, from the upload until processing ends. */
  readonly filesWaitingBytesMax: number;
}

/** Retention of files with their records, and of report records. */
export const RETENTION_MS = LIMITS.file_retention_days * DAY_MS;
/** How long an upload may wait to be submitted. */
export const UPLOAD_LIFETIME_MS = LIMITS.upload_lifetime_days * DAY_MS;

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the text has the form of a file or report id. Only then may it become part of a file name. */
export function isFileId(text: string): boolean {
  return ID.test(text);
}
