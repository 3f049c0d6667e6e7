/** Tests that texts of the API reach merchants in the words of the pages. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import '../harness/portal-alias.ts';

const { fieldLabel, remedyInPageWords, withFieldLabel } = await import('../../portal/src/ui/forms/page-words.ts');
const { cellProblem, labelAndRule, problemText } = await import('../../portal/src/ui/forms/problem-text.ts');
const { shortText } = await import('../../portal/src/ui/forms/value-text.ts');

it('a problem has the label of its field, or its name as words', () => {
  const problem = (code: string, field: string, message: string) => labelAndRule({ code, field, message });
  assert.deepEqual(problem('bad_url', '/main_image_url', 'main_image_url: must be an absolute http or https URL'), {
    label: 'Main image URL',
    rule: 'Enter a full URL that starts with https:// or http://.',
  });
  const code = '/standard_product_codes/0/standard_product_code';
  assert.deepEqual(problem('x', code, `${code}: must have 12 digits as UPC`).label, 'Product code');
  assert.deepEqual(problem('wrong_type', '/new_field/2', 'new_field[2]: must be a string, not a number'), {
    label: 'New field',
    rule: 'New field must be a string.',
  });
  const misspelled = 'brand: is required (Did you send it as "brnad"?)';
  assert.equal(problem('required', '/brand', misspelled).rule, 'Brand is required (Did you send it as "brnad"?).');
  assert.deepEqual(problem('x', '', 'The file is empty.'), { label: '', rule: 'The file is empty.' });
  assert.equal(fieldLabel('rate_kind'), 'Rates');
  assert.equal(
    withFieldLabel({ code: 'x', field: '/new_field', message: 'Is wrong.' }).message,
    'New field: Is wrong.',
  );
});

it('a problem is a sentence with the field, and a range is a request', () => {
  const text = (field: string, message: string) => problemText({ code: 'x', field, message });
  const range = 'fulfillment_nodes[0].fulfillment_node_price: must be a number from 0.01 to 1000000000';
  assert.equal(
    text('/fulfillment_nodes/0/fulfillment_node_price', range),
    'Price override: Enter a price from $0.01 to $1,000,000,000.',
  );
  assert.equal(text('/brand', 'brand: is required'), 'Brand is required.');
  assert.equal(text('/children_skus', 'children_skus: is required'), 'Child SKUs are required.');
  assert.equal(text('/price', 'price: must be a number of at least 1'), 'Price must be a number of at least 1.');
  assert.equal(cellProblem('quantity', 'must be an integer from 0 to 1000'), 'Enter a whole number from 0 to 1,000.');
  assert.equal(
    cellProblem('quantity', 'has a decimal comma. Write 7.5', 'Stock'),
    'Stock has a decimal comma. Write 7.5.',
  );
  assert.equal(cellProblem('sku', 'must not be empty'), 'SKU must not be empty.');
  assert.equal(cellProblem('', 'The row has no value.'), 'The row has no value.');
});

it('a remedy names no call and no field of the API', () => {
  const remedy = (text: string) => remedyInPageWords({ check: 'archive', remedy: text, evidence: {} });
  const call = 'PUT /merchant-skus/{id}/status/archive with is_archived false';
  assert.equal(remedy(`Unarchive it (${call}), then send its stock.`), 'Unarchive it, then send its stock.');
  assert.equal(remedy('Add a shipping weight (shipping_weight_pounds).'), 'Add a shipping weight.');
  assert.equal(remedy('Use A (SHIRT_1).'), 'Use A (SHIRT_1).', 'a SKU stays');
});

it('a value of an offer reads as on its page, and a long one is cut', () => {
  const cases = [
    ['price', 1234.5, '$1,234.50'],
    ['quantity', 1200, '1,200'],
    ['multipack_quantity', 2, '2'],
    ['ships_alone', true, 'Yes'],
    ['brand', '', 'Not set'],
    ['bullets', [], 'Not set'],
    ['brand', null, 'Not set'],
    ['bullets', ['One', 'Two'], 'One; Two'],
    ['attributes_node_specific', { attribute_id: 1, attribute_value: '55', attribute_value_unit: 'in' }, '55 in'],
    ['standard_product_codes', [{ standard_product_code: '4711', standard_product_code_type: 'UPC' }], '4711'],
    ['alternate_images', { image_slot_id: 2, image_url: 'x' }, 'Image slot: 2, Image URL: x'],
    ['brand', 'x'.repeat(121), `${'x'.repeat(120)}…`],
  ] as const;
  for (const [name, value, text] of cases) assert.equal(shortText(name, value), text);
});
