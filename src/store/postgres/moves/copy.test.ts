/** Tests that a copy omits only the tables and columns named here, and that later writes get higher numbers than copied ones. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clearableOf, putSku } from '../../contract/put-parts.ts';
import { AUTHOR } from '../../contract/subject.ts';
import { COPIED_TABLES, type CopiedOffer, type CopiedTables } from '../../port/copy.ts';
import { TABLES } from '../../shared/moves/copy-store.ts';
import { openDatabase, STATEMENTS, statement } from '../engine/engine.ts';
import { migrate } from '../engine/migrations.ts';
import { openPostgresCopyStore, openPostgresStore } from '../open.ts';
import { postgresSkipped } from '../testing/availability.ts';
import { createTestDatabase, PATIENCE } from '../testing/test-database.ts';

/** Tables that each database has for itself, such as its counters. */
const OF_THE_STORE_ITSELF = ['copy_mark', 'migration', 'rate_counter', 'setup_version'];

/** Tables and columns that the review and the storefront fill again, since all copied offers are due. */
const FOUND_AGAIN = [
  ...[
    'review_sweep',
    'offer_listing',
    'offer_count',
    'upcoming_failure',
    'catalog',
    'catalog_news',
    'catalog_user',
    'image',
    'image_account',
    'image_lane',
    'image_queue',
    'image_user',
    'image_waiting',
  ],
  ...[
    'shop_account',
    'shop_correction',
    'shop_event',
    'shop_feed',
    'shop_offer',
    'shop_product',
    'shop_sku',
    'shop_term',
  ],
];
const FOUND_AGAIN_OF_OFFERS = [
  ...['review_marked_again', 'review_evidence', 'review_status', 'review_sub_statuses', 'review_rules', 'shoe_key'],
];

/** Columns of the history, which starts empty in a copy. */
const HISTORY_OF_OFFERS = [
  ...['changes', 'changed_part', 'changed_number', 'changed_amount', 'changed_text', 'changed_stock'],
];

/**
 * Not copied: records of bulk files and reports, whose bytes are on the old disks; request counts, the request log, traces and
 * idempotency keys, which expire soon; sessions, because users sign in again; the history, which is larger than the offers; the change feed and webhooks.
 */
const LEFT_BEHIND = [
  'bulk_file',
  'report',
  'plan',
  'idempotency_key',
  'offer_day',
  'request_count',
  'request_log',
  'trace',
  'portal_session',
  'author',
  'offer_history',
  'history_size',
  'event_batch',
  'event_feed',
  'webhook',
  'webhook_delivery',
];

/** Lists only tables, because Citus adds views. */
const COLUMNS = statement<[table: string, column: string]>('test all columns')`
  SELECT table_name::text, column_name::text FROM information_schema.columns
  JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name, ordinal_position`;

describe('copies of PostgreSQL', { skip: postgresSkipped() }, () => {
  test('uploads come after all copied offers, even if the source assigned more orders than numbers', async (t) => {
    const { url } = await createTestDatabase();
    const target = await openPostgresCopyStore({ url, ...PATIENCE });
    const tables = Object.fromEntries(COPIED_TABLES.map((name) => [name, []])) as unknown as CopiedTables;
    // The source has ten million offers, but no sequence numbers.
    const last = 10_000_000;
    const origin = { source: 'sqlite:/old', tablesDigest: '', writeNumber: 0 };
    await target.beginCopy(origin, tables, { writeNumber: 0, orderMax: last, rows: {} });
    assert.equal(await target.writeOffers({ accountId: 0, order: 0 }, 1, [oldOffer(last)]), 'stored');
    await target.finishCopy();
    await target.close();
    const store = await openPostgresStore({ url, ...PATIENCE });
    t.after(() => store.close());
    await putSku(store.offers, { accountId: 1, skuId: 'new', by: AUTHOR }, '{}', 1);
    const page = await store.offers.listSkus(1, { after: undefined, offset: 0, limit: 9 });
    assert.deepEqual(page, { skuIds: ['old', 'new'], more: false });
  });

  test('every column of every table is copied, or declared here', async (t) => {
    const { url } = await createTestDatabase();
    const database = openDatabase({ url, ...PATIENCE });
    t.after(() => database.close());
    await migrate(database);
    const found = Object.groupBy(await database.run(COLUMNS), ([table]) => table);
    for (const table of [...OF_THE_STORE_ITSELF, ...FOUND_AGAIN, ...LEFT_BEHIND]) delete found[table];
    const offers = /INTO offer \(([^)]+)\)/.exec(STATEMENTS.get('add whole offers')?.text ?? '')?.[1]?.split(', ');
    const copied = new Map<string, readonly string[]>(TABLES.map((table) => [table.name, table.columns]));
    copied.set('offer', [...(offers ?? []), ...FOUND_AGAIN_OF_OFFERS, ...HISTORY_OF_OFFERS]);
    assert.deepEqual(Object.keys(found).sort(), [...copied.keys()].sort());
    for (const [table, rows = []] of Object.entries(found)) {
      assert.deepEqual(rows.map(([, column]) => column).sort(), copied.get(table)?.toSorted(), table);
    }
  });
});

/** An offer as copied from a store without sequence numbers. */
function oldOffer(order: number): CopiedOffer {
  return {
    order,
    record: {
      skuId: 'old',
      archived: false,
      firstUploadMs: 1,
      document: '{}',
      documentUpdatedMs: 1,
      price: { price: 1, nodes: [], updatedMs: 1 },
      inventory: { stampMs: 1, nodes: [{ fulfillment_node_id: 'node', quantity: 1, updatedMs: 1 }] },
      clearable: clearableOf(),
    },
    membership: null,
    numbers: {
      sku: 0,
      price: 0,
      archive: 0,
      shipping_exception: 0,
      returns_exception: 0,
      variation: 0,
      inventory: 0,
      nodes: [0],
    },
  };
}
