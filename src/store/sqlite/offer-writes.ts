/**
 * In charge of the writing commands, each "do this unless the SKU is unknown or archived". Runs in the writer thread,
 * inside a transaction that is not its own. Each write gives the number of the transaction to the part that it changes,
 * and marks the offer as due for review where it can change what it is judged to be.
 *
 * Arguments are flat, because copying a nested object between threads costs more than the write itself.
 */
import type { GroupOutcome, WriteOutcome } from '../port.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { GroupWrites } from './group-writes.ts';
import { ReviewMarks } from './review-marks.ts';
import { SkuLookup } from './sku-lookup.ts';
import type { WriteNumbers } from './write-numbers.ts';

export class OfferWrites {
  protected readonly reviewMarks: ReviewMarks;
  readonly #numbers: WriteNumbers;
  readonly #skus: SkuLookup;
  readonly #groups: GroupWrites;

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
  readonly #zeroQuantities;

  constructor(connection: Connection, numbers: WriteNumbers) {
    this.#numbers = numbers;
    this.#skus = new SkuLookup(connection);
    this.reviewMarks = new ReviewMarks(connection, numbers);
    this.#groups = new GroupWrites(connection, this.#skus, numbers, this.reviewMarks);

    this.#insertSku = query<[id: number]>(
      connection,
      `INSERT INTO sku (account_id, sku_id, first_upload_ms, inventory_stamp_ms) VALUES (?1, ?2, ?3, ?3) RETURNING id`,
    );
    this.#insertDocument = query(
      connection,
      'INSERT INTO sku_document (sku, document, updated_ms, number) VALUES (?, ?, ?, ?)',
    );
    this.#updateDocument = query(
      connection,
      'UPDATE sku_document SET document = ?, updated_ms = ?, number = ? WHERE sku = ?',
    );
    // Not one statement for both: only the first price, and the first quantity of a node, can change a judgement.
    this.#updatePrice = query(
      connection,
      'UPDATE price SET price = ?2, nodes = ?3, updated_ms = ?4, number = ?5 WHERE sku = ?1',
    );
    this.#insertPrice = query(
      connection,
      'INSERT INTO price (sku, price, nodes, updated_ms, number) VALUES (?, ?, ?, ?, ?)',
    );
    this.#updateQuantity = query(
      connection,
      'UPDATE inventory SET quantity = ?3, updated_ms = ?4, number = ?5 WHERE sku = ?1 AND node_id = ?2',
    );
    this.#insertQuantity = query(
      connection,
      'INSERT INTO inventory (sku, node_id, quantity, updated_ms, number) VALUES (?, ?, ?, ?, ?)',
    );
    this.#upsertShipping = query(
      connection,
      `INSERT INTO shipping_exception (sku, exceptions) VALUES (?, ?) ON CONFLICT (sku)
       DO UPDATE SET exceptions = excluded.exceptions`,
    );
    this.#deleteShipping = query(connection, 'DELETE FROM shipping_exception WHERE sku = ?');
    this.#numberShipping = query(connection, 'UPDATE sku SET shipping_number = ? WHERE id = ?');
    this.#upsertReturns = query(
      connection,
      `INSERT INTO returns_exception (sku, location_ids) VALUES (?, ?) ON CONFLICT (sku)
       DO UPDATE SET location_ids = excluded.location_ids`,
    );
    this.#deleteReturns = query(connection, 'DELETE FROM returns_exception WHERE sku = ?');
    this.#numberReturns = query(connection, 'UPDATE sku SET returns_number = ? WHERE id = ?');
    this.#setFlag = query(
      connection,
      `UPDATE sku SET archived = ?1, archive_number = ?2, inventory_stamp_ms = ?3, inventory_zeroed_number = ?2
       WHERE id = ?4`,
    );
    this.#zeroQuantities = query(
      connection,
      'UPDATE inventory SET quantity = 0, updated_ms = ?, number = ? WHERE sku = ?',
    );
  }

  putSku(accountId: number, skuId: string, document: string, nowMs: number): 'stored' | 'archived' {
    const id = this.#skus.findOpen(accountId, skuId);
    if (id === 'archived') return id;
    if (id === 'unknown') {
      const [newId] = this.#insertSku.get(accountId, skuId, nowMs) as [number];
      this.#insertDocument.run(newId, document, nowMs, this.#numbers.current());
      this.reviewMarks.mark(accountId, newId);
    } else {
      this.#updateDocument.run(document, nowMs, this.#numbers.current(), id);
      this.reviewMarks.mark(accountId, id);
    }
    return 'stored';
  }

  /** `nodes` is the JSON text of the node prices. */
  putPrice(accountId: number, skuId: string, price: number, nodes: string, nowMs: number): WriteOutcome {
    const id = this.#skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    const number = this.#numbers.current();
    if (this.#updatePrice.run(id, price, nodes, nowMs, number).changes === 0) {
      this.#insertPrice.run(id, price, nodes, nowMs, number);
      this.reviewMarks.mark(accountId, id);
    }
    return 'stored';
  }

  /** `nodeIds` and `quantities` go together by place. */
  patchInventory(
    accountId: number,
    skuId: string,
    nodeIds: readonly string[],
    quantities: readonly number[],
    nowMs: number,
  ): WriteOutcome {
    const id = this.#skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    let hasNewNode = false;
    nodeIds.forEach((nodeId, place) => {
      const number = this.#numbers.current();
      const quantity = quantities[place] as number;
      if (this.#updateQuantity.run(id, nodeId, quantity, nowMs, number).changes > 0) return;
      this.#insertQuantity.run(id, nodeId, quantity, nowMs, number);
      hasNewNode = true;
    });
    if (hasNewNode) this.reviewMarks.mark(accountId, id);
    return 'stored';
  }

  putGroup(
    accountId: number,
    skuId: string,
    refinements: string,
    title: string | null,
    childrenSkus: readonly string[],
  ): GroupOutcome {
    return this.#groups.putGroup(accountId, skuId, refinements, title, childrenSkus);
  }

  putShippingExceptions(accountId: number, skuId: string, exceptions: string | null): WriteOutcome {
    const id = this.#skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    if (exceptions === null) this.#deleteShipping.run(id);
    else this.#upsertShipping.run(id, exceptions);
    this.#numberShipping.run(this.#numbers.current(), id);
    return 'stored';
  }

  /** `locationIds` is the JSON text of the list. */
  putReturnLocations(accountId: number, skuId: string, locationIds: string | null): WriteOutcome {
    const id = this.#skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    if (locationIds === null) this.#deleteReturns.run(id);
    else this.#upsertReturns.run(id, locationIds);
    this.#numberReturns.run(this.#numbers.current(), id);
    return 'stored';
  }

  setArchived(accountId: number, skuId: string, archived: boolean, nowMs: number): 'stored' | 'unknown' {
    const sku = this.#skus.find(accountId, skuId);
    if (sku === undefined) return 'unknown';
    const [id, wasArchived] = sku;
    if (archived === (wasArchived === 1)) return 'stored';
    const number = this.#numbers.current();
    this.#setFlag.run(archived ? 1 : 0, number, nowMs, id);
    this.#zeroQuantities.run(nowMs, number, id);
    this.reviewMarks.mark(accountId, id);
    return 'stored';
  }

  drawNumber(): number {
    return this.#numbers.drawApart();
  }

  /** Answered after the transaction of its batch: the write lock can be had. */
  ping(): void {}
}
