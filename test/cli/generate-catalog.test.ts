/** Tests `offerbook generate-catalog`: complete files, plain or gzip, that never overwrite another one. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { offerbookJson, runOfferbook } from '../harness/command-line.ts';
import { tempFolder } from '../harness/temp-folder.ts';

describe('generate-catalog', { concurrency: 4 }, () => {
  it('writes to standard output, and reports it on standard error', async () => {
    const { exitCode, stdout, stderr } = await runOfferbook({}, 'generate-catalog', '3');
    assert.equal(Object.keys(JSON.parse(stdout)).length, 3);
    assert.deepEqual([exitCode, stderr], [0, 'Wrote 3 rows (MerchantSKUs) to standard output.\n']);
  });

  it('writes a file, compressed by its name, and the same for the same seed', async () => {
    const folder = await tempFolder();
    const [plain, packed] = [path.join(folder, 'a.json'), path.join(folder, 'a.json.gz')];
    const seeded = ['generate-catalog', '40', '--seed', '5'];
    const result = await offerbookJson({}, ...seeded, '--out', plain);
    assert.deepEqual(result, { file: plain, file_type: 'MerchantSKUs', seed: 5, skus: 40, rows: 40 });
    await offerbookJson({}, ...seeded, '--out', packed);
    const bytes = await readFile(packed);
    assert.deepEqual([...bytes.subarray(0, 2)], [0x1f, 0x8b]);
    assert.equal(gunzipSync(bytes).toString(), await readFile(plain, 'utf8'));
    assert.deepEqual((await readdir(folder)).toSorted(), ['a.json', 'a.json.gz'], 'nothing else is left behind');
  });

  it('uses the given nodes and images, by default those of the demo', async () => {
    const named = ['--node', 'east', '--node', 'west', '--image', 'https://img.example/x.jpg'];
    const stock = await runOfferbook({}, 'generate-catalog', '1', '--type', 'Inventory', ...named);
    const [row] = Object.values(JSON.parse(stock.stdout) as Record<string, { fulfillment_nodes: object[] }>);
    assert.deepEqual(
      row?.fulfillment_nodes.map((node) => (node as { fulfillment_node_id: string }).fulfillment_node_id),
      ['east', 'west'],
    );
    const skus = await runOfferbook({}, 'generate-catalog', '1', ...named);
    assert.match(skus.stdout, /"main_image_url":"https:\/\/img\.example\/x\.jpg"/);
    const ofDemo = await runOfferbook({ PORT: '9000' }, 'generate-catalog', '1');
    assert.match(ofDemo.stdout, /"main_image_url":"http:\/\/127\.0\.0\.1:9001\/[a-z-]+\.jpg"/);
  });

  it('overwrites nothing', async () => {
    const file = path.join(await tempFolder(), 'a.json');
    await writeFile(file, 'mine');
    const { exitCode, stdout, stderr } = await runOfferbook({}, 'generate-catalog', '3', '--out', file);
    assert.deepEqual(
      [exitCode, stdout, stderr],
      [1, '', `offerbook: The file ${file} already exists and was not overwritten. Choose another file name.\n`],
    );
    assert.equal(await readFile(file, 'utf8'), 'mine');
  });

  it('reports a path that cannot be written', async () => {
    const file = path.join(await tempFolder(), 'absent', 'a.json');
    const { exitCode, stderr } = await runOfferbook({}, 'generate-catalog', '3', '--out', file);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^offerbook: The file .*a\.json cannot be written: .*\n$/);
  });
});
