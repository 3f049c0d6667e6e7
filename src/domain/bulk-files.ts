/** Defines bulk files with their progress and the outcomes of their rows, and reports with their lines. */

import type { GroupOutcome, InventoryReading, NodeQuantity, ShownOffer, StoredParts } from './offers/part.ts';
import type { Evidence } from './review/facts.ts';
import type {
  Compression,
  ExportFormat,
  FileFormat,
  FileStatus,
  FileType,
  ReportFormat,
  ReportType,
} from './vocabulary/file-types.ts';
import type { OfferPart } from './vocabulary/offer-parts.ts';
import type { Status, SubStatus } from './vocabulary/statuses.ts';

/** An unrecognized field of rows. */
export interface IgnoredField {
  /** A JSON pointer; `*` stands for list indexes. */
  readonly field: string;
  /** The number of rows with the field. */
  readonly rows: number;
}

/**
 * How far a file has been processed. Covers the rows that are written and reported in the error and retry files. The progress is saved in
 * the commit of the next rows. After a crash, the rows of the last commit run again with the same sequence number, which changes nothing:
 * no row is lost, and none is counted twice.
 */
export interface FileProgress {
  /** `rows`: reading all rows. `waiting`: all were read, some were deferred. `again`: deferred rows are retried once. */
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
  /** The first errors. */
  readonly errorExcerpt: readonly string[];
  readonly ignoredFields: readonly IgnoredField[];
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
  errorExcerpt: [],
  ignoredFields: [],
});

export interface NewFile {
  readonly accountId: number;
  readonly fileId: string;
  readonly createdMs: number;
}

/** A file that was submitted by `POST /files/uploaded`. */
export interface BulkFile extends NewFile {
  readonly type: FileType;
  readonly name: string;
  /** Size on disk. */
  readonly bytes: number;
  readonly receivedMs: number;
  /** Sequence number of all its rows, drawn when the file is submitted. It orders the files of an account. */
  readonly number: number;
  readonly status: FileStatus;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  /** Its rows are checked against what is stored, and nothing is written. */
  readonly validateOnly: boolean;
  readonly progress: FileProgress;
}

/**
 * Unknown and archived SKUs, also among the children of a group, are reported first; then sequence numbers decide.
 *
 * `superseded`: the part, or every part of the row, was written after the file was submitted; nothing was changed. An inventory row is superseded if all its
 * nodes are, else the others are written; without nodes it is `stored`. A group is superseded if its parent or any child is.
 *
 * A row that changes the archive flag zeroes and numbers the stock as a single call does, except nodes that were written after the
 * file was submitted. (Buyers do not see them: the offer is archived, and unarchiving zeroes them.) A row that does not change the
 * flag only sets its number, so that deferred rows of older files do not reset it.
 */
export type RowOutcome = GroupOutcome | 'superseded';

/** A file or report whose bytes are stored. */
export interface KeptFile {
  readonly kind: 'file' | 'report';
  readonly accountId: number;
  readonly id: string;
}

export interface Report {
  readonly accountId: number;
  readonly reportId: string;
  /** `Storefront`: an export of the storefront, for the marketplace's account only. */
  readonly type: ReportType | 'Storefront';
  readonly format: ReportFormat | ExportFormat;
  /** Cursor from which the changes of the storefront continue an export; null for other reports. */
  readonly feedCursor: string | null;
  readonly requestedMs: number;
  readonly status: 'Requested' | 'Ready' | 'Failed';
  readonly endedMs: number | null;
  readonly bytes: number;
}

/** One line of the report ProductStatus. */
export interface ReportRow {
  readonly skuId: string;
  /** JSON text of the uploaded fields. */
  readonly document: string;
  /** Evidence of the last review; empty before the first. */
  readonly evidence: Evidence;
  readonly hasShippingException: boolean;
  /** Null before the first review. */
  readonly status: Status | null;
  readonly subStatuses: readonly SubStatus[];
  readonly price: number | null;
  /** In order of node id. */
  readonly nodes: readonly NodeQuantity[];
  readonly documentUpdatedMs: number;
  readonly priceUpdatedMs: number | null;
  /** The latest update of any node. */
  readonly inventoryUpdatedMs: number | null;
  /** Ids of the announced changes under which the offer would fail. */
  readonly upcoming: readonly number[];
}

/** One line of the report Fingerprints: the tags of the parts (see part-tags.ts), null for parts that are not set. */
export interface Fingerprint extends Readonly<Record<HashedPart, string | null>> {
  readonly skuId: string;
  readonly archived: boolean;
}

export type HashedPart = Exclude<OfferPart, 'archive'>;

/** One offer of the report Offers, as of one moment. */
export interface ReportOffer {
  readonly skuId: string;
  /** Null before the first review. */
  readonly status: Status | null;
  readonly subStatuses: readonly SubStatus[];
  readonly stored: StoredParts & { readonly offer: ShownOffer; readonly inventory: InventoryReading };
}
