/** Tests the command line with DATABASE_URL set: everything is done in PostgreSQL, and nothing in the data folder. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { readSettings } from '../../src/config/settings.ts';
import { openStore } from '../../src/store/open-store.ts';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { requestToken } from '../harness/api-client.ts';
import { offerbookHere, offerbookJson, runHere, runOfferbook } from '../harness/command-line.ts';
import { addFullMerchant } from '../harness/moved-merchants.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { createPlace, type StorePlace } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const ADD_ACME = ['merchant', 'add', 'acme', '--name', 'Acme', '--time-to-return', '14', '--return-method', 'Freight'];

interface Checkup {
  readonly healthy: boolean;
  readonly checks: readonly { check: string; state: string; text: string }[];
}

describe('with DATABASE_URL', { skip: postgresSkipped(), concurrency: 2 }, () => {
  it('setup commands work in the database and do not touch the data folder', async (t) => {
    const DATA_DIR = path.join(await tempFolder(), 'not-made');
    const variables = { ...(await newPlace(t)), DATA_DIR };
    await offerbookJson(variables, ...ADD_ACME);
    const { merchants } = (await offerbookJson(variables, 'merchant', 'list')) as { merchants: object[] };
    assert.equal(merchants.length, 1);
    const refused = await runOfferbook(variables, ...ADD_ACME, '--json');
    assert.deepEqual([refused.exitCode, JSON.parse(refused.stderr).details[0].code], [1, 'merchant_exists']);
    assert.equal(existsSync(DATA_DIR), false);
  });

  it("two servers run on one database, and accept each other's tokens", async (t) => {
    const place = await newPlace(t);
    await withOfferbook(place, { demo: true }, async (first) => {
      await withOfferbook(place, { demo: true }, async (second) => {
        const headers = { authorization: `Bearer ${await requestToken(first, 'test')}` };
        for (const url of [first, second]) assert.equal((await fetch(`${url}/authcheck`, { headers })).status, 200);
      });
    });
  });

  it('merchants move from the embedded store to PostgreSQL and back without a change, and are removed', async (t) => {
    const [embedded, postgres, back] = [await tempFolder(), await newPlace(t), await tempFolder()];
    const folder = await tempFolder();
    const files = ['a', 'b', 'c', 'd'].map((name) => path.join(folder, name)) as [string, string, string, string];
    await seed({ DATA_DIR: embedded });
    await offerbookHere({ DATA_DIR: embedded }, 'export', files[0]);
    assert.equal((await offerbookHere(postgres, 'import', files[0])).skus, 8);
    await offerbookHere(postgres, 'export', files[1]);
    await offerbookHere({ DATA_DIR: back }, 'import', files[1]);
    await offerbookHere({ DATA_DIR: back }, 'export', files[2]);
    const [first, second, third] = await Promise.all(files.slice(0, 3).map((file) => readFile(file, 'utf8')));
    assert.equal(second, first);
    assert.equal(third, first);

    const twice = await runHere(postgres, 'import', files[0], '--json');
    assert.deepEqual([twice.exitCode, JSON.parse(twice.stderr).details[0].code], [1, 'merchant_exists']);
    const removal = ['merchant', 'remove', 'acme', '--export', files[3], '--yes'];
    assert.equal((await offerbookHere(postgres, ...removal)).skus, 8);
    assert.deepEqual(await offerbookHere(postgres, 'merchant', 'list'), { merchants: [] });
  });

  it('backup and restore are refused, with what to use instead', async (t) => {
    const place = await newPlace(t);
    const file = path.join(place.DATA_DIR, 'backup.db');
    for (const [command, tool] of [
      ['backup', 'pg_dump'],
      ['restore', 'pg_restore'],
    ] as const) {
      const { exitCode, stderr } = await runHere(place, command, file, '--json');
      const [problem] = JSON.parse(stderr).details;
      assert.deepEqual([exitCode, problem.code], [1, 'database_elsewhere']);
      assert.match(problem.message, new RegExp(`Use ${tool},`));
    }
    assert.equal(existsSync(file), false);
  });

  it('doctor fails on a database without tables, passes a used one, and changes neither', async (t) => {
    const place = await newPlace(t);
    const states = async () => {
      const { stdout } = await runHere(place, 'doctor', '--no-server', '--json');
      const { healthy, checks } = JSON.parse(stdout) as Checkup;
      return { healthy, found: new Map(checks.map(({ check, state, text }) => [check, `${state} ${text}`])) };
    };
    for (const when of ['first', 'again']) {
      const { healthy, found } = await states();
      assert.equal(healthy, false, when);
      assert.match(
        found.get('schema') ?? '',
        /^fail The database is empty: it has no Offerbook tables yet\. "offerbook serve", .*"copy" create them\./,
      );
    }
    const missing = await runHere(place, 'merchant', 'list');
    const { host, pathname } = new URL(place.DATABASE_URL ?? '');
    const text = `postgres://${host}${pathname} has no Offerbook tables yet. Check DATABASE_URL; "offerbook serve" and "offerbook merchant add" create them.`;
    assert.deepEqual(missing, { exitCode: 1, stdout: '', stderr: `offerbook: ${text}\n` });
    await offerbookHere(place, ...ADD_ACME);
    const { healthy, found } = await states();
    assert.equal(healthy, true, JSON.stringify([...found]));
    assert.match(found.get('database') ?? '', /^ok PostgreSQL \d+/);
    assert.match(found.get('schema') ?? '', /^ok Version \d+, the newest/);
    assert.match(found.get('database clock') ?? '', /^ok/);
    assert.match(found.get('connections') ?? '', /^ok \d+ of \d+ are free, and a process opens up to 14\./);
    assert.match(found.get('data timestamps') ?? '', /^ok/);
    assert.ok(found.has('citus') && found.has('encoding') && found.has('durability'));
  });

  it('doctor warns of too few connections, and fails on a newer database', async (t) => {
    const place = await newPlace(t);
    await offerbookHere(place, ...ADD_ACME);
    await run(place, 'INSERT INTO migration VALUES (999)');
    const { exitCode, stdout } = await runHere({ ...place, DATABASE_POOL_MAX: '1000' }, 'doctor');
    assert.equal(exitCode, 1);
    assert.match(stdout, /^warn {2}connections: .* lower DATABASE_POOL_MAX/m);
    assert.match(
      stdout,
      /^fail {2}schema: The schema has version 999, but this release supports only up to \d+\. Run the newer release/m,
    );
    const serve = await runOfferbook({ ...place, PORT: '0' }, 'serve');
    assert.match(serve.stderr, /^offerbook: The schema has version 999, .*Run the newer release\.\n$/);
  });

  it('a database that cannot store every character is refused, with the command that creates one that can', async (t) => {
    const { place, remove } = await createPlace('postgres');
    const url = new URL(place.DATABASE_URL ?? '');
    const name = `${url.pathname.slice(1)}_latin1`;
    await run(place, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
    t.after(async () => {
      await run(place, `DROP DATABASE ${name} WITH (FORCE)`);
      await remove();
    });
    url.pathname = `/${name}`;
    const variables = { DATA_DIR: place.DATA_DIR, DATABASE_URL: url.href, PORT: '0' };
    const fault = `The database ${name} has the encoding LATIN1, which cannot store every character. Create a database with the encoding UTF8, and set DATABASE_URL to it: CREATE DATABASE ${name}_utf8 OWNER ${url.username} TEMPLATE template0 ENCODING 'UTF8';`;
    const doctor = await runHere(variables, 'doctor', '--no-server');
    assert.equal(doctor.exitCode, 1);
    assert.match(doctor.stdout, /^fail {2}encoding: /m);
    assert.ok(doctor.stdout.includes(fault), doctor.stdout);
    for (const command of [['serve'], ADD_ACME]) {
      const { exitCode, stdout, stderr } = await runOfferbook(variables, ...command);
      assert.deepEqual([exitCode, stdout, stderr], [1, '', `offerbook: ${fault}\n`]);
    }
  });

  it('a database that does not respond is named, with what to check', async () => {
    await using stack = new AsyncDisposableStack();
    const silent = stack.adopt(createServer().listen(0, '127.0.0.1'), (server) => void server.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const DATABASE_URL = `postgres://someone@127.0.0.1:${port}/offers`;
    const variables = {
      DATABASE_URL,
      DATABASE_CALL_MS_MAX: '300',
      DATABASE_STATEMENT_MS_MAX: '200',
      DATABASE_LOCK_MS_MAX: '100',
    };
    const { exitCode, stderr } = await runHere(variables, 'merchant', 'list');
    const text = `The database at 127.0.0.1:${port}/offers opened no connection in time. Check that it is running, and check DATABASE_URL.`;
    assert.deepEqual([exitCode, stderr], [1, `offerbook: ${text}\n`]);
  });

  it('a database that cannot be used is named in one line, without the password', async (t) => {
    const place = await newPlace(t);
    const gone = new URL(place.DATABASE_URL ?? '');
    gone.password = 'hunter2';
    gone.port = '1';
    const missing = new URL(place.DATABASE_URL ?? '');
    missing.pathname = '/not_there';
    for (const url of [gone, missing]) {
      const variables = { DATA_DIR: place.DATA_DIR, DATABASE_URL: url.href, PORT: '0' };
      for (const command of [['serve'], ['merchant', 'list'], ['export', '-']]) {
        const { exitCode, stdout, stderr } = await runOfferbook(variables, ...command);
        assert.deepEqual([exitCode, stdout], [1, ''], stderr);
        assert.equal(
          stderr,
          url === gone
            ? `offerbook: The database at ${gone.host}${gone.pathname} cannot be reached: connection refused; nothing listens there.\n`
            : `offerbook: The database at ${missing.host}/not_there does not exist.\n`,
        );
        assert.ok(!stderr.includes(url.password), stderr);
      }
      const doctor = await runOfferbook(variables, 'doctor');
      assert.equal(doctor.exitCode, 1);
      assert.match(doctor.stdout, /^fail {2}database: The database .*Check DATABASE_URL\.$/m);
      assert.ok(!doctor.stdout.includes(url.password), doctor.stdout);
    }
    const unreadable = new URL(place.DATABASE_URL ?? '');
    unreadable.search = `sslmode=verify-full&sslrootcert=${place.DATA_DIR}/no.pem`;
    const doctor = await runOfferbook({ ...place, DATABASE_URL: unreadable.href }, 'doctor');
    const text = `The file ${place.DATA_DIR}/no.pem, which the URL names, cannot be read (ENOENT). Check DATABASE_URL.`;
    assert.ok(doctor.stdout.includes(`\nfail  database: ${text}\n`), doctor.stdout);
  });
});

async function newPlace(t: Pick<TestContext, 'after'>): Promise<StorePlace> {
  const { place, remove } = await createPlace('postgres');
  t.after(remove);
  return place;
}

async function seed(place: StorePlace): Promise<void> {
  const store = await openStore(readSettings(place), (error) => assert.fail(error));
  await addFullMerchant(store, 'acme');
  await store.close();
}

async function run(place: StorePlace, sql: string): Promise<void> {
  const client = new Client({ connectionString: place.DATABASE_URL });
  await client.connect();
  await client.query(sql);
  await client.end();
}
