/** Contract tests for variation groups: a SKU is in at most one group. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GroupUpload } from '../../domain/offers/part.ts';
import type { Store } from '../port.ts';
import { review } from './due-offers.ts';
import { putGroup, putSku, setArchived } from './put-parts.ts';
import { readGroup } from './read-parts.ts';
import { AUTHOR, DIFFICULT_IDS, documentOf, LATER_MS, NOW_MS, newKey, uploadedKey, uploadedSkus } from './subject.ts';

export function groupContract(store: () => Store): void {
  describe('variation groups', () => {
    test('are unset until they are sent, unknown for an unknown SKU', async () => {
      assert.equal(await readGroup(store().offers, await uploadedKey(store())), 'unset');
      assert.equal(await readGroup(store().offers, newKey()), 'unknown');
    });

    test('a group reads back as sent, alone and with the offer of its parent only', async () => {
      const at = await uploadedSkus(store(), ['p', 'c1', 'c2', 'c3']);
      const group: GroupUpload = {
        refinements: '[9223372036854775807,119]',
        title: 'Shirts 😀',
        childrenSkus: ['c3', 'c1', 'c2'],
      };
      assert.equal(await putGroup(store().offers, at('p'), group, NOW_MS), 'stored');
      assert.deepEqual(await readGroup(store().offers, at('p')), group);
      assert.deepEqual((await store().offers.readOffer(at('p')))?.group, group);
      assert.equal(await readGroup(store().offers, at('c1')), 'unset');
      assert.equal((await store().offers.readOffer(at('c1')))?.group, null);
    });

    test('a second upload replaces the group; children that it omits leave it', async () => {
      const at = await uploadedSkus(store(), ['p', 'c1', 'c2', 'q']);
      await putGroup(store().offers, at('p'), { refinements: '[1]', title: 'Old', childrenSkus: ['c1', 'c2'] }, NOW_MS);
      const group = groupOf('c2');
      assert.equal(await putGroup(store().offers, at('p'), group, NOW_MS), 'stored');
      assert.deepEqual(await readGroup(store().offers, at('p')), group);

      await putGroup(store().offers, at('q'), groupOf('c1'), NOW_MS);
      assert.deepEqual(await readGroup(store().offers, at('p')), group);
      assert.deepEqual(await readGroup(store().offers, at('q')), groupOf('c1'));
    });

    test('a child that is named in another group moves there; the last one leaves an empty group', async () => {
      const at = await uploadedSkus(store(), ['p', 'q', 'c1', 'c2', 'c3']);
      await putGroup(store().offers, at('p'), groupOf('c1', 'c2', 'c3'), NOW_MS);
      await putGroup(store().offers, at('q'), groupOf('c2'), NOW_MS);
      assert.deepEqual(await readGroup(store().offers, at('p')), groupOf('c1', 'c3'));
      assert.deepEqual(await readGroup(store().offers, at('q')), groupOf('c2'));

      await putGroup(store().offers, at('q'), groupOf('c3', 'c1', 'c2'), NOW_MS);
      assert.deepEqual(await readGroup(store().offers, at('p')), groupOf());
      assert.deepEqual(await readGroup(store().offers, at('q')), groupOf('c3', 'c1', 'c2'));
    });

    test('a parent that becomes a child ends its own group, and the other members leave it', async () => {
      const at = await uploadedSkus(store(), ['p', 'q', 'c1', 'c2']);
      await putGroup(store().offers, at('p'), groupOf('c1', 'c2'), NOW_MS);
      await putGroup(store().offers, at('q'), groupOf('p', 'c2'), NOW_MS);
      assert.equal(await readGroup(store().offers, at('p')), 'unset');
      assert.equal((await store().offers.readOffer(at('p')))?.group, null);
      assert.deepEqual(await readGroup(store().offers, at('q')), groupOf('p', 'c2'));

      await putGroup(store().offers, at('c1'), groupOf(), NOW_MS);
      assert.deepEqual(await readGroup(store().offers, at('q')), groupOf('p', 'c2'));
    });

    test('a child that becomes a parent leaves the group it was in', async () => {
      const at = await uploadedSkus(store(), ['p', 'c1', 'c2', 'c3']);
      await putGroup(store().offers, at('p'), groupOf('c1', 'c2'), NOW_MS);
      await putGroup(store().offers, at('c1'), groupOf('c3'), NOW_MS);
      assert.deepEqual(await readGroup(store().offers, at('p')), groupOf('c2'));
      assert.deepEqual(await readGroup(store().offers, at('c1')), groupOf('c3'));
    });

    test('a child that becomes the parent of its parent ends the old group', async () => {
      const at = await uploadedSkus(store(), ['p', 'c1', 'c2', 'c3']);
      await putGroup(store().offers, at('p'), groupOf('c1', 'c2', 'c3'), NOW_MS);
      await putGroup(store().offers, at('c1'), groupOf('c2', 'p'), NOW_MS);
      assert.equal(await readGroup(store().offers, at('p')), 'unset');
      assert.deepEqual(await readGroup(store().offers, at('c1')), groupOf('c2', 'p'));
    });

    test('groups are found by any member, each once, with excluded members, due members and evidence', async () => {
      const at = await uploadedSkus(store(), ['p', 'c1', 'c2', 'q', 'alone']);
      const { accountId } = at('p');
      const sized = (size: string, brand = 'Weaver') =>
        JSON.stringify({
          brand,
          attributes_node_specific: [
            { attribute_id: 119, attribute_value: 'ignored' },
            { attribute_id: 120, attribute_value: size },
          ],
        });
      await putSku(store().offers, at('p'), sized('S'), LATER_MS);
      await putSku(store().offers, at('c1'), sized('M'), LATER_MS);
      await putSku(store().offers, at('c2'), sized('S'), LATER_MS);
      await putGroup(store().offers, at('p'), { ...groupOf('c2', 'c1'), refinements: '[120]' }, NOW_MS);
      await putGroup(store().offers, at('q'), { ...groupOf(), refinements: '[9223372036854775807]' }, NOW_MS);
      const repeats = { parent: 'p', leftOut: { why: 'values_repeated', of: 'p "é" 😀' } } as const;
      const inGroup = { parent: 'p', leftOut: null };
      const earlier = { parent: 'p', traits: 'of an earlier version', leftOut: null };
      await review(store(), accountId, {
        p: { catalog: { codes: [], products: [] }, group: earlier },
        c2: { group: repeats, images: {} },
        c1: { group: inGroup },
      });
      await putSku(store().offers, at('c1'), sized('M', 'Other'), LATER_MS);
      await putSku(store().offers, at('new'), sized('L'), LATER_MS);
      await putGroup(store().offers, at('new'), { ...groupOf(), refinements: '[120]' }, NOW_MS);
      const groups = await store().review.readGroupsOf(accountId, ['c1', 'alone', 'q', 'p', 'new', 'unknown']);
      assert.deepEqual(
        groups.toSorted((a, b) => (a.parentSkuId < b.parentSkuId ? -1 : 1)),
        [
          { parentSkuId: 'new', members: [{ skuId: 'new', due: true, leftOut: null, reviewed: null }] },
          {
            parentSkuId: 'p',
            members: [
              { skuId: 'p', due: false, leftOut: null, reviewed: inGroup },
              { skuId: 'c2', due: false, leftOut: { why: 'values_repeated', of: 'p' }, reviewed: repeats },
              { skuId: 'c1', due: true, leftOut: { why: 'brand_differs' }, reviewed: inGroup },
            ],
          },
          {
            parentSkuId: 'q',
            members: [{ skuId: 'q', due: false, leftOut: { why: 'refinement_missing' }, reviewed: null }],
          },
        ],
      );
      assert.deepEqual(await store().review.readGroupsOf(newKey().accountId, ['p']), []);
    });

    test('a group is refused for an unknown and an archived parent', async () => {
      const at = await uploadedSkus(store(), ['p', 'c1', 'c2']);
      await putGroup(store().offers, at('p'), groupOf('c1'), NOW_MS);
      await setArchived(store().offers, at('p'), true, NOW_MS);
      assert.equal(await putGroup(store().offers, at('never'), groupOf('c1'), NOW_MS), 'unknown');
      assert.equal(await putGroup(store().offers, at('p'), groupOf('c2', 'never'), NOW_MS), 'archived');
      assert.deepEqual(await readGroup(store().offers, at('p')), groupOf('c1'));
      assert.equal(await readGroup(store().offers, at('never')), 'unknown');
    });

    test('unknown and archived children are named in the order sent, and nothing changes', async () => {
      const at = await uploadedSkus(store(), ['p', 'q', 'c1', 'c2', 'gone']);
      await putGroup(store().offers, at('p'), groupOf('c1'), NOW_MS);
      await putGroup(store().offers, at('q'), groupOf('c2'), NOW_MS);
      await setArchived(store().offers, at('gone'), true, NOW_MS);
      assert.deepEqual(await putGroup(store().offers, at('p'), groupOf('z', 'c2', 'gone', 'q', 'a'), NOW_MS), {
        refused: [
          { skuId: 'z', state: 'unknown' },
          { skuId: 'gone', state: 'archived' },
          { skuId: 'a', state: 'unknown' },
        ],
      });
      assert.deepEqual(await readGroup(store().offers, at('p')), groupOf('c1'));
      assert.deepEqual(await readGroup(store().offers, at('q')), groupOf('c2'));
    });

    test('archiving a member leaves it in its group', async () => {
      const at = await uploadedSkus(store(), ['p', 'c1', 'c2']);
      await putGroup(store().offers, at('p'), groupOf('c1', 'c2'), NOW_MS);
      await setArchived(store().offers, at('c1'), true, NOW_MS);
      assert.deepEqual(await readGroup(store().offers, at('p')), groupOf('c1', 'c2'));
    });

    test('a group can have two thousand children with any ids', async () => {
      const children = [...DIFFICULT_IDS, ...Array.from({ length: 2000 - DIFFICULT_IDS.length }, (_, n) => `c-${n}`)];
      const at = await uploadedSkus(store(), ['p', ...children]);
      assert.equal(await putGroup(store().offers, at('p'), groupOf(...children), NOW_MS), 'stored');
      assert.deepEqual(await readGroup(store().offers, at('p')), groupOf(...children));
    });
  });

  describe('members of a group', () => {
    test('existing ones are returned in the requested order, with the data for the rules', async () => {
      const { accountId } = newKey();
      const attributes = '[{"attribute_id":9223372036854775807,"attribute_value":"Ä \\" 😀"}]';
      const document = `{"brand":"Brand \\"É\\" 😀","attributes_node_specific":${attributes}}`;
      await putSku(store().offers, { accountId, skuId: 'a', by: AUTHOR }, document, NOW_MS);
      await putSku(store().offers, { accountId, skuId: 'b', by: AUTHOR }, documentOf('Plain'), NOW_MS);
      await setArchived(store().offers, { accountId, skuId: 'b', by: AUTHOR }, true, NOW_MS);
      const asked = ['b', 'never', 'a', 'A'];
      const refinements = [119, 9_223_372_036_854_775_807n];
      assert.deepEqual(await store().offers.readMembers(accountId, asked, refinements), [
        { skuId: 'b', brand: 'Plain', brandClass: 0, valuesClass: 0, missing: [0, 1], archived: true },
        { skuId: 'a', brand: 'Brand "É" 😀', brandClass: 1, valuesClass: 1, missing: [0], archived: false },
      ]);
    });

    test('the latest document is used', async () => {
      const key = await uploadedKey(store());
      await putSku(store().offers, key, documentOf('Newer'), LATER_MS);
      assert.deepEqual(await store().offers.readMembers(key.accountId, [key.skuId], [119]), [
        { skuId: key.skuId, brand: 'Newer', brandClass: 0, valuesClass: 0, missing: [0], archived: false },
      ]);
    });

    test('an empty request and one for another account return nothing', async () => {
      const key = await uploadedKey(store());
      assert.deepEqual(await store().offers.readMembers(key.accountId, [], [119]), []);
      assert.deepEqual(await store().offers.readMembers(newKey().accountId, [key.skuId], [119]), []);
    });

    test('2,001 can be read at once, with any ids', async () => {
      const skuIds = [...Array.from({ length: 2001 - DIFFICULT_IDS.length }, (_, n) => `m-${n}`), ...DIFFICULT_IDS];
      const at = await uploadedSkus(store(), skuIds);
      const asked = skuIds.toReversed();
      assert.deepEqual(
        await store().offers.readMembers(at('').accountId, asked, [119]),
        asked.map((skuId) => ({
          skuId,
          brand: 'Acme',
          brandClass: 0,
          valuesClass: 0,
          missing: [0],
          archived: false,
        })),
      );
    });
  });
}

function groupOf(...childrenSkus: string[]): GroupUpload {
  return { refinements: '[119]', title: null, childrenSkus };
}
