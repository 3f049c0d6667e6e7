/** Writes a generated catalog as a bulk file: one JSON object, one entry per line, in chunks of a few hundred kilobytes. */
import type { FileType } from '../domain/vocabulary/file-types.ts';
import { Catalog, type CatalogPlan } from './catalog.ts';

/** File types that a catalog can be written as. */
export const CATALOG_FILE_TYPES = Object.freeze([
  'MerchantSKUs',
  'Price',
  'Inventory',
  'Variation',
] as const satisfies readonly FileType[]);

export type CatalogFileType = (typeof CATALOG_FILE_TYPES)[number];

export interface CatalogPiece {
  /** The text in UTF-8. */
  readonly bytes: Buffer;
  /** Number of SKUs from the start of the catalog to the end of this chunk, including SKUs without a row of this file type. */
  readonly skus: number;
  /** Number of rows in this chunk. */
  readonly rows: number;
}

/** Large chunks cost less per byte, and memory stays small. */
const PIECE_BYTES = 262_144;
/** Maximum UTF-8 bytes per character. */
const CHARACTER_BYTES_MAX = 3;

export function* catalogFile(plan: CatalogPlan, type: CatalogFileType, skus: number): Generator<CatalogPiece> {
  const catalog = new Catalog(plan);
  let bytes = Buffer.allocUnsafe(PIECE_BYTES);
  let length = bytes.write('{');
  let rows = 0;
  let separator = '\n';
  for (let place = 0; place < skus; place++) {
    const body = bodyOf(catalog, type, place, skus);
    if (body === undefined) continue;
    // Written row by row: building one text per chunk from thousands of parts took a third longer.
    const row = `${separator}"${catalog.skuId(place)}":${body}`;
    if (length + row.length * CHARACTER_BYTES_MAX > bytes.length) {
      yield { bytes: bytes.subarray(0, length), rows, skus: place };
      bytes = Buffer.allocUnsafe(Math.max(PIECE_BYTES, row.length * CHARACTER_BYTES_MAX));
      length = 0;
      rows = 0;
    }
    length += bytes.write(row, length);
    separator = ',\n';
    rows++;
  }
  yield { bytes: bytes.subarray(0, length), rows, skus };
  yield { bytes: Buffer.from('\n}\n'), rows: 0, skus };
}

function bodyOf(catalog: Catalog, type: CatalogFileType, place: number, skus: number): string | undefined {
  switch (type) {
    case 'MerchantSKUs':
      return catalog.sku(place);
    case 'Price':
      return catalog.price(place);
    case 'Inventory':
      return catalog.inventory(place);
    case 'Variation':
      return catalog.group(place, skus);
  }
}
