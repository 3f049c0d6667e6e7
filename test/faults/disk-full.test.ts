/** Tests a full disk: writes get 503 and leave no trace, reads work, and writes work again when there is free space. */

import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { putSku } from '../../src/store/contract/put-parts.ts';
import { AUTHOR } from '../../src/store/contract/subject.ts';
import { StoreUnavailableError } from '../../src/store/port/errors.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { runOfferbook } from '../harness/command-line.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { CANNOT_MOUNT, smallDisk } from '../harness/small-disk.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const WRITES_MAX = 5000;
const REFUSALS_SEEN = 50;

interface Client {
  put(skuId: string): Promise<Response>;
  putPrice(skuId: string, price: number): Promise<Response>;
  get(skuId: string): Promise<number>;
}

describe('a full disk', () => {
  it('refuses writes with 503, serves reads, and accepts writes again by itself', { skip: CANNOT_MOUNT }, async () => {
    const { folder } = await smallDisk(48);
    const ballast = path.join(folder, 'ballast');
    await writeFile(ballast, Buffer.alloc(42 * 1_048_576));
    const acknowledged: string[] = [];
    const refused: string[] = [];
    const dataDir = path.join(folder, 'data');

    await withOfferbook(
      { DATA_DIR: dataDir },
      { demo: true, settings: { REQUESTS_PER_MINUTE: '1000000' } },
      async (url) => {
        const client = await clientOf(url);
        for (let n = 0; n < WRITES_MAX && refused.length < REFUSALS_SEEN; n++) {
          const response = await client.put(`sku-${n}`);
          if (response.status === 202) {
            acknowledged.push(`sku-${n}`);
          } else {
            await assertUnavailable(response);
            refused.push(`sku-${n}`);
          }
        }
        assert.equal(refused.length, REFUSALS_SEEN, `the disk filled up after ${acknowledged.length} writes`);
        await assertHolds(client, acknowledged, refused);
        assert.equal((await fetch(`${url}/healthz`)).status, 200);
        assert.equal((await fetch(`${url}/readyz`)).status, 503);

        await rm(ballast);
        assert.equal((await fetch(`${url}/readyz`)).status, 200);
        assert.equal((await client.put('after')).status, 202, 'there is room again');
        acknowledged.push('after');
        await assertHolds(client, acknowledged, refused);
      },
    );

    await withOfferbook(
      { DATA_DIR: dataDir },
      { demo: true, settings: { REQUESTS_PER_MINUTE: '1000000' } },
      async (url) => {
        await assertHolds(await clientOf(url), acknowledged, refused);
      },
    );
  });

  it('lets a killed server start again, which serves reads, and accepts writes when there is free space', {
    skip: CANNOT_MOUNT,
  }, async (t) => {
    const { folder } = await smallDisk(48);
    const ballast = path.join(folder, 'ballast');
    await writeFile(ballast, Buffer.alloc(42 * 1_048_576));
    // Without a reserve, one account may use up the whole disk.
    const reserve = { FILES_FREE_BYTES_MIN: '0' };
    const variables = { DATA_DIR: path.join(folder, 'data'), REQUESTS_PER_MINUTE: '1000000', ...reserve };
    const killed = await startServeProcess(variables);
    t.after(() => killed.stop('SIGKILL'));
    const client = await clientOf(killed.url);
    const acknowledged: string[] = [];
    for (let n = 0; n < WRITES_MAX && (await client.put(`sku-${n}`)).status === 202; n++) acknowledged.push(`sku-${n}`);
    assert.ok(acknowledged.length < WRITES_MAX);
    // Large writes are refused before small ones: continue until small ones are refused too.
    for (let n = 0, refusals = 0; refusals < REFUSALS_SEEN; n++) {
      const { status } = await client.putPrice(acknowledged[n % acknowledged.length] ?? '', 1 + n);
      assert.ok(status === 202 || status === 503, `${status}`);
      refusals = status === 202 ? 0 : refusals + 1;
      assert.ok(n < WRITES_MAX);
    }
    await killed.stop('SIGKILL');

    const again = await startServeProcess(variables);
    t.after(() => again.stop('SIGKILL'));
    assert.match(again.output(), /is full.*Reads work/);
    assert.match(again.output(), /"event":"store_full"/);
    const reader = await clientOf(again.url);
    assert.equal((await fetch(`${again.url}/readyz`)).status, 503);
    await assertHolds(reader, acknowledged, []);
    await assertUnavailable(await reader.put('refused'));
    const doctor = await runOfferbook({ ...variables, PORT: '0' }, 'doctor');
    assert.match(doctor.stdout, /^fail {2}disk: .*Writes are refused until you free some space; reads still work/m);

    await rm(ballast);
    assert.equal((await fetch(`${again.url}/readyz`)).status, 200);
    assert.equal((await reader.put('after')).status, 202);
    await assertHolds(reader, [...acknowledged, 'after'], ['refused']);
    assert.equal(await again.stop(), 0);
  });

  it('of files cannot be caused by one account, which is limited to a share of the disk', {
    skip: CANNOT_MOUNT,
  }, async () => {
    const { folder } = await smallDisk(64);
    const settings = { FILES_DIR: folder, FILES_FREE_BYTES_MIN: '1048576' };
    await withOfferbook({ DATA_DIR: await tempFolder() }, { demo: true, settings }, async (url) => {
      const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
      const send = async (bytes: number) => {
        const answer = await fetch(`${url}/files/uploadToken`, { headers });
        const address = ((await answer.json()) as { url: string }).url;
        return (await fetch(address, { method: 'PUT', body: Buffer.alloc(bytes, 32) })).status;
      };
      assert.equal(await send(4_194_305), 429);
      assert.equal(await send(4_194_304), 201);
      assert.equal(await send(1), 429);
    });
  });

  it('by the database size limit: acknowledged writes are stored, and refused ones are not', async (t) => {
    const dataDir = await tempFolder();
    const options = { dataDir, onFatal: (error: Error) => assert.fail(error) };
    const store = await openSqliteStore({ ...options, database_bytes_max: 4_194_304 });
    const document = JSON.stringify({ product_title: 'A title', brand: 'A brand', text: 'x'.repeat(4000) });
    const acknowledged: string[] = [];
    const refused: string[] = [];
    for (let n = 0; refused.length < 10; n++) {
      const skuIds = Array.from({ length: 10 }, (_, place) => `sku-${n}-${place}`);
      const writes = await Promise.allSettled(
        skuIds.map((skuId) => putSku(store.offers, { accountId: 1, skuId, by: AUTHOR }, document, 0)),
      );
      writes.forEach((write, place) => {
        (write.status === 'fulfilled' ? acknowledged : refused).push(skuIds[place] ?? '');
        if (write.status === 'rejected') assert.ok(write.reason instanceof StoreUnavailableError, String(write.reason));
      });
    }
    assert.ok(acknowledged.length > 100);
    await store.ping();
    await store.close();
    const larger = await openSqliteStore(options);
    t.after(() => larger.close());
    for (const skuId of acknowledged)
      assert.equal(await larger.offers.readSkuState({ accountId: 1, skuId }), 'open', skuId);
    for (const skuId of refused)
      assert.equal(await larger.offers.readSkuState({ accountId: 1, skuId }), 'unknown', skuId);
    assert.equal(await putSku(larger.offers, { accountId: 1, skuId: 'after', by: AUTHOR }, document, 0), 'stored');
  });
});

async function clientOf(url: string): Promise<Client> {
  const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
  const body = (skuId: string) =>
    JSON.stringify({ ...minimalSku(), product_title: skuId.padEnd(5), product_description: 'x'.repeat(2000) });
  return {
    put: (skuId) => fetch(`${url}${skuPath(skuId)}`, { method: 'PUT', headers, body: body(skuId) }),
    putPrice: (skuId, price) =>
      fetch(`${url}${skuPath(skuId)}/price`, { method: 'PUT', headers, body: JSON.stringify({ price }) }),
    get: async (skuId) => {
      const response = await fetch(`${url}${skuPath(skuId)}`, { headers });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

async function assertUnavailable(response: Response): Promise<void> {
  const { errors, details } = (await response.json()) as { errors: string[]; details: { code: string }[] };
  assert.deepEqual(
    [response.status, details.map(({ code }) => code), errors.length],
    [503, ['store_unavailable'], 1],
    JSON.stringify(errors),
  );
  assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
}

async function assertHolds(client: Client, acknowledged: readonly string[], refused: readonly string[]): Promise<void> {
  for (const skuId of acknowledged) assert.equal(await client.get(skuId), 200, `${skuId} was acknowledged`);
  for (const skuId of refused) assert.equal(await client.get(skuId), 404, `${skuId} was refused`);
}
