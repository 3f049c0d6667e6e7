/** In charge of reading a whole store for a copy of it: all that is stored, as it is at one moment. */
import {
  COPIED_TABLES,
  type CopiedRow,
  type CopiedTable,
  type CopiedTables,
  columnNames,
  orderedBy,
} from '../port/copied-tables.ts';
import type { CopiedCounters, CopiedNode, CopiedOffer, CopyReading } from '../port/copy.ts';
import { type Connection, openForReading, query } from './engine.ts';
import { answered } from './setup.ts';

/** Enough to make the cost of a slice vanish; with documents of 1.4 KB some 800 KB of text. */
const SLICE_OFFERS = 512;

type OfferRow = readonly [
  order: number,
  skuId: string,
  archived: 0 | 1,
  firstUploadMs: number,
  stampMs: number,
  document: string,
  documentUpdatedMs: number,
  ...price: readonly [price: number, nodes: string, updatedMs: number] | readonly [null, null, null],
  nodes: string | null,
  shippingExceptions: string | null,
  returnLocationIds: string | null,
  parentSkuId: string | null,
  parentOrder: number | null,
  position: number | null,
  refinements: string | null,
  title: string | null,
  documentNumber: number,
  priceNumber: number | null,
  archiveNumber: number,
  shippingNumber: number,
  returnsNumber: number,
  groupNumber: number,
  inventoryNumber: number,
];

export class SqliteCopyReading implements CopyReading {
  readonly #connection: Connection;
  readonly #offers;

  constructor(file: string) {
    this.#connection = openForReading(file);
    this.#connection.exec('BEGIN');
    // The first read takes the moment, not BEGIN.
    query<[number]>(this.#connection, 'SELECT version FROM setup_version').get();
    this.#offers = query<OfferRow>(
      this.#connection,
      `SELECT s.id, s.sku_id, s.archived, s.first_upload_ms, s.inventory_stamp_ms, d.document, d.updated_ms,
         p.price, p.nodes, p.updated_ms,
         (SELECT json_group_array(json_array(i.node_id, i.quantity, i.updated_ms, i.number) ORDER BY i.node_id)
          FROM inventory i WHERE i.sku = s.id HAVING count(*) > 0),
         e.exceptions, r.location_ids, parent.sku_id, m.parent, m.position, g.refinements, g.title,
         d.number, p.number, s.archive_number, s.shipping_number, s.returns_number, s.group_number,
         s.inventory_zeroed_number
       FROM sku s INDEXED BY sku_by_account
       JOIN sku_document d ON d.sku = s.id
       LEFT JOIN price p ON p.sku = s.id
       LEFT JOIN shipping_exception e ON e.sku = s.id
       LEFT JOIN returns_exception r ON r.sku = s.id
       LEFT JOIN variation_member m ON m.sku = s.id
       LEFT JOIN sku parent ON parent.id = m.parent
       LEFT JOIN variation_group g ON g.parent = s.id
       WHERE s.account_id = ? AND s.id > ? ORDER BY s.id LIMIT ${SLICE_OFFERS}`,
    );
  }

  readCounters(): Promise<CopiedCounters> {
    return answered(() => {
      const [writeNumber] = query<[number]>(this.#connection, 'SELECT reserved FROM write_number').get() ?? [0];
      const last = new Map(query<[string, number]>(this.#connection, 'SELECT name, seq FROM sqlite_sequence').all());
      const rows = Object.fromEntries(COPIED_TABLES.map(({ name }) => [name, last.get(name) ?? 0]));
      return { writeNumber, orderMax: last.get('sku') ?? 0, rows };
    });
  }

  readTables(): Promise<CopiedTables> {
    return answered(() => {
      const tables = COPIED_TABLES.map((table) => [table.name, readTable(this.#connection, table)]);
      return Object.fromEntries(tables) as CopiedTables;
    });
  }

  countOffers(accountId: number): Promise<number> {
    return answered(() => {
      const sql = 'SELECT count(*) FROM sku INDEXED BY sku_by_account WHERE account_id = ?';
      return query<[number]>(this.#connection, sql).get(accountId)?.[0] ?? 0;
    });
  }

  readOffers(accountId: number, after: number): Promise<readonly CopiedOffer[]> {
    return answered(() => this.#offers.all(accountId, after).map(offerOf));
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close();
  }
}

function readTable(connection: Connection, table: CopiedTable): CopiedRow[] {
  const columns = columnNames(table).join(', ');
  return query<CopiedRow>(connection, `SELECT ${columns} FROM ${table.name} ORDER BY ${orderedBy(table)}`).all();
}

function offerOf(row: OfferRow): CopiedOffer {
  const [order, skuId, archived, firstUploadMs, stampMs, document, documentUpdatedMs, price, priceNodes, priceMs] = row;
  const [nodes, shippingExceptions, returnLocationIds] = [row[10], row[11], row[12]];
  const [parentSkuId, parentOrder, position, refinements, title] = [row[13], row[14], row[15], row[16], row[17]];
  const isMember = parentSkuId !== null && parentOrder !== null && position !== null;
  return {
    order,
    skuId,
    archived: archived === 1,
    firstUploadMs,
    document,
    documentUpdatedMs,
    price: price === null ? null : { price, nodes: priceNodes ?? '[]', updatedMs: priceMs ?? 0 },
    nodes: nodes === null ? [] : (JSON.parse(nodes) as CopiedNode[]),
    stampMs,
    shippingExceptions,
    returnLocationIds,
    membership: isMember ? { parentSkuId, parentOrder, position, refinements, title } : null,
    numbers: {
      document: row[18],
      price: row[19] ?? 0,
      archived: row[20],
      shippingExceptions: row[21],
      returnLocations: row[22],
      group: row[23],
      inventory: row[24],
    },
  };
}
