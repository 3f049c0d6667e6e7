/** In charge of reading a whole store for a copy of it: all that is stored, as it is at one moment. */
import { COPIED_TABLES, type CopiedRow, type CopiedTables, columnNames, orderedBy } from '../port/copied-tables.ts';
import type { CopiedCounters, CopiedOffer, CopyReading } from '../port/copy.ts';
import { type Connection, statement } from './engine.ts';
import { nodeEntries } from './stored-inventory.ts';
import { PLACES, uploadOrder } from './write-numbers.ts';

/** Enough to make the cost of a slice vanish; with documents of 1.4 KB some 800 KB of text. */
const SLICE_OFFERS = 512;

type OfferRow = [
  order: number,
  skuId: string,
  archived: boolean,
  firstUploadMs: number,
  stampMs: number,
  document: string,
  documentUpdatedMs: number,
  price: number | null,
  priceNodes: string | null,
  priceUpdatedMs: number | null,
  inventory: string,
  shippingExceptions: string | null,
  returnLocationIds: string | null,
  parentSkuId: string | null,
  parentOrder: number | null,
  position: number | null,
  refinements: string | null,
  title: string | null,
  documentNumber: number,
  priceNumber: number | null,
  archiveNumber: number | null,
  shippingNumber: number | null,
  returnsNumber: number | null,
  groupNumber: number | null,
  zeroedNumber: number,
];

const OFFERS = statement<OfferRow>(
  'copy read offers',
  `SELECT o.upload_order, o.sku_id, o.archived, o.first_upload_ms, o.inventory_stamp_ms, o.document,
     o.document_updated_ms, o.price, o.price_nodes, o.price_updated_ms, o.inventory, o.shipping_exceptions,
     o.return_location_ids, o.group_parent, parent.upload_order, o.group_position, o.group_refinements, o.group_title,
     o.document_number, o.price_number, o.archive_number, o.shipping_number, o.returns_number, o.group_number,
     o.inventory_zeroed_number
   FROM offer o LEFT JOIN offer parent ON parent.account_id = $1 AND parent.sku_id = o.group_parent
   WHERE o.account_id = $1 AND o.upload_order > $2 ORDER BY o.upload_order LIMIT ${SLICE_OFFERS}`,
);
const COUNT = statement<[offers: number]>('copy count offers', 'SELECT count(*) FROM offer WHERE account_id = $1');

const TABLES = COPIED_TABLES.map((table) => {
  const text = `SELECT ${columnNames(table).join(', ')} FROM ${table.name} ORDER BY ${orderedBy(table)}`;
  return [table.name, statement<CopiedRow>(`copy read ${table.name}`, text)] as const;
});

/** Of a sequence that was never drawn from this is null. */
const LAST_WRITE = statement<[number | null]>(
  'copy read write number',
  `SELECT pg_sequence_last_value('write_number'::regclass)`,
);
const LAST_ROW = statement<[number | null]>(
  'copy read row number',
  'SELECT pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass)',
);

export class PostgresCopyReading implements CopyReading {
  readonly #connection: Connection;
  readonly close: () => Promise<void>;

  constructor(connection: Connection, close: () => Promise<void>) {
    this.#connection = connection;
    this.close = close;
  }

  async readCounters(): Promise<CopiedCounters> {
    const [written] = await this.#connection.run(LAST_WRITE);
    const writeNumber = written?.[0] ?? 0;
    const rows: Record<string, number> = {};
    for (const table of COPIED_TABLES) {
      if (!('numberedBy' in table)) continue;
      const [last] = await this.#connection.run(LAST_ROW, [table.name, table.numberedBy]);
      rows[table.name] = last?.[0] ?? 0;
    }
    return { writeNumber, orderMax: uploadOrder(writeNumber, PLACES - 1), rows };
  }

  async readTables(): Promise<CopiedTables> {
    const tables: [string, readonly CopiedRow[]][] = [];
    for (const [name, read] of TABLES) tables.push([name, await this.#connection.run(read)]);
    return Object.fromEntries(tables) as CopiedTables;
  }

  async countOffers(accountId: number): Promise<number> {
    const [row] = await this.#connection.run(COUNT, [accountId]);
    return row?.[0] ?? 0;
  }

  async readOffers(accountId: number, after: number): Promise<readonly CopiedOffer[]> {
    return (await this.#connection.run(OFFERS, [accountId, after])).map(offerOf);
  }
}

function offerOf(row: OfferRow): CopiedOffer {
  const [order, skuId, archived, firstUploadMs, stampMs, document, documentUpdatedMs, price, priceNodes, priceMs] = row;
  const [inventory, shippingExceptions, returnLocationIds] = [row[10], row[11], row[12]];
  const [parentSkuId, parentOrder, position, refinements, title] = [row[13], row[14], row[15], row[16], row[17]];
  const isMember = parentSkuId !== null && parentOrder !== null && position !== null;
  return {
    order,
    skuId,
    archived,
    firstUploadMs,
    document,
    documentUpdatedMs,
    price: price === null ? null : { price, nodes: priceNodes ?? '[]', updatedMs: priceMs ?? 0 },
    nodes: nodeEntries(inventory, stampMs, row[24]),
    stampMs,
    shippingExceptions,
    returnLocationIds,
    membership: isMember ? { parentSkuId, parentOrder, position, refinements, title } : null,
    numbers: {
      document: row[18],
      price: row[19] ?? 0,
      archived: row[20] ?? 0,
      shippingExceptions: row[21] ?? 0,
      returnLocations: row[22] ?? 0,
      group: row[23] ?? 0,
      inventory: row[24],
    },
  };
}
