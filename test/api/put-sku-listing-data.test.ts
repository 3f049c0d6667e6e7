/** Tests the SKU upload: the data that lists a product which is not in the catalog yet. */
import assert from 'node:assert/strict';
import { problemAt, skuPath } from '../harness/api-client.ts';
import { describeBodyRules } from '../harness/contract-cases.ts';
import {
  amountBounds,
  type Fields,
  ID_RANGE,
  listBounds,
  oneOfBounds,
  skuBounds,
  skuWith,
  textBounds,
} from './fixtures/sku-bounds.ts';

const INT64_MAX = 9_223_372_036_854_775_807n;
const POLICIES = ['101', '102', '103'];
const OLD_POLICIES = { Type0: '101', Type1: '101', Type2: '102', Type3: '103', Type4: '103' };

const attributes = (...members: Fields[]) => ({ attributes_node_specific: members });
const attribute = (fields: Fields) => attributes({ attribute_id: 7, attribute_value: 'red', ...fields });

describeBodyRules('SKU upload, listing data', ({ accepts, refuses, bounds }) => {
  bounds('SKU-13', textBounds('manufacturer', { min: 1, max: 100 }));
  bounds('SKU-14', textBounds('product_description', { min: 1, max: 2000 }));
  bounds('SKU-15', textBounds('mfr_part_number', { min: 1, max: 50 }));

  const bulletAt = (text: unknown) => ({ bullets: ['fine', text] });
  const bullet = (index: number) => `bullet ${index}`;
  bounds('SKU-16', listBounds('bullets', { max: 5 }, bullet));
  bounds('SKU-17', textBounds('bullets[1]', { min: 1, max: 500 }, bulletAt));

  bounds('SKU-18', amountBounds('shipping_weight_pounds'));
  bounds('SKU-19', amountBounds('map_price'));

  const withMapPrice = (policy: unknown) => ({ map_implementation: policy, map_price: 9.99 });
  const allPolicies = [...POLICIES, ...Object.keys(OLD_POLICIES)];
  const wrongPolicies = { others: ['100', '104', 'Type5', 'type0', ''], notText: 101 };
  bounds('SKU-20', oneOfBounds('map_implementation', allPolicies, wrongPolicies, withMapPrice));

  for (const policy of ['102', 'Type2']) {
    const rule = `is required when map_implementation is ${policy}`;
    const missing = problemAt('map_price_required', 'map_price', rule);
    const withPolicy = skuBounds(
      { [`${policy} with a map_price`]: withMapPrice(policy) },
      {
        [`${policy} without map_price`]: [{ map_implementation: policy }, missing],
        [`${policy} with a null map_price`]: [{ map_implementation: policy, map_price: null }, missing],
      },
    );
    bounds('SKU-21', withPolicy);
  }
  for (const policy of ['101', '103', 'Type0', 'Type1', 'Type3', 'Type4']) {
    accepts('SKU-21', `${policy} without map_price`, async (api) => {
      await api.uploadedSku({ map_implementation: policy });
    });
  }

  for (const [old, policy] of Object.entries(OLD_POLICIES)) {
    accepts('SKU-22', `${old} and stores it as ${policy}`, async (api) => {
      const { map_implementation } = await api.found(await api.uploadedSku(withMapPrice(old)));
      assert.equal(map_implementation, policy);
    });
  }

  const node = 'marketplace_browse_node_id';
  const unknownNode = problemAt(
    'browse_node_unknown',
    node,
    'must be a node of the taxonomy: see GET /taxonomy/search',
  );
  const browseNodes = skuBounds(
    { 'a leaf': { [node]: 1_010_100 }, 'a department': { [node]: 1_010_000 }, 'no node': { [node]: null } },
    {
      'a node that does not exist': [{ [node]: 1_010_101 }, unknownNode],
      'the largest id': [{ [node]: INT64_MAX }, unknownNode],
      'an id too large': [{ [node]: INT64_MAX + 1n }, problemAt('too_large', node, ID_RANGE)],
      'an id too small': [{ [node]: 0 }, problemAt('too_small', node, ID_RANGE)],
      'a fraction': [{ [node]: 1_010_100.5 }, problemAt('wrong_type', node, ID_RANGE)],
      'a text': [{ [node]: '1010100' }, problemAt('wrong_type', node, ID_RANGE)],
    },
  );
  bounds('SKU-23', browseNodes);

  const entry = (index: number) => ({ attribute_id: index + 1, attribute_value: 'red' });
  bounds('SKU-24', listBounds('attributes_node_specific', { min: 1, max: 50 }, entry));

  const idLabel = 'attributes_node_specific[0].attribute_id';
  const ids = skuBounds(
    {
      'the least id': attribute({ attribute_id: 1 }),
      'the largest exact float': attribute({ attribute_id: Number.MAX_SAFE_INTEGER }),
      'the greatest id': attribute({ attribute_id: INT64_MAX }),
    },
    {
      'an id too small': [attribute({ attribute_id: 0 }), problemAt('too_small', idLabel, ID_RANGE)],
      'an id far too small': [attribute({ attribute_id: -INT64_MAX }), problemAt('too_small', idLabel, ID_RANGE)],
      'an id too large': [attribute({ attribute_id: INT64_MAX + 1n }), problemAt('too_large', idLabel, ID_RANGE)],
      'a fraction': [attribute({ attribute_id: 1.5 }), problemAt('wrong_type', idLabel, ID_RANGE)],
      'a text': [attribute({ attribute_id: '1' }), problemAt('wrong_type', idLabel, ID_RANGE)],
      'a truth value': [attribute({ attribute_id: true }), problemAt('wrong_type', idLabel, ID_RANGE)],
    },
  );
  bounds('SKU-25', ids);

  const valueLabel = 'attributes_node_specific[0].attribute_value';
  const valueAt = (text: unknown) => attribute({ attribute_value: text });
  bounds('SKU-26', textBounds(valueLabel, { min: 1, max: 100 }, valueAt));

  for (const value of [
    'pot.jpg',
    '//images.example/pot.jpg',
    'ftp://images.example/pot.jpg',
    'see https://images.example/pot.jpg',
    'https://shop.example/pot.html',
    'https://shop.example/?image=pot.jpg',
    'https://shop.example/pot.jpg/about',
  ]) {
    accepts('SKU-27', `the value ${value}`, async (api) => {
      await api.uploadedSku(valueAt(value));
    });
  }
  for (const value of [
    ...['jpg', 'jpeg', 'png', 'gif', 'webp', 'bmp', 'tif', 'tiff', 'svg', 'avif'].map(
      (end) => `http://a.example/b.${end}`,
    ),
    'https://images.example/pot.JPG',
    'HTTPS://images.example/pot.jpg?width=200#top',
  ]) {
    const problem = problemAt('image_url_as_value', valueLabel, 'must not be the URL of an image');
    refuses('SKU-27', `the value ${value}`, async (api) => {
      await api.refused('PUT', skuPath(api.newSkuId()), skuWith(valueAt(value)), [problem]);
    });
  }

  const unitLabel = 'attributes_node_specific[0].attribute_value_unit';
  const unitAt = (text: unknown) => attribute({ attribute_value_unit: text });
  bounds('SKU-28', textBounds(unitLabel, { max: 2000 }, unitAt));
  accepts('SKU-28', 'a null unit', async (api) => {
    await api.uploadedSku(unitAt(null));
  });

  const membersRequired = [
    problemAt('required', idLabel, 'is required'),
    problemAt('required', valueLabel, 'is required'),
  ] as const;
  const notObject = problemAt('wrong_type', 'attributes_node_specific[0]', 'must be an object');
  const members = skuBounds(
    { 'an id and a value': attribute({}), 'two values of one attribute': attributes(entry(0), entry(0)) },
    {
      'an attribute without members': [attributes({}), ...membersRequired],
      'null members': [attribute({ attribute_id: null, attribute_value: null }), ...membersRequired],
      'a list for an attribute': [{ attributes_node_specific: [[]] }, notObject],
      'a null attribute': [{ attributes_node_specific: [null] }, notObject],
    },
  );
  bounds('SKU-29', members);
});
