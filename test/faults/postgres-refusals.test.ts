/** Tests a PostgreSQL that responds but refuses: wrong password, missing database, too many connections, read-only. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { type BreakablePostgres, startBreakablePostgres, withClient } from '../harness/breakable-postgres.ts';
import { runHere, runOfferbook } from '../harness/command-line.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { SteadyLoad } from '../harness/steady-load.ts';
import { PATIENCE } from '../harness/store-place.ts';

const PASSWORD = 'hunter2';
const ADD_ACME = ['merchant', 'add', 'acme', '--name', 'Acme'];

describe('PostgreSQL refuses', { skip: postgresSkipped() }, () => {
  let postgres: BreakablePostgres;
  /** A user without administrator rights, as Offerbook should use; connection limits apply only to such users. */
  let DATABASE_URL: string;

  before(async () => {
    postgres = await startBreakablePostgres();
    await administer(`CREATE ROLE clerk LOGIN PASSWORD '${PASSWORD}'`, 'CREATE DATABASE book OWNER clerk');
    DATABASE_URL = urlWith({ username: 'clerk', password: PASSWORD, pathname: '/book' });
  });

  after(() => postgres?.close());

  it('a wrong password, a wrong user and a missing database at start, named in one line', async () => {
    const wrong = [
      [{ password: 'wrong-secret' }, /refused the user or the password/],
      [{ username: 'nobody', password: 'wrong-secret' }, /refused the user or the password/],
      [{ pathname: '/not_there' }, /does not exist/],
    ] as const;
    for (const [place, [parts, meaning]] of wrong.entries()) {
      // The first case runs the real command, as an operator does.
      const run = place === 0 ? runOfferbook : runHere;
      const url = urlWith({ username: 'clerk', password: PASSWORD, pathname: '/book', ...parts });
      for (const command of ['serve', 'doctor']) {
        const { exitCode, stdout, stderr } = await run({ DATABASE_URL: url, PORT: '0', ...PATIENCE }, command);
        assert.equal(exitCode, 1, stderr);
        assert.match(command === 'serve' ? stderr : stdout, meaning);
        assert.doesNotMatch(stdout + stderr, /wrong-secret|hunter2/);
      }
    }
  });

  it('an empty read-only database at start, named in one line', async () => {
    await administer(
      'CREATE DATABASE empty OWNER clerk',
      'ALTER DATABASE empty SET default_transaction_read_only = on',
    );
    const url = urlWith({ username: 'clerk', password: PASSWORD, pathname: '/empty' });
    const { exitCode, stderr } = await runOfferbook({ DATABASE_URL: url, PORT: '0', ...PATIENCE }, 'serve');
    assert.deepEqual([exitCode, stderr], [1, 'offerbook: The database is read-only.\n']);
  });

  it('every new connection, at start and under load, until there are enough', async (t) => {
    await administer('ALTER ROLE clerk CONNECTION LIMIT 0');
    const refused = await runOfferbook({ DATABASE_URL, PORT: '0', ...PATIENCE }, 'serve');
    assert.equal(refused.exitCode, 1);
    assert.match(
      refused.stderr,
      /^offerbook: The database at 127\.0\.0\.1:\d+\/book has run out of disk, memory or connections\.\n$/,
    );

    await administer('ALTER ROLE clerk CONNECTION LIMIT -1');
    const load = await startLoad(t);
    await administer('ALTER ROLE clerk CONNECTION LIMIT 0', END_CONNECTIONS);
    await load.isRefused();
    await administer('ALTER ROLE clerk CONNECTION LIMIT -1');
    await load.isWell();
    await load.assertStored();
  });

  it('some connections of a process: the others do the work', async (t) => {
    const load = await startLoad(t);
    await administer('ALTER ROLE clerk CONNECTION LIMIT 4', END_CONNECTIONS);
    await load.isWell();
    await load.isWell();
    await administer('ALTER ROLE clerk CONNECTION LIMIT -1');
    await load.isWell();
    await load.assertStored();
  });

  /** Reads are refused too, because requests must be counted first, which is a write. */
  it('writes, while it is read-only: nothing is stored, a command says why, and everything recovers', async (t) => {
    const writes = ['price', 'stock', 'group', 'upload'];
    const load = await startLoad(t);
    await administer('ALTER DATABASE book SET default_transaction_read_only = on', END_CONNECTIONS);
    await load.isRefused(...writes);
    const stored = () => writes.map((kind) => load.counts().get(kind)?.good);
    const before = stored();
    for (let times = 0; times < 5; times++) await load.isRefused(...writes);
    assert.deepEqual(stored(), before);
    const { exitCode, stderr } = await runOfferbook({ DATABASE_URL, ...PATIENCE }, ...ADD_ACME);
    const { host } = new URL(DATABASE_URL);
    assert.deepEqual(
      [exitCode, stderr],
      [1, `Database: postgres://${host}/book\nofferbook: The database is read-only.\n`],
    );
    await administer('ALTER DATABASE book SET default_transaction_read_only = off', END_CONNECTIONS);
    await load.isWell();
    await load.assertStored();
  });

  const END_CONNECTIONS = `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'clerk'`;

  /** Runs as administrator, who is exempt from the limits and defaults of the database. */
  async function administer(...statements: readonly string[]): Promise<void> {
    await withClient(postgres.url, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  }

  function urlWith(parts: Partial<Pick<URL, 'username' | 'password' | 'pathname'>>): string {
    return Object.assign(new URL(postgres.url), parts).href;
  }

  async function startLoad(t: TestContext): Promise<SteadyLoad> {
    const server = await startServeProcess({ DATABASE_URL, REQUESTS_PER_MINUTE: '1000000' });
    let load: SteadyLoad | undefined;
    t.after(async () => {
      await load?.stop();
      assert.equal(await server.stop(), 0, server.output());
    });
    load = await SteadyLoad.start(server.url);
    return load;
  }
});
