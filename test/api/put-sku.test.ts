/** Tests the SKU upload as a whole: what it replaces, what it leaves unchanged, and how a body is read. */
import assert from 'node:assert/strict';
import { assertProblems, minimalSku, problemAt, requestProblem, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { skuUnknown } from './fixtures/check-order.ts';
import { FULL_SKU } from './fixtures/full-sku.ts';
import { EAST, RETURNS_EAST } from './fixtures/merchant-setup.ts';
import { AMOUNT_RANGE, BAD_URL, ID_RANGE, sendSku, skuBounds, skuWith } from './fixtures/sku-bounds.ts';

const REQUIRED_FIELDS = ['product_title', 'multipack_quantity', 'standard_product_codes', 'brand', 'main_image_url'];
const OPTIONAL_FIELDS = Object.keys(FULL_SKU).filter((field) => !REQUIRED_FIELDS.includes(field));
const POLICIES = '101, 102, 103, Type0, Type1, Type2, Type3, Type4';

describeApi('SKU upload as a whole', ({ accepts, refuses, bounds }) => {
  accepts('SKU-57', 'a second upload, which replaces all data of the first', async (api) => {
    const path = await api.uploadedSku(FULL_SKU);
    await api.accepted('PUT', path, skuWith({ brand: 'Other', bullets: [] }));
    const { is_archived, status, sub_status, ...uploaded } = await api.found(path);
    assert.deepEqual(uploaded, { ...minimalSku(), brand: 'Other', bullets: [], prop_65: false });
  });

  accepts('SKU-58', 'a second upload, which does not change the other parts of the SKU', async (api) => {
    const attributes_node_specific = [{ attribute_id: 7, attribute_value: 'red' }];
    const [child, other] = [api.newSkuId(), api.newSkuId()];
    const path = await api.uploadedSku({ attributes_node_specific });
    await api.uploadedSku({ attributes_node_specific }, child);
    await api.uploadedSku({ attributes_node_specific }, other);
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    await api.accepted('PATCH', `${path}/inventory`, {
      fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 3 }],
    });
    const exception = { service_level: 'Standard', shipping_exception_type: 'exclusive' };
    await api.accepted('PUT', `${path}/shippingexception`, {
      fulfillment_nodes: [{ fulfillment_node_id: EAST, shipping_exceptions: [exception] }],
    });
    await api.accepted('PUT', `${path}/returnsexception`, { return_location_ids: [RETURNS_EAST] });
    await api.accepted('PUT', `${path}/variation`, {
      relationship: 'Variation',
      variation_refinements: [7],
      children_skus: [child, other],
    });
    const parts = ['price', 'inventory', 'shippingexception', 'returnsexception', 'variation'];
    const readParts = () => Promise.all(parts.map((part) => api.found(`${path}/${part}`)));
    const before = await readParts();
    api.server.passTime(5000);
    await api.accepted('PUT', path, skuWith({ attributes_node_specific, product_title: 'Another title' }));
    assert.deepEqual(await readParts(), before);
  });

  accepts('SKU-59', 'null in every optional field, which counts as absent', async (api) => {
    const nulls = Object.fromEntries(OPTIONAL_FIELDS.map((field) => [field, null]));
    const { is_archived, status, sub_status, ...uploaded } = await api.found(await api.uploadedSku(nulls));
    const { marketplace_browse_node_id: _node, ...rest } = minimalSku();
    assert.deepEqual(uploaded, { ...rest, prop_65: false });
  });

  const types = skuBounds(
    { 'values of the right types': { brand: '3', multipack_quantity: 3, msrp: 3, prop_65: true, bullets: ['3'] } },
    {
      'a value of a wrong type in fields of every type': [
        {
          brand: 3,
          multipack_quantity: '3',
          msrp: '3',
          map_implementation: 101,
          marketplace_browse_node_id: '1010100',
          prop_65: 'true',
          bullets: 'Heavy',
          alternate_images: ['https://images.example/side.jpg'],
          main_image_url: false,
        },
        problemAt('wrong_type', 'multipack_quantity', 'must be an integer from 1 to 128'),
        problemAt('wrong_type', 'brand', 'must be a string'),
        problemAt('wrong_type', 'main_image_url', 'must be a string'),
        problemAt('wrong_type', 'bullets', 'must be a list'),
        problemAt('wrong_type', 'map_implementation', `must be one of: ${POLICIES}`),
        problemAt('wrong_type', 'marketplace_browse_node_id', ID_RANGE),
        problemAt('wrong_type', 'prop_65', 'must be true or false'),
        problemAt('wrong_type', 'msrp', AMOUNT_RANGE),
        problemAt('wrong_type', 'alternate_images[0]', 'must be an object'),
      ],
    },
  );
  bounds('SKU-60', types);

  const longTitle = problemAt('too_long', 'product_title', 'must have 5 to 500 characters');
  const shortTitle = problemAt('too_short', 'product_title', 'must have 5 to 500 characters');
  const codePoints = skuBounds(
    { '5 emoji': { product_title: '😀'.repeat(5) }, '500 emoji': { product_title: '😀'.repeat(500) } },
    {
      '4 emoji, which are 8 UTF-16 units': [{ product_title: '😀'.repeat(4) }, shortTitle],
      '501 emoji': [{ product_title: '😀'.repeat(501) }, longTitle],
      '500 letters and a combining mark': [{ product_title: `${'e'.repeat(500)}\u0301` }, longTitle],
    },
  );
  bounds('SKU-61', codePoints);

  accepts('SKU-62', 'unknown fields, which it names and does not store', async (api) => {
    const path = skuPath(api.newSkuId());
    const body = skuWith({ colour: 'red', price: 5, 'a/b~c': 1, alternate_images: [], bullets: ['Heavy'] });
    const upc = { standard_product_code_type: 'UPC', standard_product_code: '012345678905', größe: 1 };
    const answer = await api.accepted('PUT', path, { ...body, standard_product_codes: [upc] });
    const named = ['/standard_product_codes/0/größe', '/colour', '/price', '/a~1b~0c'];
    assert.equal(answer.headers.get('x-ignored-fields'), named.map(encodeURIComponent).join(', '));
    const read = await api.found(path);
    assert.deepEqual(read.standard_product_codes, minimalSku().standard_product_codes);
    for (const name of ['colour', 'price', 'a/b~c']) assert.ok(!(name in read), name);
  });
  accepts('SKU-62', 'a body of known fields without that header', async (api) => {
    const answer = await api.accepted('PUT', skuPath(api.newSkuId()), skuWith({ manufacturer: 'Potter', msrp: null }));
    assert.equal(answer.headers.get('x-ignored-fields'), null);
  });
  refuses('SKU-62', 'an invalid body, and still names ignored fields', async (api) => {
    const problem = problemAt('required', 'brand', 'is required (Did you send it as "brnad"?)');
    const answer = await sendSku(api, skuWith({ brand: null, brnad: 'Potter' }));
    assertProblems(answer, [problem]);
    assert.equal(answer.headers.get('x-ignored-fields'), '%2Fbrnad');
  });

  refuses('SKU-62', 'half of a surrogate pair in an unknown name, which it cannot name', async (api) => {
    const text = 'The body has a name that must not contain NUL characters or unpaired surrogates';
    assertProblems(await sendSku(api, skuWith({ '\ud83d': 1 })), [requestProblem('forbidden_character', text)]);
  });

  refuses('SKU-63', 'a body, with all its problems in one response', async (api) => {
    const slot = { image_slot_id: 1, image_url: 'https://images.example/side.jpg' };
    const body = {
      product_title: 'Pot',
      multipack_quantity: '1',
      standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '1' }, {}],
      main_image_url: 'pot.jpg',
      bullets: ['', 'fine', 7],
      map_implementation: '102',
      marketplace_browse_node_id: 5,
      attributes_node_specific: [{ attribute_id: 0, attribute_value: 'http://images.example/pot.jpg' }],
      cpsia_cautionary_statements: ['no warning applicable', 'choking hazard balloon'],
      msrp: 0,
      alternate_images: [slot, slot],
    };
    await api.refused('PUT', skuPath(api.newSkuId()), body, [
      problemAt('too_short', 'product_title', 'must have 5 to 500 characters'),
      problemAt('wrong_type', 'multipack_quantity', 'must be an integer from 1 to 128'),
      problemAt('required', 'standard_product_codes[1].standard_product_code_type', 'is required'),
      problemAt('required', 'standard_product_codes[1].standard_product_code', 'is required'),
      problemAt('required', 'brand', 'is required'),
      problemAt('bad_url', 'main_image_url', BAD_URL),
      problemAt('too_short', 'bullets[0]', 'must have 1 to 500 characters'),
      problemAt('wrong_type', 'bullets[2]', 'must be a string'),
      problemAt('too_small', 'attributes_node_specific[0].attribute_id', ID_RANGE),
      problemAt('too_small', 'msrp', AMOUNT_RANGE),
      problemAt('product_code_length', 'standard_product_codes[0].standard_product_code', 'must have 12 digits as UPC'),
      problemAt('map_price_required', 'map_price', 'is required when map_implementation is 102'),
      problemAt(
        'caution_contradiction',
        'cpsia_cautionary_statements',
        "'no warning applicable' must be the only statement",
      ),
      problemAt('image_url_as_value', 'attributes_node_specific[0].attribute_value', 'must not be the URL of an image'),
      problemAt('image_slot_repeated', 'alternate_images[1].image_slot_id', 'repeats slot 1'),
      problemAt(
        'browse_node_unknown',
        'marketplace_browse_node_id',
        'must be a node of the taxonomy: see GET /taxonomy/search',
      ),
    ]);
  });

  const hundredFaults = { included_bullets: Array(50).fill(1), not_included_bullets: Array(50).fill(1) };
  const faultyBullet = (index: number) => {
    const list = index < 50 ? 'included_bullets' : 'not_included_bullets';
    return problemAt('wrong_type', `${list}[${index % 50}]`, 'must be a string');
  };
  refuses('SKU-64', '100 problems, all of which it lists', async (api) => {
    const problems = Array.from({ length: 100 }, (_, index) => faultyBullet(index));
    await api.refused('PUT', skuPath(api.newSkuId()), skuWith(hundredFaults), problems);
  });
  refuses('SKU-64', '101 problems: lists 99, then says that there are more', async (api) => {
    const problems = [
      problemAt('required', 'brand', 'is required'),
      ...Array.from({ length: 98 }, (_, index) => faultyBullet(index)),
      requestProblem('more_problems', 'There are more problems than this list shows. Fix these, then try again.'),
    ];
    await api.refused('PUT', skuPath(api.newSkuId()), skuWith({ ...hundredFaults, brand: null }), problems);
  });

  refuses('SKU-65', 'an invalid upload, which does not change the stored SKU', async (api) => {
    const path = await api.uploadedSku({ msrp: 20 });
    const before = await api.found(path);
    const problem = problemAt('required', 'brand', 'is required');
    await api.refused('PUT', path, skuWith({ product_title: 'Another title', brand: null }), [problem]);
    assert.deepEqual(await api.found(path), before);
  });
  refuses('SKU-65', 'an invalid first upload, which creates no SKU', async (api) => {
    const skuId = api.newSkuId();
    const path = skuPath(skuId);
    await api.refused('PUT', path, skuWith({ brand: '' }), [
      problemAt('too_short', 'brand', 'must have 1 to 100 characters'),
    ]);
    await api.refused('GET', path, undefined, [skuUnknown(skuId)], 404);
  });

  accepts('SKU-66', 'problems that only the review finds', async (api) => {
    await api.uploadedSku({
      standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678900' }],
      main_image_url: 'http://unreachable.invalid/placeholder.gif',
      marketplace_browse_node_id: 1_000_000,
      shipping_weight_pounds: null,
      attributes_node_specific: null,
    });
  });

  refuses('SKU-67', 'an invalid SKU id before it checks the body', async (api) => {
    const problem = requestProblem('sku_id_invalid', 'The SKU id in the path must have at most 64 characters.');
    for (const body of [minimalSku(), {}, 'no JSON'])
      await api.refused('PUT', skuPath('x'.repeat(65)), body, [problem]);
  });
  accepts('SKU-67', 'the longest SKU id', async (api) => {
    await api.uploadedSku({}, 'x'.repeat(64));
  });
});
