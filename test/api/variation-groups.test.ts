/** Tests variation groups over time: SKUs that move between groups, and excluded members. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, problemAt, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { archive } from './fixtures/check-order.ts';
import { together } from './fixtures/parallel.ts';
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

async function childrenOf(api: ApiClient, parent: string): Promise<unknown> {
  return (await api.found(variationPath(parent))).children_skus;
}

async function excludedOf(api: ApiClient, parent: string): Promise<unknown> {
  return (await api.found(variationPath(parent))).excluded_skus;
}

describeApi('membership of variation groups', ({ accepts, refuses }) => {
  accepts('VAR-22', 'a second upload, which replaces the whole group', async (api) => {
    const [parent, a, b, c] = await uploadSizes(api, 'S', 'M', 'L', 'XL');
    const withColor = [attribute(SIZE, 'S'), attribute(COLOR, 'red')];
    for (const skuId of [parent, c]) await uploadMember(api, withColor, {}, skuId);
    await putGroup(api, parent, [a, b], { group_title: 'Pots' });
    await putGroup(api, parent, [c], { variation_refinements: [COLOR] });
    const read = await api.found(variationPath(parent));
    assert.deepEqual(read, { ...groupOf([c], { variation_refinements: [COLOR] }), excluded_skus: [c] });
  });
  refuses('VAR-22', 'an invalid second upload, and keeps the group', async (api) => {
    const [parent, child] = await uploadSizes(api, 'S', 'M');
    await putGroup(api, parent, [child], { group_title: 'Pots' });
    await api.refused('PUT', variationPath(parent), groupOf([child, 'never-uploaded']), [
      problemAt('child_unknown', 'children_skus[1]', 'SKU never-uploaded not found'),
    ]);
    assert.deepEqual(await api.found(variationPath(parent)), {
      ...groupOf([child], { group_title: 'Pots' }),
      excluded_skus: [],
    });
  });

  refuses('VAR-20', 'members, with all their problems in one response', async (api) => {
    const [parent, archived] = await uploadSizes(api, 'S', 'M');
    const other = await uploadMember(api, [attribute(COLOR, 'red')], { brand: 'Another brand' });
    await archive(api, skuPath(archived));
    await api.refused('PUT', variationPath(parent), groupOf(['never-uploaded', archived, other]), [
      problemAt('child_unknown', 'children_skus[0]', 'SKU never-uploaded not found'),
      problemAt('child_archived', 'children_skus[1]', `SKU ${archived} is archived`),
      problemAt(
        'brand_differs',
        'children_skus[2]',
        `SKU ${other} must have the same brand as the parent, Potter & Sons`,
      ),
      problemAt('refinement_missing', 'children_skus[2]', `SKU ${other} must have the attribute ${SIZE}`),
    ]);
  });

  accepts('VAR-23', 'the child of another group, which moves', async (api) => {
    const [first, second, a, b] = await uploadSizes(api, 'S', 'M', 'L', 'XL');
    await putGroup(api, first, [a, b]);
    await putGroup(api, second, [a]);
    assert.deepEqual(await childrenOf(api, first), [b]);
    assert.deepEqual(await childrenOf(api, second), [a]);
    await putGroup(api, first, [a, b]);
    assert.deepEqual(await childrenOf(api, first), [a, b]);
    assert.deepEqual(await childrenOf(api, second), []);
  });

  accepts('VAR-24', 'the parent of another group as a child, which ends that group', async (api) => {
    const [first, second, a, b] = await uploadSizes(api, 'S', 'M', 'L', 'XL');
    await putGroup(api, first, [a]);
    await putGroup(api, second, [b, first]);
    await hasNoGroup(api, first);
    assert.equal((await api.found(skuPath(first))).relationship, undefined);
    assert.deepEqual(await childrenOf(api, second), [b, first]);
  });
  accepts('VAR-24', 'a parent together with its own children', async (api) => {
    const [first, second, a, b] = await uploadSizes(api, 'S', 'M', 'L', 'XL');
    for (const children of [
      [a, first, b],
      [first, b, a],
    ]) {
      await putGroup(api, first, [b, a]);
      await putGroup(api, second, children);
      await hasNoGroup(api, first);
      assert.deepEqual(await childrenOf(api, second), children);
    }
  });

  accepts('VAR-25', 'the child of a group as a parent, which leaves that group', async (api) => {
    const [first, child, a, b] = await uploadSizes(api, 'S', 'M', 'L', 'XL');
    await putGroup(api, first, [a, child]);
    await putGroup(api, child, [b]);
    assert.deepEqual(await childrenOf(api, first), [a]);
    assert.deepEqual(await childrenOf(api, child), [b]);
  });
  accepts('VAR-25', 'a child that names its parent as a child', async (api) => {
    const [first, child, a] = await uploadSizes(api, 'S', 'M', 'L');
    await putGroup(api, first, [a, child]);
    await putGroup(api, child, [first]);
    await hasNoGroup(api, first);
    assert.deepEqual(await childrenOf(api, child), [first]);
  });

  accepts('VAR-26', '50 parents that claim one child at once, of which one gets it', async (api) => {
    const [child] = await uploadSizes(api, 'child');
    const parents = await together(50, (i) => uploadMember(api, [attribute(SIZE, `${i}`)]));
    await together(50, (i) => putGroup(api, parents[i] ?? '', [child]));
    const held = await together(50, (i) => childrenOf(api, parents[i] ?? ''));
    assert.deepEqual(held.flat(), [child]);
    await hasNoGroup(api, child);
  });
  accepts('VAR-26', 'SKUs that claim each other at once, and leaves each in one group', async (api) => {
    const ring = await together(20, (i) => uploadMember(api, [attribute(SIZE, `${i}`)]));
    await together(20, (i) => putGroup(api, ring[i] ?? '', [ring[(i + 1) % 20] ?? '']));
    const members = await together(20, async (i) => {
      const { status, body } = await api.get(variationPath(ring[i] ?? ''));
      return status === 200 ? [ring[i], ...(body as { children_skus: string[] }).children_skus] : [];
    });
    assert.deepEqual(members.flat(), [...new Set(members.flat())]);
    assert.ok(members.flat().length > 0);
  });
  refuses('VAR-26', 'to group a child that is being archived', async (api) => {
    await together(20, async () => {
      const [parent, child] = await uploadSizes(api, 'S', 'M');
      const group = () => api.put(variationPath(parent), groupOf([child]));
      const early = group();
      const late = archive(api, skuPath(child)).then(group);
      const [{ status }, { status: lateStatus }] = await Promise.all([early, late]);
      assert.equal(lateStatus, 400);
      assert.equal((await api.get(variationPath(parent))).status, status === 202 ? 200 : 404);
    });
  });
});

describeApi('members left out of variation groups', ({ accepts }) => {
  accepts('VAR-27', 'members that repeat an earlier one, parent first, then as sent', async (api) => {
    const [parent, m, s, m2, l] = await uploadSizes(api, 'S', 'M', 'S', 'M', 'L');
    await putGroup(api, parent, [m2, s, m, l]);
    assert.deepEqual(await api.found(variationPath(parent)), {
      ...groupOf([m2, s, m, l]),
      excluded_skus: [s, m],
    });
    await putGroup(api, parent, [m, m2, l, s]);
    assert.deepEqual(await excludedOf(api, parent), [m2, s]);
  });

  accepts('VAR-28', 'members that differ in one of several refinements', async (api) => {
    const member = (size: string, color: string) =>
      uploadMember(api, [attribute(COLOR, color), attribute(SIZE, size), attribute(7, 'other')]);
    const parent = await member('S', 'red');
    const [a, b, again] = [await member('S', 'blue'), await member('M', 'red'), await member('M', 'red')];
    await putGroup(api, parent, [a, b, again], { variation_refinements: [SIZE, COLOR] });
    assert.deepEqual(await excludedOf(api, parent), [again]);
    await putGroup(api, parent, [a, b, again]);
    assert.deepEqual(await excludedOf(api, parent), [a, again]);
  });
  accepts('VAR-28', 'equal values with different units as different', async (api) => {
    const parent = await uploadMember(api, [attribute(SIZE, '10', 'inch')]);
    const other = await uploadMember(api, [attribute(SIZE, '10', 'cm')]);
    const same = await uploadMember(api, [attribute(SIZE, '10', 'inch')]);
    await putGroup(api, parent, [other, same]);
    assert.deepEqual(await excludedOf(api, parent), [same]);
  });
  accepts('VAR-28', 'the same values split differently between refinements as different', async (api) => {
    const parent = await uploadMember(api, [attribute(SIZE, 'a b'), attribute(COLOR, 'c')]);
    const other = await uploadMember(api, [attribute(SIZE, 'a'), attribute(COLOR, 'b c')]);
    await putGroup(api, parent, [other], { variation_refinements: [SIZE, COLOR] });
    assert.deepEqual(await excludedOf(api, parent), []);
  });

  accepts('VAR-29', 'an upload that ends or starts a repetition', async (api) => {
    const [parent, a, b] = await uploadSizes(api, 'S', 'S', 'M');
    await putGroup(api, parent, [a, b]);
    assert.deepEqual(await excludedOf(api, parent), [a]);
    await uploadMember(api, [attribute(SIZE, 'L')], {}, a);
    assert.deepEqual(await excludedOf(api, parent), []);
    await uploadMember(api, [attribute(SIZE, 'M')], {}, parent);
    assert.deepEqual(await excludedOf(api, parent), [b]);
    await uploadMember(api, [attribute(SIZE, 'S')], {}, parent);
    assert.deepEqual(await excludedOf(api, parent), []);
    assert.deepEqual(await childrenOf(api, parent), [a, b]);
  });

  accepts('VAR-30', 'an upload after which a member no longer matches the parent', async (api) => {
    const [parent, a, b] = await uploadSizes(api, 'S', 'M', 'L');
    await putGroup(api, parent, [a, b]);
    await uploadMember(api, [attribute(SIZE, 'M')], { brand: 'Another brand' }, a);
    await api.accepted('PUT', skuPath(b), minimalSku());
    assert.deepEqual(await excludedOf(api, parent), [a, b]);
    await uploadMember(api, [attribute(SIZE, 'M')], {}, a);
    assert.deepEqual(await excludedOf(api, parent), [b]);
    assert.deepEqual(await childrenOf(api, parent), [a, b]);
  });

  accepts('VAR-31', 'a SKU upload, which leaves the group as it is', async (api) => {
    const [parent, a] = await uploadSizes(api, 'S', 'M');
    await putGroup(api, parent, [a], { group_title: 'Pots' });
    const before = await api.found(variationPath(parent));
    await uploadMember(api, [attribute(SIZE, 'S')], { product_title: 'Described anew' }, parent);
    assert.deepEqual(await api.found(variationPath(parent)), before);
  });
});
