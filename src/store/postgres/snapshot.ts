/**
 * In charge of reading whole merchants at one moment: a read transaction that stays open on a connection of its own.
 * Writers go on beside it; what they replace cannot be cleaned up until it is closed.
 */
import type { Environment } from '../../domain/account.ts';
import type { AccountRecord, GroupRecord, MerchantRecord, OfferRecord, StoreSnapshot } from '../port/moves.ts';
import type { RecordPage } from '../port/parts.ts';
import { readAccount } from '../shared/settings/accounts.ts';
import { listCredentials } from '../shared/settings/credentials.ts';
import { readSetupVersion } from '../shared/settings/version.ts';
import { type Connection, type DatabaseOptions, openDatabase, statement } from './engine.ts';
import { storedInventory } from './stored-inventory.ts';

/** Enough to make the cost of a page vanish; with documents of 1.4 KB some 400 KB of text. */
const PAGE_RECORDS = 256;

/** How long a snapshot may be read from: 1,000,000 offers take a minute, and a slow pipe much longer. */
const OPEN_MS_MAX = 86_400_000;

const MERCHANT = statement<
  [name: string, createdMs: number, suspended: 0 | 1, timeToReturnDays: number, returnMethods: string]
>(
  'snapshot merchant',
  `SELECT name, created_ms, suspended, time_to_return_days, return_shipping_methods
   FROM merchant WHERE merchant_id = $1`,
);
const MERCHANT_IDS = statement<[merchantId: string]>(
  'snapshot merchant ids',
  `SELECT m.merchant_id FROM merchant m LEFT JOIN pending_import i ON i.merchant_id = m.merchant_id
   LEFT JOIN pending_removal r ON r.merchant_id = m.merchant_id
   WHERE i.merchant_id IS NULL AND r.exported_to IS NULL ORDER BY m.merchant_id`,
);
const ACCOUNT_ID = statement<[accountId: number]>(
  'snapshot account id',
  'SELECT account_id FROM account WHERE merchant_id = $1 AND environment = $2',
);
const COUNT = statement<[offers: number]>('snapshot count offers', 'SELECT count(*) FROM offer WHERE account_id = $1');

/** Meets every node of a Citus, each of which takes its own moment with the first statement that it gets. */
const REACH_ALL_NODES = statement<[1]>('reach all nodes', 'SELECT 1 FROM offer LIMIT 1');

type OfferRow = [
  uploadOrder: number,
  skuId: string,
  archived: boolean,
  firstUploadMs: number,
  document: string,
  documentUpdatedMs: number,
  price: number | null,
  priceNodes: string | null,
  priceUpdatedMs: number | null,
  inventory: string,
  stampMs: number,
  zeroedNumber: number,
  shipping: string | null,
  returns: string | null,
];

const OFFERS = statement<OfferRow>(
  'snapshot offers',
  `SELECT upload_order, sku_id, archived, first_upload_ms, document, document_updated_ms, price, price_nodes,
     price_updated_ms, inventory, inventory_stamp_ms, inventory_zeroed_number, shipping_exceptions, return_location_ids
   FROM offer WHERE account_id = $1 AND upload_order > $2 ORDER BY upload_order LIMIT ${PAGE_RECORDS}`,
);
const GROUPS = statement<
  [uploadOrder: number, skuId: string, refinements: string, title: string | null, children: string | null]
>(
  'snapshot groups',
  `SELECT p.upload_order, p.sku_id, p.group_refinements, p.group_title,
     (SELECT json_agg(c.sku_id ORDER BY c.group_position) FROM offer c
      WHERE c.account_id = $1 AND c.group_parent = p.sku_id AND c.group_position > 0)
   FROM offer p
   WHERE p.account_id = $1 AND p.upload_order > $2 AND p.group_parent IS NOT NULL AND p.group_position = 0
   ORDER BY p.upload_order LIMIT ${PAGE_RECORDS}`,
);

export async function openSnapshot(options: DatabaseOptions): Promise<StoreSnapshot> {
  const { connection, close } = await openMoment(options);
  return new PostgresSnapshot(connection, close);
}

/**
 * A connection that sees one state of the database until it is closed. The moment is taken before it resolves. On Citus each
 * node has a moment of its own, all of them between the call and its answer: an account is on one node, and so is of one moment.
 */
export async function openMoment(
  options: DatabaseOptions,
): Promise<{ readonly connection: Connection; close(): Promise<void> }> {
  const database = openDatabase({ ...options, connections_max: 1, call_ms_max: OPEN_MS_MAX });
  const opened = Promise.withResolvers<Connection>();
  const closing = Promise.withResolvers<void>();
  const reading = database.inTransaction(
    async (connection) => {
      // The first statement takes the moment, not BEGIN.
      await readSetupVersion(connection);
      await connection.run(REACH_ALL_NODES);
      opened.resolve(connection);
      await closing.promise;
    },
    { isolation: 'repeatable read', readOnly: true },
  );
  // Nothing was written: how the transaction ends matters only to those who wait for its start.
  const ended = reading.catch(opened.reject);
  const close = async () => {
    closing.resolve();
    await ended;
    await database.close();
  };
  try {
    return { connection: await opened.promise, close };
  } catch (error) {
    await close();
    throw error;
  }
}

class PostgresSnapshot implements StoreSnapshot {
  readonly #connection: Connection;
  readonly close: () => Promise<void>;

  constructor(connection: Connection, close: () => Promise<void>) {
    this.#connection = connection;
    this.close = close;
  }

  async readMerchant(merchantId: string): Promise<MerchantRecord | undefined> {
    const [row] = await this.#connection.run(MERCHANT, [merchantId]);
    if (row === undefined) return undefined;
    const [name, createdMs, suspended, timeToReturnDays, returnMethods] = row;
    const returnShippingMethods = JSON.parse(returnMethods);
    return { merchantId, name, createdMs, suspended: suspended === 1, timeToReturnDays, returnShippingMethods };
  }

  async listMerchantIds(): Promise<readonly string[]> {
    return (await this.#connection.run(MERCHANT_IDS)).map(([merchantId]) => merchantId);
  }

  async readAccount(merchantId: string, environment: Environment): Promise<AccountRecord> {
    const [row] = await this.#connection.run(ACCOUNT_ID, [merchantId, environment]);
    const accountId = row?.[0] ?? 0;
    const account = await readAccount(this.#connection, accountId);
    if (account === undefined) throw new Error(`Merchant ${merchantId} has no ${environment} account.`);
    return {
      accountId,
      // All of them, also those past their end: the state of a moment does not depend on when it is read.
      credentials: await listCredentials(this.#connection, accountId, 0),
      nodes: [...account.nodes.values()],
      returnLocationIds: [...account.returnLocationIds],
    };
  }

  async countOffers(accountId: number): Promise<number> {
    const [row] = await this.#connection.run(COUNT, [accountId]);
    return row?.[0] ?? 0;
  }

  async readOffers(accountId: number, from: number): Promise<RecordPage<OfferRecord>> {
    return pageOf(await this.#connection.run(OFFERS, [accountId, from]), offerOf);
  }

  async readGroups(accountId: number, from: number): Promise<RecordPage<GroupRecord>> {
    return pageOf(
      await this.#connection.run(GROUPS, [accountId, from]),
      ([, skuId, refinements, title, children]): GroupRecord => {
        return { skuId, refinements, title, childrenSkus: JSON.parse(children ?? '[]') };
      },
    );
  }
}

function pageOf<Row extends readonly [uploadOrder: number, ...rest: unknown[]], T>(
  rows: readonly Row[],
  recordOf: (row: Row) => T,
): RecordPage<T> {
  return { records: rows.map(recordOf), next: rows.length < PAGE_RECORDS ? undefined : rows.at(-1)?.[0] };
}

function offerOf(row: OfferRow): OfferRecord {
  const [, skuId, archived, firstUploadMs, document, documentUpdatedMs, price, priceNodes, priceUpdatedMs] = row;
  const [inventory, stampMs, zeroedNumber, shipping, returns] = [row[9], row[10], row[11], row[12], row[13]];
  return {
    skuId,
    archived,
    firstUploadMs,
    document,
    documentUpdatedMs,
    price: price === null ? null : { price, nodes: JSON.parse(priceNodes ?? '[]'), updatedMs: priceUpdatedMs ?? 0 },
    inventory: storedInventory(inventory, stampMs, zeroedNumber),
    shippingExceptions: shipping,
    returnLocationIds: returns === null ? null : JSON.parse(returns),
  };
}
