/** Tests that texts of the API reach merchants in the words of the pages. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import '../harness/portal-alias.ts';

const { fieldLabel, labelAndRule, remedyInPageWords, withFieldLabel } = await import(
  '../../portal/src/ui/forms/page-words.ts'
);
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
    rule: 'Must be a string.',
  });
  const misspelled = 'brand: is required (Did you send it as "brnad"?)';
  assert.equal(problem('required', '/brand', misspelled).rule, 'Is required (Did you send it as "brnad"?).');
  assert.deepEqual(problem('x', '', 'The file is empty.'), { label: '', rule: 'The file is empty.' });
  assert.equal(fieldLabel('rate_kind'), 'Rates');
  assert.equal(
    withFieldLabel({ code: 'x', field: '/new_field', message: 'Is wrong.' }).message,
    'New field: Is wrong.',
  );
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
