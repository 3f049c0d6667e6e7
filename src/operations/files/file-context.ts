/** What every operation on bulk files and reports works with: their records, the place where they lie, and the time. */

import { LIMITS } from '../../domain/limits.ts';
import type { FilePlace } from '../../files/file-place.ts';
import type { Store } from '../../store/port.ts';
import type { KeptFiles } from './kept-files.ts';
import type { UploadsUnderWay } from './uploads-under-way.ts';

export interface FileContext {
  readonly store: FileRecords;
  readonly place: FilePlace;
  readonly limits: FileLimits;
  readonly uploads: UploadsUnderWay;
  readonly kept: Pick<KeptFiles, 'add'>;
  readonly nowMs: () => number;
  /** Called when a file or a report was handed over: whoever works on them need not wait for his next look. */
  readonly onFileReceived: () => void;
}

type FileRecords = Pick<Store, 'files' | 'reports'>;

export interface FileLimits {
  /** Of a file that is packed. */
  readonly fileBytesMax: number;
  /** Of one that is not, or when it is unpacked. */
  readonly fileUnpackedBytesMax: number;
  /** That uploads leave on the disk, for whatever else is written there. */
  readonly filesFreeBytesMin: number;
  /** Of an account, from the upload to the end of the work on it. */
  readonly filesWaitingBytesMax: number;
}

/** How long files are kept, with their records, and records of reports. */
export const RETENTION_MS = LIMITS.file_retention_days * 86_400_000;
/** How long an upload may wait to be handed over. */
export const UPLOAD_LIFETIME_MS = LIMITS.upload_lifetime_days * 86_400_000;

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether it can be the id of a file or a report at all; only then may it become part of a name. */
export function isFileId(text: string): boolean {
  return ID.test(text);
}
