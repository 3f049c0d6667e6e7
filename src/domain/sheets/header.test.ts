/** Tests which fields the headings of a sheet name, and what type of file a sheet or a JSON file is. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SheetType } from '../vocabulary/file-types.ts';
import { columnNamed } from './columns.ts';
import { detectBodyType, detectSheetType, mappingFaults, matchHeader, matchImported } from './header.ts';

describe('headings', () => {
  it('are matched in any case and spacing, and by the names of other tools', () => {
    const names = matchHeader('MerchantSKUs', [
      'Seller SKU',
      'Title',
      ' Brand ',
      'UPC',
      'Main-Image-URL',
      'Colour',
      'ASIN',
    ]);
    assert.deepEqual(
      names.map((column) => column?.name),
      ['sku', 'product_title', 'brand', 'product_code_1', 'main_image_url', undefined, 'ASIN'],
    );
  });

  it('an exact name wins over another name, and a field is taken once', () => {
    const names = matchHeader('MerchantSKUs', ['title', 'product_title', 'product_title', 'sku']);
    assert.deepEqual(
      names.map((column) => column?.name),
      [undefined, 'product_title', undefined, 'sku'],
    );
  });

  it('missing and repeated fields are refused', () => {
    const faults = (type: SheetType, headings: readonly string[]) => mappingFaults(type, matchHeader(type, headings));
    assert.deepEqual(faults('Price', ['sku', 'price']), []);
    assert.deepEqual(faults('Price', ['price']), ['Missing: sku. Assign a column to each.']);
    assert.deepEqual(faults('Inventory', ['sku', 'qty']), ['Missing: node_id. Assign a column to each.']);
    assert.deepEqual(mappingFaults('Inventory', matchHeader('Inventory', ['sku', 'qty']), ['node_id']), []);
    assert.match(faults('Price', ['MUG-1', '9.95']).join(), /No column names were recognized/);
    const sku = columnNamed('Archive', 'sku');
    assert.match(mappingFaults('Archive', [sku, sku]).join(), /Two columns are assigned to sku/);
  });

  it('tell the type of a sheet, unless they fit several', () => {
    assert.equal(detectSheetType(['sku', 'title', 'brand']), 'MerchantSKUs');
    assert.equal(detectSheetType(['SKU', 'Price']), 'Price');
    assert.equal(detectSheetType(['sku', 'warehouse', 'qty']), 'Inventory');
    assert.equal(detectSheetType(['sku', 'archived']), 'Archive');
    assert.equal(detectSheetType(['sku', 'title', 'price', 'quantity']), undefined);
    assert.equal(detectSheetType(['a', 'b']), undefined);
    assert.equal(detectSheetType(['sku', 'price', 'qty']), 'Offers');
    assert.equal(detectSheetType(['sku', 'stock_2_node_id', 'stock_2_quantity']), 'Offers');
    assert.equal(detectSheetType(['sku', 'title', 'brand', 'multipack', 'image', 'price']), 'Offers');
    assert.equal(detectSheetType(['sku', 'child_sku_1']), undefined);
  });

  it('of whole offers need the columns of each part, and those that are ignored are not imported', () => {
    const faults = (...headings: string[]) => mappingFaults('Offers', matchImported('Offers', headings)).join();
    assert.equal(faults('sku', 'price'), '');
    assert.match(faults('sku', 'title', 'price'), /^Missing: multipack_quantity, brand, main_image_url\. /);
    assert.match(faults('sku', 'node_1_price'), /^Missing: price\. /);
    assert.deepEqual(
      matchImported('Offers', ['sku', 'Status', 'child_sku_1', 'Qty', 'Warehouse']).map((column) => column?.name),
      ['sku', undefined, undefined, 'stock_1_quantity', 'stock_1_node_id'],
    );
  });

  it('the first body of a JSON file tells its type', () => {
    for (const [body, type] of [
      [{ product_title: 'x' }, 'MerchantSKUs'],
      [{ price: 1, fulfillment_nodes: [{ fulfillment_node_id: 'a', fulfillment_node_price: 1 }] }, 'Price'],
      [{ fulfillment_nodes: [{ fulfillment_node_id: 'a', quantity: 1 }] }, 'Inventory'],
      [{ fulfillment_nodes: [{ fulfillment_node_id: 'a', shipping_exceptions: [] }] }, 'ShippingException'],
      [{ children_skus: [] }, 'Variation'],
      [{ return_location_ids: [] }, 'ReturnsException'],
      [{ is_archived: true }, 'Archive'],
      [{}, undefined],
      [7, undefined],
    ] as const) {
      assert.equal(detectBodyType(body), type, JSON.stringify(body));
    }
  });
});
