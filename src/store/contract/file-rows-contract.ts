/** Contract tests for bulk rows: they never overwrite values newer than their file, and get its sequence number. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GroupUpload, NodeQuantity, PartWrite } from '../../domain/offers/part.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import type { OfferNumbers, WriteKey } from '../port/offers.ts';
import { textTag } from '../port/part-tags.ts';
import type { Store } from '../port.ts';
import { applied, startedFile } from './bulk-files.ts';
import {
  patchInventory,
  putGroup,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from './put-parts.ts';
import { readGroup, readReturnLocations, readShippingExceptions } from './read-parts.ts';
import {
  AUTHOR,
  DIFFICULT_IDS,
  documentOf,
  drawNumber,
  LATER_MS,
  NOW_MS,
  newAccountId,
  uploadedSkus,
} from './subject.ts';

/** A kind of row, the equivalent single call, and the values that both write. */
interface Kind {
  readonly type: FileType;
  readonly part: Exclude<keyof OfferNumbers, 'nodes' | 'inventory'> | 'node';
  /** Returns a row. The two variants write different values. */
  row(skuId: string, variant: 1 | 2): PartWrite;
  call(store: Store, key: WriteKey, variant: 1 | 2): Promise<unknown>;
  read(store: Store, key: WriteKey): Promise<unknown>;
  /** The results of `read`: before any write, after variant 1, and after variant 2. */
  readonly reads: readonly [unwritten: unknown, one: unknown, two: unknown];
}

/** All kinds of rows that are refused for an archived SKU. */
const KINDS: readonly Kind[] = [
  {
    type: 'MerchantSKUs',
    part: 'sku',
    row: (skuId, variant) => ({ part: 'sku', skuId, document: documentOf(`Brand ${variant}`) }),
    call: (store, key, variant) => putSku(store.offers, key, documentOf(`Brand ${variant}`), NOW_MS),
    read: async (store, key) => (await store.offers.readOffer(key))?.document,
    reads: [documentOf(), documentOf('Brand 1'), documentOf('Brand 2')],
  },
  {
    type: 'Price',
    part: 'price',
    row: (skuId, variant) => ({ part: 'price', skuId, price: variant, nodes: nodePrices(variant) }),
    call: (store, key, variant) =>
      putPrice(store.offers, key, { price: variant, nodes: nodePrices(variant) }, LATER_MS),
    read: async (store, key) => store.offers.readPrice(key),
    reads: [
      'unset',
      { price: 1, nodes: nodePrices(1), updatedMs: LATER_MS },
      { price: 2, nodes: nodePrices(2), updatedMs: LATER_MS },
    ],
  },
  {
    type: 'Inventory',
    part: 'node',
    row: (skuId, variant) => ({ part: 'inventory', skuId, quantities: [quantity('n', variant)] }),
    call: (store, key, variant) => patchInventory(store.offers, key, [quantity('n', variant)], LATER_MS),
    read: async (store, key) => (await store.offers.readInventory(key))?.nodes,
    reads: [[], [{ ...quantity('n', 1), updatedMs: LATER_MS }], [{ ...quantity('n', 2), updatedMs: LATER_MS }]],
  },
  {
    type: 'ShippingException',
    part: 'shipping_exception',
    row: (skuId, variant) => ({ part: 'shipping_exception', skuId, text: `[${variant}]` }),
    call: (store, key, variant) => putShippingExceptions(store.offers, key, `[${variant}]`, NOW_MS),
    read: async (store, key) => readShippingExceptions(store.offers, key),
    reads: ['unset', '[1]', '[2]'],
  },
  {
    type: 'ReturnsException',
    part: 'returns_exception',
    row: (skuId, variant) => ({ part: 'returns_exception', skuId, text: JSON.stringify([`dock "${variant}"`]) }),
    call: (store, key, variant) => putReturnLocations(store.offers, key, [`dock "${variant}"`], NOW_MS),
    read: async (store, key) => readReturnLocations(store.offers, key),
    reads: ['unset', ['dock "1"'], ['dock "2"']],
  },
  {
    type: 'Variation',
    part: 'variation',
    row: (skuId, variant) => ({ part: 'variation', skuId, group: groupOf(`Title ${variant}`) }),
    call: (store, key, variant) => putGroup(store.offers, key, groupOf(`Title ${variant}`), NOW_MS),
    read: async (store, key) => readGroup(store.offers, key),
    reads: ['unset', groupOf('Title 1'), groupOf('Title 2')],
  },
];

export function fileRowsContract(store: () => Store): void {
  const numbersOf = async (key: WriteKey) =>
    (await store().offers.readNumbers(key)) ?? assert.fail('The SKU must exist.');
  const numberOf = async (key: WriteKey, part: Kind['part']) => {
    const numbers = await numbersOf(key);
    return part === 'node' ? numbers.nodes.get('n') : numbers[part];
  };
  const start = (type: FileType, accountId: number) => startedFile(store(), type, accountId);

  for (const { type, part, row, call, read, reads } of KINDS) {
    const [unwritten, one, two] = reads;
    describe(`rows of type ${type}`, () => {
      test('replace values older than their file, with the number of the file', async () => {
        const at = await uploadedSkus(store(), ['old', 'none', 'other']);
        await call(store(), at('old'), 1);
        const before = await numbersOf(at('old'));
        const file = await start(type, at('').accountId);
        assert.deepEqual(await applied(store(), file, row('old', 2), row('none', 2)), ['stored', 'stored']);
        for (const skuId of ['old', 'none']) {
          assert.deepEqual(await read(store(), at(skuId)), two);
          assert.equal(await numberOf(at(skuId), part), file.number);
        }
        const after = await numbersOf(at('old'));
        const changed = part === 'node' ? { nodes: new Map([['n', file.number]]) } : { [part]: file.number };
        assert.deepEqual(after, { ...before, ...changed }, 'no other part has a new number');
        assert.deepEqual(await read(store(), at('other')), unwritten);
      });

      test('are superseded by later writes', async () => {
        const at = await uploadedSkus(store(), ['a', 'b']);
        const file = await start(type, at('').accountId);
        await call(store(), at('b'), 1);
        const number = await numberOf(at('b'), part);
        assert.deepEqual(await applied(store(), file, row('a', 2), row('b', 2)), ['stored', 'superseded']);
        assert.deepEqual(await read(store(), at('a')), two);
        assert.deepEqual(await read(store(), at('b')), one);
        assert.equal(await numberOf(at('b'), part), number);
      });

      test('have the same effect when they are repeated, and none after a newer write', async () => {
        const at = await uploadedSkus(store(), ['a', 'b']);
        const file = await start(type, at('').accountId);
        const rows = [row('a', 1), row('b', 1), row('a', 2)];
        for (let time = 0; time < 2; time++) {
          assert.deepEqual(await applied(store(), file, ...rows), ['stored', 'stored', 'stored']);
          assert.deepEqual([await read(store(), at('a')), await read(store(), at('b'))], [two, one]);
          assert.equal(await numberOf(at('a'), part), file.number);
        }
        await call(store(), at('a'), 1);
        assert.deepEqual(await applied(store(), file, ...rows), ['superseded', 'stored', 'superseded']);
        assert.deepEqual(await read(store(), at('a')), one);
      });

      test('rows of a late request are written with its number, and never over a newer write', async () => {
        const at = await uploadedSkus(store(), ['a', 'b']);
        await call(store(), at('a'), 1);
        const number = await drawNumber(store());
        const late = (skuId: string) =>
          store().offers.write(at(skuId), [row(skuId, 2)], LATER_MS, { firstRunNumber: number });
        for (let time = 0; time < 2; time++) {
          assert.equal(await late('a'), 'stored');
          assert.deepEqual(await read(store(), at('a')), two);
          assert.equal(await numberOf(at('a'), part), number);
        }
        await call(store(), at('b'), 1);
        assert.equal(await late('b'), 'stored');
        assert.deepEqual(await read(store(), at('b')), one);
        await setArchived(store().offers, at('b'), true, LATER_MS);
        assert.equal(await late('b'), 'archived');
      });

      test('rows of an older file do not undo rows of a newer file', async () => {
        const at = await uploadedSkus(store(), ['a']);
        const older = await start(type, at('').accountId);
        const newer = await start(type, at('').accountId);
        assert.deepEqual(await applied(store(), newer, row('a', 1)), ['stored']);
        assert.deepEqual(await applied(store(), older, row('a', 2)), ['superseded']);
        assert.deepEqual(await read(store(), at('a')), one);
        assert.equal(await numberOf(at('a'), part), newer.number);
        assert.notEqual(await call(store(), at('a'), 2), 'superseded');
        assert.deepEqual(await read(store(), at('a')), two);
      });

      test('are refused for an archived SKU, superseded or not', async () => {
        const at = await uploadedSkus(store(), ['a', 'b', 'c']);
        const file = await start(type, at('').accountId);
        await call(store(), at('a'), 1);
        for (const skuId of ['a', 'b']) await setArchived(store().offers, at(skuId), true, LATER_MS);
        const before = [await numbersOf(at('a')), await numbersOf(at('b'))];
        const outcomes = await applied(store(), file, row('a', 2), row('b', 2), row('c', 2));
        assert.deepEqual(outcomes, ['archived', 'archived', 'stored']);
        assert.deepEqual([await numbersOf(at('a')), await numbersOf(at('b'))], before);
      });

      if (type !== 'MerchantSKUs') {
        test('are refused for an unknown SKU', async () => {
          const at = await uploadedSkus(store(), ['a']);
          const file = await start(type, at('').accountId);
          assert.deepEqual(await applied(store(), file, row('never', 1), row('a', 1), row('A', 1)), [
            'unknown',
            'stored',
            'unknown',
          ]);
          assert.equal(await store().offers.readSkuState(at('never')), 'unknown');
        });
      }

      test('fill a whole slice, with any ids', async () => {
        const count = store().files.slice_rows_max;
        const skuIds = [...DIFFICULT_IDS, ...Array.from({ length: count }, (_, n) => `s-${n}`)].slice(0, count);
        const at = await uploadedSkus(store(), skuIds);
        const file = await start(type, at('').accountId);
        const outcomes = await applied(store(), file, ...skuIds.map((skuId) => row(skuId, 1)));
        assert.deepEqual(outcomes, Array(count).fill('stored'));
        for (const skuId of DIFFICULT_IDS) assert.deepEqual(await read(store(), at(skuId)), one, skuId);
      });
    });
  }

  test('an empty list writes nothing', async () => {
    const file = await start('Price', newAccountId());
    assert.deepEqual(await applied(store(), file), []);
  });

  describe('rows of new SKUs', () => {
    test('upload them in the order of the file, after existing SKUs', async () => {
      const at = await uploadedSkus(store(), ['z']);
      const { accountId } = at('');
      const file = await start('MerchantSKUs', accountId);
      const skuIds = ['b', 'é', 'a', 'B', 'z', 'c'];
      const rows = skuIds.map((skuId) => ({ part: 'sku', skuId, document: documentOf(skuId) }) as const);
      assert.deepEqual(await applied(store(), file, ...rows), Array(6).fill('stored'));
      const list = await store().offers.listSkus(accountId, { after: undefined, offset: 0, limit: 10 });
      assert.deepEqual(list, { skuIds: ['z', 'b', 'é', 'a', 'B', 'c'], more: false });
      assert.equal((await store().offers.readOffer(at('é')))?.document, documentOf('é'));
      assert.deepEqual(await store().offers.readInventory(at('a')), { nodes: [], stampMs: LATER_MS });
      assert.deepEqual(await store().offers.readInventory(at('z')), { nodes: [], stampMs: NOW_MS });
      const none = { price: 0, archive: 0, shipping_exception: 0, returns_exception: 0, variation: 0, inventory: 0 };
      assert.deepEqual(await store().offers.readNumbers(at('a')), { sku: file.number, ...none, nodes: new Map() });
    });

    test('of several rows with the same key, the last is stored, at the position of the first', async () => {
      const accountId = newAccountId();
      const file = await start('MerchantSKUs', accountId);
      const row = (skuId: string, brand: string) => ({ part: 'sku', skuId, document: documentOf(brand) }) as const;
      const rows = [row('b', 'first'), row('a', 'only'), row('b', 'last')];
      assert.deepEqual(await applied(store(), file, ...rows), ['stored', 'stored', 'stored']);
      const list = await store().offers.listSkus(accountId, { after: undefined, offset: 0, limit: 10 });
      assert.deepEqual(list, { skuIds: ['b', 'a'], more: false });
      const stored = await store().offers.readOffer({ accountId, skuId: 'b' });
      assert.equal(stored?.document, documentOf('last'));
      assert.equal(stored.documentTag, textTag(stored.document));
    });

    test('are superseded if the SKU was first uploaded later', async () => {
      const accountId = newAccountId();
      const file = await start('MerchantSKUs', accountId);
      const key = { accountId, skuId: 'a', by: AUTHOR };
      await putSku(store().offers, key, documentOf('newer'), NOW_MS);
      const row = { part: 'sku', skuId: 'a', document: documentOf('older') } as const;
      assert.deepEqual(await applied(store(), file, row), ['superseded']);
      const stored = await store().offers.readOffer(key);
      assert.equal(stored?.document, documentOf('newer'));
      assert.equal(stored.documentTag, textTag(stored.document));
    });

    test('belong only to the account of their file', async () => {
      const accountId = newAccountId();
      const row = { part: 'sku', skuId: 'a', document: documentOf() } as const;
      await applied(store(), await start('MerchantSKUs', accountId), row);
      assert.equal(await store().offers.readSkuState({ accountId: newAccountId(), skuId: 'a' }), 'unknown');
    });
  });

  describe('rows that clear', () => {
    test('count as writes, and are superseded like them', async () => {
      const at = await uploadedSkus(store(), ['a']);
      const { accountId } = at('');
      for (const [type, rowOf, clear] of [
        [
          'ShippingException',
          (exceptions: string | null): PartWrite => ({ part: 'shipping_exception', skuId: 'a', text: exceptions }),
          () => putShippingExceptions(store().offers, at('a'), null, NOW_MS),
        ],
        [
          'ReturnsException',
          (text: string | null): PartWrite => ({
            part: 'returns_exception',
            skuId: 'a',
            text: text === null ? null : JSON.stringify([text]),
          }),
          () => putReturnLocations(store().offers, at('a'), null, NOW_MS),
        ],
      ] as const) {
        const read = () =>
          type === 'ShippingException'
            ? readShippingExceptions(store().offers, at('a'))
            : readReturnLocations(store().offers, at('a'));
        const [first, second] = [await start(type, accountId), await start(type, accountId)];
        assert.deepEqual(await applied(store(), second, rowOf(null)), ['stored'], 'clears a value that was never set');
        assert.deepEqual(await applied(store(), first, rowOf('[]')), ['superseded'], 'the value was cleared later');
        assert.equal(await read(), 'unset');
        assert.deepEqual(await applied(store(), second, rowOf('[]'), rowOf(null)), ['stored', 'stored']);
        assert.equal(await read(), 'unset');
        const third = await start(type, accountId);
        await clear();
        assert.deepEqual(await applied(store(), third, rowOf('[]')), ['superseded']);
        assert.equal(await read(), 'unset');
      }
    });
  });
}

function quantity(nodeId: string, amount: number): NodeQuantity {
  return { fulfillment_node_id: nodeId, quantity: amount };
}

function nodePrices(variant: number) {
  return [{ fulfillment_node_id: 'é "1"', fulfillment_node_price: variant + 0.1 }];
}

function groupOf(title: string): GroupUpload {
  return { refinements: '[9223372036854775807]', title, childrenSkus: [] };
}
