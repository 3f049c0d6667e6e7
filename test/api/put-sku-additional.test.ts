/** Tests the SKU upload: the additional fields. */
import assert from 'node:assert/strict';
import { minimalSku, problemAt } from '../harness/api-client.ts';
import { describeBodyRules } from '../harness/contract-cases.ts';
import {
  amountBounds,
  type Fields,
  listBounds,
  oneOfBounds,
  skuBounds,
  textBounds,
  urlBounds,
  wholeBounds,
} from './fixtures/sku-bounds.ts';

const NO_WARNING = 'no warning applicable';
const HAZARDS = [
  'choking hazard small parts',
  'choking hazard is a small ball',
  'choking hazard is a marble',
  'choking hazard contains a small ball',
  'choking hazard contains a marble',
  'choking hazard balloon',
];

const TAX_CODES = (
  'Toilet Paper; Thermometers; Sweatbands; SPF Suncare Products; Sparkling Water; Smoking Cessation; Shoe Insoles; ' +
  'Safety Clothing; Pet Foods; Paper Products; OTC Pet Meds; OTC Medication; Oral Care Products; ' +
  'Non-Motorized Boats; Non Taxable Product; Mobility Equipment; Medicated Personal Care Items; Infant Clothing; ' +
  'Helmets; Handkerchiefs; Generic Taxable Product; General Grocery Items; General Clothing; Fluoride Toothpaste; ' +
  'Feminine Hygiene Products; Durable Medical Equipment; Drinks under 50 Percent Juice; Disposable Wipes; ' +
  'Disposable Infant Diapers; Dietary Supplements; Diabetic Supplies; Costumes; Contraceptives; ' +
  'Contact Lens Solution; Carbonated Soft Drinks; Car Seats; Candy with Flour; Candy; Breast Pumps; ' +
  'Braces and Supports; Bottled Water Plain; Beverages with 51 to 99 Percent Juice; Bathing Suits; ' +
  'Bandages and First Aid Kits; Baby Supplies; Athletic Clothing; Adult Diapers'
).split('; ');

const PACKAGE_SIZES = ['package_length_inches', 'package_width_inches', 'package_height_inches'];
const DISPLAY_SIZES = ['display_length_inches', 'display_width_inches', 'display_height_inches'];
const SAMPLE_FIELDS = [
  'swatch_image_url',
  'fulfillment_time',
  'no_return_fee_adjustment',
  'exclude_from_fee_adjustments',
  'ships_alone',
];

const image = (fields: Fields = {}) => ({ image_slot_id: 1, image_url: 'https://images.example/side.jpg', ...fields });
const images = (...entries: Fields[]) => ({ alternate_images: entries });

describeBodyRules('SKU upload, additional fields', ({ accepts, refuses, bounds }) => {
  bounds('SKU-30', textBounds('external_item_type_keyword', { max: 2000 }));
  bounds('SKU-31', textBounds('category_path', { max: 2000 }));
  bounds('SKU-32', wholeBounds('number_units_for_price_per_unit', { min: 1, max: 2_147_483_647 }));
  bounds('SKU-33', textBounds('type_of_unit_for_price_per_unit', { max: 2000 }));
  for (const field of PACKAGE_SIZES) bounds('SKU-34', amountBounds(field));
  for (const field of DISPLAY_SIZES) bounds('SKU-35', amountBounds(field));

  const notBoolean = problemAt('wrong_type', 'prop_65', 'must be true or false');
  const flags = skuBounds(
    { true: { prop_65: true }, false: { prop_65: false } },
    {
      'the text true': [{ prop_65: 'true' }, notBoolean],
      'the number 1': [{ prop_65: 1 }, notBoolean],
      'the number 0': [{ prop_65: 0 }, notBoolean],
    },
  );
  bounds('SKU-36', flags);

  for (const [sent, read] of [
    [undefined, false],
    [null, false],
    [false, false],
    [true, true],
  ]) {
    accepts('SKU-37', `prop_65 ${sent}, which reads back ${read}`, async (api) => {
      const { prop_65 } = await api.found(await api.uploadedSku({ prop_65: sent }));
      assert.equal(prop_65, read);
    });
  }

  bounds('SKU-38', textBounds('prop_65_reasons', { max: 10_000 }));
  bounds('SKU-39', textBounds('legal_disclaimer_description', { max: 10_000 }));

  const statement = (text: unknown) => ({ cpsia_cautionary_statements: [text] });
  const wrongStatements = { others: ['choking hazard', 'No warning applicable', ''], notText: 1 };
  const statementLabel = 'cpsia_cautionary_statements[0]';
  bounds('SKU-40', oneOfBounds(statementLabel, [NO_WARNING, ...HAZARDS], wrongStatements, statement));

  const field = 'cpsia_cautionary_statements';
  const contradiction = problemAt('caution_contradiction', field, `'${NO_WARNING}' must be the only statement`);
  const statements = skuBounds(
    {
      'all hazards together': { [field]: HAZARDS },
      'no warning alone': { [field]: [NO_WARNING] },
      'no warning, twice': { [field]: [NO_WARNING, NO_WARNING] },
    },
    Object.fromEntries(
      HAZARDS.map((hazard) => [
        `no warning together with ${hazard}`,
        [{ [field]: [hazard, NO_WARNING] }, contradiction],
      ]),
    ),
  );
  bounds('SKU-41', statements);
  const balloon = () => 'choking hazard balloon';
  bounds('SKU-42', listBounds(field, { max: 50 }, balloon));

  bounds('SKU-43', textBounds('country_of_origin', { max: 50 }));
  bounds('SKU-44', textBounds('safety_warning', { max: 2000 }));
  const wrongTaxCodes = { others: ['toilet paper', 'Toys', 'Candy ', ''], notText: 7 };
  bounds('SKU-45', oneOfBounds('product_tax_code', TAX_CODES, wrongTaxCodes));
  bounds('SKU-46', amountBounds('msrp'));

  const item = (index: number) => `item ${index}`;
  const secondIncluded = (text: unknown) => ({ included_bullets: ['fine', text] });
  bounds('SKU-47', listBounds('included_bullets', { max: 50 }, item));
  bounds('SKU-48', textBounds('included_bullets[1]', { max: 500 }, secondIncluded));
  const secondNotIncluded = (text: unknown) => ({ not_included_bullets: ['fine', text] });
  bounds('SKU-49', listBounds('not_included_bullets', { max: 50 }, item));
  bounds('SKU-50', textBounds('not_included_bullets[1]', { max: 500 }, secondNotIncluded));

  const slotted = (index: number) => image({ image_slot_id: index + 1 });
  bounds('SKU-51', listBounds('alternate_images', { max: 8 }, slotted));
  const slotLabel = 'alternate_images[0].image_slot_id';
  const slotAt = (slot: unknown) => images(image({ image_slot_id: slot }));
  bounds('SKU-52', wholeBounds(slotLabel, { min: 1, max: 8 }, slotAt));

  const repeated = (index: number) =>
    problemAt('image_slot_repeated', `alternate_images[${index}].image_slot_id`, 'repeats slot 1');
  const slots = skuBounds(
    { 'one address in two slots': images(image(), image({ image_slot_id: 2 })) },
    {
      'a slot twice': [images(image(), image()), repeated(1)],
      'a slot three times': [images(image(), image({ image_slot_id: 2 }), image(), image()), repeated(2), repeated(3)],
    },
  );
  bounds('SKU-53', slots);

  const urlLabel = 'alternate_images[0].image_url';
  const urlAt = (url: unknown) => images(image({ image_url: url }));
  bounds('SKU-54', urlBounds(urlLabel, urlAt));

  const membersRequired = [slotLabel, urlLabel].map((label) => problemAt('required', label, 'is required'));
  const notObject = problemAt('wrong_type', 'alternate_images[0]', 'must be an object');
  const members = skuBounds(
    { 'a slot and an address': images(image()) },
    {
      'an image without members': [images({}), ...membersRequired],
      'null members': [images({ image_slot_id: null, image_url: null }), ...membersRequired],
      'an address for an image': [{ alternate_images: ['https://images.example/side.jpg'] }, notObject],
      'a null image': [{ alternate_images: [null] }, notObject],
    },
  );
  bounds('SKU-55', members);

  const longest = 'x'.repeat(2000);
  for (const name of SAMPLE_FIELDS) {
    const notScalar = problemAt('wrong_type', name, 'must be a string, a number, true or false');
    const max = name === 'swatch_image_url' ? 2048 : 2000;
    const tooLong = problemAt('too_long', name, `must have at most ${max} characters`);
    const scalars = skuBounds(
      { [`null in ${name}`]: { [name]: null }, [`the longest text in ${name}`]: { [name]: 'x'.repeat(max) } },
      {
        [`a list in ${name}`]: [{ [name]: [1] }, notScalar],
        [`an object in ${name}`]: [{ [name]: {} }, notScalar],
        [`a text too long in ${name}`]: [{ [name]: 'x'.repeat(max + 1) }, tooLong],
      },
    );
    bounds('SKU-56', scalars);
  }
  const largest = BigInt(`1${'0'.repeat(307)}1`);
  for (const value of ['', longest, 0, -1.25, 1e21, 123_456_789_012_345_678n, 10n ** 25n + 1n, -largest, true, false]) {
    accepts('SKU-56', `${String(value).slice(0, 20)} in all five, and returns it as sent`, async (api) => {
      const sent = Object.fromEntries(SAMPLE_FIELDS.map((name) => [name, value]));
      const read = await api.found(await api.uploadedSku(sent));
      assert.deepEqual(Object.fromEntries(SAMPLE_FIELDS.map((name) => [name, read[name]])), sent);
    });
  }
  accepts('SKU-56', 'none of the five in a later upload, and no longer returns them', async (api) => {
    const skuId = api.newSkuId();
    await api.uploadedSku(Object.fromEntries(SAMPLE_FIELDS.map((name) => [name, 'x'])), skuId);
    const read = await api.found(await api.uploadedSku({}, skuId));
    assert.deepEqual(
      SAMPLE_FIELDS.filter((name) => name in read),
      [],
    );
  });
  refuses('SKU-56', 'whole numbers of more than 309 digits, which no double holds', async (api) => {
    const path = `/merchant-skus/${api.newSkuId()}`;
    const tooLarge = SAMPLE_FIELDS.map((name) => problemAt('too_large', name, 'must be a finite number'));
    const sent = Object.fromEntries(SAMPLE_FIELDS.map((name) => [name, largest * 10n]));
    await api.refused('PUT', path, { ...minimalSku(), ...sent }, tooLarge);
  });
});
