/** Defines the messages between the bulk file thread and the threads that check rows of SKU files for it. */
import type { Int64 } from '../../domain/int64.ts';
import type { NameSettings } from '../../domain/names.ts';
import type { FileFormat } from '../../domain/vocabulary/file-types.ts';
import type { Entry } from '../rows/entry.ts';

/** The data that a thread starts with. */
export interface CheckThreadData {
  readonly names: NameSettings;
}

/** Rows of one piece of a file. Both arrays are transferred. */
export interface RowBatch {
  readonly format: FileFormat;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The offsets of each row: `OFFSETS` of its entry, one after the other. */
  readonly offsets: Int32Array<ArrayBuffer>;
}

export const OFFSETS = [
  'keyStart',
  'keyEnd',
  'valueStart',
  'valueEnd',
  'membersStart',
] as const satisfies readonly (keyof Entry)[];

/** The rows of a batch, as a list per field: cloning few lists costs less than cloning an object per row. */
export interface CheckedBatch {
  readonly skuIds: readonly string[];
  /** Null: the row has a problem, or may have one. The bulk file thread checks it again, which also finds its position in the file. */
  readonly documents: readonly (string | null)[];
  /** The browse node that each row names, which the bulk file thread looks up: it has the current taxonomy. */
  readonly browseNodeIds: readonly (Int64 | undefined)[];
  /** Only rows with unrecognized fields. */
  readonly ignored: ReadonlyMap<number, readonly string[]>;
}
