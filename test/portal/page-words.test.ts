/** Tests that texts of the API reach merchants in the words of the pages. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import '../harness/portal-alias.ts';

const { fieldLabel, labelAndRule, remedyInPageWords, withFieldLabel } = await import(
  '../../portal/src/ui/forms/page-words.ts'
);

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
