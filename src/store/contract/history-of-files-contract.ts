/** Contract tests for the history of bulk rows: a file gets one record for each part that it changed. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authorOfFile } from '../../domain/author.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import type { OfferChange, UndoablePart } from '../../domain/offers/history.ts';
import type { PartWrite } from '../../domain/offers/part.ts';
import type { WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { applied, startedFile } from './bulk-files.ts';
import { historyOf } from './history-contract.ts';
import { patchInventory, putGroup, putPrice, setArchived } from './put-parts.ts';
import { documentOf, LATER_MS, NOW_MS, uploadedSkus } from './subject.ts';

type Told = readonly [part: string, before: unknown, after: unknown];

const quantity = (node: string, amount: number) => ({ fulfillment_node_id: node, quantity: amount });
const priceOf = (price: number) => ({ price, nodes: [] });
const priceRow = (skuId: string, price: number): PartWrite => ({ part: 'price', skuId, ...priceOf(price) });
const stockRow = (skuId: string, ...nodes: readonly (readonly [string, number])[]): PartWrite => {
  return { part: 'inventory', skuId, quantities: nodes.map(([node, amount]) => quantity(node, amount)) };
};
const groupOf = (...childrenSkus: string[]) => ({ refinements: '[1]', title: null, childrenSkus });

export function historyOfFilesContract(store: () => Store): void {
  /** Returns the changes recorded for the file, newest first. */
  const toldOf = async (key: WriteKey, file: BulkFile): Promise<readonly Told[]> => {
    const changes = (await historyOf(store(), key)).filter((change) => change.by === authorOfFile(file.fileId));
    for (const { atMs } of changes) assert.equal(atMs, LATER_MS);
    return changes.flatMap(tellings);
  };
  const start = (type: BulkFile['type'], accountId: number) => startedFile(store(), type, accountId);

  describe('the history of rows of files', () => {
    test('names the file, for new and for replaced parts', async () => {
      const at = await uploadedSkus(store(), ['a', 'b']);
      await putPrice(store().offers, at('a'), priceOf(1), NOW_MS);
      const file = await start('Price', at('').accountId);
      await applied(store(), file, priceRow('a', 2), priceRow('b', 3));
      assert.deepEqual(await toldOf(at('a'), file), [['price', priceOf(1), priceOf(2)]]);
      assert.deepEqual(await toldOf(at('b'), file), [['price', null, priceOf(3)]]);
    });

    test('records documents of new and changed SKUs, not of unchanged ones', async () => {
      const at = await uploadedSkus(store(), ['same', 'changed']);
      const file = await start('MerchantSKUs', at('').accountId);
      const row = (skuId: string, brand?: string): PartWrite => ({ part: 'sku', skuId, document: documentOf(brand) });
      await applied(store(), file, row('new', 'N'), row('same'), row('changed', 'C'));
      assert.deepEqual(await toldOf(at('new'), file), [['sku', null, documentOf('N')]]);
      assert.deepEqual(await toldOf(at('same'), file), []);
      assert.deepEqual(await toldOf(at('changed'), file), [['sku', documentOf(), documentOf('C')]]);
    });

    test('records the archive flag with the zeroed stock, exceptions and groups', async () => {
      const at = await uploadedSkus(store(), ['a', 'p', 'q']);
      await patchInventory(store().offers, at('a'), [quantity('n', 4), quantity('z', 0)], NOW_MS);
      await putGroup(store().offers, at('q'), groupOf('p'), NOW_MS);
      const { accountId } = at('');
      const archiving = await start('Archive', accountId);
      await applied(store(), archiving, { part: 'archive', skuId: 'a', archived: true });
      assert.deepEqual(
        new Set(await toldOf(at('a'), archiving)),
        new Set<Told>([
          ['inventory n', 4, 0],
          ['archive', false, true],
        ]),
      );
      const shipping = await start('ShippingException', accountId);
      await applied(store(), shipping, { part: 'shipping_exception', skuId: 'p', text: '[1]' });
      assert.deepEqual(await toldOf(at('p'), shipping), [['shipping_exception', null, '[1]']]);
      const returns = await start('ReturnsException', accountId);
      await applied(store(), returns, { part: 'returns_exception', skuId: 'p', text: JSON.stringify(['x']) });
      assert.deepEqual(await toldOf(at('p'), returns), [['returns_exception', null, '["x"]']]);
      const grouping = await start('Variation', accountId);
      await applied(store(), grouping, { part: 'variation', skuId: 'p', group: groupOf('q') });
      assert.deepEqual(await toldOf(at('p'), grouping), [['variation', null, groupOf('q')]]);
      assert.deepEqual(await toldOf(at('q'), grouping), [['variation', groupOf('p'), null]]);
    });

    test('reads what a file changed, and whether it was changed since', async () => {
      const at = await uploadedSkus(store(), ['kept', 'again', 'new', 'other']);
      const { accountId } = at('');
      for (const skuId of ['kept', 'again']) await putPrice(store().offers, at(skuId), priceOf(1), NOW_MS);
      const prices = await start('Price', accountId);
      await applied(store(), prices, ...['kept', 'again', 'new'].map((skuId) => priceRow(skuId, 2)));
      await putPrice(store().offers, at('again'), priceOf(3), LATER_MS);
      const skuIds = ['kept', 'again', 'new', 'other', 'never'];
      const changesBy = async (file: BulkFile, part: UndoablePart) => {
        const changes = await store().history.readChangesBy(accountId, authorOfFile(file.fileId), part, skuIds);
        return new Map(changes.map(({ skuId, ...change }) => [skuId, change]));
      };
      const price = (before: object | null, isChangedSince: boolean) => ({
        before: { part: 'price', before },
        isChangedSince,
      });
      assert.deepEqual(
        await changesBy(prices, 'price'),
        new Map([
          ['kept', price(priceOf(1), false)],
          ['again', price(priceOf(1), true)],
          ['new', price(null, false)],
        ]),
      );
      assert.deepEqual(await changesBy(prices, 'archive'), new Map());

      for (const skuId of ['kept', 'again']) {
        await patchInventory(store().offers, at(skuId), [quantity('n', 4), quantity('z', 5)], NOW_MS);
      }
      const stock = await start('Inventory', accountId);
      await applied(store(), stock, ...['kept', 'again'].map((skuId) => stockRow(skuId, ['n', 6], ['new', 7])));
      await patchInventory(store().offers, at('kept'), [quantity('z', 8)], LATER_MS);
      await patchInventory(store().offers, at('again'), [quantity('n', 8)], LATER_MS);
      const nodes = [
        { nodeId: 'n', before: 4 },
        { nodeId: 'new', before: null },
      ];
      const changed = await changesBy(stock, 'inventory');
      for (const [skuId, isChangedSince] of [
        ['kept', false],
        ['again', true],
      ] as const) {
        const { before, ...rest } = changed.get(skuId) ?? assert.fail();
        assert.deepEqual(rest, { isChangedSince });
        assert.ok(before.part === 'inventory');
        assert.deepEqual(new Set(before.nodes), new Set(nodes));
      }
      assert.equal(changed.size, 2);

      const flags = await start('Archive', accountId);
      await applied(store(), flags, { part: 'archive', skuId: 'other', archived: true });
      const archive = { before: { part: 'archive', before: false }, isChangedSince: false };
      assert.deepEqual(await changesBy(flags, 'archive'), new Map([['other', archive]]));
      await setArchived(store().offers, at('other'), false, LATER_MS);
      assert.deepEqual(await changesBy(flags, 'archive'), new Map([['other', { ...archive, isChangedSince: true }]]));
    });

    test('reads the stock that archiving set to 0, of offers that are archived', async () => {
      const at = await uploadedSkus(store(), ['by call', 'by file', 'back', 'empty', 'sold']);
      const { accountId } = at('');
      for (const skuId of ['by call', 'by file', 'back', 'sold']) {
        await patchInventory(store().offers, at(skuId), [quantity('n', 4), quantity('z', 0)], NOW_MS);
      }
      for (const skuId of ['by call', 'back', 'empty']) await setArchived(store().offers, at(skuId), true, LATER_MS);
      const file = await start('Archive', accountId);
      await applied(store(), file, { part: 'archive', skuId: 'by file', archived: true });
      await setArchived(store().offers, at('back'), false, LATER_MS + 1);
      const found = await store().history.readArchivedStock(accountId, [
        'by call',
        'by file',
        'back',
        'empty',
        'sold',
        'x',
      ]);
      const before = { part: 'inventory', nodes: [{ nodeId: 'n', before: 4 }] };
      assert.deepEqual(
        new Map(found.map((each) => [each.skuId, each.before])),
        new Map([
          ['by call', before],
          ['by file', before],
        ]),
      );
    });

    test('omits rows that are superseded, archived or unknown', async () => {
      const at = await uploadedSkus(store(), ['newer', 'archived', 'part']);
      const { accountId } = at('');
      const [prices, stock] = [await start('Price', accountId), await start('Inventory', accountId)];
      await putPrice(store().offers, at('newer'), priceOf(9), NOW_MS);
      await setArchived(store().offers, at('archived'), true, NOW_MS);
      await patchInventory(store().offers, at('part'), [quantity('a', 9)], NOW_MS);
      const outcomes = await applied(store(), prices, ...['newer', 'archived', 'unknown'].map((id) => priceRow(id, 1)));
      assert.deepEqual(outcomes, ['superseded', 'archived', 'unknown']);
      for (const skuId of ['newer', 'archived']) assert.deepEqual(await toldOf(at(skuId), prices), []);
      await applied(store(), stock, stockRow('part', ['a', 1], ['b', 2]));
      assert.deepEqual(await toldOf(at('part'), stock), [['inventory b', null, 2]]);
    });

    test('has one change per part, however many rows of the file change it', async () => {
      const at = await uploadedSkus(store(), ['a', 'late']);
      for (const skuId of ['a', 'late']) await putPrice(store().offers, at(skuId), priceOf(1), NOW_MS);
      const file = await start('Price', at('').accountId);
      await applied(
        store(),
        file,
        ...[priceRow('a', 2), priceRow('a', 3), priceRow('late', 1), priceRow('late', 5), priceRow('late', 6)],
      );
      assert.deepEqual(await toldOf(at('a'), file), [['price', priceOf(1), priceOf(3)]]);
      assert.deepEqual(await toldOf(at('late'), file), [['price', priceOf(1), priceOf(6)]]);
    });

    test('has one change per node', async () => {
      const at = await uploadedSkus(store(), ['a']);
      await patchInventory(store().offers, at('a'), [quantity('n', 1), quantity('m', 1)], NOW_MS);
      const file = await start('Inventory', at('').accountId);
      await applied(store(), file, stockRow('a', ['n', 2]), stockRow('a', ['m', 2], ['n', 3]), stockRow('a', ['m', 4]));
      assert.deepEqual(await toldOf(at('a'), file), [
        ['inventory m', 1, 4],
        ['inventory n', 1, 3],
      ]);
    });

    for (const [type, rows] of REPEATED) {
      test(`the history of type ${type} has one entry for rows that are repeated after a crash`, async () => {
        const at = await uploadedSkus(store(), ['a', 'b', 'c', 'd']);
        const file = await start(type, at('').accountId);
        await applied(store(), file, ...rows);
        const read = () => Promise.all(['a', 'b', 'c', 'd'].map((skuId) => historyOf(store(), at(skuId))));
        const before = await read();
        assert.ok(before.flat().some((change) => change.by === authorOfFile(file.fileId)));
        // The progress has not advanced, as when a process continues after another was killed.
        await applied(store(), file, ...rows);
        await applied(store(), file, ...rows);
        assert.deepEqual(await read(), before);
      });
    }

    test('is in order when rows and single calls alternate', async () => {
      const at = await uploadedSkus(store(), ['a']);
      const { accountId } = at('');
      await putPrice(store().offers, at('a'), priceOf(1), NOW_MS);
      const file = await start('Price', accountId);
      await applied(store(), file, priceRow('a', 2));
      await putPrice(store().offers, at('a'), priceOf(3), NOW_MS);
      assert.deepEqual(await applied(store(), file, priceRow('a', 4)), ['superseded']);
      assert.deepEqual((await historyOf(store(), at('a'))).slice(0, 3).flatMap(tellings), [
        ['price', priceOf(2), priceOf(3)],
        ['price', priceOf(1), priceOf(2)],
        ['price', null, priceOf(1)],
      ]);
    });
  });
}

/** Rows of each type. Some write the same part more than once. */
const REPEATED: readonly (readonly [BulkFile['type'], readonly PartWrite[]])[] = [
  [
    'MerchantSKUs',
    ['One', 'Two', 'Three'].flatMap((brand): PartWrite[] => [
      { part: 'sku', skuId: 'a', document: documentOf(brand) },
      { part: 'sku', skuId: 'new', document: documentOf(brand) },
    ]),
  ],
  ['Price', [priceRow('a', 1), priceRow('b', 1), priceRow('a', 2), priceRow('b', 1)]],
  ['Inventory', [stockRow('a', ['n', 1], ['m', 2]), stockRow('a', ['n', 3]), stockRow('b', ['n', 1])]],
  [
    'ShippingException',
    ['[1]', '[2]', null, '[3]'].map((exceptions) => ({ part: 'shipping_exception', skuId: 'a', text: exceptions })),
  ],
  ['ReturnsException', ['["x"]', null, '["y"]'].map((text) => ({ part: 'returns_exception', skuId: 'a', text }))],
  ['Archive', [true, false, true].map((archived) => ({ part: 'archive', skuId: 'a', archived }))],
  [
    'Variation',
    [
      { part: 'variation', skuId: 'a', group: groupOf('b', 'c') },
      { part: 'variation', skuId: 'd', group: groupOf('c') },
      { part: 'variation', skuId: 'a', group: groupOf('b') },
    ],
  ],
];

function tellings(change: OfferChange): readonly Told[] {
  if (change.part !== 'inventory') return [[change.part, change.before, change.after]];
  return change.nodes.map(({ nodeId, before, after }) => [`inventory ${nodeId}`, before, after]);
}
