/** Tests doctor: a healthy server, each problem with its advice, and the exit code for scripts. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import type { MerchantRecord } from '../../src/domain/export/records.ts';
import { openCopyStore, openMoves } from '../../src/store/open-store.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { lockDataDir } from '../../src/store/sqlite/engine/lock.ts';
import { offerbookJson, runOfferbook } from '../harness/command-line.ts';
import { databaseFolder, withOfferbook, withSetupStore } from '../harness/own-server.ts';
import { createPlace } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { STORE_VARIANTS } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ANSWERED_MS_MAX = 60_000;

interface Checkup {
  readonly healthy: boolean;
  readonly checks: readonly { check: string; state: string; text: string }[];
}

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures');

describe('doctor', { concurrency: 3 }, () => {
  it('checks the certificate: valid, expired, and not a certificate', async () => {
    const TLS_KEY = path.join(FIXTURES, 'tls-key.pem');
    for (const [file, line] of [
      ['tls-cert.pem', /^ok {4}certificate: Valid for \d+ days\.$/m],
      ['tls-cert-expired.pem', /^fail {2}certificate: Expired\. Renew it\.$/m],
      ['tls-key.pem', /^fail {2}certificate: TLS_CERT must name a PEM certificate \(\S+ does not contain one\)\.$/m],
    ] as const) {
      const variables = { DATA_DIR: await tempFolder(), TLS_KEY, TLS_CERT: path.join(FIXTURES, file) };
      assert.match((await runOfferbook(variables, 'doctor', '--no-server')).stdout, line);
    }
  });

  it('finds nothing wrong with a healthy folder, whether a server runs or not, and does not change it', async () => {
    const DATA_DIR = await tempFolder();
    await withOfferbook({ DATA_DIR }, {}, async (url) => {
      const { exitCode, stdout } = await waitUntil('a doctor that reaches the server', ANSWERED_MS_MAX, async () => {
        // The server's port is set only for the server.
        const run = await runOfferbook({ DATA_DIR }, 'doctor');
        // The server runs in this process, where other tests may delay it for longer than doctor waits.
        return run.stdout.includes('does not respond') ? undefined : run;
      });
      assert.equal(exitCode, 0, stdout);
      assert.match(stdout, new RegExp(`^ok {4}server: ${url}/readyz returns 200\\.$`, 'm'));
      assert.doesNotMatch(stdout, /^fail/m);
    });
    const before = await readdir(DATA_DIR);
    const { healthy, checks } = (await offerbookJson(
      { DATA_DIR },
      'doctor',
      '--full',
      '--no-server',
    )) as unknown as Checkup;
    assert.equal(healthy, true);
    assert.deepEqual(
      new Set(checks.map(({ check }) => check)),
      new Set([
        ...['settings', 'clock', 'permissions', 'disk', 'log', 'schema', 'data timestamps', 'database'],
        ...['clock of the folder', 'copy', 'moves', 'files', 'portal'],
      ]),
    );
    const left = (await readdir(DATA_DIR)).filter((name) => !/-(?:wal|shm)$/.test(name));
    assert.deepEqual(left.sort(), before.filter((name) => !/-(?:wal|shm)$/.test(name)).sort());
  });

  it('names bad settings without their secrets, and exits with 1', async () => {
    const DATA_DIR = await tempFolder();
    const variables = { DATA_DIR, PORT: 'x', DATABASE_URL: 'mysql://ann:hunter2@db.example/offers' };
    const { exitCode, stdout, stderr } = await runOfferbook(variables, 'doctor');
    assert.deepEqual([exitCode, stderr], [1, '']);
    assert.match(stdout, /^fail {2}settings: PORT must .*DATABASE_URL must /m);
    assert.ok(!stdout.includes('hunter2'));
  });

  it('warns of an open folder, and fails on one without a database, which it does not create', async () => {
    const DATA_DIR = await tempFolder();
    const missing = await runOfferbook({ DATA_DIR: path.join(DATA_DIR, 'nowhere') }, 'doctor', '--no-server');
    assert.equal(missing.exitCode, 1);
    const text = `There is no database in ${DATA_DIR}/nowhere: check DATA_DIR, or start the server, which creates one.`;
    assert.ok(missing.stdout.includes(`\nfail  database: ${text}\n`), missing.stdout);
    assert.deepEqual(await readdir(DATA_DIR), []);
    await writeFile(path.join(DATA_DIR, 'offerbook.db-wal'), '');
    const deleted = await runOfferbook({ DATA_DIR }, 'doctor', '--no-server');
    const restore = 'stop the server and restore the last backup with "offerbook restore FILE --replace"';
    const found = `There is no database in ${DATA_DIR}: only the log of a deleted one; ${restore}.`;
    assert.ok(deleted.stdout.includes(`\nfail  database: ${found}\n`), deleted.stdout);
    await rm(path.join(DATA_DIR, 'offerbook.db-wal'));
    await offerbookJson({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    await chmod(DATA_DIR, 0o755);
    const open = await runOfferbook({ DATA_DIR, PUBLIC_URL: '' }, 'doctor', '--no-server');
    assert.equal(open.exitCode, 0, open.stdout);
    assert.match(open.stdout, /^ok {4}settings: No configuration file\. Set: DATA_DIR\.$/m);
    assert.equal(open.stdout.split('\n')[0], `Database: sqlite:${DATA_DIR}`);
    assert.match(open.stdout, /^warn {2}permissions: .*chmod 700/m);
  });

  it('distinguishes a folder of root from one without a database', {
    skip: process.geteuid?.() !== 0 && 'needs root',
  }, async () => {
    const DATA_DIR = await databaseFolder();
    const unreadable = `The data folder ${DATA_DIR} cannot be read: user nobody has no read permission.`;
    const { stdout } = asNobody(DATA_DIR, 'doctor', '--no-server');
    assert.match(
      stdout,
      new RegExp(`^fail {2}permissions: ${DATA_DIR} belongs to root: run "chown -R \\S+ ${DATA_DIR}" as root\\.$`, 'm'),
    );
    assert.ok(stdout.includes(`\nfail  database: ${unreadable}\n`), stdout);
    assert.equal(asNobody(DATA_DIR, 'merchant', 'list').stderr, `offerbook: ${unreadable}\n`);
  });

  it('names the owner of a database that this user can only read, and does not advise a restore', {
    skip: process.geteuid?.() !== 0 && 'needs root',
  }, async () => {
    const DATA_DIR = await databaseFolder();
    await chmod(DATA_DIR, 0o755);
    await chmod(path.join(DATA_DIR, 'offerbook.db'), 0o644);
    const { stdout } = asNobody(DATA_DIR, 'doctor', '--no-server');
    assert.match(stdout, /^fail {2}permissions: .*offerbook\.db belong to root: run "chown -R nobody /m);
    assert.match(stdout, /^warn {2}permissions: Other users can open /m);
    assert.match(
      stdout,
      /^fail {2}database: The database is read-only: run offerbook as the owner of the data folder/m,
    );
    assert.doesNotMatch(stdout, /restore/);
  });

  it('fails if no server runs, unless --no-server says that none should', async () => {
    const DATA_DIR = await tempFolder();
    await offerbookJson({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    const { exitCode, stdout } = await runOfferbook({ DATA_DIR }, 'doctor');
    assert.equal(exitCode, 1);
    const advice = 'start it, or add --no-server if it is stopped on purpose';
    assert.ok(stdout.endsWith(`\nfail  server: No server is using ${DATA_DIR}: ${advice}.\n`), stdout);
    assert.equal((await runOfferbook({ DATA_DIR }, 'doctor', '--no-server')).exitCode, 0);
  });

  it('reports a files folder that cannot be created, and creates none', async () => {
    const DATA_DIR = await tempFolder();
    const nowhere = await runOfferbook({ DATA_DIR, FILES_DIR: '/proc/nope' }, 'doctor');
    assert.equal(nowhere.exitCode, 1);
    assert.match(nowhere.stdout, /^fail {2}files: The folder \/proc\/nope cannot be created: .*Set FILES_DIR/m);
    const well = await runOfferbook({ DATA_DIR, FILES_DIR: path.join(DATA_DIR, 'deep', 'files') }, 'doctor');
    assert.match(well.stdout, /^ok {4}files: [\d,.]+ [MGT]iB free for /m);
    assert.deepEqual((await readdir(DATA_DIR)).includes('deep'), false);
  });

  for (const { store, skip } of STORE_VARIANTS) {
    it(`reports unfinished copies, imports and removals (${store})`, {
      skip,
    }, async (t) => {
      const { place, remove } = await createPlace(store, createReadyDatabase);
      t.after(remove);
      const settings = readSettings(place);
      const moves = await openMoves(settings);
      for (const merchantId of ['half', 'whole']) await moves.beginImport(merchantOf(merchantId));
      await moves.finishImport(merchantOf('whole'), []);
      await moves.beginRemoval('whole');
      await moves.beginErasing('whole', '/exports/whole');
      await moves.close();
      const begun = await runOfferbook({ ...place }, 'doctor');
      assert.match(begun.stdout, /^warn {2}moves: Unfinished: import of half, removal of whole; .*"offerbook import"/m);
      assert.match(begun.stdout, /^ok {4}copy: /m);

      const target = await createPlace(store, createReadyDatabase);
      t.after(target.remove);
      const [from, to] = [await openCopyStore(settings), await openCopyStore(readSettings(target.place))];
      const reading = await from.openSnapshot();
      const origin = { source: from.name, tablesDigest: '', writeNumber: 1 };
      await to.beginCopy(origin, await reading.readTables(), await reading.readCounters());
      await reading.close();
      await Promise.all([from.close(), to.close()]);
      const copied = await runOfferbook({ ...target.place }, 'doctor');
      assert.equal(copied.exitCode, 1);
      assert.match(copied.stdout, /^fail {2}copy: .*is not finished. Run "offerbook copy" again/m);
    });
  }

  it('reports a clock that was set back, and a server that does not respond', async (t) => {
    const DATA_DIR = await tempFolder();
    await withSetupStore({ DATA_DIR }, (store) =>
      store.settings.addSigningKey({ keyId: 'k', secret: new Uint8Array(1) }, Date.now() + 86_400_000, 0),
    );
    t.after(lockDataDir(DATA_DIR));
    const { exitCode, stdout } = await runOfferbook({ DATA_DIR, PORT: '1' }, 'doctor');
    assert.equal(exitCode, 1);
    assert.match(stdout, /^fail {2}data timestamps: .*Correct this machine's clock/m);
    assert.match(
      stdout,
      /^fail {2}server: A server is using .*, but .* does not respond \(ECONNREFUSED\): check HOST and PORT/m,
    );
  });

  it('fails when the server responds but is not ready', async (t) => {
    const DATA_DIR = await databaseFolder();
    t.after(lockDataDir(DATA_DIR));
    const unready = createHttpServer((request, response) => {
      response.writeHead(request.url === '/healthz' ? 200 : 503).end();
    }).listen(0, '127.0.0.1');
    t.after(() => unready.close());
    await once(unready, 'listening');
    const { port } = unready.address() as { port: number };
    const { exitCode, stdout } = await runOfferbook({ DATA_DIR, PORT: String(port) }, 'doctor');
    assert.equal(exitCode, 1, stdout);
    assert.match(
      stdout,
      /^fail {2}server: .*\/readyz returns 503: the database is damaged, does not respond, is locked, or /m,
    );
  });

  it('ends even if the server accepts the connection and never responds', async (t) => {
    const DATA_DIR = await databaseFolder();
    t.after(lockDataDir(DATA_DIR));
    const silent = createServer().listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const { exitCode, stdout } = await runOfferbook({ DATA_DIR, PORT: String(port) }, 'doctor');
    assert.equal(exitCode, 1, stdout);
    assert.match(
      stdout,
      /^fail {2}server: A server is using .*, but .* does not respond \(no response within 5 s\): /m,
    );
  });
});

function asNobody(DATA_DIR: string, ...args: string[]) {
  const options = { env: { DATA_DIR }, uid: 65_534, gid: 65_534 };
  return spawnSync(process.execPath, ['bin/offerbook.mjs', ...args], { encoding: 'utf8', ...options });
}

function merchantOf(merchantId: string): MerchantRecord {
  const returns = { timeToReturnDays: 30, returnShippingMethods: ['Freight'] } as const;
  return { merchantId, name: merchantId, createdMs: 1, suspended: false, ...returns };
}
