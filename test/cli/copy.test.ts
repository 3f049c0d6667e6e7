/** Tests offerbook copy as a command: what still works in the new database, killed processes, and refused ones. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { putSku } from '../../src/store/contract/put-parts.ts';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { offerbookJson, runOfferbook } from '../harness/command-line.ts';
import { AUTHOR, addFullMerchant, documentOf, NOW_MS } from '../harness/moved-merchants.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { createPlace, PATIENCE } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { OFTEN, waitUntil } from '../harness/wait-until.ts';

/** Copying this many SKUs takes a second or more, enough time to kill the command. */
const MANY_SKUS = 12_000;
const KILL_DEADLINE_MS = 60_000;

describe('offerbook copy', { skip: postgresSkipped(), concurrency: 2 }, () => {
  it('moves a served Offerbook to PostgreSQL and back: tokens, credentials and offers are the same there', async (t) => {
    const [DATA_DIR, url, back] = [await tempFolder(), await newDatabase(t), await tempFolder()];
    const { result: token } = await withOfferbook({ DATA_DIR }, { demo: true }, async (server) => {
      const issued = await requestToken(server, 'test');
      const headers = { authorization: `Bearer ${issued}` };
      for (const skuId of ['b', 'a']) {
        const body = JSON.stringify(minimalSku());
        assert.equal((await fetch(`${server}${skuPath(skuId)}`, { method: 'PUT', headers, body })).status, 202);
      }
      const price = { method: 'PUT', headers, body: '{"price":12.5}' };
      assert.equal((await fetch(`${server}${skuPath('a')}/price`, price)).status, 202);
      return issued;
    });
    const there = await offerbookJson({}, 'copy', '--from', `sqlite:${DATA_DIR}`, '--to', url);
    const { sha256, ...counts } = there;
    assert.deepEqual(counts, {
      from: `sqlite:${DATA_DIR}`,
      to: `postgres://${new URL(url).host}${new URL(url).pathname}`,
      merchants: 1,
      skus: 2,
      skus_before: 0,
    });
    const home = await runOfferbook({}, 'copy', '--from', url, '--to', `sqlite:${back}`);
    assert.equal(home.exitCode, 0, home.stderr);
    assert.match(
      home.stdout,
      /^Copied 1 merchant with 2 SKUs from postgres:.* to sqlite:.*\.\nBoth sides were read back/,
    );
    assert.ok(home.stdout.includes(String(sha256)), 'the same on the way back');
    assert.ok(!home.stdout.includes(new URL(url).password || 'no password'));

    for (const place of [{ DATA_DIR, DATABASE_URL: url, ...PATIENCE }, { DATA_DIR: back }]) {
      await withOfferbook(place, { demo: true }, async (server) => {
        const headers = { authorization: `Bearer ${token}` };
        const price = await fetch(`${server}${skuPath('a')}/price`, { headers });
        assert.equal(price.status, 200, 'a token of the old place');
        assert.match(await price.text(), /^{"price":12\.5,/);
        await requestToken(server, 'live');
        const body = JSON.stringify(minimalSku());
        assert.equal((await fetch(`${server}${skuPath('c')}`, { method: 'PUT', headers, body })).status, 202);
        const list = await fetch(`${server}/merchant-skus`, { headers });
        assert.deepEqual(await list.json(), { sku_urls: ['b', 'a', 'c'].map((skuId) => `merchant-skus/${skuId}`) });
      });
    }
  });

  it('continues after being killed, repeatedly, and its target cannot be used before it is complete', async (t) => {
    const [DATA_DIR, url] = [await tempFolder(), await newDatabase(t)];
    await seedMany(DATA_DIR);
    const command = ['copy', '--from', `sqlite:${DATA_DIR}`, '--to', url];
    let place = 0;
    for (let kill = 0; kill < 2; kill++) place = await killBehind(place, command, url);
    const variables = { DATA_DIR, DATABASE_URL: url, PORT: '0' };
    for (const refused of [['serve'], ['export', '-']]) {
      const { exitCode, stderr } = await runOfferbook(variables, ...refused);
      assert.equal(exitCode, 1);
      assert.match(stderr, /^offerbook: The copy from sqlite:.* is not finished. Run "offerbook copy" again, or use/);
    }
    const report = await offerbookJson({}, ...command);
    assert.equal(report.skus, MANY_SKUS + 8);
    assert.ok(Number(report.skus_before) > 0 && Number(report.skus_before) < MANY_SKUS, JSON.stringify(report));
    const [from, to] = [
      await runOfferbook({ DATA_DIR }, 'export', '-'),
      await runOfferbook({ DATABASE_URL: url }, 'export', '-'),
    ];
    assert.ok(from.stdout === to.stdout && from.stdout.length > MANY_SKUS * 100);
    const again = await runOfferbook({}, ...command, '--json');
    assert.deepEqual([again.exitCode, JSON.parse(again.stderr).details[0].code], [1, 'copy_target_used']);
  });

  it('is refused while a server uses the data folder, and without a source; nothing is created', async (t) => {
    const [DATA_DIR, url] = [await tempFolder(), await newDatabase(t)];
    const command = ['copy', '--from', `sqlite:${DATA_DIR}`, '--to', url, '--json'];
    await withOfferbook({ DATA_DIR }, { demo: true }, async () => {
      const locked = await runOfferbook({}, ...command);
      assert.deepEqual([locked.exitCode, JSON.parse(locked.stderr).details[0].code], [1, 'data_dir_locked']);
      const target = ['copy', '--from', url, '--to', `sqlite:${DATA_DIR}`, '--json'];
      const busy = await runOfferbook({}, ...target);
      assert.deepEqual([busy.exitCode, JSON.parse(busy.stderr).details[0].code], [1, 'data_dir_locked']);
    });
    const missing = path.join(DATA_DIR, 'missing');
    const none = await runOfferbook({}, 'copy', '--from', `sqlite:${missing}`, '--to', url, '--json');
    assert.deepEqual([none.exitCode, JSON.parse(none.stderr).details[0].code], [1, 'database_missing']);
    assert.equal(existsSync(missing), false);
    const client = new Client({ connectionString: url });
    await client.connect();
    const tables = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
    await client.end();
    assert.equal(tables.rowCount, 0);
  });

  it('says which database URLs it accepts', async () => {
    for (const args of [
      ['--from', './data', '--to', 'sqlite:./other'],
      ['--from', 'sqlite:./data', '--to', 'mysql://host/database'],
      ['--from', 'sqlite:', '--to', 'sqlite:./other'],
    ]) {
      const { exitCode, stderr } = await runOfferbook({}, 'copy', ...args);
      assert.equal(exitCode, 2);
      assert.match(stderr, /must be sqlite:<data folder> or postgres:\/\/user@host:port\/database/);
    }
    const { exitCode, stderr } = await runOfferbook({}, 'copy', '--from', 'sqlite:./data');
    assert.equal(exitCode, 2);
    assert.match(stderr, /required option '--to <store>' not specified/);
  });
});

async function newDatabase(t: Pick<TestContext, 'after'>): Promise<string> {
  const { place, remove } = await createPlace('postgres');
  t.after(remove);
  return place.DATABASE_URL ?? assert.fail();
}

async function seedMany(dataDir: string): Promise<void> {
  const store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  await addFullMerchant(store, 'acme');
  const { accounts } = (await store.settings.readMerchant('acme')) ?? assert.fail();
  for (let from = 0; from < MANY_SKUS; from += 1000) {
    const skuIds = Array.from({ length: 1000 }, (_, n) => `many-${from + n}`);
    await Promise.all(
      skuIds.map((skuId) =>
        putSku(store.offers, { accountId: accounts.live, skuId, by: AUTHOR }, documentOf(1), NOW_MS),
      ),
    );
  }
  await store.close();
}

/** Runs the command until its mark has passed the place, and kills it. Returns the position of the mark. */
async function killBehind(place: number, command: readonly string[], url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const child = spawn(process.execPath, ['src/cli/main.mjs', ...command], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    const probe = async () => {
      assert.equal(child.exitCode, null, 'it ended before it could be killed');
      const order = await markedOrder(client);
      return order > place ? order : undefined;
    };
    return await waitUntil('a slice', KILL_DEADLINE_MS, probe, OFTEN);
  } finally {
    child.kill('SIGKILL');
    assert.equal((await ended)[1], 'SIGKILL');
    await client.end();
  }
}

/** Returns 0 while there is no mark, or no table for it. */
async function markedOrder(client: Client): Promise<number> {
  const { rows } = await client.query("SELECT to_regclass('copy_mark') IS NOT NULL AS found");
  if (!rows[0]?.found) return 0;
  const mark = await client.query('SELECT upload_order FROM copy_mark');
  return Number(mark.rows[0]?.upload_order ?? 0);
}
