/** Tests that the offers of a product are read by indexes on SQLite, in their order, however many the product has. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { STATEMENTS, type Statement } from '../../shared/sql.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';
import { openForWriting } from './engine.ts';
import { migrate } from './migrations.ts';

// Loads the statements of the storefront.
import '../../shared/storefront/products.ts';
import '../../shared/storefront/projection.ts';
import '../../shared/storefront/ranks.ts';

const KEY = '(code=? AND environment=?)';

test('the offers of a product are read in the order of an index', () => {
  const connection = openForWriting(join(temporaryDir(), 'plans.db'));
  migrate(connection);
  for (const [name, index] of [
    ['find sources of product in storefront', 'shop_offer_by_age'],
    ['read offers of product in storefront', 'shop_offer_by_rank'],
    ['read offers of products in storefront', 'shop_offer_by_rank'],
  ] as const) {
    const { text, rowText = text } = STATEMENTS.get(name) ?? assert.fail(name);
    const explain: Statement<[id: number, parent: number, unused: number, detail: string]> = {
      name: `explain ${name}`,
      text: `EXPLAIN QUERY PLAN ${rowText}`,
    };
    const plan = connection.run(explain).map(([, , , detail]) => detail);
    assert.deepEqual(plan, [`SEARCH shop_offer USING INDEX ${index} ${KEY}`]);
  }
});
