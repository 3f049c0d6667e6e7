/** Contract tests for bulk rows that touch several parts of offers: stock, archive flag, groups, review marks. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { GroupUpload, NodeQuantity, PartWrite } from '../../domain/offers/part.ts';
import { FILE_TYPE_OF } from '../../domain/vocabulary/offer-parts.ts';
import type { SkuKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { applied, startedFile } from './bulk-files.ts';
import { doneBefore, dueIds, review, reviewOf, takeAnnounced, untilAnnounced } from './due-offers.ts';
import { patchInventory, putGroup, putPrice, putSku, setArchived } from './put-parts.ts';
import { readGroup } from './read-parts.ts';
import {
  type CreateDatabase,
  documentOf,
  type EmptyDatabase,
  LATER_MS,
  NOW_MS,
  sharedStore,
  uploadedKey,
  uploadedSkus,
} from './subject.ts';

const LATEST_MS = LATER_MS + 1000;

export function filePartsContract(store: () => Store, createDatabase: CreateDatabase): void {
  const numbersOf = async (key: SkuKey) =>
    (await store().offers.readNumbers(key)) ?? assert.fail('The SKU must exist.');
  const stockOf = async (key: SkuKey) => {
    const inventory = (await store().offers.readInventory(key)) ?? assert.fail('The SKU must exist.');
    return Object.fromEntries(inventory.nodes.map((node) => [node.fulfillment_node_id, node.quantity]));
  };

  describe('rows of stock', () => {
    test('write the nodes without a newer write, and are superseded when none is left', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('old', 1), quantity('new', 1)], NOW_MS);
      const file = await startedFile(store(), 'Inventory', key.accountId);
      await patchInventory(store().offers, key, [quantity('new', 2)], NOW_MS);
      const number = (await numbersOf(key)).nodes.get('new');
      const row = stockRow(key, quantity('new', 3), quantity('old', 3), quantity('none', 3));
      assert.deepEqual(await applied(store(), file, row), ['stored']);
      assert.deepEqual(await stockOf(key), { old: 3, new: 2, none: 3 });
      const { nodes, inventory } = await numbersOf(key);
      assert.deepEqual(
        nodes,
        new Map([
          ['old', file.number],
          ['new', number],
          ['none', file.number],
        ]),
      );
      assert.equal(inventory, 0);
      assert.deepEqual(await applied(store(), file, stockRow(key, quantity('new', 4))), ['superseded']);
      assert.deepEqual(await stockOf(key), { old: 3, new: 2, none: 3 });
    });

    test('rows without nodes change nothing', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('n', 1)], NOW_MS);
      const before = await numbersOf(key);
      const file = await startedFile(store(), 'Inventory', key.accountId);
      assert.deepEqual(await applied(store(), file, stockRow(key)), ['stored']);
      assert.deepEqual(await numbersOf(key), before);
      assert.deepEqual(await applied(store(), file, stockRow({ ...key, skuId: 'never' })), ['unknown']);
    });

    test('set no node of an offer that was zeroed later, including nodes without a record', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('n', 1)], NOW_MS);
      const file = await startedFile(store(), 'Inventory', key.accountId);
      for (const archived of [true, false]) await setArchived(store().offers, key, archived, LATER_MS);
      const rows = [stockRow(key, quantity('n', 5)), stockRow(key, quantity('none', 5))];
      assert.deepEqual(await applied(store(), file, ...rows), ['superseded', 'superseded']);
      assert.deepEqual(await stockOf(key), { n: 0 });
      const newer = await startedFile(store(), 'Inventory', key.accountId);
      assert.deepEqual(await applied(store(), newer, ...rows), ['stored', 'stored']);
      assert.deepEqual(await stockOf(key), { n: 5, none: 5 });
    });

    test('rows of one key are applied in their order', async () => {
      const key = await uploadedKey(store());
      const file = await startedFile(store(), 'Inventory', key.accountId);
      const rows = [
        stockRow(key, quantity('a', 1), quantity('b', 1)),
        stockRow(key, quantity('b', 2), quantity('__proto__', 2)),
        stockRow(key, quantity('a', 3)),
      ];
      assert.deepEqual(await applied(store(), file, ...rows), ['stored', 'stored', 'stored']);
      const { nodes } = (await store().offers.readInventory(key)) ?? assert.fail();
      const quantities = nodes.map((node) => [node.fulfillment_node_id, node.quantity]);
      assert.deepEqual(quantities, [
        ['__proto__', 2],
        ['a', 3],
        ['b', 2],
      ]);
    });
  });

  describe('rows that archive', () => {
    test('zero the stock and set its time and sequence number, as the single call does', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('n', 1)], NOW_MS);
      for (const archived of [true, false]) {
        const file = await startedFile(store(), 'Archive', key.accountId);
        assert.deepEqual(await applied(store(), file, archiveRow(key, archived)), ['stored']);
        assert.equal(await store().offers.readSkuState(key), archived ? 'archived' : 'open');
        assert.deepEqual(await store().offers.readInventory(key), {
          nodes: [{ ...quantity('n', 0), updatedMs: LATER_MS }],
          stampMs: null,
        });
        const { archive: flag, inventory, nodes } = await numbersOf(key);
        assert.deepEqual([flag, inventory, nodes], [file.number, file.number, new Map([['n', file.number]])]);
      }
    });

    test('leave nodes with newer writes unchanged', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('old', 1), quantity('new', 1)], NOW_MS);
      const file = await startedFile(store(), 'Archive', key.accountId);
      const between = await startedFile(store(), 'Inventory', key.accountId);
      await patchInventory(store().offers, key, [quantity('new', 2)], LATEST_MS);
      const number = (await numbersOf(key)).nodes.get('new');
      for (let time = 0; time < 2; time++) {
        assert.deepEqual(await applied(store(), file, archiveRow(key, true)), ['stored']);
        assert.equal(await store().offers.readSkuState(key), 'archived');
        assert.deepEqual(await store().offers.readInventory(key), {
          nodes: [
            { ...quantity('new', 2), updatedMs: LATEST_MS },
            { ...quantity('old', 0), updatedMs: LATER_MS },
          ],
          stampMs: null,
        });
        const { nodes, inventory } = await numbersOf(key);
        assert.deepEqual(
          nodes,
          new Map([
            ['new', number],
            ['old', file.number],
          ]),
        );
        assert.equal(inventory, file.number);
      }
      await setArchived(store().offers, key, false, LATEST_MS);
      assert.deepEqual(await stockOf(key), { new: 0, old: 0 });
      assert.deepEqual(await applied(store(), between, stockRow(key, quantity('old', 7))), ['superseded']);
    });

    test('are superseded if the flag changed later, and refused for an unknown SKU', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('n', 1)], NOW_MS);
      const file = await startedFile(store(), 'Archive', key.accountId);
      for (const archived of [true, false]) await setArchived(store().offers, key, archived, NOW_MS);
      await patchInventory(store().offers, key, [quantity('n', 2)], NOW_MS);
      const before = await numbersOf(key);
      const outcomes = await applied(store(), file, archiveRow(key, true), archiveRow({ ...key, skuId: 'no' }, true));
      assert.deepEqual(outcomes, ['superseded', 'unknown']);
      assert.equal(await store().offers.readSkuState(key), 'open');
      assert.deepEqual(await stockOf(key), { n: 2 });
      assert.deepEqual(await numbersOf(key), before);
    });

    test('are superseded if a later call set the same flag again', async () => {
      const key = await uploadedKey(store());
      const file = await startedFile(store(), 'Archive', key.accountId);
      await setArchived(store().offers, key, false, NOW_MS);
      assert.deepEqual(await applied(store(), file, archiveRow(key, true)), ['superseded']);
      assert.equal(await store().offers.readSkuState(key), 'open');
    });

    test('number only the flag if it has the requested value, and win over an older file', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('n', 1)], NOW_MS);
      const older = await startedFile(store(), 'Archive', key.accountId);
      const file = await startedFile(store(), 'Archive', key.accountId);
      const before = await numbersOf(key);
      assert.deepEqual(await applied(store(), file, archiveRow(key, false)), ['stored']);
      assert.deepEqual(await stockOf(key), { n: 1 });
      assert.deepEqual(await numbersOf(key), { ...before, archive: file.number });
      assert.deepEqual(await applied(store(), older, archiveRow(key, true)), ['superseded']);
      assert.equal(await store().offers.readSkuState(key), 'open');
    });

    test('rows of one key are applied in their order', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('n', 1)], NOW_MS);
      const file = await startedFile(store(), 'Archive', key.accountId);
      const rows = [archiveRow(key, true), archiveRow(key, true), archiveRow(key, false)];
      for (let time = 0; time < 2; time++) {
        assert.deepEqual(await applied(store(), file, ...rows), ['stored', 'stored', 'stored']);
        assert.equal(await store().offers.readSkuState(key), 'open');
        assert.deepEqual(await stockOf(key), { n: 0 });
      }
    });
  });

  describe('rows of groups', () => {
    const groupsOf = (at: (skuId: string) => SkuKey, skuIds: readonly string[]) =>
      Promise.all(skuIds.map(async (skuId) => (await numbersOf(at(skuId))).variation));

    test('give all members the number of the file, including members of a group that the rows end', async () => {
      const at = await uploadedSkus(store(), ['p', 'a', 'b', 'q', 'c']);
      await putGroup(store().offers, at('p'), groupOf('a', 'b'), NOW_MS);
      const file = await startedFile(store(), 'Variation', at('').accountId);
      assert.deepEqual(await applied(store(), file, groupRow('q', 'c', 'p')), ['stored']);
      assert.deepEqual(await readGroup(store().offers, at('q')), groupOf('c', 'p'));
      assert.equal(await readGroup(store().offers, at('p')), 'unset');
      assert.deepEqual(await groupsOf(at, ['p', 'a', 'b', 'q', 'c']), Array(5).fill(file.number));
    });

    test('are superseded by a newer group of the parent, or of any child', async () => {
      const at = await uploadedSkus(store(), ['p', 'a', 'b', 'q', 'r', 'c']);
      const file = await startedFile(store(), 'Variation', at('').accountId);
      await putGroup(store().offers, at('p'), groupOf('a'), NOW_MS);
      await putGroup(store().offers, at('q'), groupOf('b'), NOW_MS);
      const before = await groupsOf(at, ['p', 'a', 'b', 'q', 'r', 'c']);
      const rows = [groupRow('p', 'c'), groupRow('r', 'c', 'b'), groupRow('a')];
      assert.deepEqual(await applied(store(), file, ...rows), ['superseded', 'superseded', 'superseded']);
      assert.deepEqual(await groupsOf(at, ['p', 'a', 'b', 'q', 'r', 'c']), before);
      assert.deepEqual(await readGroup(store().offers, at('p')), groupOf('a'));
      assert.equal(await readGroup(store().offers, at('r')), 'unset');
      assert.deepEqual(await applied(store(), file, groupRow('r', 'c')), ['stored']);
    });

    test('name the children that cannot be in a group, even if a newer group exists', async () => {
      const at = await uploadedSkus(store(), ['p', 'a', 'gone']);
      const file = await startedFile(store(), 'Variation', at('').accountId);
      await setArchived(store().offers, at('gone'), true, NOW_MS);
      await putGroup(store().offers, at('p'), groupOf('a'), NOW_MS);
      const refused = [
        { skuId: 'never', state: 'unknown' },
        { skuId: 'gone', state: 'archived' },
      ];
      const rows = [groupRow('p', 'never', 'a', 'gone'), groupRow('a', 'never', 'gone'), groupRow('gone', 'a')];
      assert.deepEqual(await applied(store(), file, ...rows), [{ refused }, { refused }, 'archived']);
      assert.deepEqual(await readGroup(store().offers, at('p')), groupOf('a'));
    });

    test('are applied in order', async () => {
      const at = await uploadedSkus(store(), ['p', 'a', 'b', 'q']);
      const file = await startedFile(store(), 'Variation', at('').accountId);
      const rows = [groupRow('p', 'a', 'b'), groupRow('q', 'b'), groupRow('a', 'p')];
      for (let time = 0; time < 2; time++) {
        assert.deepEqual(await applied(store(), file, ...rows), ['stored', 'stored', 'stored']);
        assert.equal(await readGroup(store().offers, at('p')), 'unset');
        assert.deepEqual(await readGroup(store().offers, at('q')), groupOf('b'));
        assert.deepEqual(await readGroup(store().offers, at('a')), groupOf('p'));
      }
    });
  });

  describe('rows and the review', () => {
    let database: EmptyDatabase;
    before(async () => {
      database = await createDatabase();
    });
    const shared = sharedStore(async () => database);

    const causes: readonly (readonly [cause: string, rows: readonly PartWrite[], due: readonly string[]])[] = [
      ['an upload', [documentRow('bare'), documentRow('new')], ['bare', 'new']],
      ['a first price', [priceRow('bare'), priceRow('priced')], ['bare']],
      ['a first stock', [stockRow({ skuId: 'bare' }, quantity('n', 1))], ['bare']],
      ['stock of a known node', [stockRow({ skuId: 'priced' }, quantity('n', 9))], []],
      ['the first stock of a node', [stockRow({ skuId: 'priced' }, quantity('n', 9), quantity('m', 1))], ['priced']],
      ['archiving', [archiveRow({ skuId: 'bare' }, true), archiveRow({ skuId: 'priced' }, false)], ['bare']],
      ['a group', [groupRow('bare', 'priced')], ['bare', 'priced']],
      ['shipping exceptions', [{ part: 'shipping_exception', skuId: 'bare', text: '[]' }], []],
      ['return locations', [{ part: 'returns_exception', skuId: 'bare', text: JSON.stringify(['dock']) }], []],
    ];

    let prepared: ((skuId: string) => SkuKey)[];
    before(async () => {
      prepared = await doneBefore(database, shared(), (store) => Promise.all(causes.map(() => reviewedSkus(store))));
    });

    for (const [place, [cause, rows, due]] of causes.entries()) {
      test(`${cause}: ${due.length === 0 ? 'nothing is' : `${due.join(' and ')} ${due.length > 1 ? 'are' : 'is'}`} due`, async () => {
        const own = shared();
        const { accountId } = prepared[place]?.('') ?? assert.fail();
        await applied(own, await startedFile(own, FILE_TYPE_OF[rows[0]?.part ?? 'sku'], accountId), ...rows);
        assert.deepEqual((await dueIds(own, accountId)).toSorted(), due);
        if (due.length > 0) await untilAnnounced(own, accountId);
        // Other tests may have announced work for their own accounts.
        assert.ok(!(await takeAnnounced(own)).includes(accountId));
      });
    }

    test('superseded and refused rows mark nothing', async () => {
      const own = shared();
      const at = await uploadedSkus(own, ['newer', 'archived']);
      const { accountId } = at('');
      const file = await startedFile(own, 'MerchantSKUs', accountId);
      await putSku(own.offers, at('newer'), documentOf('newer'), LATER_MS);
      await setArchived(own.offers, at('archived'), true, LATER_MS);
      await review(own, accountId);
      const rows = [documentRow('newer'), documentRow('archived')];
      assert.deepEqual(await applied(own, file, ...rows), ['superseded', 'archived']);
      assert.deepEqual(await dueIds(own, accountId), []);
    });

    test('an offer that is written during its review stays due, even if the file is older than its mark', async () => {
      const own = shared();
      const at = await uploadedSkus(own, ['a']);
      const { accountId } = at('');
      const file = await startedFile(own, 'Price', accountId);
      await putSku(own.offers, at('a'), documentOf('newer'), LATER_MS);
      const reviewed = (await own.review.readDueOffers(accountId, 10)).map((offer) => reviewOf(offer));
      assert.deepEqual(await applied(own, file, priceRow('a')), ['stored']);
      await own.review.storeReviews(accountId, reviewed, NOW_MS);
      assert.deepEqual(await dueIds(own, accountId), ['a']);
      assert.equal((await own.review.readDueOffers(accountId, 10))[0]?.priced, true);
    });

    test('an offer whose key is repeated during its review stays due, even though both rows have the same number', async () => {
      const own = shared();
      const file = await startedFile(own, 'MerchantSKUs');
      const { accountId } = file;
      const row = (brand: string) => ({ part: 'sku', skuId: 'a', document: documentOf(brand) }) as const;
      await applied(own, file, row('first'));
      const reviewed = (await own.review.readDueOffers(accountId, 10)).map((offer) => reviewOf(offer));
      await applied(own, file, row('second'));
      await own.review.storeReviews(accountId, reviewed, NOW_MS);
      const due = await own.review.readDueOffers(accountId, 10);
      assert.deepEqual(
        due.map(({ document }) => document),
        [documentOf('second')],
      );
    });
  });
}

/** Uploads and reviews three SKUs of an account, one of them with a price and stock. */
async function reviewedSkus(store: Store): Promise<(skuId: string) => SkuKey> {
  const skus = await uploadedSkus(store, ['bare', 'priced', 'other']);
  await putPrice(store.offers, skus('priced'), { price: 1, nodes: [] }, NOW_MS);
  await patchInventory(store.offers, skus('priced'), [quantity('n', 1)], NOW_MS);
  await review(store, skus('').accountId);
  return skus;
}

function quantity(nodeId: string, amount: number): NodeQuantity {
  return { fulfillment_node_id: nodeId, quantity: amount };
}

function groupOf(...childrenSkus: string[]): GroupUpload {
  return { refinements: '[119]', title: null, childrenSkus };
}

function documentRow(skuId: string): PartWrite {
  return { part: 'sku', skuId, document: documentOf('of a row') };
}

function priceRow(skuId: string): PartWrite {
  return { part: 'price', skuId, price: 5, nodes: [] };
}

function stockRow({ skuId }: { skuId: string }, ...quantities: NodeQuantity[]): PartWrite {
  return { part: 'inventory', skuId, quantities };
}

function archiveRow({ skuId }: { skuId: string }, archived: boolean): PartWrite {
  return { part: 'archive', skuId, archived };
}

function groupRow(skuId: string, ...childrenSkus: string[]): PartWrite {
  return { part: 'variation', skuId, group: groupOf(...childrenSkus) };
}
