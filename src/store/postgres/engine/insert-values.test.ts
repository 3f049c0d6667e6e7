/** Tests which inserts are rewritten, and how (sql-rules.test.ts: all that the store sends). The contract suite runs them on PostgreSQL, and the shard tests explain them on Citus. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Statement } from '../../shared/sql.ts';
import { bigints, texts } from './binary-arrays.ts';
import { withValues } from './insert-values.ts';

let made = 0;
function insert(text: string): Statement {
  made += 1;
  return { name: `test insert ${made}`, text };
}

const PAIRS = insert('INSERT INTO t (a, b) SELECT $1::bigint, b FROM unnest($2::text[]) AS i (b)');

describe('inserts of lists', () => {
  test('each row of a list becomes a row of VALUES, and a value for all rows is sent once', () => {
    const statement = insert(
      `INSERT INTO t (a, b, c, d, e)
       SELECT $2::bigint, i.b, i.c, 1, i.b
       FROM unnest($3::text[], $1::smallint[])
         AS i (b, c)
       ON CONFLICT (a, b) DO UPDATE SET c = excluded.c WHERE NOT t.d RETURNING b, c IS NULL`,
    );
    assert.deepEqual(withValues(statement, [[7, null], 5, ['x', 'y']]), {
      text: `INSERT INTO t (a, b, c, d, e) VALUES ($1::bigint, $2::text, $3::smallint, 1, $4::text), ($1::bigint, $5::text, $6::smallint, 1, $7::text) ON CONFLICT (a, b) DO UPDATE SET c = excluded.c WHERE NOT t.d RETURNING b, c IS NULL`,
      values: [5, 'x', 7, 'x', 'y', null, 'y'],
    });
  });

  test('rows are sorted if the statement sorts them', () => {
    const statement = insert(
      'INSERT INTO t (a, b) SELECT a, b FROM unnest($1::text[], $2::bytea[]) AS i (a, b) ORDER BY a, b ON CONFLICT (a) DO NOTHING',
    );
    const [one, two] = [Buffer.from('1'), Buffer.from('2')];
    const lists = [
      ['z', 'a', 'a'],
      [one, two, one],
    ];
    assert.deepEqual(withValues(statement, lists), {
      text: 'INSERT INTO t (a, b) VALUES ($1::text, $2::bytea), ($3::text, $4::bytea), ($5::text, $6::bytea) ON CONFLICT (a) DO NOTHING',
      values: ['a', one, 'a', two, 'z', one],
    });
  });

  test('elements of binary lists stay binary', () => {
    const statement = insert('INSERT INTO t (a, b) SELECT a, b FROM unnest($1::text[], $2::bigint[]) AS i (a, b)');
    const big = Buffer.from('0000000100000002', 'hex');
    assert.deepEqual(
      withValues(statement, [texts(['é', '', null]), bigints([2 ** 32 + 2, null, 2 ** 32 + 2])])?.values,
      [Buffer.from('é'), big, Buffer.alloc(0), null, null, big],
    );
  });

  test('empty lists are not rewritten', () => {
    assert.equal(withValues(PAIRS, [1, []]), undefined);
    assert.equal(withValues(PAIRS, [1, texts([])]), undefined);
  });

  test('up to 65,535 parameters are rewritten', () => {
    const most = Array.from({ length: 65_534 }, () => 'x');
    assert.equal(withValues(PAIRS, [1, most])?.values.length, 65_535);
    assert.equal(withValues(PAIRS, [1, [...most, 'x']]), undefined);
  });

  test('a statement that joins, filters, computes, sorts downward, or uses parameters elsewhere is not rewritten', () => {
    for (const text of [
      'INSERT INTO t (a) VALUES ($1)',
      'INSERT INTO t (a) SELECT w.a FROM unnest($1::text[]) AS i (a) JOIN w ON w.a = i.a',
      'INSERT INTO t (a) SELECT a FROM unnest($1::text[]) AS i (a) WHERE a > 1',
      'INSERT INTO t (a) SELECT a FROM unnest($1::text[]) AS i (a) ON CONFLICT (a) DO UPDATE SET b = $1',
      'INSERT INTO t (a) SELECT lower(i.a) FROM unnest($1::text[]) AS i (a)',
      'INSERT INTO t (a) SELECT DISTINCT a FROM unnest($1::text[]) AS i (a)',
      'INSERT INTO t (a) SELECT a FROM unnest($1::double precision[]) AS i (a)',
      'INSERT INTO t (a) SELECT a FROM unnest($1::text[]) AS i (a) ORDER BY a DESC',
      'WITH w AS (SELECT 1) INSERT INTO t (a) SELECT a FROM unnest($1::text[]) AS i (a)',
    ]) {
      assert.equal(withValues(insert(text), [['x']]), undefined, text);
    }
  });
});
