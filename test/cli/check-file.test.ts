/** Tests `offerbook check-file`, which needs no server. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { minimalSku } from '../harness/api-client.ts';
import { runHere, runOfferbook } from '../harness/command-line.ts';
import { tempFolder } from '../harness/temp-folder.ts';

async function fileOf(rows: unknown): Promise<string> {
  const file = path.join(await tempFolder(), 'rows.json');
  await writeFile(file, JSON.stringify(rows));
  return file;
}

describe('check-file', { concurrency: 2 }, () => {
  it('sends nothing, needs no server, and names the rules that it cannot check', async () => {
    const file = await fileOf({ a: { price: 1, fulfillment_nodes: [] } });
    assert.deepEqual(await runOfferbook({}, 'check-file', file, '--type', 'Price'), {
      exitCode: 0,
      stdout:
        `${file}: 1 row, no errors.\nOnly the server can check: whether each SKU exists and is ` +
        'not archived; whether the merchant has the fulfillment nodes.\n',
      stderr: '',
    });
  });

  it('exits with 1 when a row is wrong', async () => {
    const file = await fileOf({ a: { price: 1 }, b: { price: 0, prize: 1 } });
    const { exitCode, stdout } = await runHere({}, 'check-file', file, '--type', 'Price', '--json');
    assert.equal(exitCode, 1);
    const message = 'price: must be a number from 0.01 to 1000000000';
    assert.deepEqual(JSON.parse(stdout), {
      file,
      file_type: 'Price',
      rows: 2,
      failed: 1,
      error_summary: [{ code: 'too_small', field: '/price', rows: 1, example: `b: ${message}` }],
      ignored_fields: [{ field: '/prize', rows: 1 }],
      not_checked: ['whether each SKU exists and is not archived', 'whether the merchant has the fulfillment nodes'],
    });
  });

  it('shows the first rows and counts the others', async () => {
    const rows = Object.fromEntries(Array.from({ length: 23 }, (_, row) => [`sku-${row}`, {}]));
    const { stdout } = await runHere({}, 'check-file', await fileOf(rows), '--type', 'Price');
    assert.equal(stdout.match(/^sku-\d+ \(line 1, column \d+, byte \d+\)$/gm)?.length, 20);
    assert.match(stdout, /^and 3 more$/m);
    assert.match(stdout, /: 23 rows, 23 with errors\.$/m);
  });

  it('names unknown fields', async () => {
    const file = await fileOf({ 'ign-1': { ...minimalSku(), titel: 'x' }, 'ign-2': { ...minimalSku(), titel: 'y' } });
    const { stdout } = await runHere({}, 'check-file', file, '--type', 'MerchantSKUs');
    const notice = 'Notice: unknown fields were ignored: /titel (2 rows).';
    assert.ok(stdout.startsWith(`${file}: 2 rows, no errors.\n${notice}\n`), stdout);
  });
});
