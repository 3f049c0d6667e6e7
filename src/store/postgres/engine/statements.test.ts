/**
 * Runs every statement of the adapter once, with made-up values: a distributed database refuses some statements only when they are
 * planned or run, and the rules for texts do not cover all of them.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { Client } from 'pg';
import { STATEMENTS } from '../../shared/sql.ts';
import { openPostgresStore } from '../open.ts';
import { postgresSkipped } from '../testing/availability.ts';
import { createReadyDatabase, PATIENCE } from '../testing/test-database.ts';

const SOURCES = globSync(['../**/*.ts', '../../shared/**/*.ts'], { cwd: import.meta.dirname }).filter(
  (file) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
);

const LEFT_OUT: readonly string[] = [
  // Waits for other migrations.
  'lock migrations',
  // These need Citus.
  'list spread tables',
  'count workers',
  'find worker of account',
  // These take names of sequences.
  'copy read row number',
  'copy raise row number',
];
/** Other statements, such as ANALYZE, have no values. */
const PREPARED = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

/** Made-up values may violate a constraint or name a row twice (21000), which shows that the statement ran. Citus uses XX000 for some of these. */
const BROKEN_CONSTRAINT = /^23|^21000|violates foreign key constraint/;

const VALUES: ReadonlyMap<string, string> = new Map([
  ['boolean', 'true'],
  ['bytea', String.raw`'\x01'`],
  ['json', `'{}'`],
  ['jsonb', `'{}'`],
]);

function madeUp(type: string): string {
  const element = type.replace('[]', '');
  const value = VALUES.get(element) ?? `'1'`;
  return type.endsWith('[]') ? `ARRAY[${value}]::${type}` : `${value}::${type}`;
}

describe('statements on the database of the tests', { skip: postgresSkipped() }, () => {
  let url: string;
  before(async () => {
    for (const file of SOURCES) await import(`./${file}`);
    ({ url } = await createReadyDatabase());
    await (await openPostgresStore({ url, ...PATIENCE })).close();
  });

  test('each is planned and run', async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const failures: string[] = [];
    for (const { name, text } of STATEMENTS.values()) {
      if (LEFT_OUT.includes(name)) continue;
      await client.query('BEGIN');
      try {
        if (!PREPARED.test(text)) {
          await client.query(text);
          continue;
        }
        await client.query(`PREPARE tried AS ${text}`);
        const { rows } = await client.query(
          `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'tried'`,
        );
        const values = rows[0].types.map(madeUp);
        await client.query(`EXECUTE tried ${values.length === 0 ? '' : `(${values.join(', ')})`}`);
      } catch (error) {
        const { code = '', message } = error as Error & { code?: string };
        if (!BROKEN_CONSTRAINT.test(`${code} ${message}`)) failures.push(`${name}: ${code} ${message}`);
      } finally {
        await client.query('ROLLBACK; DEALLOCATE ALL');
      }
    }
    await client.end();
    assert.deepEqual(failures, []);
  });
});
