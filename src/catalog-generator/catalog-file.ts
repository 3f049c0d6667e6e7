/** Writes a generated catalog as a bulk file: one JSON object, one entry per line, in chunks of a few hundred kilobytes. */
import type { FileType } from '../domain/vocabulary/file-types.ts';
import { Catalog, type CatalogPlan } from './catalog.ts';

/** The body of a SKU in each type of file that a catalog can be written as; undefined for a SKU without a row. */
const BODY_OF = {
  MerchantSKUs: (catalog, index) => catalog.sku(index),
  Price: (catalog, index) => catalog.price(index),
  Inventory: (catalog, index) => catalog.inventory(index),
  Variation: (catalog, index, skus) => catalog.group(index, skus),
} as const satisfies Partial<Record<FileType, (catalog: Catalog, index: number, skus: number) => string | undefined>>;

export type CatalogFileType = keyof typeof BODY_OF;

export const CATALOG_FILE_TYPES = Object.freeze(Object.keys(BODY_OF) as CatalogFileType[]);

interface CatalogPiece {
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
  for (let index = 0; index < skus; index++) {
    const body = BODY_OF[type](catalog, index, skus);
    if (body === undefined) continue;
    // Written row by row: building one text per chunk from thousands of parts took a third longer.
    const row = `${separator}"${catalog.skuId(index)}":${body}`;
    if (length + row.length * CHARACTER_BYTES_MAX > bytes.length) {
      yield { bytes: bytes.subarray(0, length), rows, skus: index };
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
