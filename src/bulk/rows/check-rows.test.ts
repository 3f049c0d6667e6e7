/** Tests that a file can be checked before it is sent, without the rules that need the server. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import { partsOfFile } from '../../domain/offers/parts.ts';
import { FILE_TYPES, type FileType } from '../../domain/vocabulary/file-types.ts';
import { type CheckRowsOptions, checkRows, type FailedCheck } from './check-rows.ts';

async function check(
  type: FileType,
  file: string | Buffer,
  options: Partial<CheckRowsOptions> = {},
): Promise<{ rows: number; failed: FailedCheck[] }> {
  const names = new Names(NEUTRAL_NAMES);
  const source = Readable.from([Buffer.from(file)], { objectMode: false });
  let rows = 0;
  const failed: FailedCheck[] = [];
  for await (const checked of checkRows(source, { type, names, unpacked_bytes_max: 1_000_000, ...options })) {
    rows = checked.rowsChecked;
    failed.push(...checked.failed);
    assert.ok(checked.bytesRead > 0);
  }
  return { rows, failed };
}

const SKU = {
  product_title: 'Enameled cast iron pot',
  multipack_quantity: 1,
  ASIN: 'B000000000',
  brand: 'Potter & Sons',
  main_image_url: 'https://images.example/pot.jpg',
  marketplace_browse_node_id: 424_242,
};

/** Bodies that are valid on their own. Their nodes, locations, SKUs and categories are not checked here. */
const GOOD: Readonly<Record<FileType, unknown>> = {
  MerchantSKUs: SKU,
  Price: { price: 1.5, fulfillment_nodes: [{ fulfillment_node_id: 'unknown', fulfillment_node_price: 2 }] },
  Inventory: { fulfillment_nodes: [{ fulfillment_node_id: 'unknown', quantity: 0 }] },
  Variation: { relationship: 'Variation', variation_refinements: [1], children_skus: ['unknown'] },
  ShippingException: {
    fulfillment_nodes: [
      {
        fulfillment_node_id: 'unknown',
        shipping_exceptions: [{ service_level: 'Standard', shipping_exception_type: 'restricted' }],
      },
    ],
  },
  ReturnsException: { return_location_ids: ['unknown'] },
  Archive: { is_archived: true },
  Offers: { sku: SKU, price: { price: 1 }, returns_exception: { return_location_ids: ['unknown'] } },
};

/** Invalid bodies: each breaks one rule that can be checked without stored data. With the expected code and field. */
const BAD: Readonly<Record<FileType, readonly [body: unknown, code: string, field: string]>> = {
  MerchantSKUs: [{ ...SKU, multipack_quantity: 129 }, 'too_large', '/multipack_quantity'],
  Price: [{ price: 0 }, 'too_small', '/price'],
  Inventory: [{}, 'required', '/fulfillment_nodes'],
  Variation: [{ relationship: 'Variation', variation_refinements: [1] }, 'required', '/children_skus'],
  ShippingException: [{ fulfillment_nodes: 1 }, 'wrong_type', '/fulfillment_nodes'],
  ReturnsException: [{ return_location_ids: [1] }, 'wrong_type', '/return_location_ids/0'],
  Archive: [{ is_archived: 'yes' }, 'wrong_type', '/is_archived'],
  Offers: [{ sku: SKU, price: { price: 0 } }, 'too_small', '/price/price'],
};

describe('checking a file before it is sent', () => {
  for (const type of FILE_TYPES) {
    it(`${type}: accepts what only the server can refuse, and names those rules`, async () => {
      assert.deepEqual(await check(type, JSON.stringify({ a: GOOD[type] })), { rows: 1, failed: [] });
      assert.ok(partsOfFile(type).every(({ serverRules }) => serverRules.length > 0));
    });

    it(`${type}: finds what is wrong with a body`, async () => {
      const [body, code, field] = BAD[type];
      const { rows, failed } = await check(type, JSON.stringify({ a: GOOD[type], b: body }));
      assert.equal(rows, 2);
      assert.deepEqual(
        failed.map(({ skuId, problems }) => [skuId, problems.map((problem) => [problem.code, problem.field])]),
        [['b', [[code, field]]]],
      );
    });
  }

  it('takes a line with only a SKU id as the body {}, wherever its quotes are', async () => {
    const lines = '{"sku": "a"}\n{"sku":"b"}\n{ "sku" : "c\\"" }\n';
    for (const type of ['ShippingException', 'ReturnsException'] as const) {
      assert.deepEqual(await check(type, lines), { rows: 3, failed: [] });
    }
    const { failed } = await check('ReturnsException', '{"sku": "a", "retrun_location_ids": ["x"]}');
    assert.deepEqual(failed[0]?.problems[0]?.code, 'list_required_to_clear');
  });

  it('finds a comma without a member after it, so that the line does not clear anything', async () => {
    const { failed } = await check('ShippingException', '{"sku": "a",}\n{"sku":"b" ,\t}\n{"sku":"c"}\n');
    assert.deepEqual(
      failed.map(({ skuId, problems }) => [skuId, problems.map(({ code }) => code)]),
      [
        ['a', ['body_not_json']],
        ['b', ['body_not_json']],
      ],
    );
  });

  it('distinguishes shoes from other SKUs like the server', async () => {
    const { failed } = await check('MerchantSKUs', JSON.stringify({ a: { ...SKU, product_type_id: 1 } }));
    assert.deepEqual(
      failed.map(({ problems }) => problems[0]?.field),
      ['/product_type_id'],
    );
  });

  it('accepts the configured names', async () => {
    const body = JSON.stringify({ a: { ...SKU, marketplace_browse_node_id: undefined, acme_browse_node_id: 'x' } });
    const names = new Names({ ...NEUTRAL_NAMES, marketplace: 'acme' });
    const { failed } = await check('MerchantSKUs', body, { names });
    assert.deepEqual(failed[0]?.problems[0]?.field, '/acme_browse_node_id');
  });

  it('reads gzip, and reports errors of the whole file after its rows', async () => {
    const packed = gzipSync('{"a": {"price": 1}, "b": {"price": 2}} x');
    assert.deepEqual(await check('Price', packed), {
      rows: 2,
      failed: [
        {
          skuId: '',
          byteOffset: 39,
          line: 1,
          column: 40,
          problems: [
            {
              code: 'file_not_json',
              field: '',
              message:
                'Invalid JSON at byte 39: expected the end of the file, but found "x". The rest of the file was not read.',
            },
          ],
        },
      ],
    });
    const { failed } = await check('Price', gzipSync(`{"a": ${' '.repeat(1000)}{"price": 1}}`), {
      unpacked_bytes_max: 999,
    });
    assert.equal(failed[0]?.problems[0]?.code, 'file_unpacked_too_large');
  });
});
