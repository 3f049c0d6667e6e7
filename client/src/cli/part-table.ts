/**
 * Lists the parts of an offer in the order of the Fingerprints report. A test compares the table with the server's.
 *
 * `field` is set for parts that can be cleared: the only field of their body.
 */
import type { FileType } from '../types.ts';

interface TableLine {
  readonly fileType: FileType;
  readonly isInOffer: boolean;
  readonly field?: string;
}

export const PART_TABLE = {
  sku: { fileType: 'MerchantSKUs', isInOffer: true },
  price: { fileType: 'Price', isInOffer: true },
  inventory: { fileType: 'Inventory', isInOffer: true },
  variation: { fileType: 'Variation', isInOffer: false },
  shipping_exception: { fileType: 'ShippingException', isInOffer: true, field: 'fulfillment_nodes' },
  returns_exception: { fileType: 'ReturnsException', isInOffer: true, field: 'return_location_ids' },
  archive: { fileType: 'Archive', isInOffer: false },
} as const satisfies Readonly<Record<string, TableLine>>;

type Name = keyof typeof PART_TABLE;

const NAMES = Object.keys(PART_TABLE) as Name[];

/** The last one has several parts in each row. */
export const FILE_TYPES: readonly FileType[] = [...NAMES.map((name) => PART_TABLE[name].fileType), 'Offers'];

/** The parts for which the Fingerprints report has a hash. */
export type Part = Exclude<Name, 'archive'>;
export const PARTS: readonly Part[] = NAMES.filter((name) => name !== 'archive');

/** Returns the field of a part that can be cleared; undefined for other parts. */
export function clearableField(part: Part): string | undefined {
  const line: TableLine = PART_TABLE[part];
  return line.field;
}

export type Step = Name | 'unarchive';
/** The steps that one call can send together. */
export const OFFER_STEPS: readonly Step[] = NAMES.filter((name) => PART_TABLE[name].isInOffer);
/** Steps in the order of sending. The order matters, because an archived SKU refuses all other parts and groups need their members. */
export const STEPS: readonly Step[] = ['unarchive', ...OFFER_STEPS, 'variation', 'archive'];

export function fileTypeOf(step: Step): FileType {
  return PART_TABLE[step === 'unarchive' ? 'archive' : step].fileType;
}
