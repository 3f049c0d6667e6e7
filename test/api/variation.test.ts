/** Tests variation groups: the body of the upload, the rules for members, and how a group reads back. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, problemAt, skuPath } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { archive, assertCheckOrder, refusesArchivedSku, refusesUnknownSku } from './fixtures/check-order.ts';
import {
  attribute,
  COLOR,
  groupOf,
  hasNoGroup,
  putGroup,
  SIZE,
  uploadMember,
  uploadSizes,
  variationPath,
} from './fixtures/variation-members.ts';

const ID_RULE = 'must be a whole number from 1 to 9223372036854775807, in plain digits';
const PARENT_LACKS = 'must be an attribute of the parent SKU';
const INT64_MAX = 9_223_372_036_854_775_807n;
const MANY_IDS = Array.from({ length: 20 }, (_, i) => i + 1);

/** Sends a valid group of two SKUs with these fields replaced. Both SKUs have `MANY_IDS` and the largest id. */
async function sendGroup(api: ApiClient, body: Record<string, unknown>) {
  const attributes = [...MANY_IDS, SIZE, INT64_MAX].map((id) => attribute(id, 'same'));
  const [parent, child] = [await uploadMember(api, attributes), await uploadMember(api, attributes)];
  return api.put(variationPath(parent), groupOf([child], body));
}

describeSharedApi('variation', ({ accepts, refuses, bounds }) => {
  bounds('VAR-01', {
    send: sendGroup,
    accepted: { 'the one relationship': { relationship: 'Variation' } },
    refused: {
      'no relationship': {
        body: { relationship: undefined },
        problems: [problemAt('required', 'relationship', 'is required')],
      },
      'another letter case': {
        body: { relationship: 'variation' },
        problems: [problemAt('not_allowed', 'relationship', 'must be exactly Variation')],
      },
      'another relationship': {
        body: { relationship: 'Accessory' },
        problems: [problemAt('not_allowed', 'relationship', 'must be exactly Variation')],
      },
      'a relationship that is not a text': {
        body: { relationship: true },
        problems: [problemAt('wrong_type', 'relationship', 'must be exactly Variation')],
      },
    },
  });

  bounds('VAR-02', {
    send: sendGroup,
    accepted: {
      'one refinement': { variation_refinements: [SIZE] },
      '20 refinements': { variation_refinements: MANY_IDS },
    },
    refused: {
      'no list of refinements': {
        body: { variation_refinements: null },
        problems: [problemAt('required', 'variation_refinements', 'is required')],
      },
      'an empty list of refinements': {
        body: { variation_refinements: [] },
        problems: [problemAt('too_few', 'variation_refinements', 'must have 1 to 20 entries')],
      },
      '21 refinements, and checks none of them': {
        body: { variation_refinements: Array(21).fill(0) },
        problems: [problemAt('too_many', 'variation_refinements', 'must have 1 to 20 entries')],
      },
      'a refinement outside a list': {
        body: { variation_refinements: SIZE },
        problems: [problemAt('wrong_type', 'variation_refinements', 'must be a list')],
      },
    },
  });

  const refinementFault = (code: string, id: unknown) => ({
    body: { variation_refinements: [SIZE, id] },
    problems: [problemAt(code, 'variation_refinements[1]', ID_RULE)],
  });
  bounds('VAR-03', {
    send: sendGroup,
    accepted: {
      'the least id': { variation_refinements: [1] },
      'the greatest id': { variation_refinements: [INT64_MAX] },
    },
    refused: {
      'the id 0': refinementFault('too_small', 0),
      'a negative id': refinementFault('too_small', -1),
      'an id beyond int64': refinementFault('too_large', INT64_MAX + 1n),
      'a fraction': refinementFault('wrong_type', 1.5),
      'an id in quotes': refinementFault('wrong_type', String(SIZE)),
      'a null id': refinementFault('wrong_type', null),
    },
  });

  accepts('VAR-04', 'ids beyond 2^53 and returns every digit', async (api) => {
    const attributes = `"attributes_node_specific": [
      {"attribute_id": 9223372036854775807, "attribute_value": "a"},
      {"attribute_id": 9007199254740993, "attribute_value": "b"}]`;
    const upload = `${JSON.stringify(minimalSku()).slice(0, -1)}, ${attributes}}`;
    const [parent, child] = [api.newSkuId(), api.newSkuId()];
    for (const skuId of [parent, child]) await api.accepted('PUT', skuPath(skuId), upload);
    const refinements = '"variation_refinements":[9223372036854775807,9007199254740993]';
    const body = `{"relationship": "Variation", "children_skus": ["${child}"], ${refinements}}`;
    await api.accepted('PUT', variationPath(parent), body);
    for (const path of [variationPath(parent), skuPath(parent)]) {
      const { text } = await api.get(path);
      assert.ok(text.includes(refinements), text);
    }
  });
  refuses('VAR-04', 'an id beyond 2^53 if members have only the adjacent id', async (api) => {
    const attributes = [attribute(9_007_199_254_740_992n, 'a')];
    const [parent, child] = [await uploadMember(api, attributes), await uploadMember(api, attributes)];
    const body = groupOf([child], { variation_refinements: [9_007_199_254_740_993n] });
    await api.refused('PUT', variationPath(parent), body, [
      problemAt('refinement_missing', 'variation_refinements[0]', `9007199254740993 ${PARENT_LACKS}`),
      problemAt('refinement_missing', 'children_skus[0]', `SKU ${child} must have the attribute 9007199254740993`),
    ]);
  });

  bounds('VAR-05', {
    send: sendGroup,
    accepted: { 'one child': {} },
    refused: {
      'no list of children': {
        body: { children_skus: undefined },
        problems: [problemAt('required', 'children_skus', 'is required')],
      },
      'an empty list of children': {
        body: { children_skus: [] },
        problems: [problemAt('too_few', 'children_skus', 'must have 1 to 2000 entries')],
      },
      '2,001 children, and checks none of them': {
        body: { children_skus: Array(2001).fill(7) },
        problems: [problemAt('too_many', 'children_skus', 'must have 1 to 2000 entries')],
      },
    },
  });
  accepts('VAR-05', '2,000 entries', async (api) => {
    const [parent, ...children] = await uploadSizes(api, 'parent', ...Array.from({ length: 50 }, (_, i) => `${i}`));
    await putGroup(api, parent, Array(40).fill(children).flat());
    assert.deepEqual(await api.found(variationPath(parent)), { ...groupOf(children), excluded_skus: [] });
  });

  accepts('VAR-06', 'a child id of 64 characters', async (api) => {
    const [parent] = await uploadSizes(api, 'S');
    const child = await uploadMember(
      api,
      [attribute(SIZE, 'M')],
      {},
      `${api.newSkuId()}-`.padEnd(63, 'x').concat('🧦'),
    );
    await putGroup(api, parent, [child]);
    assert.deepEqual((await api.found(variationPath(parent))).children_skus, [child]);
  });
  refuses('VAR-06', 'child ids that no SKU can have', async (api) => {
    const [parent, child] = await uploadSizes(api, 'S', 'M');
    await api.refused('PUT', variationPath(parent), groupOf([child, '', 'x'.repeat(65), 7 as never]), [
      problemAt('too_short', 'children_skus[1]', 'must have 1 to 64 characters'),
      problemAt('too_long', 'children_skus[2]', 'must have 1 to 64 characters'),
      problemAt('wrong_type', 'children_skus[3]', 'must be a string'),
    ]);
  });

  bounds('VAR-07', {
    send: sendGroup,
    accepted: {
      'no title': {},
      'a null title': { group_title: null },
      'an empty title': { group_title: '' },
      'a title of 2,000 characters': { group_title: '🧦'.repeat(2000) },
    },
    refused: {
      'a title of 2,001 characters': {
        body: { group_title: 'x'.repeat(2001) },
        problems: [problemAt('too_long', 'group_title', 'must have at most 2000 characters')],
      },
      'a title that is not a text': {
        body: { group_title: 7 },
        problems: [problemAt('wrong_type', 'group_title', 'must be a string')],
      },
    },
  });

  refuses('VAR-08', 'a child that was never uploaded', async (api) => {
    const [parent, child] = await uploadSizes(api, 'S', 'M');
    const unknown = api.newSkuId();
    await api.refused('PUT', variationPath(parent), groupOf([child, unknown]), [
      problemAt('child_unknown', 'children_skus[1]', `SKU ${unknown} not found`),
    ]);
    await hasNoGroup(api, parent);
  });

  refuses('VAR-09', 'a child that is archived', async (api) => {
    const [parent, child, archived] = await uploadSizes(api, 'S', 'M', 'L');
    await archive(api, skuPath(archived));
    await api.refused('PUT', variationPath(parent), groupOf([child, archived]), [
      problemAt('child_archived', 'children_skus[1]', `SKU ${archived} is archived`),
    ]);
  });
  accepts('VAR-09', 'a child that is unarchived again', async (api) => {
    const [parent, child] = await uploadSizes(api, 'S', 'M');
    await archive(api, skuPath(child));
    await api.accepted('PUT', `${skuPath(child)}/status/archive`, { is_archived: false });
    await putGroup(api, parent, [child]);
  });

  for (const [what, parentBrand, childBrand] of [
    ['the same brand', 'Potter & Sons', 'Potter & Sons'],
    ['another letter case', 'Potter & Sons', 'POTTER & sons'],
    ['letters that grow in upper case', 'Straßen-Schuh', 'STRASSEN-SCHUH'],
    ['another width', 'Potter 2', 'Ｐｏｔｔｅｒ　２'],
    ['another composition of accents', 'Caf\u00e9', 'Cafe\u0301'],
    ['other spaces', 'Potter Sons', ' Potter \u00a0\t Sons '],
    ['other punctuation', 'Potter & Sons, Ltd.', 'Potter-Sons (Ltd)'],
    ['punctuation behind a final sigma', 'ΝΙΚΟΣ.ΑΕ', 'νικος αε'],
  ] as const) {
    accepts('VAR-10', `${what} in the brand of a child`, async (api) => {
      const parent = await uploadMember(api, [attribute(SIZE, 'S')], { brand: parentBrand });
      const child = await uploadMember(api, [attribute(SIZE, 'M')], { brand: childBrand });
      await putGroup(api, parent, [child]);
      assert.deepEqual((await api.found(variationPath(parent))).excluded_skus, []);
    });
  }
  for (const [what, brand] of [
    ['a longer brand', 'Potter & Sons Garden'],
    ['a brand without the space', 'PotterSons'],
    ['a brand with other accents', 'Pötter & Sons'],
  ] as const) {
    refuses('VAR-10', `${what} for a child`, async (api) => {
      const [parent, first] = await uploadSizes(api, 'S', 'M');
      const child = await uploadMember(api, [attribute(SIZE, 'L')], { brand });
      await api.refused('PUT', variationPath(parent), groupOf([first, child]), [
        problemAt(
          'brand_differs',
          'children_skus[1]',
          `SKU ${child} must have the same brand as the parent, Potter & Sons`,
        ),
      ]);
    });
  }

  accepts('VAR-11', 'members that have every refinement attribute among others', async (api) => {
    const parent = await uploadMember(api, [attribute(7, 'x'), attribute(SIZE, 'S'), attribute(COLOR, 'red')]);
    const child = await uploadMember(api, [attribute(COLOR, 'blue'), attribute(SIZE, 'S')]);
    await putGroup(api, parent, [child], { variation_refinements: [SIZE, COLOR] });
  });
  refuses('VAR-11', 'a parent and children that lack a refinement attribute', async (api) => {
    const [parent, child] = await uploadSizes(api, 'S', 'M');
    const bare = api.newSkuId();
    await api.uploadedSku({}, bare);
    const body = groupOf([child, bare, parent], { variation_refinements: [SIZE, COLOR] });
    await api.refused('PUT', variationPath(parent), body, [
      problemAt('refinement_missing', 'variation_refinements[1]', `${COLOR} ${PARENT_LACKS}`),
      problemAt('refinement_missing', 'children_skus[0]', `SKU ${child} must have the attribute ${COLOR}`),
      problemAt('refinement_missing', 'children_skus[1]', `SKU ${bare} must have the attributes ${SIZE} and ${COLOR}`),
    ]);
  });

  accepts('VAR-12', "the parent's own id among the children, and ignores it", async (api) => {
    const [parent, child] = await uploadSizes(api, 'S', 'M');
    await putGroup(api, parent, [parent, child, parent]);
    assert.deepEqual((await api.found(variationPath(parent))).children_skus, [child]);
  });

  accepts('VAR-13', 'repeated children and refinements, each of which counts once', async (api) => {
    const [parent, a, b] = await uploadSizes(api, 'S', 'M', 'L');
    await putGroup(api, parent, [b, a, b, a], { variation_refinements: [SIZE, SIZE] });
    assert.deepEqual(await api.found(variationPath(parent)), { ...groupOf([b, a]), excluded_skus: [] });
  });

  accepts('VAR-14', 'a read of what was uploaded, children in the order sent', async (api) => {
    const [parent, a, b, c] = await uploadSizes(api, 'S', 'M', 'L', 'XL');
    await putGroup(api, parent, [c, a, b], { group_title: 'Pots "in" all sizes' });
    const expected = groupOf([c, a, b], { group_title: 'Pots "in" all sizes' });
    assert.deepEqual(await api.found(variationPath(parent)), { ...expected, excluded_skus: [] });
  });

  accepts('VAR-15', "a SKU read with the group in the parent's response only", async (api) => {
    const [parent, child] = await uploadSizes(api, 'S', 'S');
    await putGroup(api, parent, [child], { group_title: 'Pots' });
    const groupFields = Object.keys({ ...groupOf([]), group_title: '', excluded_skus: [] });
    const shown = async (skuId: string) =>
      Object.fromEntries(
        Object.entries(await api.found(skuPath(skuId))).filter(([name]) => groupFields.includes(name)),
      );
    assert.deepEqual(await shown(parent), groupOf([child], { group_title: 'Pots' }));
    assert.deepEqual(await shown(child), {});
  });

  refuses('VAR-16', 'to read the group of a SKU that is not a parent', async (api) => {
    const [parent, child, single] = await uploadSizes(api, 'S', 'M', 'L');
    await putGroup(api, parent, [child]);
    await hasNoGroup(api, child);
    await hasNoGroup(api, single);
  });

  refuses('VAR-17', 'a parent that was never uploaded', async (api) => {
    const [child] = await uploadSizes(api, 'S');
    await refusesUnknownSku(api, 'PUT', 'variation', groupOf([child]));
    await refusesUnknownSku(api, 'GET', 'variation');
  });

  refuses('VAR-18', 'a parent that is archived', async (api) => {
    const [child] = await uploadSizes(api, 'S');
    await refusesArchivedSku(api, 'PUT', 'variation', groupOf([child]));
  });
  accepts('VAR-18', 'to read the group of an archived parent', async (api) => {
    const [parent, child] = await uploadSizes(api, 'S', 'M');
    await putGroup(api, parent, [child]);
    await archive(api, skuPath(parent));
    assert.deepEqual((await api.found(variationPath(parent))).children_skus, [child]);
  });

  refuses('VAR-19', 'in the order of checks', (api) =>
    assertCheckOrder(api, 'PUT', 'variation', {
      faulty: {
        body: groupOf(['never-uploaded'], { relationship: 'variation' }),
        problems: [problemAt('not_allowed', 'relationship', 'must be exactly Variation')],
      },
      misfit: {
        body: groupOf(['never-uploaded']),
        problems: [
          problemAt('child_unknown', 'children_skus[0]', 'SKU never-uploaded not found'),
          problemAt('refinement_missing', 'variation_refinements[0]', `${SIZE} ${PARENT_LACKS}`),
        ],
      },
    }),
  );

  refuses('VAR-20', 'a body, with all its problems in one response', async (api) => {
    const [parent] = await uploadSizes(api, 'S');
    await api.refused(
      'PUT',
      variationPath(parent),
      { variation_refinements: [0], children_skus: [], group_title: [] },
      [
        problemAt('required', 'relationship', 'is required'),
        problemAt('too_small', 'variation_refinements[0]', ID_RULE),
        problemAt('too_few', 'children_skus', 'must have 1 to 2000 entries'),
        problemAt('wrong_type', 'group_title', 'must be a string'),
      ],
    );
  });

  accepts('VAR-21', 'a shoe SKU without a group, which needs none', async (api) => {
    const skuId = api.newSkuId();
    await api.accepted('PUT', `${skuPath(skuId)}/v2`, { ...minimalSku(), product_type_id: 37_005_005_000 });
    const { sub_status } = await api.found(skuPath(skuId));
    assert.ok(!(sub_status as string[]).includes('Missing variation information'), String(sub_status));
    await hasNoGroup(api, skuId);
  });
});
