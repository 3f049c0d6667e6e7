/** The types and statuses of bulk files, spelled as integrators read and write them. */
export const FILE_TYPES = Object.freeze([
  'MerchantSKUs',
  'Price',
  'Inventory',
  'Variation',
  'ShippingException',
  'ReturnsException',
  'Archive',
] as const);

export type FileType = (typeof FILE_TYPES)[number];

/** The types that a spreadsheet can hold. The others have lists of lists. */
export const SHEET_TYPES = Object.freeze([
  'MerchantSKUs',
  'Price',
  'Inventory',
  'Archive',
] as const satisfies readonly FileType[]);

export type SheetType = (typeof SHEET_TYPES)[number];

export const FILE_STATUSES = Object.freeze([
  'Acknowledged',
  'Processing',
  'Processed with errors',
  'Processed successfully',
  'Cancelled',
] as const);

export type FileStatus = (typeof FILE_STATUSES)[number];
