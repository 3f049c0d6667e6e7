/** Tracks how far a bulk file has been processed. */
import type { Compression, FileFormat } from './vocabulary/file-types.ts';

/**
 * Covers the rows that are written and reported in the error and retry files. The progress is saved in the commit of the
 * next rows. After a crash, the rows of the last commit run again with the same sequence number, which changes nothing:
 * no row is lost, and none is counted twice.
 */
export interface FileProgress {
  /**
   * `rows`: reading all rows. `waiting`: all were read, some were deferred. `again`: deferred rows are retried once.
   */
  readonly phase: 'rows' | 'waiting' | 'again';
  /** Empty until the first bytes are read, or if they match no format. */
  readonly format: FileFormat | '';
  readonly compression: Compression | '';
  /** Position in the unpacked file: everything before it is done in this phase. */
  readonly offset: number;
  /** Bytes read of the file as uploaded; for display. */
  readonly bytesRead: number;
  /** Number of finished rows, including failed and superseded rows, but not deferred rows. */
  readonly rowsProcessed: number;
  readonly rowsFailed: number;
  readonly rowsSuperseded: number;
  readonly rowsWaiting: number;
  /** Number of errors of the file as a whole. Each is listed with the errors of rows. */
  readonly fileFaults: number;
  /** Valid lengths of the error file, the retry file and the deferred rows. The rest belongs to rows that are not counted here. */
  readonly errorBytes: number;
  readonly retryBytes: number;
  readonly deferredBytes: number;
  /** JSON text of the list of the first errors. */
  readonly errorExcerpt: string;
  /** JSON text of the list of unrecognized fields, each `{field, rows}`. */
  readonly ignoredFields: string;
}

/** The progress of a file before its first row. */
export const NO_PROGRESS: FileProgress = Object.freeze({
  phase: 'rows',
  format: '',
  compression: '',
  offset: 0,
  bytesRead: 0,
  rowsProcessed: 0,
  rowsFailed: 0,
  rowsSuperseded: 0,
  rowsWaiting: 0,
  fileFaults: 0,
  errorBytes: 0,
  retryBytes: 0,
  deferredBytes: 0,
  errorExcerpt: '[]',
  ignoredFields: '[]',
});
