/** Tests that processes that write variation groups of the same SKUs do not deadlock. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AUTHOR, documentOf, NOW_MS } from '../../contract/subject.ts';
import { openDatabase, statement } from '../engine/engine.ts';
import { openPostgresStore } from '../open.ts';
import { CITUS_VARIABLE, postgresSkipped } from '../testing/availability.ts';
import { createTestDatabase, PATIENCE } from '../testing/test-database.ts';

const DEADLOCKS = statement<[deadlocks: number, sessions: number]>('test deadlocks')`
  SELECT deadlocks, (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())
  FROM pg_stat_database WHERE datname = current_database()`;

const ROUNDS = 25;

type Write = readonly [parent: string, children: readonly string[]];

/** Each case starts with the group of the parent `p` and its children `a`, `b` and `c`. */
const CASES: readonly (readonly [title: string, one: Write, other: Write])[] = [
  ['each takes a member of the same group', ['x', ['a']], ['y', ['b']]],
  ['one ends the group whose members the other takes', ['p', ['c']], ['x', ['a', 'c']]],
];

describe('writes of variation groups by two processes', { skip: postgresSkipped() }, () => {
  for (const [title, one, other] of CASES) {
    test(`have no deadlock if ${title}`, async () => {
      const { url } = await createTestDatabase();
      const stores = [await openPostgresStore({ url, ...PATIENCE }), await openPostgresStore({ url, ...PATIENCE })];
      const put = (index: number, accountId: number, [parent, childrenSkus]: Write) =>
        stores[index]?.offers.write(
          { accountId, skuId: parent, by: AUTHOR },
          [{ part: 'variation', skuId: parent, group: { refinements: '[119]', title: null, childrenSkus } }],
          NOW_MS,
        );
      for (let accountId = 1; accountId <= ROUNDS; accountId++) {
        for (const skuId of ['p', 'a', 'b', 'c', 'x', 'y']) {
          const document = documentOf();
          await stores[0]?.offers.write({ accountId, skuId, by: AUTHOR }, [{ part: 'sku', skuId, document }], NOW_MS);
        }
        await put(0, accountId, ['p', ['a', 'b', 'c']]);
        const outcomes = await Promise.all([put(0, accountId, one), put(1, accountId, other)]);
        assert.deepEqual(outcomes, ['stored', 'stored']);
      }
      // Statistics of a connection appear a moment after it ends.
      for (const store of stores) await store.close();
      // On Citus deadlocks are counted by the workers, where sessions of Citus itself stay open.
      if (process.env[CITUS_VARIABLE]) return;
      const database = openDatabase({ url, ...PATIENCE });
      try {
        let [deadlocks, sessions] = [0, Number.POSITIVE_INFINITY];
        while (sessions > 1) [[deadlocks, sessions] = [0, 0]] = await database.run(DEADLOCKS);
        assert.equal(deadlocks, 0);
      } finally {
        await database.close();
      }
    });
  }
});
