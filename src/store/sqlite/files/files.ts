/** Composes bulk files on SQLite: writes rows in the background lane. */
import type { FileStore } from '../../port/files.ts';
import type { ThreadClient } from '../threads/thread-client.ts';
import { calls } from '../threads/thread-methods.ts';
import type { WriterService } from '../threads/writer-service.ts';
import { columnsOf } from './file-rows.ts';

/**
 * The writer takes some 5 ms for this many prices, or a third as many documents of 1.4 KB, and a single call may wait for a
 * whole slice. Smaller slices pay more for commits: at 400 documents a row takes a tenth less time.
 */
const SLICE_ROWS_MAX = 800;
const UPLOAD_WEIGHT = 3;

export function filesOn(
  records: Omit<FileStore, 'applyRows' | 'applyLate' | 'slice_rows_max' | 'upload_weight'>,
  writer: ThreadClient<WriterService>,
): FileStore {
  const { applyRows } = calls(writer, 'files', ['applyRows'], 'background');
  const { applyLate } = calls(writer, 'files', ['applyLate']);
  return {
    ...records,
    slice_rows_max: SLICE_ROWS_MAX,
    upload_weight: UPLOAD_WEIGHT,
    async applyRows(file, done, rows, nowMs) {
      if (rows.length > SLICE_ROWS_MAX) throw new Error(`${rows.length} rows are too many for one slice.`);
      return applyRows(file, done, columnsOf(rows), nowMs);
    },
    applyLate: (key, row, number, nowMs) => applyLate(key, columnsOf([row]), number, nowMs),
  };
}
