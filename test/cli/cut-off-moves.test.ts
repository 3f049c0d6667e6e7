/**
 * Tests interrupted and concurrent moves of merchants: no accepted data is erased, and no incomplete merchant counts as
 * complete.
 */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { openSqliteMoves, openSqliteStore } from '../../src/store/sqlite/open.ts';
import { offerbookHere, runHere, runOfferbook } from '../harness/command-line.ts';
import { lapseLeases } from '../harness/lapsed-leases.ts';
import { addFullMerchant } from '../harness/moved-merchants.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

const STATE_MS_MAX = 60_000;
const NODE = ['--rates', 'flat', '--method', 'Freight', '--level', 'Standard'];

describe('an import that was cut off', { concurrency: 3 }, () => {
  it('leaves a merchant that is listed as unfinished, cannot be used, and can be imported again or removed', async () => {
    const { DATA_DIR, file, folder } = await exported();
    await cutOffImport(DATA_DIR);
    const { merchants } = await offerbookHere({ DATA_DIR }, 'merchant', 'list');
    assert.deepEqual(
      (merchants as { unfinished: string }[]).map(({ unfinished }) => unfinished),
      ['import'],
    );
    assert.match((await runHere({ DATA_DIR }, 'merchant', 'list')).stdout, /import unfinished/);
    const merchant = ['--merchant', 'acme'];
    for (const args of [
      ['merchant', 'resume', 'acme'],
      ['keys', 'roll', ...merchant, '--env', 'live', '--yes'],
      ['node', 'add', 'n', ...merchant, ...NODE],
      ['return-location', 'add', 'dock', ...merchant],
      ['user', 'add', 'ann@acme.example', '--role', 'merchant-admin', ...merchant],
      ['sandbox', 'reset', ...merchant, '--yes'],
      ['export', path.join(folder, 'half'), ...merchant],
    ]) {
      const { exitCode, stderr } = await runHere({ DATA_DIR }, ...args, '--json');
      const code = JSON.parse(stderr).details[0].code;
      assert.deepEqual([exitCode, code], [1, 'merchant_unfinished'], `${args.join(' ')}: ${stderr}`);
    }
    await lapseLeases({ DATA_DIR });
    const other = path.join(folder, 'other');
    const removed = await offerbookHere({ DATA_DIR }, 'merchant', 'remove', 'acme', '--export', other, '--yes');
    assert.deepEqual(removed, { merchant_id: 'acme', export: null, skus: 0 });
    assert.ok(!existsSync(other));
    await cutOffImport(DATA_DIR);
    await lapseLeases({ DATA_DIR });
    assert.equal((await offerbookHere({ DATA_DIR }, 'import', file)).skus, 8);
    await offerbookHere({ DATA_DIR }, 'merchant', 'resume', 'acme');
  });

  it('by kill -9 is taken over by the next import, once its lease has expired', async (t) => {
    const { DATA_DIR, file, lines } = await exported();
    const killed = await startImport(t, DATA_DIR, lines);
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const next = await runOfferbook({ DATA_DIR }, 'import', file);
    assert.equal(next.exitCode, 0, next.stderr);
    assert.equal((await offerbookHere({ DATA_DIR }, 'export', path.join(DATA_DIR, 'again'))).skus, 8);
  });
});

describe('two imports of one merchant at once', () => {
  it('do not conflict: the second is refused, the first is complete', async (t) => {
    const { DATA_DIR, file, lines } = await exported();
    const first = await startImport(t, DATA_DIR, lines);
    const second = await runOfferbook({ DATA_DIR }, 'import', file, '--json');
    assert.deepEqual([second.exitCode, JSON.parse(second.stderr).details[0].code], [1, 'import_busy']);
    first.stdin.end(lines.slice(4).join('\n'));
    assert.equal(await text(first.stdout), 'Imported 1 merchant with 8 SKUs: acme.\n');
    assert.equal((await offerbookHere({ DATA_DIR }, 'export', path.join(DATA_DIR, 'again'))).skus, 8);
  });
});

describe('a removal that was cut off', () => {
  it('is finished without another export, and names the complete one', async () => {
    const folder = await tempFolder();
    const DATA_DIR = path.join(folder, 'data');
    await seed(DATA_DIR);
    const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')];
    await offerbookHere({ DATA_DIR }, 'export', first, '--merchant', 'acme');
    const moves = await openSqliteMoves({ dataDir: DATA_DIR });
    assert.equal(await moves.beginRemoval('acme'), 'begun');
    assert.equal(await moves.beginErasing('acme', first), 'begun');
    await moves.eraseOffers(1, Number.MAX_SAFE_INTEGER, 60_000);
    await moves.close();

    assert.match((await runHere({ DATA_DIR }, 'merchant', 'list')).stdout, /removal unfinished/);
    const resumed = await runHere({ DATA_DIR }, 'merchant', 'resume', 'acme');
    assert.equal(resumed.exitCode, 1);
    assert.match(resumed.stderr, /Run "offerbook merchant remove" again/);
    const { stdout, exitCode } = await runHere({ DATA_DIR }, 'merchant', 'remove', 'acme', '--export', second, '--yes');
    assert.equal(exitCode, 0);
    assert.ok(
      stdout.includes(`The interrupted removal wrote the export to ${first}; ${second} was not written.`),
      stdout,
    );
    assert.ok(!existsSync(second));
    assert.deepEqual(await offerbookHere({ DATA_DIR }, 'merchant', 'list'), { merchants: [] });
    assert.equal((await offerbookHere({ DATA_DIR }, 'import', first)).skus, 8);
  });
});

/** Creates an export of a merchant, and an empty folder for it. */
async function exported(): Promise<{ folder: string; DATA_DIR: string; file: string; lines: readonly string[] }> {
  const folder = await tempFolder();
  const from = path.join(folder, 'from');
  await seed(from);
  const file = path.join(folder, 'acme.ndjson');
  await offerbookHere({ DATA_DIR: from }, 'export', file);
  const lines = (await readFile(file, 'utf8')).split('\n');
  return { folder, DATA_DIR: path.join(folder, 'data'), file, lines };
}

async function seed(dataDir: string): Promise<void> {
  const store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  await addFullMerchant(store, 'acme');
  await store.close();
}

/** Leaves the merchant as a killed process does. */
async function cutOffImport(dataDir: string): Promise<void> {
  const moves = await openSqliteMoves({ dataDir });
  const merchant = { merchantId: 'acme', name: 'Acme', createdMs: 1, suspended: false };
  await moves.beginImport({ ...merchant, timeToReturnDays: 30, returnShippingMethods: ['Freight'] });
  await moves.close();
}

/** Resolves when the import of the merchant has started; four lines were sent. */
async function startImport(
  t: Pick<TestContext, 'after'>,
  DATA_DIR: string,
  lines: readonly string[],
): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, ['bin/offerbook.mjs', 'import', '-'], { env: { ...process.env, DATA_DIR } });
  t.after(() => child.kill('SIGKILL'));
  child.stdin.write(`${lines.slice(0, 4).join('\n')}\n`);
  await waitUntil('the import has begun', STATE_MS_MAX, async () => {
    // The import creates the database first.
    const { stdout } = await runHere({ DATA_DIR }, 'merchant', 'list');
    return stdout.includes('import unfinished') ? true : undefined;
  });
  return child;
}
