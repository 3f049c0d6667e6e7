/** Runs the commands of docs/operate/move-database.md that move a server from PostgreSQL back to SQLite. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { offerbookHere } from '../harness/command-line.ts';
import { blocksOf } from '../harness/doc-blocks.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { shellWithCurl } from '../harness/shell.ts';
import { createPlace } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';

it('the way back to SQLite works as described, into the folder that still has the old database', {
  skip: postgresSkipped(),
}, async (t) => {
  const DATA_DIR = await tempFolder();
  const { place, remove } = await createPlace('postgres');
  t.after(remove);
  const url = place.DATABASE_URL ?? assert.fail();
  const put = async (server: string, skuId: string) => {
    const headers = { authorization: `Bearer ${await requestToken(server, 'live')}` };
    const body = JSON.stringify(minimalSku());
    assert.equal((await fetch(`${server}${skuPath(skuId)}`, { method: 'PUT', headers, body })).status, 202);
    return (await (await fetch(`${server}/merchant-skus`, { headers })).json()) as unknown;
  };
  await withOfferbook({ DATA_DIR }, { demo: true }, (server) => put(server, 'before'));
  await offerbookHere({}, 'copy', '--from', `sqlite:${DATA_DIR}`, '--to', url);
  await withOfferbook(place, { demo: true }, (server) => put(server, 'there'));

  const page = await readFile('docs/operate/move-database.md', 'utf8');
  const [block] = blocksOf(page.slice(page.indexOf('## Move back to SQLite')));
  const script = (block ?? assert.fail()).text
    .replaceAll('/var/lib/offerbook', DATA_DIR)
    .replace(/'postgres:[^']*'/, `'${url}'`);
  assert.ok(script.includes(DATA_DIR) && script.includes(url), script);
  const shell = await shellWithCurl();
  const run = shell(script);
  assert.equal(run.exitCode, 0, run.output);
  assert.match(run.output, /^Copied 1 merchant with 2 SKUs from postgres:.* to sqlite:/);
  assert.ok((await readdir(DATA_DIR)).includes('old-offerbook.db'));

  await withOfferbook({ DATA_DIR }, { demo: true }, async (server) => {
    const sku_urls = ['before', 'there', 'back'].map((skuId) => `merchant-skus/${skuId}`);
    assert.deepEqual(await put(server, 'back'), { sku_urls });
  });
});
