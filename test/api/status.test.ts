/** Tests the status of a SKU and its reasons, as far as they follow from what the merchant sent. */
import assert from 'node:assert/strict';
import type { ApiClient } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { archive } from './fixtures/check-order.ts';
import { type Fields, skuWith } from './fixtures/sku-bounds.ts';

const AVAILABLE = { status: 'Available For Purchase', sub_status: [] };
const missing = (...sub_status: string[]) => ({ status: 'Missing Listing Data', sub_status });

/** A category whose products need no code other than an ASIN. */
const LIVE_PLANTS = 1_160_520;

/** Valid codes of each type, and the same codes with a wrong check digit. */
const CODES = {
  'GTIN-14': ['10012345678902', '10012345678903'],
  EAN: ['4006381333931', '4006381333930'],
  'ISBN-10': ['0306406152', '0306406153'],
  'ISBN-13': ['9780306406157', '9780306406158'],
  UPC: ['012345678905', '012345678904'],
};

/** Attributes that shoes require. */
const COLLECTION_AND_STYLE = {
  attributes_node_specific: [
    { attribute_id: 123, attribute_value: 'Trail' },
    { attribute_id: 124, attribute_value: 'T-1' },
  ],
};

const code = (type: string, standard_product_code: string | undefined) => ({
  standard_product_code_type: type,
  standard_product_code,
});

async function pricedSku(api: ApiClient, fields: Fields = {}): Promise<string> {
  const path = await api.uploadedSku(fields);
  await api.accepted('PUT', `${path}/price`, { price: 5 });
  return path;
}

async function statusOf(api: ApiClient, path: string): Promise<Fields> {
  const { status, sub_status } = await api.found(path);
  return { status, sub_status };
}

describeApi('status', ({ accepts }) => {
  accepts('STATUS-01', 'a SKU with a price and no issues: available', async (api) => {
    assert.deepEqual(await statusOf(api, await pricedSku(api)), AVAILABLE);
  });

  accepts('STATUS-02', 'a SKU without a price: missing price, until it has one', async (api) => {
    const path = await api.uploadedSku();
    assert.deepEqual(await statusOf(api, path), missing('Missing price'));
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });

  for (const [what, title] of Object.entries({
    spaces: '     ',
    'tabs and line breaks': '\t\n\r\n\t',
    'no-break spaces': '\u00a0'.repeat(5),
    'invisible characters': '\u200b\u200d\u2060\ufeff\u00ad',
  })) {
    accepts('STATUS-03', `a title of ${what}: missing title, until it has one`, async (api) => {
      const path = await pricedSku(api, { product_title: title });
      assert.deepEqual(await statusOf(api, path), missing('Missing title'));
      await api.accepted('PUT', path, skuWith({}));
      assert.deepEqual(await statusOf(api, path), AVAILABLE);
    });
    accepts('STATUS-04', `a brand of ${what}: missing brand, until it has one`, async (api) => {
      const path = await pricedSku(api, { brand: title });
      assert.deepEqual(await statusOf(api, path), missing('Missing brand'));
      await api.accepted('PUT', path, skuWith({}));
      assert.deepEqual(await statusOf(api, path), AVAILABLE);
    });
  }
  accepts('STATUS-03', 'a title with one visible character: no issue', async (api) => {
    assert.deepEqual(await statusOf(api, await pricedSku(api, { product_title: '    .' })), AVAILABLE);
  });
  accepts('STATUS-04', 'a brand of one visible character: no issue', async (api) => {
    assert.deepEqual(await statusOf(api, await pricedSku(api, { brand: '-', ...api.newProductCodes() })), AVAILABLE);
  });

  accepts('STATUS-05', 'a SKU without a browse node: missing category, until it has one', async (api) => {
    const codes = api.newProductCodes();
    const path = await pricedSku(api, { ...codes, marketplace_browse_node_id: null });
    assert.deepEqual(await statusOf(api, path), missing('Missing category'));
    await api.accepted('PUT', path, skuWith(codes));
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });

  accepts('STATUS-06', 'a SKU in a category with subcategories: invalid, until it is in a leaf', async (api) => {
    for (const department of [1_010_000, 37_005_000_000]) {
      const path = await pricedSku(api, { marketplace_browse_node_id: department });
      assert.deepEqual(await statusOf(api, path), missing('Invalid category'));
      await api.accepted('PUT', path, skuWith({ marketplace_browse_node_id: 1_010_400 }));
      assert.deepEqual(await statusOf(api, path), AVAILABLE);
    }
  });
  accepts('STATUS-06', 'a SKU in a leaf category, including shoe types: no issue', async (api) => {
    for (const leaf of [1_010_400, 37_005_005_000]) {
      const path = await pricedSku(api, { marketplace_browse_node_id: leaf, ...COLLECTION_AND_STYLE });
      assert.deepEqual(await statusOf(api, path), AVAILABLE);
    }
  });

  for (const [type, [right, wrong]] of Object.entries(CODES)) {
    accepts('STATUS-07', `a wrong check digit of ${type}: invalid identifier; the right one: no issue`, async (api) => {
      const path = await pricedSku(api, { standard_product_codes: [code(type, wrong)] });
      assert.deepEqual(await statusOf(api, path), missing('Invalid SKU identifier'));
      await api.accepted('PUT', path, skuWith({ standard_product_codes: [code(type, right)] }));
      assert.deepEqual(await statusOf(api, path), AVAILABLE);
    });
  }
  accepts('STATUS-07', 'one wrong code among right ones: invalid identifier', async (api) => {
    const codes = Object.entries(CODES).map(([type, [right]]) => code(type, right));
    const path = await pricedSku(api, { standard_product_codes: codes });
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
    const standard_product_codes = [...codes, code('UPC', '012345678906')];
    await api.accepted('PUT', path, skuWith({ standard_product_codes, ASIN: 'B00ABCDEF1' }));
    assert.deepEqual(await statusOf(api, path), missing('Invalid SKU identifier'));
  });
  accepts('STATUS-07', 'an ASIN alone, in a category without other codes: no issue', async (api) => {
    const alone = { standard_product_codes: null, ASIN: 'B00ABCDEF1', marketplace_browse_node_id: LIVE_PLANTS };
    const path = await pricedSku(api, alone);
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });

  const faulty = {
    product_title: ' '.repeat(5),
    brand: ' ',
    marketplace_browse_node_id: null,
    standard_product_codes: [code('UPC', '012345678900')],
  };
  const allFaults = ['Missing title', 'Missing price', 'Missing category', 'Missing brand', 'Invalid SKU identifier'];
  accepts('STATUS-08', 'several issues: all of them, in the order of the contract', async (api) => {
    assert.deepEqual(await statusOf(api, await api.uploadedSku(faulty)), missing(...allFaults));
    const inDepartment = await api.uploadedSku({ ...faulty, marketplace_browse_node_id: 1_010_000 });
    assert.deepEqual(
      await statusOf(api, inDepartment),
      missing('Missing title', 'Missing price', 'Missing brand', 'Invalid SKU identifier', 'Invalid category'),
    );
  });

  accepts('STATUS-09', 'an archived SKU: archived, whatever its issues, which are listed', async (api) => {
    const path = await pricedSku(api);
    await archive(api, path);
    assert.deepEqual(await statusOf(api, path), { status: 'Archived', sub_status: [] });
    const other = await api.uploadedSku(faulty);
    await archive(api, other);
    assert.deepEqual(await statusOf(api, other), { status: 'Archived', sub_status: allFaults });
  });

  accepts('STATUS-10', 'an unarchived SKU: re-reviewed', async (api) => {
    for (const [path, expected] of [
      [await pricedSku(api), AVAILABLE],
      [await api.uploadedSku(), missing('Missing price')],
    ] as const) {
      await archive(api, path);
      await api.accepted('PUT', `${path}/status/archive`, { is_archived: false });
      assert.deepEqual(await statusOf(api, path), expected);
    }
  });

  accepts('STATUS-11', 'a SKU uploaded again: re-reviewed, for worse and for better', async (api) => {
    const path = await pricedSku(api);
    await api.accepted('PUT', path, skuWith({ brand: ' ' }));
    assert.deepEqual(await statusOf(api, path), missing('Missing brand'));
    await api.accepted('PUT', path, skuWith({}));
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });

  accepts('STATUS-12', 'a status sent by the merchant: not stored, it is derived', async (api) => {
    const path = await api.uploadedSku({ status: 'Available For Purchase', sub_status: [], is_archived: true });
    const { is_archived, ...read } = await api.found(path);
    assert.equal(is_archived, false);
    assert.deepEqual({ status: read.status, sub_status: read.sub_status }, missing('Missing price'));
  });
});
