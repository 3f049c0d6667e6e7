/**
 * That statements find offers by their whole key, also where most accounts are small: by averages a planner would read
 * all offers of an account for each batch, which goes well until the first large merchant arrives.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type HeldConnection, openDatabase, STATEMENTS, type Statement, statement } from './engine.ts';
import { migrate } from './migrations.ts';
import { postgresSkipped } from './testing/availability.ts';
import { createReadyDatabase } from './testing/test-database.ts';

// Loads every file that holds statements.
import './open.ts';

const offerStatements = [...STATEMENTS.values()].filter(({ text }) => /\b(?:FROM|JOIN|UPDATE|INTO) offer\b/.test(text));
const fileStatements = [...STATEMENTS.values()].filter(({ text }) =>
  /\b(?:FROM|UPDATE) (?:bulk_file|report)\b/.test(text),
);

describe('plans of PostgreSQL', { skip: postgresSkipped() }, () => {
  let url: string;

  before(async () => {
    ({ url } = await createReadyDatabase());
    const database = openDatabase({ url, statement_ms_max: 0 });
    await migrate(database);
    // 20,000 accounts with three offers each.
    await database.hold((connection) =>
      connection.runScript(`
        INSERT INTO offer (account_id, sku_id, upload_order, first_upload_ms, inventory_stamp_ms, document,
          document_updated_ms, document_number)
        SELECT n / 3, 'sku-' || n, n, 1, 1, '{}', 1, 1 FROM generate_series(1, 60000) n;
        ANALYZE offer;
        INSERT INTO bulk_file (account_id, file_id, created_ms, type, number, status)
        SELECT n / 3, n, n, 'Price', n, 'Processed successfully' FROM generate_series(1, 6000) n;
        INSERT INTO report (account_id, report_id, requested_ms) SELECT n / 3, n, n FROM generate_series(1, 6000) n;
        ANALYZE bulk_file, report;
      `),
    );
    await database.close();
  });

  test('there are statements to look at', () => {
    assert.ok(offerStatements.length > 15);
    assert.ok(fileStatements.length > 20);
  });

  for (const { name, text } of offerStatements) {
    test(`"${name}" goes by an index and by all of the key`, async (t) => {
      const database = openDatabase({ url });
      t.after(() => database.close());
      const plan = await database.hold((connection) => explained(connection, name, text));
      assert.doesNotMatch(plan, /Seq Scan on offer|Join Filter/, plan);
      // A million offers may be due, of which the first few are asked for.
      if (/ORDER BY review_mark|\bshoe_key = \$/.test(text)) assert.doesNotMatch(plan, /\bSort\b/, plan);
      if (/\bsku_id = /.test(text)) assert.match(plan, /Index Cond: .*sku_id = |Conflict Arbiter/, plan);
    });
  }

  for (const { name, text } of fileStatements) {
    test(`"${name}" goes by an index, in its order`, async (t) => {
      const database = openDatabase({ url });
      t.after(() => database.close());
      const plan = await database.hold((connection) => explained(connection, name, text));
      assert.doesNotMatch(plan, /Seq Scan|Sort/, plan);
      if (/\bfile_id = /.test(text)) assert.match(plan, /Index Cond: .*file_id = /, plan);
      if (/\breport_id = /.test(text)) assert.match(plan, /Index Cond: .*report_id = /, plan);
    });
  }
});

/** The plan that is kept for all values; it does not depend on those given. */
async function explained(connection: HeldConnection, name: string, text: string): Promise<string> {
  const values = Array.from({ length: parametersOf(text) }, () => 'NULL').join();
  await connection.runScript('SET plan_cache_mode = force_generic_plan');
  await connection.runScript(`PREPARE explained AS ${text}`);
  const explain: Statement<[line: string]> = statement(
    `test explain ${name}`,
    `EXPLAIN (COSTS OFF) EXECUTE explained${values === '' ? '' : `(${values})`}`,
  );
  return (await connection.run(explain)).map(([line]) => line).join('\n');
}

function parametersOf(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
}
