/** doctor: all well, each thing that is wrong with what to do about it, and the exit code that scripts look at. */
import assert from 'node:assert/strict';
import { chmod, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { offerbookJson, runOfferbook } from '../harness/command-line.ts';
import { withOfferbook, withSetupStore } from '../harness/own-server.ts';
import { tempFolder } from '../harness/temp-folder.ts';

interface Checkup {
  readonly healthy: boolean;
  readonly checks: readonly { check: string; state: string; text: string }[];
}

describe('doctor', { concurrency: 3 }, () => {
  it('finds nothing wrong with a sound folder, whether a server runs or not, and leaves it as it was', async () => {
    const DATA_DIR = await tempFolder();
    await withOfferbook({ DATA_DIR }, {}, async (url) => {
      const { exitCode, stdout } = await runOfferbook({ DATA_DIR, PORT: new URL(url).port }, 'doctor');
      assert.equal(exitCode, 0, stdout);
      assert.match(stdout, /^ok {4}server: Running, and well by /m);
      assert.doesNotMatch(stdout, /^fail/m);
    });
    const before = await readdir(DATA_DIR);
    const { healthy, checks } = (await offerbookJson({ DATA_DIR }, 'doctor', '--full')) as unknown as Checkup;
    assert.equal(healthy, true);
    assert.deepEqual(
      new Set(checks.map(({ check }) => check)),
      new Set([
        ...['settings', 'clock', 'permissions', 'disk', 'log', 'schema', 'clock of the data', 'database'],
        ...['clock of the folder', 'server'],
      ]),
    );
    const left = (await readdir(DATA_DIR)).filter((name) => !/-(?:wal|shm)$/.test(name));
    assert.deepEqual(left.sort(), before.filter((name) => !/-(?:wal|shm)$/.test(name)).sort());
  });

  it('names bad settings without what is secret in them, and ends with 1', async () => {
    const DATA_DIR = await tempFolder();
    const variables = { DATA_DIR, PORT: 'x', DATABASE_URL: 'mysql://ann:hunter2@db.example/offers' };
    const { exitCode, stdout, stderr } = await runOfferbook(variables, 'doctor');
    assert.deepEqual([exitCode, stderr], [1, '']);
    assert.match(stdout, /^fail {2}settings: PORT must .*DATABASE_URL must /m);
    assert.ok(!stdout.includes('hunter2'));
  });

  it('warns of an open folder, and of one that is not there', async () => {
    const DATA_DIR = await tempFolder();
    await offerbookJson({ DATA_DIR }, 'merchant', 'list');
    await chmod(DATA_DIR, 0o755);
    const open = await runOfferbook({ DATA_DIR }, 'doctor');
    assert.equal(open.exitCode, 0);
    assert.match(open.stdout, /^warn {2}permissions: .*chmod 700/m);
    const nowhere = path.join(DATA_DIR, 'nowhere');
    const missing = await runOfferbook({ DATA_DIR: nowhere }, 'doctor');
    assert.match(missing.stdout, /^warn {2}folder: .*not there yet/m);
    assert.deepEqual((await readdir(DATA_DIR)).includes('nowhere'), false);
  });

  it('sees a clock that was set back, and a server that does not answer', async () => {
    const DATA_DIR = await tempFolder();
    await withSetupStore({ DATA_DIR }, (store) =>
      store.addSigningKey({ keyId: 'k', secret: new Uint8Array(1) }, Date.now() + 86_400_000, 0),
    );
    await withOfferbook({ DATA_DIR }, {}, async () => {
      const { exitCode, stdout } = await runOfferbook({ DATA_DIR, PORT: '1' }, 'doctor');
      assert.equal(exitCode, 1);
      assert.match(stdout, /^fail {2}clock of the data: .*set this machine's clock/m);
      assert.match(stdout, /^fail {2}server: One holds the folder, but .*see HOST and PORT/m);
    });
  });
});
