/** Tests that a client generated from /openapi.json compiles with the configuration of the docs and runs the quick start. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { blocksOf } from '../harness/doc-blocks.ts';
import { runTool } from '../harness/run-tool.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer } from '../harness/test-server.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Flags that readers may set in addition to those of the docs. */
const STRICTER = ['--noUncheckedIndexedAccess', '--verbatimModuleSyntax', '--erasableSyntaxOnly'];

const QUICK_START = `
import { ok } from '@oazapfts/runtime';
import * as client from './client.ts';

export async function quickStart(baseUrl: string) {
  client.defaults.baseUrl = baseUrl;
  const token = await ok(client.createToken({ user: 'demo-test-user', pass: 'demo-test-secret' }));
  client.defaults.headers = { authorization: \`\${token.token_type} \${token.id_token}\` };
  const skuId = 'pot/5 ü';
  const accepted = [
    await client.putSku(skuId, {
      product_title: 'Enamelled cast iron pot',
      brand: 'Potter & Sons',
      multipack_quantity: 1,
      standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678905' }],
      main_image_url: 'https://images.example/pot.jpg',
      marketplace_browse_node_id: 1010100,
    }),
    await client.putPrice(skuId, { price: 49.95 }),
    await client.patchInventory(skuId, {
      fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 12 }],
    }),
  ].map((answer) => answer.status);
  let sku = await ok(client.getSku(skuId));
  while (sku.status === 'Under Jet Review') sku = await ok(client.getSku(skuId));
  const review = await ok(client.getReview(skuId));
  const price = await ok(client.getPrice(skuId));
  const inventory = await ok(client.getInventory(skuId));
  const refused = await client.putPrice(skuId, { price: 0 });
  const problems: client.Problem[] = refused.status === 400 ? refused.data.details : [];
  const tooSmall: client.Problem['code'] = 'too_small';
  const { files }: { files: client.FileRecord[] } = await ok(client.listFiles());
  return {
    accepted,
    status: sku.status,
    failed: review.checks.filter(({ state }) => state === 'failed').length,
    price: price.price,
    quantity: inventory.fulfillment_nodes[0]?.quantity,
    isTooSmall: problems[0]?.code === tooSmall,
    files: files.length,
  };
}
`;

it('generate, compile, run', async (t) => {
  const server = await startTestServer();
  t.after(() => server.close());
  const folder = await tempFolder();
  const file = (name: string) => path.join(folder, name);
  await writeFile(file('openapi.json'), await (await fetch(`${server.url}/openapi.json`)).text());
  await writeFile(file('package.json'), '{"type":"module"}');
  await writeFile(file('quick-start.ts'), QUICK_START);
  for (const page of globSync('docs/**/*.md', { cwd: ROOT })) {
    for (const { language, mark, detail, text } of blocksOf(readFileSync(path.join(ROOT, page), 'utf8'))) {
      // test/client/package.test.ts compiles programs that use the client package.
      const usesPackage = text.includes("from 'offerbook-client'");
      const isProgram = language === 'ts' || detail === 'tsconfig.json';
      if (mark === 'file' && isProgram && !usesPackage) await writeFile(file(detail), text);
    }
  }
  await symlink(path.join(ROOT, 'node_modules'), file('node_modules'), 'junction');

  const generated = await runTool('node_modules/oazapfts/dist/cli.js', [file('openapi.json'), file('client.ts')]);
  assert.equal(generated.exitCode, 0, generated.output);
  const compiled = await runTool('node_modules/typescript/bin/tsc', ['-p', folder, '--pretty', 'false', ...STRICTER]);
  assert.equal(compiled.exitCode, 0, compiled.output);
  const { quickStart } = (await import(pathToFileURL(file('quick-start.ts')).href)) as {
    quickStart(baseUrl: string): Promise<unknown>;
  };
  assert.deepEqual(await quickStart(server.url), {
    accepted: [202, 202, 202],
    status: 'Available For Purchase',
    failed: 0,
    price: 49.95,
    quantity: 12,
    isTooSmall: true,
    files: 0,
  });
});
