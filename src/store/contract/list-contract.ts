/** Contract tests for listing the SKUs of an account. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Store } from '../port.ts';
import { putSku, setArchived } from './put-parts.ts';
import { DIFFICULT_IDS, documentOf, LATER_MS, NOW_MS, newAccountId, uploadedSkus } from './subject.ts';

export function listContract(store: () => Store): void {
  describe('list of SKUs', () => {
    const all = { after: undefined, offset: 0, limit: 1000 };

    test('the list of an account without SKUs is empty', async () => {
      assert.deepEqual(await store().offers.listSkus(newAccountId(), all), { skuIds: [], more: false });
    });

    test('is in order of first upload, unaffected by later uploads and archiving, for one account only', async () => {
      const at = await uploadedSkus(store(), ['z', 'a', 'M']);
      await uploadedSkus(store(), ['b', 'z']);
      await putSku(store().offers, at('z'), documentOf('Newer'), LATER_MS);
      await setArchived(store().offers, at('a'), true, LATER_MS);
      await putSku(store().offers, at('b'), documentOf(), LATER_MS);
      assert.deepEqual(await store().offers.listSkus(at('').accountId, all), {
        skuIds: ['z', 'a', 'M', 'b'],
        more: false,
      });
    });

    test('is read in pages; `more` says whether another page follows', async () => {
      const at = await uploadedSkus(store(), ['5', '4', '3', '2', '1']);
      const { accountId } = at('');
      const list = (after: string | undefined, offset: number, limit: number) =>
        store().offers.listSkus(accountId, { after, offset, limit });
      assert.deepEqual(await list(undefined, 0, 2), { skuIds: ['5', '4'], more: true });
      assert.deepEqual(await list(undefined, 2, 2), { skuIds: ['3', '2'], more: true });
      assert.deepEqual(await list(undefined, 4, 2), { skuIds: ['1'], more: false });
      assert.deepEqual(await list(undefined, 3, 2), { skuIds: ['2', '1'], more: false });
      assert.deepEqual(await list(undefined, 5, 2), { skuIds: [], more: false });
      assert.deepEqual(await list(undefined, 1_000_000_000, 2), { skuIds: [], more: false });
      assert.deepEqual(await list('4', 0, 2), { skuIds: ['3', '2'], more: true });
      assert.deepEqual(await list('4', 1, 2), { skuIds: ['2', '1'], more: false });
      assert.deepEqual(await list('1', 0, 2), { skuIds: [], more: false });
    });

    test('an `after` that the account does not have is unknown', async () => {
      const at = await uploadedSkus(store(), ['a']);
      const other = await uploadedSkus(store(), ['theirs']);
      for (const after of ['A', 'theirs', '']) {
        assert.equal(await store().offers.listSkus(at('').accountId, { ...all, after }), 'after_unknown');
      }
      assert.equal(await store().offers.listSkus(newAccountId(), { ...all, after: 'a' }), 'after_unknown');
      assert.deepEqual(await store().offers.listSkus(other('').accountId, all), { skuIds: ['theirs'], more: false });
    });

    test('`after` may be an archived SKU', async () => {
      const at = await uploadedSkus(store(), ['a', 'b']);
      await setArchived(store().offers, at('a'), true, NOW_MS);
      assert.deepEqual(await store().offers.listSkus(at('').accountId, { ...all, after: 'a' }), {
        skuIds: ['b'],
        more: false,
      });
    });

    test('all kinds of ids are returned as sent, page by page', async () => {
      const at = await uploadedSkus(store(), DIFFICULT_IDS);
      const listed: string[] = [];
      for (let after: string | undefined; ; after = listed.at(-1)) {
        const page = await store().offers.listSkus(at('').accountId, { after, offset: 0, limit: 1 });
        assert.ok(page !== 'after_unknown');
        listed.push(...page.skuIds);
        if (!page.more) break;
      }
      assert.deepEqual(listed, DIFFICULT_IDS);
    });
  });
}
