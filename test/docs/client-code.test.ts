/**
 * Tests that the clients of docs/guides/clients.md renew tokens, respect Retry-After, keep large ids exact, and stop retrying in
 * time.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { blocksOf } from '../harness/doc-blocks.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/guides/clients.md'), 'utf8');
const BEYOND_2_53 = '9007199254740993';
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;

const CLIENTS = {
  typescript: {
    command: process.execPath,
    file: 'offerbook.ts',
    program: 'try.ts',
    text: `import { Offerbook, skuPath } from './offerbook.ts';
const api = new Offerbook(process.argv[2] ?? '', 'user', 'secret');
const read = await api.call<{ id: unknown }>('GET', skuPath('a/ü'));
await api.call('PUT', skuPath('a/ü'), read);
console.log(await api.call('GET', '/refused').catch((error) => \`\${error.message} (\${error.requestId})\`));
const record = await api.uploadFile(process.argv[3] ?? '', 'Price');
console.log(record.status, record.errors['LAMP-1']?.errors[0]);`,
  },
  python: {
    command: 'python3',
    file: 'offerbook.py',
    program: 'try.py',
    text: `import sys
from offerbook import Offerbook, OfferbookError, sku_path
api = Offerbook(sys.argv[1], "user", "secret")
api.call("PUT", sku_path("a/ü"), api.call("GET", sku_path("a/ü")))
try:
    api.call("GET", "/refused")
except OfferbookError as error:
    print(f"{error} ({error.request_id})")
record, errors = api.upload_file(sys.argv[2], "Price")
print(record["status"], errors["LAMP-1"]["errors"][0])`,
  },
} as const;

/**
 * Sends these responses in order to any requests, and records the requests. `URL` in a response is the server's own.
 */
async function scriptedServer(t: TestContext, answers: readonly [status: number, body: string, retryAfter?: string][]) {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const body = (request.url === '/upload' ? gunzipSync(sent) : sent).toString('utf8').replaceAll(url(), 'URL');
    const [status, text, retryAfter = '0'] = answers[requests.length] ?? [404, '{"details":[]}'];
    requests.push(
      `${request.method} ${request.url} ${request.headers.authorization ?? ''} ${body.replaceAll(' ', '')}`,
    );
    const headers = {
      'content-type': 'application/json',
      'retry-after': retryAfter,
      'x-request-id': `r${requests.length}`,
    };
    response.writeHead(status, headers).end(text.replaceAll('URL', url()));
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: url(), requests };
}

describe('client code', () => {
  for (const [language, { command, file: clientFile, program, text }] of Object.entries(CLIENTS)) {
    const skip = language === 'python' && !HAS_PYTHON ? 'there is no python3' : false;
    it(language, { skip }, async (t) => {
      const folder = await tempFolder();
      const client = blocksOf(PAGE).find(({ mark, detail }) => mark === 'file' && detail === clientFile);
      await writeFile(path.join(folder, clientFile), client?.text ?? '');
      await writeFile(path.join(folder, program), text);
      const problem = { code: 'sku_unknown', field: '', message: 'There is none.' };
      const { url, requests } = await scriptedServer(t, [
        [503, ''],
        [200, '{"id_token":"one"}'],
        [401, '{"details":[]}'],
        [200, '{"id_token":"two"}'],
        [429, '{"details":[]}', 'Thu, 01 Jan 2026 00:00:00 GMT'],
        [200, `{"id":${BEYOND_2_53}}`],
        [500, '{"details":[]}'],
        [202, ''],
        [404, JSON.stringify({ details: [problem] })],
        [200, '{"url":"URL/upload"}'],
        [503, ''],
        [403, '{"details":[{"code":"file_uploaded_before","field":"","message":""}]}'],
        [200, '{"marketplace_file_id":"f1","status":"Acknowledged"}'],
        [200, '{"marketplace_file_id":"f1","status":"Processed with errors","error_url":"URL/errors"}'],
        [200, '{"LAMP-1":{"errors":["price: must be more"]}}'],
      ]);
      const file = path.join(folder, 'prices.json');
      await writeFile(file, '{"LAMP-1":{"price":0}}');
      const child = spawn(command, [path.join(folder, program), url, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
      await once(child, 'close');
      const sku = '/merchant-skus/a%2F%C3%BC';
      assert.deepEqual(requests, [
        'POST /token  {"user":"user","pass":"secret"}',
        'POST /token  {"user":"user","pass":"secret"}',
        `GET ${sku} Bearer one `,
        'POST /token  {"user":"user","pass":"secret"}',
        `GET ${sku} Bearer two `,
        `GET ${sku} Bearer two `,
        `PUT ${sku} Bearer two {"id":${BEYOND_2_53}}`,
        `PUT ${sku} Bearer two {"id":${BEYOND_2_53}}`,
        'GET /refused Bearer two ',
        'GET /files/uploadToken Bearer two ',
        'PUT /upload  {"LAMP-1":{"price":0}}',
        'PUT /upload  {"LAMP-1":{"price":0}}',
        'POST /files/uploaded Bearer two {"url":"URL/upload","file_type":"Price","file_name":"prices.json"}',
        'GET /files/f1 Bearer two ',
        'GET /errors  ',
      ]);
      assert.equal(output.trim(), '404: There is none. (r9)\nProcessed with errors price: must be more');
    });
  }
});
