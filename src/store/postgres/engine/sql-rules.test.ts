/** Checks every SQL text of the adapter against the rules of a distributed database, and the rules against examples. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { Client } from 'pg';
import { STATEMENTS } from '../../shared/sql.ts';
import { MIGRATIONS } from '../schema/migration-list.ts';
import { postgresSkipped } from '../testing/availability.ts';
import { faultsOf, IMMUTABLE_FUNCTIONS, type Places } from '../testing/sql-rules.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMNS, REFERENCE_TABLES } from './distribution.ts';
import { withValues } from './insert-values.ts';

const SOURCES = globSync(['../**/*.ts', '../../shared/**/*.ts'], { cwd: import.meta.dirname }).filter(
  (file) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
);
const CREATED_TABLES = MIGRATIONS.flatMap((text) =>
  Array.from(text.matchAll(/CREATE TABLE (\w+)/g), ([, name]) => name),
);

const PLACES: Places = {
  distributed: DISTRIBUTION_COLUMNS,
  reference: REFERENCE_TABLES,
  plain: [...CREATED_TABLES, 'migration'].flatMap((name = '') => {
    return DISTRIBUTED_TABLES.includes(name) || REFERENCE_TABLES.includes(name) ? [] : [name];
  }),
};

/** Background statements that search all accounts, using an index on every node. No request waits for them. */
const OVER_ALL_ACCOUNTS: readonly string[] = [
  'find old files',
  'find old uploads',
  'find old reports',
  'find accounts with unfinished files',
  'find accounts with requested reports',
  'find accounts with old history',
  'find accounts with old authors',
  'find accounts with old logged requests',
  'find next images',
  'reach all nodes',
  // Run by the command line, before an operator replaces the taxonomy.
  'count all offers by category',
  'count upcoming failures of all accounts',
  // Housekeeping, and the operator's home.
  'count offers of all accounts',
  'list rejected files of all accounts',
  'find work of storefront',
  'list contested products of storefront',
  'find accounts with unnumbered events',
  'list accounts of storefront',
  // Trains the model that guesses categories.
  'read page of products',
];

/** Rule violations that are allowed in writes with a separate form for Citus. */
const FOR_POSTGRES =
  /^inserts into \w+ within a WITH$|^has (?:nextval|max|count|string_agg) among the values of event_batch$/;

describe('SQL of the adapter', () => {
  before(async () => {
    for (const file of SOURCES) await import(`./${file}`);
  });

  test('follows the rules, statement by statement', () => {
    assert.ok(STATEMENTS.size > 100, `${STATEMENTS.size} statements`);
    assert.ok(STATEMENTS.has('add portal user'), 'statements of shared commands are included');
    const faults = [...STATEMENTS.values()].flatMap(({ name, text }) => {
      if (OVER_ALL_ACCOUNTS.includes(name)) return [];
      // Citus runs another form of these writes (see history-statements.ts).
      const isForPostgres = STATEMENTS.has(`${name} without record`);
      return faultsOf(text, PLACES)
        .filter((fault) => !(isForPostgres && FOR_POSTGRES.test(fault)))
        .map((fault) => `${name} ${fault}`);
    });
    assert.deepEqual(faults, []);
  });

  test('inserts lists into tables on the workers only in a form that can be sent as VALUES', () => {
    const onWorkers = new Set([...DISTRIBUTED_TABLES, ...REFERENCE_TABLES]);
    const ofLists = [...STATEMENTS.values()].filter(({ text }) => {
      const [, table = ''] = /^INSERT INTO (\w+).*FROM unnest\(/s.exec(text) ?? [];
      return onWorkers.has(table) && !/\bJOIN\b/.test(text);
    });
    assert.ok(ofLists.length >= 20, `${ofLists.length} inserts`);
    const lists = Array.from({ length: 40 }, () => ['1']);
    const others = ofLists.filter((statement) => withValues(statement, lists) === undefined);
    assert.deepEqual(
      others.map(({ name }) => name),
      [],
    );
  });

  test('searches all accounts only to read one table, without a lock', () => {
    for (const name of OVER_ALL_ACCOUNTS) {
      const { text } = STATEMENTS.get(name) ?? assert.fail(name);
      assert.match(text, /^SELECT (?:(?!\bJOIN\b|\bFOR\b|\bWITH\b|\bSELECT\b).)*$/s, name);
      const [fault, ...others] = faultsOf(text, PLACES);
      assert.match(fault ?? '', /^reaches \w+ without \w+ = \$n(?: or = ANY \(\$n\))?$/, name);
      assert.deepEqual(others, [], name);
    }
  });

  test('follows the rules in the migrations', () => {
    assert.deepEqual(
      MIGRATIONS.flatMap((text) => faultsOf(text, PLACES)),
      [],
    );
    for (const table of [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES]) assert.ok(CREATED_TABLES.includes(table), table);
  });
});

test('functions that may change columns are immutable, and so are the casts', { skip: postgresSkipped() }, async () => {
  const { url } = await createTestDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  // A cast by `::` between text and another type uses the input and output functions of that type.
  const asked = [...IMMUTABLE_FUNCTIONS, 'int8out', 'jsonb_in', 'jsonb_concat', 'jsonb_contains'];
  const { rows } = await client.query(
    `SELECT proname AS name, bool_and(provolatile = 'i') AS "isImmutable" FROM pg_proc
     WHERE proname = ANY ($1::text[]) AND pronamespace = 'pg_catalog'::regnamespace GROUP BY 1 ORDER BY 1`,
    [asked],
  );
  await client.end();
  assert.deepEqual(
    rows,
    asked.sort().map((name) => ({ name, isImmutable: true })),
  );
});

describe('sources of the adapter', () => {
  const texts = new Map(SOURCES.map((file) => [file, readFileSync(path.join(import.meta.dirname, file), 'utf8')]));
  const filesWith = (pattern: RegExp) => SOURCES.filter((file) => pattern.test(texts.get(file) ?? ''));

  test('send only listed statements: one place calls the driver, and only migrations run scripts', () => {
    assert.deepEqual(filesWith(/\.query\(/), ['../engine/pooled-connection.ts']);
    assert.deepEqual(filesWith(/\.runScript\(/).sort(), ['../engine/distribution.ts', '../engine/migrations.ts']);
    assert.deepEqual(filesWith(/from 'pg'/).sort(), [
      '../engine/node-pool.ts',
      '../engine/pooled-connection.ts',
      '../engine/store-errors.ts',
    ]);
  });

  test('tell failures apart by SQLSTATE, never by names of constraints or by texts', () => {
    assert.deepEqual(filesWith(COMPARES_NAMES_OR_TEXTS), []);
  });

  test('the rule detects what it forbids', () => {
    for (const allowed of [`error.code === '23505'`, `sqlState(error)`, `error.message !== ''`, 'new Error(message)']) {
      assert.doesNotMatch(allowed, COMPARES_NAMES_OR_TEXTS);
    }
    for (const forbidden of [
      `error.constraint === 'offer_pkey'`,
      `error.message.includes('duplicate key')`,
      `error.message === 'deadlock detected'`,
      `/duplicate/.test(error.message)`,
      `error.detail?.startsWith('Key')`,
    ]) {
      assert.match(forbidden, COMPARES_NAMES_OR_TEXTS);
    }
  });
});

const COMPARES_NAMES_OR_TEXTS =
  /\.constraint\b|\.(?:message|detail|hint)\??\.|\.(?:message|detail|hint)\s*[!=]==\s*(?!\s|'')|(?:test|exec|match|includes)\([\w.?]*\.(?:message|detail|hint)\)/;

describe('rules', () => {
  const places: Places = {
    distributed: new Map([
      ['offer', 'account_id'],
      ['price', 'account_id'],
      ['image', 'hash'],
    ]),
    reference: ['merchant', 'account'],
    plain: ['lease'],
  };

  /** Texts that follow each rule, and texts that break it, with the expected message. */
  const EXAMPLES: Readonly<Record<string, { good: readonly string[]; bad: Readonly<Record<string, RegExp>> }>> = {
    'a distributed table is reached by account_id = $n': {
      good: [
        'SELECT a FROM offer WHERE account_id = $1 AND sku_id = $2',
        'SELECT a FROM offer AS o WHERE sku_id = $2 AND o.account_id = $1 ORDER BY a',
        'SELECT a FROM offer WHERE account_id = $1 AND (a = 1 OR b = 2)',
        'SELECT count(*) FROM merchant',
        'DELETE FROM offer WHERE account_id = $1',
        'UPDATE offer SET a = i.a FROM unnest($2::text[]) AS i (a) WHERE offer.account_id = $1 AND offer.a = i.a',
      ],
      bad: {
        'SELECT a FROM offer WHERE sku_id = $1': /reaches offer without/,
        'SELECT a FROM offer WHERE account_id = ANY ($1)': /reaches offer without/,
        'SELECT a FROM offer WHERE account_id IN ($1, $2)': /reaches offer without/,
        'SELECT a FROM offer WHERE account_id > $1': /reaches offer without/,
        'SELECT a FROM offer WHERE NOT account_id = $1': /reaches offer without/,
        'SELECT a FROM offer WHERE account_id = $1 OR a = $2': /has an OR/,
        'SELECT a FROM offer WHERE (account_id = $1 OR a = $2)': /reaches offer without/,
        'SELECT a FROM offer WHERE account_id = $1 + 1': /reaches offer without/,
        'SELECT a FROM offer o JOIN unnest($1::bigint[]) AS i (account_id) ON o.a = i.a WHERE i.account_id = $2':
          /reaches offer o without/,
        'SELECT (SELECT max(a) FROM offer) FROM merchant WHERE account_id = $1': /reaches offer without/,
        'SELECT a FROM offer WHERE account_id = $1 UNION ALL SELECT a FROM offer': /reaches offer without/,
        'WITH all_of AS (SELECT a FROM offer) SELECT a FROM all_of WHERE account_id = $1': /reaches offer without/,
        'DELETE FROM offer': /reaches offer without/,
        'UPDATE offer SET a = i.a FROM unnest($2::text[]) AS i (a) WHERE account_id = $1': /reaches offer without/,
        'UPDATE offer SET a = 1 -- WHERE account_id = $1': /reaches offer without/,
      },
    },
    'distributed tables are joined within one account, and not with plain ones': {
      good: [
        'SELECT 1 FROM offer o JOIN price p ON p.account_id = $1 AND p.a = o.a WHERE o.account_id = $1',
        'SELECT 1 FROM offer o JOIN account a ON a.a = o.a WHERE o.account_id = $1',
      ],
      bad: {
        'SELECT 1 FROM offer o JOIN price p ON p.a = o.a WHERE o.account_id = $1': /reaches price p without/,
        'SELECT 1 FROM offer o JOIN price p ON p.account_id = $2 WHERE o.account_id = $1': /different accounts/,
        'SELECT 1 FROM offer o JOIN lease l ON l.a = o.a WHERE o.account_id = $1': /joins the plain table lease/,
      },
    },
    'a plain table is not read together with a reference table': {
      good: [
        'SELECT a FROM account WHERE account_id = $1',
        'INSERT INTO lease (a) SELECT account_id FROM account ORDER BY account_id ON CONFLICT (a) DO NOTHING',
      ],
      bad: {
        'SELECT a FROM account WHERE NOT EXISTS (SELECT FROM lease l WHERE l.a = account.a)':
          /reads the plain table lease/,
        'SELECT a FROM lease JOIN account USING (a)': /reads the plain table lease/,
        'DELETE FROM lease WHERE a IN (SELECT a FROM account)': /reads the plain table lease/,
      },
    },
    'a table with its own distribution key is reached by one or several keys, and without other tables': {
      good: [
        'SELECT a FROM image WHERE hash = $1',
        'SELECT a FROM image WHERE hash = ANY ($1::bytea[]) AND b = $2',
        'DELETE FROM image USING unnest($2::text[]) AS i (a) WHERE image.hash = $1 AND image.a = i.a',
        `INSERT INTO image (hash, a) SELECT i.hash, i.a FROM unnest($1::bytea[], $2::text[]) AS i (hash, a)
         ON CONFLICT (hash) DO UPDATE SET a = excluded.a`,
        'UPDATE image SET a = $2 WHERE hash = $1',
        'CREATE TABLE image (hash bytea, account_id bigint, PRIMARY KEY (hash, account_id))',
      ],
      bad: {
        'SELECT a FROM image': /reaches image without hash/,
        'SELECT a FROM image WHERE account_id = $1': /reaches image without hash/,
        'SELECT a FROM image WHERE hash > $1': /reaches image without hash/,
        'SELECT a FROM image WHERE hash = ANY (SELECT hash FROM lease)': /reaches image without hash/,
        'SELECT a FROM image WHERE hash = $1 OR a = $2': /has an OR/,
        'DELETE FROM image USING unnest($1::bytea[]) AS i (hash) WHERE hash = $2': /reaches image without hash/,
        'SELECT 1 FROM image m JOIN lease l ON l.a = m.a WHERE m.hash = $1': /another table/,
        'SELECT 1 FROM image m JOIN merchant e ON e.a = m.a WHERE m.hash = $1': /another table/,
        'SELECT 1 FROM image m JOIN offer o ON o.account_id = $2 WHERE m.hash = $1': /another table/,
        'INSERT INTO image (a) VALUES ($1)': /without hash/,
        'INSERT INTO image (hash, a) VALUES ($1, $2) ON CONFLICT (a) DO NOTHING': /conflict target/,
        'UPDATE image SET hash = $2 WHERE hash = $1': /changes hash/,
        'CREATE TABLE image (hash bytea, a text, PRIMARY KEY (a, hash))': /key of image/,
        'SELECT a FROM image WHERE hash = $1 FOR UPDATE': /locks rows without/,
      },
    },
    'rows are locked within one account': {
      good: [
        'SELECT 1 FROM offer WHERE account_id = $1 FOR UPDATE SKIP LOCKED',
        'SELECT 1 FROM account WHERE account_id = $1 FOR KEY SHARE',
        'SELECT o.a FROM unnest($2::text[]) AS i (a) JOIN offer o ON o.account_id = $1 AND o.a = i.a FOR UPDATE OF o',
        'WITH o AS (SELECT a FROM offer WHERE account_id = $1 AND a = ANY ($2) FOR UPDATE) SELECT a FROM o',
      ],
      bad: {
        'SELECT 1 FROM lease WHERE kind = $1 FOR UPDATE SKIP LOCKED': /locks rows without/,
        'SELECT 1 FROM account FOR NO KEY UPDATE': /locks rows without/,
        'SELECT 1 FROM account WHERE account_id = ANY ($1) FOR SHARE': /locks rows without/,
        'WITH o AS (SELECT o.a FROM unnest($2::text[]) AS i (a) JOIN offer o ON o.account_id = $1 AND o.a = i.a FOR UPDATE OF o) SELECT a FROM o':
          /locks rows in a sub-query/,
      },
    },
    'an insert has account_id as a parameter and in its conflict target': {
      good: [
        'INSERT INTO offer (account_id, a) VALUES ($1, $2), ($1, $3) ON CONFLICT (account_id, a) DO NOTHING',
        'INSERT INTO offer (a, account_id) SELECT i.a, $1::bigint FROM unnest($2::text[]) AS i (a)',
        `INSERT INTO offer (account_id, a) SELECT w.account_id, w.a FROM unnest($2::text[]) AS i (a)
         JOIN offer w ON w.account_id = $1 AND w.a = i.a`,
        `INSERT INTO offer (account_id, a) SELECT r.account_id, r.a FROM (
           SELECT w.account_id, w.a FROM offer w WHERE w.account_id = $1) r WHERE r.a > 0`,
        'INSERT INTO merchant SELECT a FROM unnest($1::text[]) AS i (a)',
      ],
      bad: {
        'INSERT INTO offer (account_id, a) SELECT i.id, i.a FROM unnest($1::bigint[], $2::text[]) AS i (id, a)':
          /without a parameter/,
        'INSERT INTO offer (account_id, a) SELECT w.account_id, w.a FROM offer w WHERE w.a = $1': /without a parameter/,
        'INSERT INTO offer (account_id, a) SELECT i.account_id, i.a FROM unnest($1::bigint[]) AS i (account_id)':
          /without a parameter/,
        'INSERT INTO offer (account_id, a) VALUES ($1, $2), (7, $3)': /without a parameter/,
        'WITH w AS (INSERT INTO offer (account_id, a) VALUES ($1, $2) RETURNING a) SELECT a FROM w': /within a WITH/,
        'INSERT INTO offer (a) VALUES ($1)': /without a parameter/,
        'INSERT INTO offer VALUES ($1, $2)': /without naming the columns/,
        'INSERT INTO offer (account_id, a) VALUES ($1, now())': /has now among the values/,
        'INSERT INTO offer (account_id, a) VALUES ($1, $2) ON CONFLICT (a) DO NOTHING': /conflict target/,
        'INSERT INTO offer (account_id, a) VALUES ($1, $2) ON CONFLICT DO NOTHING': /conflict target/,
      },
    },
    'DO UPDATE SET has no call, no subselect and no clock': {
      good: [
        `INSERT INTO offer (account_id, a) VALUES ($1, $2) ON CONFLICT (account_id, a) DO UPDATE SET
           a = excluded.a, b = CASE WHEN offer.b > (excluded.b) THEN offer.b ELSE excluded.b END WHERE NOT offer.c`,
        'INSERT INTO lease (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = LEAST(lease.a, excluded.a)',
      ],
      bad: {
        'INSERT INTO offer (account_id) VALUES ($1) ON CONFLICT (account_id) DO UPDATE SET a = now()': /has now in DO/,
        'INSERT INTO merchant (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = lower(excluded.a)': /has lower in DO/,
        'INSERT INTO merchant (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = (SELECT 1)': /has select in DO/,
        'INSERT INTO merchant (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = CURRENT_TIMESTAMP': /has current_time/,
      },
    },
    'SET on a distributed table calls nothing that differs between nodes, and keeps account_id': {
      good: [
        'UPDATE offer SET a = GREATEST(a, $2), b = b || $3 WHERE account_id = $1',
        'UPDATE lease SET a = now() WHERE a = $1',
      ],
      bad: {
        'UPDATE offer SET a = jsonb_set(a, $2, to_jsonb(b)) WHERE account_id = $1': /has jsonb_set in SET/,
        'UPDATE offer SET a = (SELECT max(b) FROM merchant) WHERE account_id = $1': /has select in SET/,
        "UPDATE offer SET a = nextval('n') WHERE account_id = $1": /has nextval in SET/,
        'UPDATE offer SET account_id = $2 WHERE account_id = $1': /changes account_id/,
      },
    },
    'account_id leads every key of a distributed table': {
      good: [
        'CREATE TABLE offer (account_id bigint, a text, PRIMARY KEY (account_id, a), UNIQUE (account_id, b))',
        'CREATE UNIQUE INDEX offer_by_a ON offer (account_id, a); CREATE INDEX offer_by_b ON offer (b)',
        'ALTER TABLE offer ADD PRIMARY KEY (account_id, a)',
        'CREATE TABLE merchant (merchant_id text PRIMARY KEY, a text UNIQUE)',
      ],
      bad: {
        'CREATE TABLE offer (account_id bigint, a text PRIMARY KEY)': /key of offer/,
        'CREATE TABLE offer (account_id bigint, a text, UNIQUE (a, account_id))': /key of offer/,
        'CREATE TABLE IF NOT EXISTS offer (a text, CONSTRAINT of_a UNIQUE (a))': /key of offer/,
        'CREATE UNIQUE INDEX offer_by_a ON offer (a, account_id)': /key of offer/,
        'ALTER TABLE offer ADD CONSTRAINT of_a UNIQUE (a)': /key of offer/,
        'ALTER TABLE offer ADD COLUMN b text UNIQUE': /key of offer/,
      },
    },
    'distributed tables generate no ids, reference only reference tables, and have no triggers': {
      good: [
        'CREATE TABLE offer (account_id bigint REFERENCES account, a text)',
        'CREATE TABLE account (account_id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, m text REFERENCES merchant)',
        'ALTER TABLE offer ALTER COLUMN a SET STORAGE EXTERNAL',
      ],
      bad: {
        'CREATE TABLE offer (account_id bigint, n bigint GENERATED ALWAYS AS IDENTITY)': /numbers the rows/,
        "CREATE TABLE offer (account_id bigint, n bigint DEFAULT nextval('numbers'))": /numbers the rows/,
        'CREATE TABLE account (a text REFERENCES offer)': /not a reference table/,
        'CREATE TABLE offer (a text REFERENCES lease)': /not a reference table/,
        'CREATE OR REPLACE TRIGGER t AFTER UPDATE ON offer EXECUTE FUNCTION f()': /trigger/,
      },
    },
    'the database sends no notifications': {
      good: ["SELECT 'listen' FROM merchant"],
      bad: {
        'LISTEN changes': /LISTEN/,
        "NOTIFY changes, 'x'": /LISTEN/,
        "SELECT pg_notify('changes', $1)": /LISTEN/,
      },
    },
  };

  for (const [rule, { good, bad }] of Object.entries(EXAMPLES)) {
    test(rule, () => {
      for (const text of good) assert.deepEqual(faultsOf(text, places), [], text);
      for (const [text, fault] of Object.entries(bad)) {
        const faults = faultsOf(text, places);
        assert.ok(
          faults.some((found) => fault.test(found)),
          `${text}: ${faults.join(', ') || 'no fault found'}`,
        );
      }
    });
  }
});
