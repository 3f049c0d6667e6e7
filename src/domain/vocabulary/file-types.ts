/** The types and statuses of bulk files, spelled as integrators read and write them. */
import { FILE_TYPE_OF, type OfferPart } from './offer-parts.ts';

/** The types whose rows write one part. */
export type PartFileType = (typeof FILE_TYPE_OF)[OfferPart];
/** Rows of `Offers` write several parts. */
export type FileType = PartFileType | 'Offers';
export const FILE_TYPES: readonly FileType[] = Object.freeze([...Object.values(FILE_TYPE_OF), 'Offers']);
/** The types whose rows may add SKUs. */
export const TYPES_THAT_ADD_SKUS: readonly FileType[] = Object.freeze(['MerchantSKUs', 'Offers']);

/** How the rows of a file are written. The server detects it by the first bytes. */
export const FILE_FORMATS = Object.freeze(['JSON', 'NDJSON', 'CSV'] as const);
export type FileFormat = (typeof FILE_FORMATS)[number];

export const COMPRESSIONS = Object.freeze(['none', 'gzip'] as const);
export type Compression = (typeof COMPRESSIONS)[number];

/** The types for which the portal reads and writes spreadsheets. */
export const SHEET_TYPES = Object.freeze([
  'Offers',
  'MerchantSKUs',
  'Price',
  'Inventory',
  'Archive',
] as const satisfies readonly FileType[]);

export type SheetType = (typeof SHEET_TYPES)[number];

/**
 * `ProductStatus`: the status of each offer. `Fingerprints`: a hash of each part, to find what differs. `Offers`: all parts, as files of
 * type `Offers` take them.
 */
export const REPORT_TYPES = Object.freeze(['ProductStatus', 'Fingerprints', 'Offers'] as const);
export type ReportType = (typeof REPORT_TYPES)[number];
/** The formats of the report `Offers`. The other reports are CSV. */
export const REPORT_FORMATS = Object.freeze(['NDJSON', 'CSV'] as const satisfies readonly FileFormat[]);
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Product feeds of other platforms. */
export const FEED_FORMATS = Object.freeze(['google-xml', 'google-tsv', 'acp'] as const);
export type FeedFormatName = (typeof FEED_FORMATS)[number];
/** The formats of an export of the storefront, which is a report of the marketplace's account. */
export const EXPORT_FORMATS = Object.freeze(['NDJSON', ...FEED_FORMATS] as const);
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const FILE_STATUSES = Object.freeze([
  'Acknowledged',
  'Processing',
  'Processed with errors',
  'Processed successfully',
  'Cancelled',
] as const);

export type FileStatus = (typeof FILE_STATUSES)[number];
