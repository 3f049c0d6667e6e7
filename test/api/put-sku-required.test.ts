/** Tests the SKU upload: the data that every SKU needs. */
import assert from 'node:assert/strict';
import { problemAt } from '../harness/api-client.ts';
import { describeBodyRules } from '../harness/contract-cases.ts';
import {
  oneOfBounds,
  sendSku,
  skuBounds,
  skuWith,
  skuWithout,
  textBounds,
  urlBounds,
  wholeBounds,
} from './fixtures/sku-bounds.ts';

const DIGITS = new Map(Object.entries({ 'GTIN-14': 14, EAN: 13, 'ISBN-10': 10, 'ISBN-13': 13, UPC: 12 }));
const BAD_ASIN = problemAt('bad_format', 'ASIN', 'must consist of 10 letters or digits');
const CODES_REQUIRED = problemAt('product_code_required', 'standard_product_codes', 'is required when ASIN is absent');

const codes = (type: unknown, code: unknown) => ({
  standard_product_codes: [{ standard_product_code_type: type, standard_product_code: code }],
});

const manyCodes = (count: number, entry: unknown) => ({ standard_product_codes: Array(count).fill(entry) });

describeBodyRules('SKU upload, required data', ({ accepts, refuses, bounds }) => {
  bounds('SKU-01', textBounds('product_title', { min: 5, max: 500 }));
  bounds('SKU-02', wholeBounds('multipack_quantity', { min: 1, max: 128 }));
  bounds('SKU-03', textBounds('brand', { min: 1, max: 100 }));
  bounds('SKU-04', urlBounds('main_image_url'));

  for (const field of ['product_title', 'multipack_quantity', 'brand', 'main_image_url']) {
    const missing = [problemAt('required', field, 'is required')];
    refuses('SKU-05', `a SKU without ${field}`, async (api) => {
      await api.refused('PUT', await api.uploadedSku(), skuWithout(field), missing);
    });
    refuses('SKU-05', `a null ${field}`, async (api) => {
      await api.refused('PUT', await api.uploadedSku(), skuWith({ [field]: null }), missing);
    });
  }
  accepts('SKU-05', 'a SKU with the four required fields and a product code', async (api) => {
    await api.uploadedSku({ marketplace_browse_node_id: undefined });
  });

  bounds('SKU-06', {
    send: sendSku,
    accepted: {
      'codes alone': skuWith({}),
      'an ASIN alone': { ...skuWithout('standard_product_codes'), ASIN: 'B00ABCDEF1' },
      'an ASIN with an empty list of codes': skuWith({ standard_product_codes: [], ASIN: 'B00ABCDEF1' }),
      'an ASIN with null codes': skuWith({ standard_product_codes: null, ASIN: 'B00ABCDEF1' }),
      'codes with a null ASIN': skuWith({ ASIN: null }),
      both: skuWith({ ASIN: 'B00ABCDEF1' }),
    },
    refused: {
      neither: { body: skuWithout('standard_product_codes'), problems: [CODES_REQUIRED] },
      'an empty list of codes alone': { body: skuWith({ standard_product_codes: [] }), problems: [CODES_REQUIRED] },
      'null in both': { body: skuWith({ standard_product_codes: null, ASIN: null }), problems: [CODES_REQUIRED] },
      'codes that are not a list': {
        body: skuWith({ standard_product_codes: '012345678905' }),
        problems: [problemAt('wrong_type', 'standard_product_codes', 'must be a list')],
      },
    },
  });

  accepts('SKU-06', 'an empty list of codes, which does not read back', async (api) => {
    const read = await api.found(await api.uploadedSku({ standard_product_codes: [], ASIN: 'B00ABCDEF1' }));
    assert.ok(!('standard_product_codes' in read));
  });

  const asins = skuBounds(
    { digits: { ASIN: '0123456789' }, 'letters of both cases': { ASIN: 'ABCDEfghij' } },
    {
      'nine characters': [{ ASIN: 'B00ABCDEF' }, BAD_ASIN],
      'eleven characters': [{ ASIN: 'B00ABCDEF12' }, BAD_ASIN],
      'another character': [{ ASIN: 'B00-BCDEF1' }, BAD_ASIN],
      'a letter beyond ASCII': [{ ASIN: 'B00ÄBCDEF1' }, BAD_ASIN],
      'a line break behind it': [{ ASIN: 'B00ABCDEF1\n' }, BAD_ASIN],
      'an empty text': [{ ASIN: '' }, BAD_ASIN],
      'a number': [{ ASIN: 1_234_567_890 }, problemAt('wrong_type', 'ASIN', 'must be a string')],
    },
  );
  bounds('SKU-07', asins);

  const typeLabel = 'standard_product_codes[0].standard_product_code_type';
  const wrongTypes = { others: ['GTIN-8', 'upc', 'UPC '], notText: 12 };
  const typed = (type: unknown) => codes(type, '0'.repeat(DIGITS.get(String(type)) ?? 12));
  bounds('SKU-08', oneOfBounds(typeLabel, [...DIGITS.keys()], wrongTypes, typed));

  const codeLabel = 'standard_product_codes[0].standard_product_code';
  for (const [type, digits] of DIGITS) {
    const problem = problemAt('product_code_length', codeLabel, `must have ${digits} digits as ${type}`);
    const digitsOfType = skuBounds(
      { [`${digits} digits as ${type}`]: codes(type, '0'.repeat(digits)) },
      {
        [`${digits - 1} digits as ${type}`]: [codes(type, '0'.repeat(digits - 1)), problem],
        [`${digits + 1} digits as ${type}`]: [codes(type, '0'.repeat(digits + 1)), problem],
      },
    );
    bounds('SKU-09', digitsOfType);
  }

  const notDigits = problemAt('bad_format', codeLabel, 'must consist of digits');
  const digitsOnly = skuBounds(
    { 'ASCII digits': codes('ISBN-10', '0123456789') },
    {
      'a letter': [codes('ISBN-10', '012345678X'), notDigits],
      'a hyphen': [codes('ISBN-13', '978-030640615'), notDigits],
      'digits of another script': [codes('ISBN-10', '٠١٢٣٤٥٦٧٨٩'), notDigits],
      'a number': [codes('ISBN-10', 1_234_567_890), problemAt('wrong_type', codeLabel, 'must be a string')],
      'an empty text': [codes('UPC', ''), problemAt('product_code_length', codeLabel, 'must have 12 digits as UPC')],
    },
  );
  bounds('SKU-10', digitsOnly);

  const codeMembers = skuBounds(
    { 'both members': codes('UPC', '012345678905') },
    {
      'an entry without members': [
        manyCodes(1, {}),
        problemAt('required', typeLabel, 'is required'),
        problemAt('required', codeLabel, 'is required'),
      ],
      'null members': [
        codes(null, null),
        problemAt('required', typeLabel, 'is required'),
        problemAt('required', codeLabel, 'is required'),
      ],
      'an entry that is not an object': [
        manyCodes(1, '012345678905'),
        problemAt('wrong_type', 'standard_product_codes[0]', 'must be an object'),
      ],
      'a null entry': [manyCodes(1, null), problemAt('wrong_type', 'standard_product_codes[0]', 'must be an object')],
    },
  );
  bounds('SKU-11', codeMembers);

  const upc = { standard_product_code_type: 'UPC', standard_product_code: '012345678905' };
  const tooMany = problemAt('too_many', 'standard_product_codes', 'must have at most 50 entries');
  const codeCounts = skuBounds(
    { '50 codes': manyCodes(50, upc) },
    { '51 codes': [manyCodes(51, upc), tooMany], '51 faulty codes': [manyCodes(51, 'x'), tooMany] },
  );
  bounds('SKU-12', codeCounts);
});
