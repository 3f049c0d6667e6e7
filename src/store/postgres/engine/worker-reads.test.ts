/** Tests on a Citus cluster that reads by key go directly to the worker of their account, and through the coordinator where they cannot. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { waitUntil } from '../../../../test/harness/wait-until.ts';
import { STATEMENTS, statement } from '../../shared/sql.ts';
import { openPostgresStore } from '../open.ts';
import { administer } from '../testing/administer.ts';
import { citusSkipped } from '../testing/availability.ts';
import { createTestDatabase, PATIENCE, type TestDatabase } from '../testing/test-database.ts';
import { AccountStatements } from './account-statements.ts';
import { type Database, type DatabaseOptions, openDatabase } from './engine.ts';
import { NodePool } from './node-pool.ts';
import { accountOf } from './worker-gates.ts';
import { WorkerReads } from './worker-reads.ts';

/** Who asked the worker, the worker's port, and the price. */
const ASK = statement<[application: string, port: number, price: number | null]>('test who asks')`
  SELECT current_setting('application_name'), inet_server_port(), max(price) FROM offer WHERE account_id = $1`;

const DIRECT = 'offerbook';
/** Statements that read one account. The others lock rows, or need values that no test can make up. */
const READS = /^SELECT\b(?!.*\bFOR (?:UPDATE|SHARE))/s;

interface Place {
  readonly shardId: string;
  readonly host: string;
  readonly port: number;
}

describe('reads on Citus workers', { skip: citusSkipped() }, () => {
  let created: TestDatabase;
  let url: string;
  /** The ports of both workers. */
  let ports: readonly number[];

  before(async () => {
    created = await createTestDatabase();
    url = created.url;
    const store = await openPostgresStore({ url, ...PATIENCE });
    const write = { part: 'sku', skuId: 'a', document: '{}' } as const;
    for (const accountId of [1, 2, 3]) {
      await store.offers.write({ accountId, skuId: 'a', by: 'key:test' }, [write], Date.now());
    }
    await store.close();
    const nodes = await administer(url, 'SELECT nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY 1');
    ports = nodes.map(({ nodeport }) => Number(nodeport));
  });

  after(() => created?.drop());

  const open = (options: Partial<DatabaseOptions> = {}) => openDatabase({ url, workers: 2, ...PATIENCE, ...options });

  async function placeOf(accountId: number): Promise<Place> {
    const [row] = await administer(
      url,
      `SELECT shardid::text, nodename, nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
       WHERE shardid = get_shard_id_for_distribution_column('offer', $1::bigint)`,
      [accountId],
    );
    return { shardId: String(row?.shardid), host: String(row?.nodename), port: Number(row?.nodeport) };
  }

  async function ask(database: Database, accountId: number) {
    const [row] = await database.readQuickly(ASK, [accountId]);
    return row ?? assert.fail('The read returned no row.');
  }

  /** Reads until the worker answers directly. */
  function askedDirectly(database: Database, accountId: number) {
    return waitUntil('a direct read', 30_000, async () => {
      const row = await ask(database, accountId);
      return row[0] === DIRECT ? row : undefined;
    });
  }

  test('a read goes through the coordinator until the worker has proved itself, then directly to it', async () => {
    await using database = open();
    for (const accountId of [1, 2, 3]) {
      const [application] = await ask(database, accountId);
      assert.match(application, /^citus_internal|^offerbook$/);
      const [, port] = await askedDirectly(database, accountId);
      assert.equal(port, (await placeOf(accountId)).port);
    }
  });

  test('with `readsOnWorkers: false`, reads go through the coordinator', async () => {
    await using database = open({ readsOnWorkers: false });
    for (let read = 0; read < 20; read++) assert.match((await ask(database, 1))[0], /^citus_internal/);
  });

  test('a read after an acknowledged write sees it', async () => {
    const store = await openPostgresStore({ url, ...PATIENCE });
    const key = { accountId: 2, skuId: 'a', by: 'key:test' } as const;
    try {
      for (let price = 1; price <= 100; price++) {
        await store.offers.write(key, [{ part: 'price', skuId: 'a', price, nodes: [] }], Date.now());
        const found = await store.offers.readPrice(key);
        assert.equal(typeof found === 'object' && found.price, price);
      }
    } finally {
      await store.close();
    }
  });

  test('after its shard was moved, an account is read as before, also by connections to the old worker', async () => {
    await using database = open();
    const [, oldPort] = await askedDirectly(database, 1);
    const { shardId, host, port } = await placeOf(1);
    assert.equal(oldPort, port);
    // The plans of prepared statements are reused from the sixth run on.
    for (let read = 0; read < 20; read++) await ask(database, 1);
    const newPort = ports.find((each) => each !== port);
    await administer(url, `SELECT citus_move_shard_placement(${shardId}, $1, $2, $1, $3, 'block_writes')`, [
      host,
      port,
      newPort,
    ]);
    await administer(url, 'UPDATE offer SET price = 77 WHERE account_id = 1');
    for (let read = 0; read < 20; read++) {
      const [, askedPort, price] = await ask(database, 1);
      assert.deepEqual([askedPort, price], [newPort, 77]);
    }
    await using later = open();
    assert.deepEqual(await askedDirectly(later, 1), [DIRECT, newPort, 77]);
  });

  test('a worker that refuses the connections of the process is left to the coordinator until it accepts them', async (t) => {
    const { host, port } = await placeOf(2);
    const proxy = createServer((socket) => {
      const upstream = connect(port, host);
      for (const end of [socket, upstream]) end.on('error', () => {});
      socket.pipe(upstream).pipe(socket);
    });
    const listen = (on: number) => once(proxy.listen(on, '127.0.0.1'), 'listening');
    await listen(0);
    const { port: closedPort } = proxy.address() as AddressInfo;
    const options = { url, connections_max: 2, ...PATIENCE };
    const coordinator = new NodePool(options);
    const reads = new WorkerReads(options, (deadlineMs) => coordinator.connect(deadlineMs));
    t.after(async () => {
      await reads.close();
      await coordinator.close();
      proxy.close();
    });
    proxy.close();
    const worker = { groupId: 1, host: '127.0.0.1', port: closedPort };
    const read = () => reads.read(worker, 2, ASK, [2], performance.now() + PATIENCE.call_ms_max);
    for (let tried = 0; tried < 20; tried++) {
      assert.equal(await read(), undefined);
      await pause(5);
    }
    await listen(closedPort);
    const [row] = await waitUntil('a direct read', 30_000, read);
    assert.deepEqual(row?.slice(0, 2), [DIRECT, port]);
  });

  test('a server that is not the one of the coordinator is never read', async (t) => {
    const { host, port } = await placeOf(2);
    const coordinator = new NodePool({ url, connections_max: 2, ...PATIENCE });
    const reads = new WorkerReads({ url, connections_max: 2, ...PATIENCE }, async (deadlineMs) => {
      const connection = await coordinator.connect(deadlineMs);
      // The coordinator means a server that was started at another time.
      return Object.assign(connection, { run: async () => [['7613 1795033799.5', 1]] as never });
    });
    t.after(async () => {
      await reads.close();
      await coordinator.close();
    });
    for (let tried = 0; tried < 20; tried++) {
      const rows = await reads.read({ groupId: 1, host, port }, 2, ASK, [2], performance.now() + PATIENCE.call_ms_max);
      assert.equal(rows, undefined);
      await pause(20);
    }
  });

  test('if a worker ends its connections, no read fails, and later reads go directly again', async () => {
    await using database = open();
    await askedDirectly(database, 2);
    const worker = Object.assign(new URL(url), { port: String((await placeOf(2)).port) }).href;
    let isEnded = false;
    const reading = (async () => {
      while (!isEnded) await Promise.all(Array.from({ length: 20 }, () => ask(database, 2)));
    })();
    await administer(
      worker,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '${DIRECT}'`,
    );
    isEnded = true;
    await reading;
    await askedDirectly(database, 2);
  });

  test('a worker runs every statement that reads one account', async () => {
    const values = Array.from({ length: 50 }, () => 1);
    const reads = [...STATEMENTS.values()].filter(
      (one) => READS.test(one.text) && accountOf(one, values) !== undefined,
    );
    assert.ok(reads.length > 40, `${reads.length} reads`);
    const worker = Object.assign(new URL(url), { port: String((await placeOf(1)).port) }).href;
    const client = new pg.Client({ connectionString: worker });
    await client.connect();
    const failures: string[] = [];
    for (const read of reads) {
      const { text = '' } = new AccountStatements().rewrite(read, values) ?? {};
      await client.query(`PREPARE tried AS ${text}`).catch((error) => failures.push(`${read.name}: ${error.message}`));
      await client.query('DEALLOCATE ALL');
    }
    await client.end();
    assert.deepEqual(failures, []);
  });
});
