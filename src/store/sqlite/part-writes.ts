/**
 * In charge of writing the parts of an offer, each with its number, and only where no higher one stands: single calls have
 * the highest there is, rows of files that of their file. Runs in the writer thread, inside a transaction that is not its
 * own.
 */
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

/** `superseded`: a higher number stands there, and nothing was written. */
export type PartWritten = 'first' | 'again' | 'superseded';

export class PartWrites {
  readonly #insertSku;
  readonly #insertDocument;
  readonly #updateDocument;
  readonly #insertPrice;
  readonly #updatePrice;
  readonly #insertQuantity;
  readonly #updateQuantity;
  readonly #upsertShipping;
  readonly #deleteShipping;
  readonly #numberShipping;
  readonly #upsertReturns;
  readonly #deleteReturns;
  readonly #numberReturns;
  readonly #setFlag;
  readonly #numberFlag;
  readonly #zeroQuantities;

  /**
   * What the last write of a price or quantity was. The next one is nearly always the same, as of a file that brings the
   * first prices of a million SKUs: then the insert is tried first, else the update.
   */
  #wasFirst = false;

  constructor(connection: Connection) {
    this.#insertSku = query(
      connection,
      `INSERT INTO sku (account_id, sku_id, first_upload_ms, inventory_stamp_ms) VALUES (?1, ?2, ?3, ?3)
       ON CONFLICT DO NOTHING`,
    );
    this.#insertDocument = query(
      connection,
      'INSERT INTO sku_document (sku, document, updated_ms, number) VALUES (?, ?, ?, ?)',
    );
    this.#updateDocument = query(
      connection,
      'UPDATE sku_document SET document = ?2, updated_ms = ?3, number = ?4 WHERE sku = ?1 AND number <= ?4',
    );
    // Not one statement for both: only the first price, and the first quantity of a node, can change a judgement.
    this.#insertPrice = query(
      connection,
      'INSERT INTO price (sku, price, nodes, updated_ms, number) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#updatePrice = query(
      connection,
      'UPDATE price SET price = ?2, nodes = ?3, updated_ms = ?4, number = ?5 WHERE sku = ?1 AND number <= ?5',
    );
    this.#insertQuantity = query(
      connection,
      `INSERT INTO inventory (sku, node_id, quantity, updated_ms, number) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    );
    this.#updateQuantity = query(
      connection,
      `UPDATE inventory SET quantity = ?3, updated_ms = ?4, number = ?5
       WHERE sku = ?1 AND node_id = ?2 AND number <= ?5`,
    );
    this.#upsertShipping = query(
      connection,
      `INSERT INTO shipping_exception (sku, exceptions) VALUES (?, ?) ON CONFLICT (sku)
       DO UPDATE SET exceptions = excluded.exceptions`,
    );
    this.#deleteShipping = query(connection, 'DELETE FROM shipping_exception WHERE sku = ?');
    this.#numberShipping = query(connection, 'UPDATE sku SET shipping_number = ?2 WHERE id = ?1');
    this.#upsertReturns = query(
      connection,
      `INSERT INTO returns_exception (sku, location_ids) VALUES (?, ?) ON CONFLICT (sku)
       DO UPDATE SET location_ids = excluded.location_ids`,
    );
    this.#deleteReturns = query(connection, 'DELETE FROM returns_exception WHERE sku = ?');
    this.#numberReturns = query(connection, 'UPDATE sku SET returns_number = ?2 WHERE id = ?1');
    this.#setFlag = query(
      connection,
      `UPDATE sku SET archived = ?2, archive_number = ?4, inventory_stamp_ms = ?3, inventory_zeroed_number = ?4
       WHERE id = ?1`,
    );
    this.#numberFlag = query(connection, 'UPDATE sku SET archive_number = ?2 WHERE id = ?1');
    this.#zeroQuantities = query(
      connection,
      'UPDATE inventory SET quantity = 0, updated_ms = ?2, number = ?3 WHERE sku = ?1 AND number <= ?3',
    );
  }

  /** The number by which the other tables know it; undefined: it is there already. */
  addSku(accountId: number, skuId: string, document: string, nowMs: number, number: number): number | undefined {
    const { changes, lastInsertRowid } = this.#insertSku.run(accountId, skuId, nowMs);
    if (changes === 0) return undefined;
    this.#insertDocument.run(lastInsertRowid, document, nowMs, number);
    return lastInsertRowid as number;
  }

  writeDocument(sku: number, document: string, nowMs: number, number: number): PartWritten {
    return this.#updateDocument.run(sku, document, nowMs, number).changes > 0 ? 'again' : 'superseded';
  }

  /** `nodes` is the JSON text of the node prices. */
  writePrice(sku: number, price: number, nodes: string, nowMs: number, number: number): PartWritten {
    const triesFirst = this.#wasFirst;
    if (triesFirst && this.#insertPrice.run(sku, price, nodes, nowMs, number).changes > 0) return 'first';
    this.#wasFirst = false;
    if (this.#updatePrice.run(sku, price, nodes, nowMs, number).changes > 0) return 'again';
    if (triesFirst || this.#insertPrice.run(sku, price, nodes, nowMs, number).changes === 0) return 'superseded';
    this.#wasFirst = true;
    return 'first';
  }

  /** Of a node without a record the number is that of the last zeroing, which the caller has looked at. */
  writeQuantity(sku: number, nodeId: string, quantity: number, nowMs: number, number: number): PartWritten {
    const triesFirst = this.#wasFirst;
    if (triesFirst && this.#insertQuantity.run(sku, nodeId, quantity, nowMs, number).changes > 0) return 'first';
    this.#wasFirst = false;
    if (this.#updateQuantity.run(sku, nodeId, quantity, nowMs, number).changes > 0) return 'again';
    if (triesFirst || this.#insertQuantity.run(sku, nodeId, quantity, nowMs, number).changes === 0) return 'superseded';
    this.#wasFirst = true;
    return 'first';
  }

  /** JSON text; null clears. The number is with the SKU, where the caller has looked at it; so it is with those below. */
  putShipping(sku: number, exceptions: string | null, number: number): void {
    if (exceptions === null) this.#deleteShipping.run(sku);
    else this.#upsertShipping.run(sku, exceptions);
    this.#numberShipping.run(sku, number);
  }

  putReturns(sku: number, locationIds: string | null, number: number): void {
    if (locationIds === null) this.#deleteReturns.run(sku);
    else this.#upsertReturns.run(sku, locationIds);
    this.#numberReturns.run(sku, number);
  }

  /** Zeroes and numbers the stock too, except for nodes with a higher number. */
  changeFlag(sku: number, archived: boolean, nowMs: number, number: number): void {
    this.#setFlag.run(sku, archived ? 1 : 0, nowMs, number);
    this.#zeroQuantities.run(sku, nowMs, number);
  }

  numberFlag(sku: number, number: number): void {
    this.#numberFlag.run(sku, number);
  }
}
