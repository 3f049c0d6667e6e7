/** Tests that commands find the server that runs on their data folder, although its address was set only for the server. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { listeningUrl, reachableUrl } from '../../src/cli/api/server-address.ts';
import { readSettings } from '../../src/config/settings.ts';
import { lockDataDir } from '../../src/store/sqlite/engine/lock.ts';
import { writeServerUrls } from '../../src/store/sqlite/engine/server-urls.ts';
import { offerbookHere, runHere } from '../harness/command-line.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const ADD = ['user', 'add', 'ann@marketplace.example', '--role', 'operator'];

it('links, doctor and generated image URLs use the address of the running server', async () => {
  const DATA_DIR = await tempFolder();
  await withOfferbook({ DATA_DIR }, {}, async (url) => {
    const { link } = (await offerbookHere({ DATA_DIR }, ...ADD)) as { link: string };
    assert.ok(link.startsWith(`${url}/portal/set-password#`), link);
    const own = (await offerbookHere(
      { DATA_DIR, PUBLIC_URL: 'https://offers.example' },
      ...['user', 'reset', 'ann@marketplace.example'],
    )) as { link: string };
    assert.ok(own.link.startsWith('https://offers.example/portal/'), own.link);
    const file = path.join(DATA_DIR, 'catalog.json');
    await offerbookHere({ DATA_DIR }, 'generate-catalog', '1', '--out', file);
    const images = `http://127.0.0.1:${Number(new URL(url).port) + 1}/`;
    assert.ok((await readFile(file, 'utf8')).includes(images), images);
  });
  assert.equal(existsSync(path.join(DATA_DIR, 'server.json')), false, 'a server that stops removes it');
  const after = (await offerbookHere({ DATA_DIR }, 'user', 'reset', 'ann@marketplace.example')) as { link: string };
  assert.ok(after.link.startsWith('http://127.0.0.1:8080/portal/'), after.link);
});

it("links use the server's PUBLIC_URL although only the server has it", async () => {
  const DATA_DIR = await tempFolder();
  await withOfferbook({ DATA_DIR }, { settings: { PUBLIC_URL: 'https://offers.example' } }, async () => {
    const { link } = (await offerbookHere({ DATA_DIR }, ...ADD)) as { link: string };
    assert.ok(link.startsWith('https://offers.example/portal/'), link);
  });
});

it('the address of a killed server is not used, not even while the next server starts', async () => {
  const DATA_DIR = await tempFolder();
  const settings = readSettings({ DATA_DIR });
  const server = await startServeProcess({ DATA_DIR });
  assert.equal(await listeningUrl(settings), server.url);
  await server.stop('SIGKILL');
  assert.equal(existsSync(path.join(DATA_DIR, 'server.json')), true);
  assert.equal(await listeningUrl(settings), 'http://127.0.0.1:8080');
  const doctor = await runHere({ DATA_DIR }, 'doctor');
  assert.match(doctor.stdout, /^fail {2}server: No server is using /m);
  await withOfferbook({ DATA_DIR }, {}, async (url) => assert.equal(await listeningUrl(settings), url));
});

it('a file that is not complete yet is not used', async (t) => {
  const DATA_DIR = await tempFolder();
  t.after(lockDataDir(DATA_DIR));
  const settings = readSettings({ DATA_DIR });
  writeServerUrls(DATA_DIR, { url: 'http://127.0.0.1:9000', publicUrl: 'not a URL' });
  assert.equal(await listeningUrl(settings), 'http://127.0.0.1:8080');
  writeServerUrls(DATA_DIR);
  assert.equal(await reachableUrl(settings), 'http://127.0.0.1:8080');
});

it('without a server on the folder, and on PostgreSQL, the settings count', async () => {
  for (const [variables, url] of [
    [{ HOST: '0.0.0.0', PORT: '9000' }, 'http://127.0.0.1:9000'],
    [{ HOST: '::' }, 'http://[::1]:8080'],
    [{ HOST: '::1' }, 'http://[::1]:8080'],
    [{ DATABASE_URL: 'postgres://db.example/offers', PORT: '9000' }, 'http://127.0.0.1:9000'],
  ] as const)
    assert.equal(await listeningUrl(readSettings({ DATA_DIR: await tempFolder(), ...variables })), url);
});
