/**
 * In charge of reading whole merchants at one moment: a read transaction that stays open on a connection of its own.
 * Writers go on beside it; the log cannot be cut back until it is closed.
 */
import type { Environment } from '../../domain/account.ts';
import type { AccountRecord, GroupRecord, MerchantRecord, OfferRecord, StoreSnapshot } from '../port/moves.ts';
import type { StoredInventory } from '../port/offers.ts';
import type { RecordPage } from '../port/parts.ts';
import { readAccount } from '../shared/settings/accounts.ts';
import { listCredentials } from '../shared/settings/credentials.ts';
import type { Connection } from './engine.ts';
import { openForReading, query, storeError } from './engine.ts';
import { answered } from './setup.ts';
import { sqlOn } from './sql.ts';

/** Enough to make the cost of a page vanish; with documents of 1.4 KB some 400 KB of text. */
const PAGE_RECORDS = 256;

type OfferRow = readonly [
  id: number,
  skuId: string,
  archived: 0 | 1,
  firstUploadMs: number,
  stampMs: number,
  document: string,
  documentUpdatedMs: number,
  shipping: string | null,
  returns: string | null,
  inventory: string | null,
  ...price: readonly [price: number, nodes: string, updatedMs: number] | readonly [null, null, null],
];

export class SqliteSnapshot implements StoreSnapshot {
  readonly #connection: Connection;
  readonly #offers;
  readonly #groups;

  constructor(file: string) {
    const connection = openForReading(file);
    this.#connection = connection;
    connection.exec('BEGIN');
    // The first read takes the moment, not BEGIN.
    query<[number]>(connection, 'SELECT version FROM setup_version').get();
    this.#offers = query<OfferRow>(
      connection,
      `SELECT s.id, s.sku_id, s.archived, s.first_upload_ms, s.inventory_stamp_ms, d.document, d.updated_ms,
         e.exceptions, r.location_ids,
         (SELECT json_group_array(json_array(i.node_id, i.quantity, i.updated_ms) ORDER BY i.node_id)
          FROM inventory i WHERE i.sku = s.id HAVING count(*) > 0),
         p.price, p.nodes, p.updated_ms
       FROM sku s INDEXED BY sku_by_account
       JOIN sku_document d ON d.sku = s.id
       LEFT JOIN price p ON p.sku = s.id
       LEFT JOIN shipping_exception e ON e.sku = s.id
       LEFT JOIN returns_exception r ON r.sku = s.id
       WHERE s.account_id = ? AND s.id > ? ORDER BY s.id LIMIT ${PAGE_RECORDS}`,
    );
    this.#groups = query<[id: number, skuId: string, refinements: string, title: string | null, children: string]>(
      connection,
      `SELECT s.id, s.sku_id, g.refinements, g.title,
         (SELECT json_group_array(child.sku_id ORDER BY m.position)
          FROM variation_member m JOIN sku child ON child.id = m.sku
          WHERE m.parent = g.parent AND m.sku <> g.parent)
       FROM sku s INDEXED BY sku_by_account JOIN variation_group g ON g.parent = s.id
       WHERE s.account_id = ? AND s.id > ? ORDER BY s.id LIMIT ${PAGE_RECORDS}`,
    );
  }

  readMerchant(merchantId: string): Promise<MerchantRecord | undefined> {
    return answered(() => {
      const row = query<
        [name: string, createdMs: number, suspended: 0 | 1, timeToReturnDays: number, returnMethods: string]
      >(
        this.#connection,
        `SELECT name, created_ms, suspended, time_to_return_days, return_shipping_methods
         FROM merchant WHERE merchant_id = ?`,
      ).get(merchantId);
      if (row === undefined) return undefined;
      const [name, createdMs, suspended, timeToReturnDays, returnMethods] = row;
      return {
        merchantId,
        name,
        createdMs,
        suspended: suspended === 1,
        timeToReturnDays,
        returnShippingMethods: JSON.parse(returnMethods),
      };
    });
  }

  listMerchantIds(): Promise<readonly string[]> {
    return answered(() =>
      query<[string]>(
        this.#connection,
        `SELECT merchant_id FROM merchant
         WHERE merchant_id NOT IN (SELECT merchant_id FROM pending_import)
           AND merchant_id NOT IN (SELECT merchant_id FROM pending_removal WHERE exported_to IS NOT NULL)
         ORDER BY merchant_id`,
      )
        .all()
        .map(([merchantId]) => merchantId),
    );
  }

  async readAccount(merchantId: string, environment: Environment): Promise<AccountRecord> {
    const sql = sqlOn(this.#connection);
    try {
      const [accountId] = query<[number]>(
        this.#connection,
        'SELECT account_id FROM account WHERE merchant_id = ? AND environment = ?',
      ).get(merchantId, environment) ?? [0];
      const account = await readAccount(sql, accountId);
      if (account === undefined) throw new Error(`Merchant ${merchantId} has no ${environment} account.`);
      return {
        accountId,
        // All of them, also those past their end: the state of a moment does not depend on when it is read.
        credentials: await listCredentials(sql, accountId, 0),
        nodes: [...account.nodes.values()],
        returnLocationIds: [...account.returnLocationIds],
      };
    } catch (error) {
      throw storeError(error);
    }
  }

  countOffers(accountId: number): Promise<number> {
    return answered(
      () =>
        query<[number]>(
          this.#connection,
          'SELECT count(*) FROM sku INDEXED BY sku_by_account WHERE account_id = ?',
        ).get(accountId)?.[0] ?? 0,
    );
  }

  readOffers(accountId: number, from: number): Promise<RecordPage<OfferRecord>> {
    return answered(() => pageOf(this.#offers.all(accountId, from), offerOf));
  }

  readGroups(accountId: number, from: number): Promise<RecordPage<GroupRecord>> {
    return answered(() =>
      pageOf(this.#groups.all(accountId, from), ([, skuId, refinements, title, children]) => {
        return { skuId, refinements, title, childrenSkus: JSON.parse(children) };
      }),
    );
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close();
  }
}

function pageOf<Row extends readonly [id: number, ...rest: unknown[]], T>(
  rows: readonly Row[],
  recordOf: (row: Row) => T,
): RecordPage<T> {
  return { records: rows.map(recordOf), next: rows.length < PAGE_RECORDS ? undefined : rows.at(-1)?.[0] };
}

function offerOf(row: OfferRow): OfferRecord {
  const [, skuId, archived, firstUploadMs, stampMs, document, documentUpdatedMs, shipping, returns, inventory] = row;
  const [price, priceNodes, priceUpdatedMs] = [row[10], row[11], row[12]];
  return {
    skuId,
    archived: archived === 1,
    firstUploadMs,
    document,
    documentUpdatedMs,
    price: price === null ? null : { price, nodes: JSON.parse(priceNodes ?? '[]'), updatedMs: priceUpdatedMs ?? 0 },
    inventory: { stampMs, nodes: inventory === null ? [] : inventoryNodes(inventory) },
    shippingExceptions: shipping,
    returnLocationIds: returns === null ? null : JSON.parse(returns),
  };
}

function inventoryNodes(text: string): StoredInventory['nodes'] {
  return (JSON.parse(text) as [string, number, number][]).map(([nodeId, quantity, updatedMs]) => {
    return { fulfillment_node_id: nodeId, quantity, updatedMs };
  });
}
