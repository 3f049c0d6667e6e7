/** Tests that lists arrive in PostgreSQL exactly as they were sent. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgresSkipped } from '../testing/availability.ts';
import { createTestDatabase, PATIENCE } from '../testing/test-database.ts';
import { bigints, floats, integers, jsonbs, texts } from './binary-arrays.ts';
import { openDatabase, statement } from './engine.ts';

const ECHO = statement<[texts: string, jsonbs: string, integers: string, bigints: string, floats: string]>(
  'test echo lists',
)`
  SELECT to_json($1::text[])::text, to_json($2::jsonb[])::text, to_json($3::integer[])::text,
    to_json($4::bigint[])::text, to_json($5::float8[])::text`;
const TEXTS = statement<[length: number]>('test take texts')`SELECT cardinality($1::text[])`;

const MOST = Number.MAX_SAFE_INTEGER;

describe('lists in binary', { skip: postgresSkipped() }, () => {
  const lists = [
    {
      what: 'of every kind of element',
      texts: ['', 'a', '"\\{},NULL', 'é\u{1f600}\n', null, 'NULL', 'x'.repeat(100_000)],
      jsonbs: ['{"a\\"b": [1, "é"]}', null, '[]', '1'],
      integers: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), null],
      bigints: [0, 1, -1, 2 ** 32, 2 ** 32 - 1, -(2 ** 32) - 1, MOST, -MOST, 1_800_000_000_000, null],
      floats: [0, 0.1, 19.99, -1.5, 1e21, Number.MIN_VALUE, null],
    },
    { what: 'of none', texts: [], jsonbs: [], integers: [], bigints: [], floats: [] },
    { what: 'of nulls', texts: [null], jsonbs: [null], integers: [null], bigints: [null], floats: [null] },
  ];
  for (const { what, ...list } of lists) {
    test(`${what} arrive`, async (t) => {
      const { url } = await createTestDatabase();
      const database = openDatabase({ url, ...PATIENCE });
      t.after(() => database.close());
      const values = [
        texts(list.texts),
        jsonbs(list.jsonbs),
        integers(list.integers),
        bigints(list.bigints),
        floats(list.floats),
      ];
      const [found] = await database.run(ECHO, values);
      const sent = [
        list.texts,
        list.jsonbs.map((text) => (text === null ? null : JSON.parse(text))),
        list.integers,
        list.bigints,
        list.floats,
      ];
      assert.deepEqual(
        found?.map((text) => JSON.parse(text)),
        sent,
      );
    });
  }

  test('the database refuses the same values as in text format: zero bytes and wrong types', async (t) => {
    const { url } = await createTestDatabase();
    const database = openDatabase({ url, ...PATIENCE });
    t.after(() => database.close());
    await assert.rejects(database.run(TEXTS, [texts(['a\0b'])]), { code: '22021' });
    await assert.rejects(database.run(TEXTS, [['a\0b']]), { code: '22021' });
    await assert.rejects(database.run(TEXTS, [jsonbs(['1'])]), { code: '42804' });
    assert.deepEqual(await database.run(TEXTS, [texts(['a', 'b'])]), [[2]]);
  });

  test('a number that cannot be encoded exactly is refused', () => {
    for (const number of [MOST + 1, -MOST - 1, 0.5, Number.NaN]) {
      assert.throws(() => bigints([number]), { message: `${number} is not a safe integer.` });
    }
    for (const number of [2 ** 31, -(2 ** 31) - 1]) assert.throws(() => integers([number]), RangeError);
  });
});
