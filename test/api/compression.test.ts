/** Tests compressed responses: which encoding is chosen, what is not compressed, and that headers and conditional requests still work. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ApiClient } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { finished, sendFile } from './fixtures/bulk-files.ts';

interface Raw {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Unlike `fetch`, sends only the given headers and does not decode the body. */
function ask(api: ApiClient, path: string, headers: Record<string, string>, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const url = path.startsWith('http') ? path : `${api.server.url}${path}`;
    const authorization = path.startsWith('http') ? {} : { authorization: `Bearer ${api.token}` };
    const request = http.request(url, { method, headers: { ...authorization, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject).end();
  });
}

const decoded = ({ headers, bytes }: Raw): string => {
  const encoding = headers['content-encoding'];
  if (encoding === 'br') return brotliDecompressSync(bytes).toString();
  return (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
};

/** The OpenAPI document is long and always the same. */
const LONG = '/openapi.json';

/** A long response with an `ETag`. */
const TAGGED = '/taxonomy/links/v1';

describeSharedApi('compression', ({ accepts, refuses }) => {
  accepts('ADDR-23', 'the encoding that the client prefers, and Brotli before gzip', async (api) => {
    const plain = await ask(api, LONG, {});
    assert.deepEqual([plain.headers['content-encoding'], plain.headers.vary], [undefined, 'accept-encoding']);
    for (const [accepted, encoding] of [
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['gzip, deflate, br, zstd', 'br'],
      ['GZIP;q=1.0, br;q=0.9', 'gzip'],
      ['br;q=0, *', 'gzip'],
      ['x-gzip', 'gzip'],
      ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ]) {
      const answer = await ask(api, LONG, { 'accept-encoding': accepted ?? '' });
      assert.equal(answer.headers['content-encoding'], encoding, accepted);
      assert.equal(answer.headers.vary, 'accept-encoding');
      assert.equal(answer.headers['content-length'], String(answer.bytes.length));
      assert.ok(answer.bytes.length < plain.bytes.length / 4);
      assert.equal(decoded(answer), plain.bytes.toString());
    }
  });

  refuses('ADDR-23', 'an encoding that the client does not accept or that is unknown', async (api) => {
    for (const accepted of ['identity', 'deflate', 'gzip;q=0', 'identity, gzip;q=0.5', '*;q=0', 'gzip;q=x', '']) {
      const answer = await ask(api, LONG, { 'accept-encoding': accepted });
      assert.equal(answer.headers['content-encoding'], undefined, accepted);
      assert.equal(answer.headers['content-length'], String(answer.bytes.length));
    }
  });

  accepts('ADDR-24', 'a body of 1,025 bytes to compress, counted in bytes', async (api) => {
    const gzip = { 'accept-encoding': 'gzip' };
    // Ids of one length, because the body contains the id.
    const sku = await api.uploadedSku({}, 'compressed-0');
    const shortest = (await ask(api, sku, {})).bytes.length;
    const described = async (filler: string, bytes: number) => {
      const product_description = filler.repeat(Math.floor(bytes / Buffer.byteLength(filler)));
      return { product_description: product_description + 'x'.repeat(bytes - Buffer.byteLength(product_description)) };
    };
    const base = (await api.found(sku)) as Record<string, unknown>;
    const field = Buffer.byteLength(',"product_description":""');
    let skus = 0;
    for (const filler of ['x', 'é']) {
      for (const [bytes, encoding] of [
        [1024, undefined],
        [1025, 'gzip'],
      ] as const) {
        const fields = {
          ...JSON.parse(JSON.stringify({ product_title: base.product_title, multipack_quantity: 1 })),
          ...(await described(filler, bytes - shortest - field)),
        };
        const own = await api.uploadedSku(fields, `compressed-${++skus}`);
        const answer = await ask(api, own, gzip);
        assert.equal(Buffer.byteLength(decoded(answer)), bytes);
        assert.equal(answer.headers['content-encoding'], encoding);
      }
    }
  });

  accepts('ADDR-25', 'HEAD and If-None-Match like uncompressed responses', async (api) => {
    const gzip = { 'accept-encoding': 'gzip' };
    const get = await ask(api, TAGGED, gzip);
    assert.equal(get.headers['content-encoding'], 'gzip');
    const head = await ask(api, TAGGED, gzip, 'HEAD');
    assert.equal(head.bytes.length, 0);
    for (const name of ['content-encoding', 'content-length', 'vary', 'etag'])
      assert.equal(head.headers[name], get.headers[name], name);
    const plain = await ask(api, TAGGED, {});
    assert.equal(plain.headers.etag, get.headers.etag);
    const same = await ask(api, TAGGED, { ...gzip, 'if-none-match': get.headers.etag ?? '' });
    assert.deepEqual([same.status, same.headers['content-encoding'], same.bytes.length], [304, undefined, 0]);
    assert.equal(same.headers.vary, get.headers.vary);
  });

  accepts('ADDR-23', 'many compressed responses at once', async (api) => {
    const plain = (await ask(api, LONG, {})).bytes.toString();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(api, LONG, { 'accept-encoding': 'br' })));
    for (const answer of answers) {
      assert.equal(answer.headers['content-encoding'], 'br');
      assert.equal(decoded(answer), plain);
    }
  });

  accepts('ADDR-26', 'downloads in the encoding that the client prefers', async (api) => {
    const rows = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${api.newSkuId()}-${n}`, { price: 0 }]));
    const record = await finished(api, await sendFile(api, 'Price', JSON.stringify(rows)));
    for (const url of [String(record.error_url), String(record.retry_url)]) {
      const plain = await ask(api, url, {});
      assert.ok(plain.bytes.length > 1024);
      for (const encoding of ['gzip', 'br']) {
        const packed = await ask(api, url, { 'accept-encoding': encoding });
        const { headers } = packed;
        assert.deepEqual([headers['content-encoding'], headers['content-length']], [encoding, undefined]);
        assert.equal(decoded(packed), plain.bytes.toString());
      }
    }
  });
});
