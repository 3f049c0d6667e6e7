/** In charge of storing what a copy of another store brings: rows and offers with the ids and numbers that they have. */
import { COPIED_TABLES, type CopiedTable, type CopiedTables, columnNames } from '../port/copied-tables.ts';
import type { CopiedCounters, CopiedOffer } from '../port/copy.ts';
import { type Connection, query } from './engine.ts';
import { type PartInserts, partInserts } from './part-inserts.ts';

export function hasCopiedRows(connection: Connection): boolean {
  return COPIED_TABLES.some(({ name }) => query<[1]>(connection, `SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined);
}

export function insertTables(connection: Connection, tables: CopiedTables): void {
  for (const table of COPIED_TABLES) {
    const columns = columnNames(table);
    const places = columns.map(() => '?').join(', ');
    const insert = query(connection, `INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${places})`);
    for (const row of tables[table.name]) insert.run(...row);
  }
}

/** None goes back. `orderMax` has no counter of its own: the offers move it as they come in. */
export function raiseCounters(connection: Connection, { writeNumber, rows }: CopiedCounters): void {
  query(connection, 'UPDATE write_number SET reserved = max(reserved, ?)').run(writeNumber);
  const raise = query(connection, 'UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?');
  const start = query(connection, 'INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)');
  for (const table of COPIED_TABLES as readonly CopiedTable[]) {
    const last = rows[table.name as keyof typeof rows] ?? 0;
    if (table.numberedBy === undefined || last === 0) continue;
    if (raise.run(last, table.name).changes === 0) start.run(last, table.name);
  }
}

export class CopiedOfferWrites {
  readonly #sku;
  readonly #insert: PartInserts;
  readonly #member;
  readonly #due;

  constructor(connection: Connection) {
    this.#sku = query(
      connection,
      `INSERT INTO sku (id, account_id, sku_id, archived, first_upload_ms, inventory_stamp_ms, archive_number,
         inventory_zeroed_number, shipping_number, returns_number, group_number)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insert = partInserts(connection);
    this.#member = query(connection, 'INSERT INTO variation_member (sku, parent, position) VALUES (?, ?, ?)');
    this.#due = query(connection, 'INSERT INTO review_due (sku, account_id, mark, marked_ms) VALUES (?, ?, ?, ?)');
  }

  /** The parent of a group may come later: its number is known already. */
  insert(accountId: number, offer: CopiedOffer): void {
    const { order, price, membership, numbers, shippingExceptions, returnLocationIds } = offer;
    this.#sku.run(
      order,
      accountId,
      offer.skuId,
      offer.archived ? 1 : 0,
      offer.firstUploadMs,
      offer.stampMs,
      numbers.archived,
      numbers.inventory,
      numbers.shippingExceptions,
      numbers.returnLocations,
      numbers.group,
    );
    this.#insert.document.run(order, offer.document, offer.documentUpdatedMs, numbers.document);
    if (price !== null) this.#insert.price.run(order, price.price, price.nodes, price.updatedMs, numbers.price);
    for (const node of offer.nodes) this.#insert.quantity.run(order, ...node);
    if (shippingExceptions !== null) this.#insert.shipping.run(order, shippingExceptions);
    if (returnLocationIds !== null) this.#insert.returns.run(order, returnLocationIds);
    // What the review found is not copied: it finds it again, by what is known in the new place.
    this.#due.run(order, accountId, numbers.document, Date.now());
    if (membership === null) return;
    this.#member.run(order, membership.parentOrder, membership.position);
    if (membership.refinements !== null) this.#insert.group.run(order, membership.refinements, membership.title);
  }
}
