/** How far a bulk file has been processed. */

/**
 * How far a file has come: rows that are written, counted, and told in the files beside it. It moves in the commit of the
 * rows that follow. So rows of the last commit are done again after a crash, which changes nothing, because they have
 * the same number; no row is lost, and none is counted twice.
 */
export interface FileProgress {
  /**
   * `rows`: from the first row to the last. `waiting`: all were read, some were deferred. `again`: those are tried once
   * more.
   */
  readonly phase: 'rows' | 'waiting' | 'again';
  /** Of the unpacked file: all before it is done in this phase. */
  readonly offset: number;
  /** Of the file as it was sent, as far as it was read; for people who watch. */
  readonly bytesRead: number;
  /** Done with, whatever became of them; the failed and the superseded ones included, those deferred not. */
  readonly rowsProcessed: number;
  readonly rowsFailed: number;
  readonly rowsSuperseded: number;
  readonly rowsWaiting: number;
  /** Of the file as a whole; each stands with the errors of rows. */
  readonly fileFaults: number;
  /** Lengths of the files beside it, as far as they belong to the rows counted here; what is behind is not valid. */
  readonly errorBytes: number;
  readonly retryBytes: number;
  readonly deferredBytes: number;
  /** JSON text of the list of the first errors. */
  readonly errorExcerpt: string;
  /** JSON text of the list of fields that rows have and no rule knows, `{field, rows}` each. */
  readonly ignoredFields: string;
}

/** Of a file that nobody has begun. */
export const NO_PROGRESS: FileProgress = Object.freeze({
  phase: 'rows',
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
