/** Tests a read-only data folder: a server does not start and says why, and a running server refuses writes with 503. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { offerbookJson, runOfferbook } from '../harness/command-line.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { CANNOT_MOUNT, smallDisk } from '../harness/small-disk.ts';
import { tempFolder } from '../harness/temp-folder.ts';

describe('a read-only folder', { concurrency: 3 }, () => {
  it('is named at start, with the reason', { skip: CANNOT_MOUNT }, async () => {
    const disk = await smallDisk(8);
    const DATA_DIR = path.join(disk.folder, 'data');
    await offerbookJson({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    disk.makeReadOnly();
    for (const command of [['serve'], ['merchant', 'list']]) {
      const { exitCode, stdout, stderr } = await runOfferbook({ DATA_DIR, PORT: '0' }, ...command);
      assert.deepEqual([exitCode, stdout], [1, ''], stderr);
      assert.match(stderr, /^offerbook: [^\n]*(?:read-only|cannot be opened)[^\n]*\n$/);
      assert.ok(stderr.includes(DATA_DIR), stderr);
    }
    const doctor = await runOfferbook({ DATA_DIR }, 'doctor');
    assert.equal(doctor.exitCode, 1);
    assert.match(doctor.stdout, /^fail {2}folder: .* is not writable: check its mount and permissions\.$/m);
  });

  it('makes a server refuse writes with 503 and serve reads as usual, until it is writable again', async (t) => {
    // Uses a folder on disk, because files in memory cannot be made immutable, or stay writable anyway.
    const dataDir = await tempFolder(existsSync('/var/tmp') ? '/var/tmp' : undefined);
    const file = path.join(dataDir, 'offerbook.db');
    const freeze = (how: '+i' | '-i') => spawnSync('chattr', [how, file, `${file}-wal`]).status === 0;
    await withOfferbook({ DATA_DIR: dataDir }, { demo: true }, async (url) => {
      if (!freeze('+i')) {
        t.skip('files cannot be made immutable here');
        return;
      }
      try {
        const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
        const put = async (skuId: string) => {
          const body = JSON.stringify(minimalSku());
          const response = await fetch(`${url}${skuPath(skuId)}`, { method: 'PUT', headers, body });
          await response.arrayBuffer();
          return response;
        };
        const refused = await put('refused');
        if (refused.status === 202) {
          t.skip('this file system lets open files be written all the same');
          return;
        }
        assert.equal(refused.status, 503);
        assert.ok(refused.headers.has('retry-after'));
        assert.equal((await fetch(`${url}/authcheck`, { headers })).status, 200);
        assert.equal((await fetch(`${url}/merchant-skus`, { headers })).status, 200);
        assert.ok(freeze('-i'));
        assert.equal((await put('after')).status, 202);
        assert.equal((await fetch(`${url}${skuPath('refused')}`, { headers })).status, 404);
        assert.equal((await fetch(`${url}${skuPath('after')}`, { headers })).status, 200);
      } finally {
        freeze('-i');
      }
    });
  });

  it('in which no folder can be created is refused immediately', {
    skip: process.platform !== 'linux' && 'no /proc',
  }, async () => {
    const { exitCode, stderr } = await runOfferbook({ DATA_DIR: '/proc/offerbook/data', PORT: '0' }, 'serve');
    assert.deepEqual(
      [exitCode, stderr],
      [1, 'offerbook: The data folder /proc/offerbook/data cannot be created: the folder does not exist.\n'],
    );
  });

  it('is created with all missing parent folders', async () => {
    const dataDir = path.join(await tempFolder(), 'a', 'b', 'c');
    await mkdir(path.dirname(path.dirname(dataDir)), { recursive: true });
    await offerbookJson({ DATA_DIR: dataDir }, 'merchant', 'add', 'acme', '--name', 'Acme');
  });
});
