/** Tests that the README's quick start works when pasted line by line. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { startServeProcess } from '../harness/serve-process.ts';
import { shellWithCurl } from '../harness/shell.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const README = readFileSync(path.resolve(import.meta.dirname, '../../README.md'), 'utf8');
const DEFAULT_URL = 'http://127.0.0.1:8080';
const DEFAULT_IMAGES = 'http://127.0.0.1:8081';

it('the quick start: token, SKU, price, inventory, read back, without a network', async (t) => {
  const server = await startServeProcess({ DATA_DIR: await tempFolder(), IMAGE_CHECK: 'on' });
  t.after(() => server.stop());
  const block = /quick start: a test runs these lines -->\s+```sh\n(.*?)\n```/s.exec(README)?.[1] ?? '';
  const images = /^ +(http:\S+)\/mug\.jpg$/m.exec(server.output())?.[1] ?? '';
  const lines = block.replaceAll(DEFAULT_URL, server.url).replaceAll(DEFAULT_IMAGES, images).split('\n');
  assert.equal(lines.length, 9);
  const shell = await shellWithCurl();
  // The reads come after the review, which may take longer than the pause on a busy machine.
  const place = lines.findIndex((line) => line.startsWith('sleep ')) + 1;
  const read = lines[place] ?? '';
  assert.match(read, /^curl -s \S+\/MUG-300 /);
  lines[place] = `until ${read} | grep -qv 'Under Jet Review'; do sleep 1; done; ${read}`;
  // One shell for all lines, as when pasted; a marker separates the outputs.
  const run = shell(lines.join("\necho '=next='\n"));
  assert.equal(run.exitCode, 0, run.output);
  const [token, sku, price, inventory, pause, ...reads] = run.output.split('=next=\n');
  assert.deepEqual([token, pause], ['', '']);
  for (const answer of [sku, price, inventory]) assert.match(answer ?? '', /^HTTP\/1\.1 202 Accepted\r\n/);
  const [readSku, readReview, readPrice, readInventory] = reads.map(
    (text) => JSON.parse(text) as Record<string, unknown>,
  );
  assert.equal(readSku?.status, 'Available For Purchase');
  assert.deepEqual(readSku?.sub_status, []);
  assert.deepEqual([readReview?.status, readReview?.next], ['Available For Purchase', null]);
  assert.equal(readPrice?.price, 9.95);
  const nodes = (readInventory?.fulfillment_nodes ?? []) as { fulfillment_node_id: string; quantity: number }[];
  assert.deepEqual(
    nodes.map((node) => [node.fulfillment_node_id, node.quantity]),
    [['demo-node-east', 12]],
  );
});

it('names the two commands', () => {
  for (const command of ['npm start', 'npm test']) assert.ok(README.includes(command));
});
