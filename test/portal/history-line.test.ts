/** Tests how the portal says in one line what a change did. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import '../harness/portal-alias.ts';

const { lineOf } = await import('../../portal/src/pages/merchant/offer/history/history-line.ts');

const field = (label: string, before: string | null, after: string | null) => ({ label, before, after });
const change = (part: string, values: { before: object | null; after: object | null } = { before: {}, after: {} }) => ({
  part,
  ...values,
});
const line = (fields: Parameters<typeof lineOf>[1], part = 'price') => lineOf(change(part), fields, 'Price');
const complete = (text: string) => ({ text, isComplete: true });

it('a change of one or two short values is one line, amounts with their percentage', () => {
  const price = (before: string | null, after: string | null) => line([field('Price', before, after)]);
  assert.deepEqual(price('$24.95', '$26.20'), complete('Price $24.95 → $26.20, +5%'));
  assert.deepEqual(price('$1,000.00', '$875.00'), complete('Price $1,000.00 → $875.00, -12.5%'));
  assert.deepEqual(price('$1,000.00', '$1,000.01'), complete('Price $1,000.00 → $1,000.01'));
  assert.deepEqual(price(null, '$5.00'), complete('Price set to $5.00'));
  assert.deepEqual(price('$5.00', null), complete('Price removed (was $5.00)'));
  const stock = [field('Quantity at east', '1', '50'), field('Quantity at west', null, '2')];
  assert.deepEqual(line(stock, 'inventory'), complete('Quantity at east 1 → 50, Quantity at west set to 2'));
  assert.deepEqual(line([]), complete('Price saved again'));
});

it('a change of longer or more values names its fields', () => {
  const short = field('Title', 'a', 'x'.repeat(60));
  assert.equal(line([short]).isComplete, true);
  const changed = (text: string) => ({ text, isComplete: false });
  assert.deepEqual(line([field('Title', 'a', 'x'.repeat(61))]), changed('Title changed'));
  assert.deepEqual(line([field('Bullet points', 'a', 'a\nb')]), changed('Bullet points changed'));
  assert.deepEqual(line([{ label: 'Category', before: { category: '1' }, after: null }]), changed('Category changed'));
  const many = ['A', 'B', 'C', 'D', 'E'].map((label) => field(label, '1', '2'));
  assert.deepEqual(line(many.slice(0, 4)), changed('A, B, C and D changed'));
  assert.deepEqual(line(many), changed('A, B, C and 2 more fields changed'));
});

it('a first upload and an archive flag say what happened', () => {
  const added = lineOf(change('sku', { before: null, after: {} }), [field('Title', null, 'Mug')], 'Product data');
  assert.deepEqual(added, { text: 'Offer added', isComplete: false });
  for (const [is_archived, text] of [
    [true, 'Archived'],
    [false, 'Unarchived'],
  ] as const) {
    assert.deepEqual(lineOf(change('archive', { before: null, after: { is_archived } }), [], ''), complete(text));
  }
});
