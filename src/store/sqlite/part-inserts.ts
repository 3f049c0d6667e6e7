/** In charge of inserting the parts of offers that come in whole, by an import or by a copy: none is there yet. */
import type { Connection, Query } from './engine.ts';
import { query } from './engine.ts';

export interface PartInserts {
  /** SKU, JSON text, time, number. */
  readonly document: Query;
  /** SKU, price, JSON text of the nodes, time, number. */
  readonly price: Query;
  /** SKU, node, quantity, time, number. */
  readonly quantity: Query;
  /** SKU, JSON text. */
  readonly shipping: Query;
  /** SKU, JSON text. */
  readonly returns: Query;
  /** Parent, JSON text of the refinements, title. */
  readonly group: Query;
}

export function partInserts(connection: Connection): PartInserts {
  return {
    document: query(connection, 'INSERT INTO sku_document (sku, document, updated_ms, number) VALUES (?, ?, ?, ?)'),
    price: query(connection, 'INSERT INTO price (sku, price, nodes, updated_ms, number) VALUES (?, ?, ?, ?, ?)'),
    quantity: query(
      connection,
      'INSERT INTO inventory (sku, node_id, quantity, updated_ms, number) VALUES (?, ?, ?, ?, ?)',
    ),
    shipping: query(connection, 'INSERT INTO shipping_exception (sku, exceptions) VALUES (?, ?)'),
    returns: query(connection, 'INSERT INTO returns_exception (sku, location_ids) VALUES (?, ?)'),
    group: query(connection, 'INSERT INTO variation_group (parent, refinements, title) VALUES (?, ?, ?)'),
  };
}
