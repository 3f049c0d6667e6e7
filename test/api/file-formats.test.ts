/** Tests the formats of bulk files: JSON, NDJSON and CSV, each with its record, its errors and its retry file. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { ApiClient } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { type FileRecord, finished, follow, sendFile } from './fixtures/bulk-files.ts';
import { EAST } from './fixtures/merchant-setup.ts';

interface RowErrors {
  readonly details: readonly { readonly code: string; readonly column_name?: string; readonly message: string }[];
  readonly line: number;
}

async function newSku(api: ApiClient): Promise<string> {
  const skuId = api.newSkuId();
  await api.uploadedSku({}, skuId);
  return skuId;
}

async function sent(api: ApiClient, type: string, content: string | Buffer): Promise<FileRecord> {
  return finished(api, await sendFile(api, type, content));
}

async function errorsOf(api: ApiClient, record: FileRecord): Promise<Record<string, RowErrors>> {
  return (await follow(api, String(record.error_url))).body as Record<string, RowErrors>;
}

describeApi('formats of bulk files', ({ accepts, refuses }) => {
  accepts('FILE-24', 'each format, plain or gzip, and names it in the record', async (api) => {
    const skuId = await newSku(api);
    const contents: readonly [format: string, price: number, content: string][] = [
      ['JSON', 1, `{"${skuId}": {"price": 1}}`],
      ['NDJSON', 2, `{"sku": "${skuId}", "price": 2}\n`],
      ['CSV', 3, `sku,price\r\n${skuId},3\r\n`],
      ['CSV', 4, `\uFEFF"price"\t"sku"\n4\t"${skuId}"`],
      ['CSV', 5, `price;sku\n5;${skuId}\n`],
    ];
    for (const [format, price, content] of contents) {
      for (const compression of ['none', 'gzip']) {
        const record = await sent(api, 'Price', compression === 'gzip' ? gzipSync(content) : content);
        assert.deepEqual(
          [record.status, record.format, record.compression, record.rows_processed],
          ['Processed successfully', format, compression, 1],
        );
        const { body } = await api.send('GET', `/merchant-skus/${skuId}/price`);
        assert.equal((body as { price: number }).price, price);
      }
    }
  });
  refuses('FILE-24', 'a file in another format, and names the header of CSV', async (api) => {
    const cases: readonly [content: string, code: string, format: string][] = [
      ['[]', 'file_not_object', 'JSON'],
      ['price\n1\n', 'file_header_invalid', 'CSV'],
      ['sku,price,prize\na,1,2\n', 'file_column_unknown', 'CSV'],
      ['sku,price\n"a,1\n', 'file_row_unending', 'CSV'],
    ];
    for (const [content, code, format] of cases) {
      const record = await sent(api, 'Price', content);
      assert.deepEqual(
        [record.status, record.error_count, record.retry_url, record.format],
        ['Processed with errors', 1, undefined, format],
      );
      assert.deepEqual(
        (await errorsOf(api, record))['']?.details.map((detail) => detail.code),
        [code],
      );
    }
  });

  accepts('FILE-25', 'the good rows, and names line and column of the others', async (api) => {
    const [good, bad] = [await newSku(api), await newSku(api)];
    const node = EAST;
    const record = await sent(
      api,
      'Inventory',
      `sku,node_id,quantity\n${good},${node},7\n\u00a0,\n${bad},${node},1.5\n`,
    );
    assert.deepEqual([record.rows_processed, record.rows_failed], [2, 1]);
    const { line, details } = (await errorsOf(api, record))[bad] ?? assert.fail();
    assert.deepEqual([line, details[0]?.code, details[0]?.column_name], [4, 'wrong_type', 'quantity']);
    assert.match(details[0]?.message ?? '', /^quantity: /);
    const lines = `{"sku": "${good}", "price": 7}\n{"sku": "${bad}", "price": 0}\n{"price": 1}\n`;
    const errors = await errorsOf(api, await sent(api, 'Price', lines));
    assert.deepEqual(
      [errors[bad]?.line, errors[bad]?.details[0]?.code, errors['']?.line, errors['']?.details[0]?.code],
      [2, 'too_small', 3, 'sku_id_invalid'],
    );
  });

  accepts('FILE-26', 'a retry file, which has the format of the upload', async (api) => {
    const skuId = await newSku(api);
    const cases: readonly [content: string, type: string, ending: string][] = [
      [`{\n"${skuId}": {"price":  0}}`, 'application/json', 'json'],
      [`{"sku":"${skuId}", "price":  0}\n`, 'application/x-ndjson', 'ndjson'],
      [`sku;price\n"${skuId}"; 0\n`, 'text/csv', 'csv'],
    ];
    for (const [content, type, ending] of cases) {
      const record = await sent(api, 'Price', content);
      const retry = await fetch(String(record.retry_url));
      assert.equal(retry.headers.get('content-type'), `${type}; charset=utf-8`);
      const name = `attachment; filename="retry-${record.marketplace_file_id}.${ending}"`;
      assert.equal(retry.headers.get('content-disposition'), name);
      const text = await retry.text();
      assert.equal(text, content);
      const fixed = await sent(api, 'Price', text.replace(' 0', ' 8'));
      assert.equal(fixed.status, 'Processed successfully');
    }
  });
});
