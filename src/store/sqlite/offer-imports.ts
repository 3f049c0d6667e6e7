/** In charge of putting offers into an account as they were elsewhere: with their times, flags and order. */
import type { GroupRecord, OfferRecord } from '../port.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { SkuLookup } from './sku-lookup.ts';

export class OfferImports {
  readonly #skus: SkuLookup;
  readonly #sku;
  readonly #document;
  readonly #price;
  readonly #quantity;
  readonly #shipping;
  readonly #returns;
  readonly #group;
  readonly #member;

  constructor(connection: Connection) {
    this.#skus = new SkuLookup(connection);
    this.#sku = query<[id: number]>(
      connection,
      `INSERT INTO sku (account_id, sku_id, archived, first_upload_ms, inventory_stamp_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (account_id, sku_id) DO NOTHING RETURNING id`,
    );
    this.#document = query(connection, 'INSERT INTO sku_document (sku, document, updated_ms) VALUES (?, ?, ?)');
    this.#price = query(connection, 'INSERT INTO price (sku, price, nodes, updated_ms) VALUES (?, ?, ?, ?)');
    this.#quantity = query(
      connection,
      'INSERT INTO inventory (sku, node_id, quantity, updated_ms) VALUES (?, ?, ?, ?)',
    );
    this.#shipping = query(connection, 'INSERT INTO shipping_exception (sku, exceptions) VALUES (?, ?)');
    this.#returns = query(connection, 'INSERT INTO returns_exception (sku, location_ids) VALUES (?, ?)');
    this.#group = query(connection, 'INSERT INTO variation_group (parent, refinements, title) VALUES (?, ?, ?)');
    this.#member = query(
      connection,
      'INSERT INTO variation_member (sku, parent, position) VALUES (?, ?, ?) ON CONFLICT (sku) DO NOTHING',
    );
  }

  /** Returns the id of an offer that the account has already; what was inserted before it must be rolled back then. */
  insertOffers(accountId: number, offers: readonly OfferRecord[]): string | undefined {
    for (const offer of offers) {
      const { skuId, price, inventory, shippingExceptions, returnLocationIds } = offer;
      const inserted = this.#sku.get(accountId, skuId, offer.archived ? 1 : 0, offer.firstUploadMs, inventory.stampMs);
      if (inserted === undefined) return skuId;
      const [id] = inserted;
      this.#document.run(id, offer.document, offer.documentUpdatedMs);
      if (price !== null) this.#price.run(id, price.price, JSON.stringify(price.nodes), price.updatedMs);
      for (const node of inventory.nodes) {
        this.#quantity.run(id, node.fulfillment_node_id, node.quantity, node.updatedMs);
      }
      if (shippingExceptions !== null) this.#shipping.run(id, shippingExceptions);
      if (returnLocationIds !== null) this.#returns.run(id, JSON.stringify(returnLocationIds));
    }
    return undefined;
  }

  /** Returns the id of a member that is unknown or grouped already. */
  insertGroups(accountId: number, groups: readonly GroupRecord[]): string | undefined {
    for (const { skuId, refinements, title, childrenSkus } of groups) {
      const parent = this.#skus.find(accountId, skuId)?.[0];
      if (parent === undefined || this.#member.run(parent, parent, 0).changes === 0) return skuId;
      this.#group.run(parent, refinements, title);
      for (const [place, childSku] of childrenSkus.entries()) {
        const child = this.#skus.find(accountId, childSku)?.[0];
        if (child === undefined || this.#member.run(child, parent, place + 1).changes === 0) return childSku;
      }
    }
    return undefined;
  }
}
