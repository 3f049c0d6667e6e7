/**
 * In charge of putting offers into an account as they were elsewhere: with their times, flags and order. Numbers are those
 * of the import, for the parts that an offer has: the numbers of elsewhere are of another counter. All are due for
 * review.
 */
import type { GroupRecord, OfferRecord } from '../port/moves.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { type PartInserts, partInserts } from './part-inserts.ts';
import type { ReviewMarks } from './review-marks.ts';
import { SkuLookup } from './sku-lookup.ts';
import type { WriteNumbers } from './write-numbers.ts';

export class OfferImports {
  readonly #numbers: WriteNumbers;
  readonly #skus: SkuLookup;
  readonly #marks: ReviewMarks;
  readonly #sku;
  readonly #insert: PartInserts;
  readonly #member;
  readonly #numberMember;

  constructor(connection: Connection, numbers: WriteNumbers, marks: ReviewMarks) {
    this.#numbers = numbers;
    this.#skus = new SkuLookup(connection);
    this.#marks = marks;
    this.#sku = query<[id: number]>(
      connection,
      `INSERT INTO sku (account_id, sku_id, archived, first_upload_ms, inventory_stamp_ms, archive_number,
         shipping_number, returns_number) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (account_id, sku_id) DO NOTHING RETURNING id`,
    );
    this.#insert = partInserts(connection);
    this.#member = query(
      connection,
      'INSERT INTO variation_member (sku, parent, position) VALUES (?, ?, ?) ON CONFLICT (sku) DO NOTHING',
    );
    this.#numberMember = query(connection, 'UPDATE sku SET group_number = ? WHERE id = ?');
  }

  /** Returns the id of an offer that the account has already; what was inserted before it must be rolled back then. */
  insertOffers(accountId: number, offers: readonly OfferRecord[]): string | undefined {
    for (const offer of offers) {
      const { skuId, price, inventory, shippingExceptions, returnLocationIds } = offer;
      const number = this.#numbers.current();
      const inserted = this.#sku.get(
        accountId,
        skuId,
        offer.archived ? 1 : 0,
        offer.firstUploadMs,
        inventory.stampMs,
        offer.archived ? number : 0,
        shippingExceptions === null ? 0 : number,
        returnLocationIds === null ? 0 : number,
      );
      if (inserted === undefined) return skuId;
      const [id] = inserted;
      this.#insert.document.run(id, offer.document, offer.documentUpdatedMs, number);
      if (price !== null) this.#insert.price.run(id, price.price, JSON.stringify(price.nodes), price.updatedMs, number);
      for (const node of inventory.nodes) {
        this.#insert.quantity.run(id, node.fulfillment_node_id, node.quantity, node.updatedMs, number);
      }
      if (shippingExceptions !== null) this.#insert.shipping.run(id, shippingExceptions);
      if (returnLocationIds !== null) this.#insert.returns.run(id, JSON.stringify(returnLocationIds));
      this.#marks.mark(accountId, id);
    }
    return undefined;
  }

  /** Returns the id of a member that is unknown or grouped already. */
  insertGroups(accountId: number, groups: readonly GroupRecord[]): string | undefined {
    for (const { skuId, refinements, title, childrenSkus } of groups) {
      const parent = this.#skus.find(accountId, skuId)?.[0];
      if (parent === undefined || !this.#join(accountId, parent, parent, 0)) return skuId;
      this.#insert.group.run(parent, refinements, title);
      for (const [place, childSku] of childrenSkus.entries()) {
        const child = this.#skus.find(accountId, childSku)?.[0];
        if (child === undefined || !this.#join(accountId, child, parent, place + 1)) return childSku;
      }
    }
    return undefined;
  }

  /** False when it is in a group already. */
  #join(accountId: number, sku: number, parent: number, position: number): boolean {
    if (this.#member.run(sku, parent, position).changes === 0) return false;
    this.#numberMember.run(this.#numbers.current(), sku);
    this.#marks.mark(accountId, sku);
    return true;
  }
}
