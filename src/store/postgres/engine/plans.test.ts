/**
 * Tests that statements find offers by their whole key, even if most accounts are small. Going by averages, the planner would read
 * all offers of an account for each batch, which is slow for the first large merchant.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { citusSkipped, postgresSkipped } from '../testing/availability.ts';
import { createReadyDatabase, PATIENCE } from '../testing/test-database.ts';
import { openDatabase, STATEMENTS, type Statement, statement } from './engine.ts';
import { migrate } from './migrations.ts';
import type { PooledConnection } from './pooled-connection.ts';

// Loads every file that holds statements.
import '../open.ts';

const listingStatements = [...STATEMENTS.values()].filter(({ text }) =>
  /\b(?:FROM|JOIN|UPDATE|INTO) offer_listing\b/.test(text),
);
const offerStatements = [...STATEMENTS.values()].filter(
  (one) => /\b(?:FROM|JOIN|UPDATE|INTO) offer\b/.test(one.text) && !listingStatements.includes(one),
);
const fileStatements = [...STATEMENTS.values()].filter(({ text }) =>
  /\b(?:FROM|UPDATE) (?:bulk_file|report|idempotency_key)\b/.test(text),
);
const shopOrders = {
  'find sources of product in storefront': 'shop_offer_by_age',
  'read offers of product in storefront': 'shop_offer_by_rank',
  'read offers of products in storefront': 'shop_offer_by_rank',
};

/** Citus chooses a shard by the values, and shows no plan without them. Its shards have the same indexes and planner hints. */
const skipped = postgresSkipped() || (citusSkipped() === false && 'Citus plans no statement without its values');

describe('plans of PostgreSQL', { skip: skipped }, () => {
  let url: string;
  let emptyUrl: string;

  before(async () => {
    ({ url } = await createReadyDatabase());
    ({ url: emptyUrl } = await createReadyDatabase());
    const emptyDatabase = openDatabase({ url: emptyUrl, ...PATIENCE, statement_ms_max: 0 });
    await migrate(emptyDatabase).finally(() => emptyDatabase.close());
    const database = openDatabase({ url, ...PATIENCE, statement_ms_max: 0 });
    await migrate(database);
    // 20,000 accounts with three offers each.
    await database.hold((connection) =>
      connection.runScript(`
        INSERT INTO offer (account_id, sku_id, upload_order, first_upload_ms, inventory_stamp_ms, document_tag, document,
          document_updated_ms, document_number)
        SELECT n / 3, 'sku-' || n, n, 1, 1, 'tag', '{}', 1, 1 FROM generate_series(1, 60000) n;
        ANALYZE offer;
        INSERT INTO offer_listing (account_id, sku_id, upload_order, status, sub_statuses, title_key, words)
        SELECT n / 3, 'sku-' || n, n, 'missing', n % 4096, n, ('1xa 1xb' || n % 1000)::tsvector
        FROM generate_series(1, 60000) n;
        ANALYZE offer_listing;
        INSERT INTO bulk_file (account_id, file_id, created_ms, type, number, status)
        SELECT n / 3, n, n, 'Price', n, 'Processed successfully' FROM generate_series(1, 6000) n;
        INSERT INTO report (account_id, report_id, type, requested_ms, status)
        SELECT n / 3, n, 'ProductStatus', n, 'Requested' FROM generate_series(1, 6000) n;
        INSERT INTO idempotency_key (account_id, key, fingerprint, number, claimed_ms, lease_ends_ms)
        SELECT n / 3, n, '', n, n, n FROM generate_series(1, 6000) n;
        ANALYZE bulk_file, report, idempotency_key;
        -- 20,000 products with an offer each, and one with 20,000.
        INSERT INTO shop_offer (code, environment, account_id, sku_id, since_ms, total, quantity, pack, shown, product)
        SELECT CASE WHEN n % 2 = 0 THEN 'p' ELSE 'p' || n END, 'live', 1, n, n, n, n, 1, '', '' FROM generate_series(1, 40000) n;
        INSERT INTO shop_product (code, environment, updated_ms, number, product)
        SELECT DISTINCT code, 'live', 1, 1, '' FROM shop_offer;
        ANALYZE shop_offer, shop_product;
      `),
    );
    await database.close();
  });

  test('there are statements to check', () => {
    assert.ok(offerStatements.length > 15);
    assert.ok(fileStatements.length > 20);
    assert.ok(listingStatements.length > 90);
  });

  for (const { name, text } of offerStatements) {
    test(`"${name}" uses an index with the whole key`, async (t) => {
      const database = openDatabase({ url, ...PATIENCE });
      t.after(() => database.close());
      const plan = await database.hold((connection) => explained(connection, name, text));
      assert.doesNotMatch(plan, /Seq Scan on offer|Join Filter/, plan);
      // A million offers may be due, of which only the first few are read.
      if (/ORDER BY review_mark|\bshoe_key = \$/.test(text)) assert.doesNotMatch(plan, /\bSort\b/, plan);
      if (/\bsku_id = /.test(text)) assert.match(plan, /Index Cond: .*sku_id = |Conflict Arbiter/, plan);
    });
  }

  // Some plans that were made for an empty table stay cached until it has a million rows.
  for (const state of ['many accounts', 'empty tables'] as const) {
    for (const { name, text } of listingStatements) {
      test(`"${name}" reads only as many listings as requested, from an index and in its order (${state})`, async (t) => {
        const database = openDatabase({ url: state === 'many accounts' ? url : emptyUrl, ...PATIENCE });
        t.after(() => database.close());
        const isByWords = /by words/.test(name);
        const plan = await database.hold(async (connection) => {
          if (isByWords) await connection.runScript('SET enable_bitmapscan = on; SET enable_indexscan = off');
          return explained(connection, `${name} ${state === 'empty tables' ? 'e' : ''}`, text);
        });
        // Words need statistics (table-statistics.ts), and nothing is erased from an empty table.
        if (state === 'empty tables' && (isByWords || name === 'erase listings')) return;
        assert.doesNotMatch(plan, /Seq Scan|Join Filter|hashed SubPlan/, plan);
        if (/^(?:walk|find end)/.test(name)) assert.doesNotMatch(plan, /\bSort\b/, plan);
        // A sort without an index must come after a limit. Before PostgreSQL 16, an aggregate sorts internally, and the plan shows no Sort
        // node.
        if (/^gather/.test(name)) assert.match(plan, /Sort.*-> {2}Limit.*Index/s, plan);
        if (/^sort/.test(name)) assert.match(plan, /^Aggregate.*-> {2}Limit(?!.*Sort).*Index/s, plan);
        if (isByWords) assert.match(plan, /Bitmap Index Scan on offer_listing_by_words/, plan);
        if (/\bsku_id = /.test(text)) assert.match(plan, /Index Cond: .*sku_id = |Conflict Arbiter/, plan);
        const [, index] = /by (status|category|title|sub_status \d+)/.exec(name) ?? [];
        if (index !== undefined) assert.match(plan, new RegExp(`offer_listing_by_${index.replace(' ', '_')}\\b`), plan);
        if (/by archived/.test(name)) assert.match(plan, /offer_archived\b/, plan);
      });
    }
  }

  for (const [name, index] of Object.entries(shopOrders)) {
    test(`"${name}" reads offers in the order of an index`, async (t) => {
      const database = openDatabase({ url, ...PATIENCE });
      t.after(() => database.close());
      const { text } = STATEMENTS.get(name) ?? assert.fail();
      const plan = await database.hold((connection) => explained(connection, name, text));
      assert.doesNotMatch(plan, /Seq Scan|Sort/, plan);
      assert.match(plan, new RegExp(`Index Scan using ${index}\\b`), plan);
    });
  }

  for (const { name, text } of fileStatements) {
    test(`"${name}" uses an index, in its order`, async (t) => {
      const database = openDatabase({ url, ...PATIENCE });
      t.after(() => database.close());
      const plan = await database.hold((connection) => explained(connection, name, text));
      // Statements that list kept files sort two tables by time, but run only once per several gigabytes of files.
      assert.doesNotMatch(plan, /^list kept/.test(name) ? /Seq Scan/ : /Seq Scan|Sort/, plan);
      if (/\bfile_id = /.test(text)) assert.match(plan, /Index Cond: .*file_id = /, plan);
      if (/\breport_id = /.test(text)) assert.match(plan, /Index Cond: .*report_id = /, plan);
      if (/\bkey = /.test(text)) assert.match(plan, /Index Cond: .*\bkey = /, plan);
      if (/\bclaimed_ms (?:<|BETWEEN) /.test(text)) assert.match(plan, /Index Cond: .*claimed_ms <=? /, plan);
    });
  }
});

/** Returns the generic plan, which does not depend on the values. */
async function explained(connection: PooledConnection, name: string, text: string): Promise<string> {
  const values = Array.from({ length: parametersOf(text) }, () => 'NULL').join();
  await connection.runScript('SET plan_cache_mode = force_generic_plan');
  await connection.runScript(`PREPARE explained AS ${text}`);
  const explain: Statement<[line: string]> = statement(`test explain ${name}`)`
    EXPLAIN (COSTS OFF) EXECUTE explained${values === '' ? '' : `(${values})`}`;
  return (await connection.run(explain)).map(([line]) => line).join('\n');
}

function parametersOf(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
}
