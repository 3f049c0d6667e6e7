/** Tests that values are returned exactly, transactions are atomic, and every call settles in time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { TestContext } from 'node:test';
import { before, describe, test } from 'node:test';
import { timedIt } from '../../../../test/harness/lost-time.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import { postgresSkipped } from '../testing/availability.ts';
import { createTestDatabase, PATIENCE } from '../testing/test-database.ts';
import { type Database, type DatabaseOptions, openDatabase, type Statement, statement } from './engine.ts';

const PID = statement<[pid: number]>('test pid')`SELECT pg_backend_pid()`;
const SLEEP = statement('test sleep')`SELECT pg_sleep($1)`;
const ADD = statement<[n: number]>('test add')`INSERT INTO counted (n) VALUES ($1) RETURNING n`;
const COUNT = statement<[count: number]>('test count')`SELECT count(*) FROM counted WHERE n = $1`;
const DIVIDE = statement<[result: number]>('test divide')`SELECT 1 / $1::integer`;
const LENGTH = statement<[length: number]>('test length')`SELECT length($1::text)`;
const RAISE = statement('test raise')`UPDATE ranked SET rank = rank + 1 WHERE id = $1`;
const RANKS = statement<[rank: number]>('test ranks')`SELECT rank FROM ranked ORDER BY id`;
const KILL = statement('test kill')`SELECT pg_terminate_backend($1::integer, 5000)`;

describe('PostgreSQL engine', { skip: postgresSkipped() }, () => {
  let url: string;

  before(async () => {
    ({ url } = await createTestDatabase());
    const database = openDatabase({ url, ...PATIENCE });
    await database.hold((connection) =>
      connection.runScript(`
        CREATE TABLE counted (n bigint PRIMARY KEY);
        CREATE TABLE ranked (id integer PRIMARY KEY, rank integer NOT NULL);
        INSERT INTO ranked VALUES (1, 0), (2, 0);
      `),
    );
    await database.close();
  });

  function openFor(t: TestContext, options: Partial<DatabaseOptions> = {}): Database {
    const database = openDatabase({ url, ...PATIENCE, ...options });
    t.after(() => database.close());
    return database;
  }

  test('values are returned exactly', async (t) => {
    const database = openFor(t);
    const types = statement<unknown[]>('test types')`
      SELECT $1::bigint, $2::float8, $3::bytea, $4::jsonb, $5::json, $6::text, $7::text[], $8::boolean, NULL::text`;
    const [row] = await database.run(types, [
      Number.MAX_SAFE_INTEGER,
      0.1 + 0.2,
      Buffer.of(0, 255, 10),
      '{"b":1}',
      '{"n": 9223372036854775807}',
      'é\u0001\\"😀',
      ['a"b', 'c\\d', '{}', 'null', '', ' '],
      true,
    ]);
    assert.deepEqual(row, [
      Number.MAX_SAFE_INTEGER,
      0.1 + 0.2,
      Buffer.of(0, 255, 10),
      '{"b": 1}',
      '{"n": 9223372036854775807}',
      'é\u0001\\"😀',
      ['a"b', 'c\\d', '{}', 'null', '', ' '],
      true,
      null,
    ]);
  });

  describe('sessions', () => {
    const SETTING = statement<[value: string]>('test setting')`SELECT current_setting($1)`;
    const settingsOf = async (database: Database, ...names: readonly string[]) =>
      Promise.all(names.map(async (name) => (await database.run(SETTING, [name]))[0]?.[0]));

    test('options in the URL are kept, but cannot replace required ones', async (t) => {
      const address = new URL(url);
      address.searchParams.set('options', '-c work_mem=7MB -c enable_seqscan=on');
      const database = openFor(t, { url: address.href });
      assert.deepEqual(await settingsOf(database, 'work_mem', 'enable_seqscan', 'jit'), ['7MB', 'off', 'off']);
    });

    test('a statement on Citus uses one connection to each node', async (t) => {
      assert.deepEqual(await settingsOf(openFor(t), 'citus.max_adaptive_executor_pool_size'), ['1']);
    });

    test('commits are durable even if the database turns that off, and never less than it requires', async (t) => {
      for (const [set, used] of [
        ['off', 'on'],
        ['local', 'local'],
        ['remote_apply', 'remote_apply'],
      ] as const) {
        const address = new URL(url);
        address.searchParams.set('options', `-c synchronous_commit=${set}`);
        const database = openFor(t, { url: address.href });
        const [row] = await database.readQuickly(SETTING, ['synchronous_commit']);
        assert.deepEqual([row?.[0], ...(await settingsOf(database, 'synchronous_commit'))], [used, used]);
      }
    });
  });

  describe('transactions', () => {
    test('commands that run together are all stored, and each returns its rows', async (t) => {
      const database = openFor(t);
      const commands = [1, 2, 3].map((n) => ({ statement: ADD, values: [n] }));
      assert.deepEqual(await database.runInRounds(commands), [[[1]], [[2]], [[3]]]);
      assert.deepEqual(await database.run(COUNT, [2]), [[1]]);
    });

    test('if one of them fails nothing is stored, its error is reported, and the connection is clean', async (t) => {
      const database = openFor(t, { connections_max: 1 });
      const commands = [
        { statement: ADD, values: [10] },
        { statement: DIVIDE, values: [0] },
        { statement: ADD, values: [11] },
      ];
      await assert.rejects(database.runInRounds(commands), { code: '22012' });
      assert.deepEqual(await database.run(COUNT, [10]), [[0]]);
      assert.deepEqual(await database.runInRounds(commands.filter(({ statement }) => statement === ADD)), [
        [[10]],
        [[11]],
      ]);
    });

    test('in two rounds, the second uses the rows of the first, and a failure of either stores nothing', async (t) => {
      const database = openFor(t, { connections_max: 1 });
      const add = (n: unknown) => ({ statement: ADD, values: [n] });
      const divide = { statement: DIVIDE, values: [0] };
      const addNext = ([rows = []]: readonly (readonly (readonly unknown[])[])[]) => [add(Number(rows[0]?.[0]) + 1)];
      assert.deepEqual(await database.runInRounds([add(12)], [addNext]), [[[12]], [[13]]]);
      await assert.rejects(database.runInRounds([add(14), divide], [addNext]), { code: '22012' });
      await assert.rejects(database.runInRounds([add(14)], [() => [divide]]), { code: '22012' });
      assert.deepEqual(await database.run(COUNT, [14]), [[0]]);
      assert.deepEqual(await database.runInRounds([add(14)], [() => []]), [[[14]]]);
    });

    test('a second round that cannot be built stores nothing and leaves a clean connection', async (t) => {
      const database = openFor(t, { connections_max: 1 });
      const add = (n: unknown) => ({ statement: ADD, values: [n] });
      function* broken() {
        yield add(16);
        yield { statement: DIVIDE, values: [0] };
        throw new RangeError('a broken command');
      }
      await assert.rejects(database.runInRounds([add(15)], [broken]), {
        name: 'RangeError',
        message: 'a broken command',
      });
      assert.deepEqual(await database.runInRounds([15, 16].map((n) => ({ statement: COUNT, values: [n] }))), [
        [[0]],
        [[0]],
      ]);
    });

    test('large commands of a second round, which are sent separately, return in order', async (t) => {
      const database = openFor(t, { connections_max: 1 });
      const text = 'x'.repeat(100_000);
      function* lengths() {
        for (const n of [1, 2, 3]) yield { statement: LENGTH, values: [text.repeat(n)] };
      }
      const found = await database.runInRounds([{ statement: LENGTH, values: ['x'] }], [lengths]);
      assert.deepEqual(found, [[[1]], [[100_000]], [[200_000]], [[300_000]]]);
    });

    test('a transaction commits when its work is done, and rolls back when it throws', async (t) => {
      const database = openFor(t, { connections_max: 1 });
      assert.deepEqual(await database.inTransaction((connection) => connection.run(ADD, [20])), [[20]]);
      const failing = database.inTransaction(async (connection) => {
        await connection.run(ADD, [21]);
        throw new Error('of the work');
      });
      await assert.rejects(failing, /of the work/);
      assert.deepEqual(await database.run(COUNT, [20]), [[1]]);
      assert.deepEqual(await database.run(COUNT, [21]), [[0]]);
    });

    test('a read-only transaction cannot write, and a repeatable read sees one snapshot', async (t) => {
      const database = openFor(t);
      const writing = database.inTransaction((connection) => connection.run(ADD, [30]), { readOnly: true });
      await assert.rejects(writing, StoreUnavailableError);
      const counts = await database.inTransaction(
        async (connection) => {
          const first = await connection.run(COUNT, [31]);
          await database.run(ADD, [31]);
          return [first, await connection.run(COUNT, [31])];
        },
        { isolation: 'repeatable read', readOnly: true },
      );
      assert.deepEqual(counts, [[[0]], [[0]]]);
    });

    test('of two deadlocked transactions one is retried, until both are stored', async (t) => {
      // PostgreSQL checks for deadlocks after a second, later on a busy machine.
      const database = openFor(t, { call_ms_max: 20_000, statement_ms_max: 10_000, lock_ms_max: 10_000 });
      await database.hold((connection) => connection.runScript('UPDATE ranked SET rank = 0'));
      const met = Promise.withResolvers<void>();
      let begun = 0;
      const raiseBoth = (first: number, second: number) =>
        database.inTransaction(async (connection) => {
          await connection.run(RAISE, [first]);
          // On the first attempt, each locks its first row before either asks for its second.
          if (++begun === 2) met.resolve();
          await met.promise;
          await connection.run(RAISE, [second]);
        });
      await Promise.all([raiseBoth(1, 2), raiseBoth(2, 1)]);
      assert.deepEqual(await database.run(RANKS), [[2], [2]]);
      // More than three if the retried transaction is faster than the other: then they deadlock again.
      assert.ok(begun >= 3, `${begun} were begun`);
    });

    test('a serialization failure is retried', async (t) => {
      const database = openFor(t);
      await database.hold((connection) => connection.runScript('UPDATE ranked SET rank = 0'));
      let attempts = 0;
      await database.inTransaction(
        async (connection) => {
          await connection.run(RANKS);
          if (++attempts === 1) await database.run(RAISE, [1]);
          await connection.run(RAISE, [1]);
        },
        { isolation: 'repeatable read' },
      );
      assert.equal(attempts, 2);
      assert.deepEqual(await database.run(RANKS), [[2], [0]]);
    });
  });

  describe('time limits', () => {
    timedIt('a call that gets no response in time fails, and its connection is not used again', async (t) => {
      const database = openFor(t, { connections_max: 1, call_ms_max: 2_000, statement_ms_max: 0 });
      const [before] = await database.run(PID);
      const startMs = performance.now();
      await assert.rejects(database.run(SLEEP, [30]), StoreUnavailableError);
      assert.ok(performance.now() - startMs < 20_000);
      const [after] = await database.run(PID);
      assert.notDeepEqual(after, before);
    });

    timedIt('a shared read that times out fails with the reads behind it; later ones succeed', async (t) => {
      const database = openFor(t, { connections_max: 2, call_ms_max: 2_000, statement_ms_max: 0 });
      const reads = [database.readQuickly(SLEEP, [30]), database.readQuickly(PID)];
      for (const read of await Promise.allSettled(reads)) {
        assert.ok(read.status === 'rejected' && read.reason instanceof StoreUnavailableError);
      }
      assert.equal((await database.readQuickly(PID)).length, 1);
    });

    timedIt('a call that finds no free connection in time fails', async (t) => {
      const database = openFor(t, { connections_max: 1, call_ms_max: 10_000, statement_ms_max: 0 });
      const busy = database.run(SLEEP, [0.5]);
      const late = database.run(PID, [], performance.now() + 100);
      await assert.rejects(late, StoreUnavailableError);
      await busy;
      assert.equal((await database.run(PID)).length, 1);
    });

    timedIt('the server stops a statement that takes too long, or that waits for a lock too long', async (t) => {
      const database = openFor(t, { statement_ms_max: 2_000, lock_ms_max: 1_000 });
      await assert.rejects(database.run(SLEEP, [30]), stopped('57014'));
      await database.inTransaction(async (connection) => {
        await connection.run(RAISE, [1]);
        await assert.rejects(database.run(RAISE, [1]), stopped('55P03'));
      });
    });

    timedIt('a call after its deadline takes no connection and starts no timer', async (t) => {
      const database = openFor(t, { connections_max: 2 });
      const shared = await database.readQuickly(PID);
      const warnings: Error[] = [];
      const onWarning = (warning: Error) => warnings.push(warning);
      process.on('warning', onWarning);
      t.after(() => process.off('warning', onWarning));
      const pastMs = performance.now() - 10;
      await assert.rejects(database.run(ADD, [60], pastMs), StoreUnavailableError);
      await assert.rejects(database.readQuickly(ADD, [60], pastMs), StoreUnavailableError);
      assert.deepEqual(await database.run(COUNT, [60]), [[0]]);
      assert.deepEqual(await database.readQuickly(PID), shared, 'other calls still share the same connection');
      assert.deepEqual(warnings, []);
    });

    timedIt('a server that does not respond is abandoned in time', async (t) => {
      const server = createServer(() => {}).listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.after(() => server.close());
      const { port } = server.address() as AddressInfo;
      const database = openFor(t, { url: `postgres://u:secret@127.0.0.1:${port}/d`, call_ms_max: 200 });
      const startMs = performance.now();
      await assert.rejects(database.run(PID), StoreUnavailableError);
      await assert.rejects(database.readQuickly(PID), StoreUnavailableError);
      assert.ok(performance.now() - startMs < 20_000);
    });
  });

  describe('failures', () => {
    test('a missing server or database is reported without the password', async (t) => {
      const unknown = new URL(url);
      unknown.pathname = '/not_there';
      for (const bad of ['postgres://u:secret@127.0.0.1:1/d', unknown.href]) {
        const database = openFor(t, { url: bad });
        const calls = [() => database.run(PID), () => database.readQuickly(PID), () => database.hold(async () => {})];
        for (const call of calls) {
          await assert.rejects(call, (error: StoreUnavailableError) => {
            assert.ok(error instanceof StoreUnavailableError);
            assert.doesNotMatch(`${error.message} ${error.cause}`, /secret/);
            return true;
          });
        }
      }
    });

    test('an invalid statement does not make the store unavailable', async (t) => {
      const database = openFor(t);
      for (const call of [() => database.run(DIVIDE, [0]), () => database.readQuickly(DIVIDE, [0])]) {
        await assert.rejects(call, (error) => !(error instanceof StoreUnavailableError));
      }
    });

    test('a connection closed by the server fails its call; the next call gets another one', async (t) => {
      const database = openFor(t, { connections_max: 2 });
      const other = openFor(t);
      for (const run of [
        (asked: Statement<[number]>) => database.run(asked),
        (asked: Statement<[number]>) => database.readQuickly(asked),
      ]) {
        const [pid] = (await run(PID))[0] ?? [];
        await other.run(KILL, [pid]);
        // A call on a connection whose end was not noticed yet may fail as unavailable.
        await run(PID).catch((error: unknown) => assert.ok(error instanceof StoreUnavailableError));
        const [next] = (await run(PID))[0] ?? [];
        assert.notEqual(next, pid);
      }
    });

    test('a write that fails on a read-only database fails alone', async (t) => {
      const { url } = await createTestDatabase();
      const name = new URL(url).pathname.slice(1);
      const owner = openFor(t, { url });
      await owner.hold(async (connection) => {
        await connection.runScript('CREATE SEQUENCE drawn; CREATE TABLE counted (n bigint PRIMARY KEY)');
        await connection.runScript(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      });
      const database = openFor(t, { url, connections_max: 2 });
      const draw = statement('test draw')`SELECT nextval('drawn')`;
      const calls = [database.readQuickly(PID), database.readQuickly(draw), database.readQuickly(PID)];
      const [first, refused, behind] = await Promise.allSettled(calls);
      assert.ok(refused?.status === 'rejected' && refused.reason instanceof StoreUnavailableError);
      assert.equal(first?.status, 'fulfilled');
      assert.deepEqual(behind, first, 'served on the same connection');
      const adding = database.inTransaction((connection) => connection.run(ADD, [50]));
      await assert.rejects(adding, stopped('25006'));
      assert.deepEqual(await database.run(COUNT, [50]), [[0]]);
    });

    test('a transaction whose connection ends is not stored', async (t) => {
      const database = openFor(t);
      const other = openFor(t);
      const cutOff = database.inTransaction(async (connection) => {
        await connection.run(ADD, [40]);
        const [pid] = (await connection.run(PID))[0] ?? [];
        await other.run(KILL, [pid]);
      });
      await assert.rejects(cutOff, StoreUnavailableError);
      assert.deepEqual(await database.run(COUNT, [40]), [[0]]);
    });

    test('two statements with the same name are a bug', () => {
      assert.throws(() => statement('test pid')`SELECT 1`, /test pid/);
    });
  });

  test('closing waits for earlier calls, even without a connection yet, and refuses later ones', async (t) => {
    const database = openFor(t, { connections_max: 2 });
    const calls = [database.run(SLEEP, [0.1]), database.run(PID), database.run(PID), database.readQuickly(PID)];
    const closed = database.close();
    await assert.rejects(database.run(PID), StoreUnavailableError);
    await assert.rejects(database.readQuickly(PID), StoreUnavailableError);
    await assert.rejects(
      database.hold(async () => {}),
      StoreUnavailableError,
    );
    await Promise.all(calls);
    await closed;
    await database.close();
  });
});

function stopped(state: string) {
  return (error: unknown) =>
    error instanceof StoreUnavailableError && (error.cause as { code?: string }).code === state;
}
