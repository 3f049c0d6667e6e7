/** Bulk files on PostgreSQL: rows are written natively, records by shared commands. */
import type { FileStore } from '../../port/files.ts';
import { type FileRows, SLICE_ROWS_MAX, UPLOAD_WEIGHT } from './file-rows.ts';

export function filesOn(
  records: Omit<FileStore, 'applyRows' | 'slice_rows_max' | 'upload_weight'>,
  rows: FileRows,
): FileStore {
  return {
    ...records,
    slice_rows_max: SLICE_ROWS_MAX,
    upload_weight: UPLOAD_WEIGHT,
    applyRows: (...slice) => rows.apply(...slice),
  };
}
