/** Lists the parts of an offer in the order of writing: a SKU is created before its other parts. Also the order of responses and reports. */
import type { Names } from '../names.ts';
import type { FileType, PartFileType } from '../vocabulary/file-types.ts';
import { CLEARABLE_PARTS, type ClearablePart, type OfferPart } from '../vocabulary/offer-parts.ts';
import type { FileRow, Part, PartChange, PartWrite, StoredParts } from './part.ts';
import { ARCHIVE } from './parts/archive.ts';
import { INVENTORY } from './parts/inventory.ts';
import { PRICE } from './parts/price.ts';
import { RETURNS_EXCEPTION } from './parts/returns-exception.ts';
import { SHIPPING_EXCEPTION } from './parts/shipping-exception.ts';
import { SKU } from './parts/sku.ts';
import { VARIATION } from './parts/variation.ts';

/** The parts by name. */
export const PART: { readonly [Name in OfferPart]: Part<Name> } = Object.freeze({
  sku: SKU,
  price: PRICE,
  inventory: INVENTORY,
  archive: ARCHIVE,
  variation: VARIATION,
  shipping_exception: SHIPPING_EXCEPTION,
  returns_exception: RETURNS_EXCEPTION,
});

export const PARTS: readonly Part[] = Object.freeze(Object.values(PART));

/** The parts that a whole offer shows as bodies of their calls. The archive flag is a field of its own. */
export const SHOWN_PARTS = PARTS.filter(({ name }) => name !== 'archive');

/** The parts that can be cleared, with how they are stored. */
export const CLEARABLE = CLEARABLE_PARTS.map(
  (name) => PART[name] as Part as Part<ClearablePart> & Required<Pick<Part, 'stored'>>,
);

/** The parts of `PUT …/offer`. */
export const PARTS_IN_OFFER = PARTS.filter(({ isInOffer }) => isInOffer);

export const PART_OF_FILE = Object.fromEntries(PARTS.map((part) => [part.fileType, part])) as Record<
  PartFileType,
  Part
>;

/** Lists the parts that rows of a file can write. */
export function partsOfFile(type: FileType): readonly Part[] {
  return type === 'Offers' ? PARTS_IN_OFFER : [PART_OF_FILE[type]];
}

/** Lists the parts that rows of a file write. All rows of a file are of one kind. */
export function partsOfRows(rows: readonly FileRow[]): readonly PartWrite[] {
  return rows[0]?.part === 'offer'
    ? rows.flatMap((row) => (row.part === 'offer' ? row.parts : row))
    : (rows as PartWrite[]);
}

/** Returns the part that decides whether a SKU accepts the row. */
export function firstPartOf(row: FileRow): OfferPart {
  return row.part === 'offer' ? row.parts[0].part : row.part;
}

/** Returns the body of the call that writes the part, as JSON text; null if the part is not set. */
export function bodyJson(part: Part, stored: StoredParts, names: Names): string | null {
  const found = stored[part.source];
  const value = found === undefined ? null : part.valueIn(found);
  if (value === null) return null;
  return part.bodyOf === undefined ? part.json(value, names) : JSON.stringify(part.bodyOf(value));
}

/** Lists the changes of a write to what is stored; some may have the same value before and after. */
export function changesOf(write: PartWrite, stored: StoredParts): readonly PartChange[] {
  const part: Part = PART[write.part];
  if (part.changesOf !== undefined) return part.changesOf(write, stored);
  const found = stored[part.source];
  const before = found === undefined ? null : part.valueIn(found);
  return [{ part: part.name, before, after: part.written?.(write) ?? null } as PartChange];
}
