/** Tests Ctrl+C on slow commands: they remove partial results, say that they stopped, and exit with 1. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { writeExport } from '../../src/cli/data/export-file.ts';
import type { Shell } from '../../src/cli/shell.ts';
import { ENVIRONMENTS } from '../../src/domain/account.ts';
import type { OfferRecord } from '../../src/domain/export/records.ts';
import { copyStore } from '../../src/operations/moves/copy-store.ts';
import { clearableOf } from '../../src/store/contract/put-parts.ts';
import { backupDatabase } from '../../src/store/sqlite/backup/backup.ts';
import { openSqliteCopyStore, openSqliteMoves } from '../../src/store/sqlite/open.ts';
import { runHere } from '../harness/command-line.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

const STATE_MS_MAX = 60_000;
const MERCHANT = {
  merchantId: 'acme',
  name: 'Acme',
  createdMs: 1,
  suspended: false,
  timeToReturnDays: 30,
  returnShippingMethods: ['Freight'],
} as const;
const SILENT_SHELL: Shell = {
  variables: {},
  out: () => {},
  err: () => {},
  input: new PassThrough(),
  output: new PassThrough(),
  terminal: undefined,
  ask: undefined,
  needWholeOutput: () => {},
};
const REQUEST = { merchantId: undefined, environments: ENVIRONMENTS };

describe('Ctrl+C', { concurrency: 3 }, () => {
  it('on an import erases the partial merchant, and the database that the import created', async (t) => {
    const DATA_DIR = path.join(await tempFolder(), 'data');
    const child = start(t, DATA_DIR, 'import', '-');
    const { merchantId, createdMs, timeToReturnDays, returnShippingMethods, ...rest } = MERCHANT;
    const line = { kind: 'merchant', merchant_id: merchantId, ...rest, created: new Date(createdMs).toISOString() };
    const returns = { time_to_return: timeToReturnDays, return_shipping_methods: returnShippingMethods };
    child.stdin.write(`{"kind":"offerbook_export","version":1}\n${JSON.stringify({ ...line, ...returns })}\n`);
    const merchants = async () => (await runHere({ DATA_DIR }, 'merchant', 'list')).stdout;
    await waitUntil('the import has begun', STATE_MS_MAX, async () =>
      (await merchants()).includes('import unfinished') ? true : undefined,
    );
    child.kill('SIGINT');
    const [said, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    assert.equal(exitCode, 1);
    assert.equal(
      said,
      `Database: sqlite:${DATA_DIR} (new)\nThe new database was deleted, because it is empty.\n` +
        'offerbook: Line 2: The import was stopped. Nothing was imported.\n',
    );
    assert.deepEqual(await readdir(DATA_DIR), []);
  });

  it('on an export to a file, and on a backup, leaves no file', async () => {
    const dataDir = await filledFolder();
    const folder = await tempFolder();
    const moves = await openSqliteMoves({ dataDir });
    const exporting = new AbortController();
    const terminal = { columns: 80, write: () => exporting.abort() };
    const target = path.join(folder, 'export');
    const shell: Shell = { ...SILENT_SHELL, terminal };
    const isAbort = { name: 'AbortError' };
    await assert.rejects(writeExport(shell, moves, REQUEST, { target, stopped: exporting.signal }), isAbort);
    await assert.rejects(writeExport(shell, moves, REQUEST, { target, stopped: AbortSignal.abort() }), isAbort);
    await moves.close();
    const copying = new AbortController();
    const options = { onProgress: () => copying.abort(), stopped: copying.signal };
    await assert.rejects(backupDatabase(dataDir, path.join(folder, 'backup'), options), isAbort);
    const late = { stopped: AbortSignal.abort() };
    await assert.rejects(backupDatabase(dataDir, path.join(folder, 'backup'), late), isAbort);
    assert.deepEqual(await readdir(folder), []);
  });

  it('during a copy is handled between two slices, and the next run continues', async (t) => {
    const source = await openSqliteCopyStore({ dataDir: await filledFolder() });
    const target = await openSqliteCopyStore({ dataDir: await tempFolder() });
    for (const store of [source, target]) t.after(() => store.close());
    const stop = new AbortController();
    setImmediate(() => stop.abort());
    const watch = { copied: () => stop.signal.throwIfAborted(), compared: () => {} };
    await assert.rejects(copyStore(source, target, watch), { name: 'AbortError' });
    const ended = await copyStore(source, target, { copied: () => {}, compared: () => {} });
    assert.ok(ended.ok && ended.value.skusBefore > 0 && ended.value.skus === SKUS, JSON.stringify(ended));
  });
});

const SKUS = 2000;

/** About 8 MB: more than is copied in one step. */
async function filledFolder(): Promise<string> {
  const dataDir = await tempFolder();
  const moves = await openSqliteMoves({ dataDir });
  const accounts = await moves.beginImport(MERCHANT);
  assert.ok(typeof accounts === 'object');
  const document = JSON.stringify({ product_title: 'x'.repeat(4000) });
  const offers = Array.from({ length: SKUS }, (_, n): OfferRecord => {
    const parts = { price: null, clearable: clearableOf() };
    const times = { firstUploadMs: 1, documentUpdatedMs: 1, inventory: { stampMs: 1, nodes: [] } };
    return { skuId: `sku-${n}`, archived: false, document, ...times, ...parts };
  });
  await moves.importOffers(accounts.live, offers);
  await moves.finishImport(MERCHANT, []);
  await moves.close();
  return dataDir;
}

function start(t: Pick<TestContext, 'after'>, DATA_DIR: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['bin/offerbook.mjs', ...args], { env: { ...process.env, DATA_DIR } });
  t.after(() => child.kill('SIGKILL'));
  return child;
}
