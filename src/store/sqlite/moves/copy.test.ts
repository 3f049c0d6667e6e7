/** Tests that a copy omits no table and no column: a new one must be copied, or named here. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { TABLES } from '../../shared/moves/copy-store.ts';
import { openForWriting } from '../engine/engine.ts';
import { migrate } from '../engine/migrations.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';

/** Copied by the statements of whole-offers.ts. */
const OF_OFFERS: Readonly<Record<string, readonly string[]>> = {
  sku: [
    ...['id', 'account_id', 'sku_id', 'archived', 'first_upload_ms', 'inventory_stamp_ms', 'archive_number'],
    ...['inventory_zeroed_number', 'shipping_exception_number', 'returns_exception_number', 'variation_number'],
  ],
  sku_document: ['sku', 'tag', 'document', 'updated_ms', 'number'],
  price: ['sku', 'price', 'nodes', 'updated_ms', 'number'],
  inventory: ['sku', 'node_id', 'quantity', 'updated_ms', 'number'],
  shipping_exception: ['sku', 'exceptions'],
  returns_exception: ['sku', 'location_ids'],
  variation_group: ['parent', 'refinements', 'title'],
  variation_member: ['sku', 'parent', 'position'],
};

/** Each database has its own counters; a copy raises them. */
const OF_THE_STORE_ITSELF = ['copy_mark', 'setup_version', 'write_number'];

/** Recreated by the review and the storefront, because all offers are due in the copy. */
const FOUND_AGAIN = [
  ...['review', 'review_due', 'review_sweep', 'offer_listing', 'offer_count', 'upcoming_failure'],
  ...['offer_words', 'offer_words_config', 'offer_words_data', 'offer_words_idx', 'word_change'],
  ...['catalog', 'catalog_news', 'catalog_user', 'image', 'image_account', 'image_lane', 'image_queue'],
  ...['image_user', 'image_waiting'],
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

test('every column of every table of the embedded store is copied, or declared here', () => {
  using connection = openForWriting(join(temporaryDir(), 'all.db'));
  migrate(connection);
  const columns = connection.query<[table: string, column: string]>(`
    SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
    WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%' ORDER BY 1, c.cid`);
  const found = Object.groupBy(columns.all(), ([table]) => table);
  for (const table of [...OF_THE_STORE_ITSELF, ...FOUND_AGAIN, ...LEFT_BEHIND]) delete found[table];
  const copied = {
    ...OF_OFFERS,
    ...Object.fromEntries(TABLES.map((table) => [table.name, table.columns])),
  };
  const sorted = (names: readonly string[] = []) => names.toSorted();
  assert.deepEqual(Object.keys(found).sort(), Object.keys(copied).sort());
  for (const [table, rows = []] of Object.entries(found)) {
    assert.deepEqual(sorted(rows.map(([, column]) => column)), sorted(copied[table as keyof typeof copied]), table);
  }
});
