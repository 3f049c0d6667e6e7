/** Tests that both engines have the same tables and columns. Each difference is declared here with its reason. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CLEARABLE_PARTS } from '../domain/vocabulary/offer-parts.ts';
import { openDatabase, statement } from './postgres/engine/engine.ts';
import { migrate as migratePostgres } from './postgres/engine/migrations.ts';
import { MIGRATIONS as POSTGRES_MIGRATIONS } from './postgres/schema/migration-list.ts';
import { postgresSkipped } from './postgres/testing/availability.ts';
import { createTestDatabase, PATIENCE } from './postgres/testing/test-database.ts';
import { openForWriting } from './sqlite/engine/engine.ts';
import { migrate as migrateSqlite } from './sqlite/engine/migrations.ts';
import { MIGRATIONS as SQLITE_MIGRATIONS } from './sqlite/schema/migration-list.ts';
import { temporaryDir } from './sqlite/testing/temporary-dir.ts';

type Column = readonly [table: string, column: string, type: string, isNullable: boolean];

/** Maps column types to kinds of values, regardless of size. */
const KINDS: Readonly<Record<string, string>> = {
  INTEGER: 'integer',
  bigint: 'integer',
  integer: 'integer',
  smallint: 'integer',
  TEXT: 'text',
  'text COLLATE "C"': 'text',
  text: 'text in the collation of the server',
  BLOB: 'bytes',
  bytea: 'bytes',
  REAL: 'float',
  'double precision': 'float',
};

/** Tables and columns that only one engine has, with the reason. */
const ONE_ROW_OR_TABLES = 'SQLite has a narrow table for each part of an offer; PostgreSQL stores an offer in one row';
const NAMES_OF_OFFERS =
  'SQLite names an offer by sku.id; PostgreSQL by its key and order within the account, which stay in one shard';
const ONLY_IN_SQLITE: Readonly<Record<string, string>> = {
  sku: ONE_ROW_OR_TABLES,
  sku_document: ONE_ROW_OR_TABLES,
  price: ONE_ROW_OR_TABLES,
  inventory: ONE_ROW_OR_TABLES,
  ...Object.fromEntries(CLEARABLE_PARTS.map((part) => [part, ONE_ROW_OR_TABLES])),
  variation_group: ONE_ROW_OR_TABLES,
  variation_member: ONE_ROW_OR_TABLES,
  review: ONE_ROW_OR_TABLES,
  review_due: ONE_ROW_OR_TABLES,
  write_number: 'a sequence in PostgreSQL',
  'offer_history.sku': NAMES_OF_OFFERS,
  'offer_listing.sku': NAMES_OF_OFFERS,
  'offer_listing.words text': 'offer_words indexes them; PostgreSQL indexes the column itself',
  offer_words: 'the full-text index; PostgreSQL has offer_listing_by_words',
  offer_words_config: 'part of offer_words',
  offer_words_data: 'part of offer_words',
  offer_words_idx: 'part of offer_words',
  word_change: 'the queue of offer_words',
};
const ONLY_IN_POSTGRES: Readonly<Record<string, string>> = {
  offer: ONE_ROW_OR_TABLES,
  'offer_history.account_id': NAMES_OF_OFFERS,
  'offer_history.upload_order': NAMES_OF_OFFERS,
  'offer_listing.sku_id': NAMES_OF_OFFERS,
  'offer_listing.upload_order': NAMES_OF_OFFERS,
  'offer_listing.words tsvector': 'the type by which PostgreSQL indexes words',
  migration: 'user_version in SQLite',
  rate_counter: 'several processes share the counters; on SQLite one process serves the database, and counts in memory',
};

function sqliteColumns(): readonly Column[] {
  using connection = openForWriting(join(temporaryDir(), 'schema.db'));
  migrateSqlite(connection);
  const columns = connection.query<[table: string, column: string, type: string, isNullable: 0 | 1]>(`
    SELECT t.name, c.name, c.type, c."notnull" = 0 AND c.pk = 0 FROM pragma_table_list t JOIN pragma_table_info(t.name) c
    WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%'`);
  return columns.all().map(([table, column, type, isNullable]) => [table, column, type, isNullable === 1]);
}

/** Lists only tables, because Citus adds views. */
const POSTGRES_COLUMNS = statement<Column>('test columns of the schema')`
  SELECT table_name::text, column_name::text, data_type || coalesce(' COLLATE "' || collation_name || '"', ''), is_nullable = 'YES' FROM information_schema.columns
  JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`;

/** Lists tables, and columns with their kinds, without the exceptions. */
function described(columns: readonly Column[], exceptions: Readonly<Record<string, string>>): readonly string[] {
  const used = new Set<string>();
  const isException = (name: string) => name in exceptions && used.add(name);
  const shown = columns.flatMap(([table, column, type, isNullable]) => {
    const kind = KINDS[type] ?? type;
    if ([table, `${table}.${column}`, `${table}.${column} ${kind}`].some(isException)) return [];
    return [`${table}.${column} ${kind}${isNullable ? ' or null' : ''}`];
  });
  assert.deepEqual([...used].sort(), Object.keys(exceptions).sort(), 'every declared exception is still needed');
  return shown.sort();
}

test('both engines have the same tables and columns, with the same kinds of values', {
  skip: postgresSkipped(),
}, async (t) => {
  const { url } = await createTestDatabase();
  const database = openDatabase({ url, ...PATIENCE });
  t.after(() => database.close());
  await migratePostgres(database);
  const postgres = described(await database.run(POSTGRES_COLUMNS), ONLY_IN_POSTGRES);
  assert.deepEqual(described(sqliteColumns(), ONLY_IN_SQLITE), postgres);
});

/** Columns with the same meaning in every table, and columns whose meaning the first column of their table explains. */
const PLAIN_NAMES = [
  ...[
    'account_id',
    'merchant_id',
    'sku',
    'sku_id',
    'user_id',
    'author_id',
    'act_id',
    'file_id',
    'report_id',
    'plan_id',
    'session_id',
  ],
  ...['location_id', 'node_id', 'upload_order', 'environment', 'code', 'address_hash', 'only_row'],
];
/** The suffix explains these: times in ms since 1970, and sequence numbers. */
const PLAIN_ENDINGS = /(_ms|^number|_number)$/;

for (const [engine, migrations] of Object.entries({ sqlite: SQLITE_MIGRATIONS, postgres: POSTGRES_MIGRATIONS })) {
  test(`every column of ${engine} has a comment`, () => {
    const bodies = Array.from(migrations.join('').matchAll(/CREATE TABLE (\w+) \((.*?)\n {2}\)/gs));
    assert.ok(bodies.length > 30, `${bodies.length} tables`);
    const silent = bodies.flatMap(([, table, body = '']) =>
      Array.from(body.matchAll(/^ {4}([a-z_]+) (?!.*--)/gm), ([, column = '']) => column)
        .filter((column) => !PLAIN_NAMES.includes(column) && !PLAIN_ENDINGS.test(column))
        .map((column) => `${table}.${column}`),
    );
    assert.deepEqual(silent, []);
  });
}
