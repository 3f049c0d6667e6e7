/** Contract tests for bulk rows of several parts: each row is written whole or not at all, with the number of its file. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authorOfFile } from '../../domain/author.ts';
import type { OfferRow } from '../../domain/offers/part.ts';
import type { WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { applied, movedTo, startedFile } from './bulk-files.ts';
import { dueIds } from './due-offers.ts';
import { historyOf } from './history-contract.ts';
import { patchInventory, putPrice, putReturnLocations, putSku, setArchived } from './put-parts.ts';
import { readReturnLocations, readShippingExceptions } from './read-parts.ts';
import { AUTHOR, documentOf, LATER_MS, NOW_MS, newAccountId, uploadedSkus } from './subject.ts';

const quantity = (node: string, amount: number) => ({ fulfillment_node_id: node, quantity: amount });
const sku = (skuId: string, brand = 'New') => ({ part: 'sku', skuId, document: documentOf(brand) }) as const;
const price = (skuId: string, amount: number) => ({ part: 'price', skuId, price: amount, nodes: [] }) as const;
const stock = (skuId: string, ...nodes: [string, number][]) =>
  ({ part: 'inventory', skuId, quantities: nodes.map(([node, amount]) => quantity(node, amount)) }) as const;

function rowOf(...parts: OfferRow['parts']): OfferRow {
  return { part: 'offer', skuId: parts[0].skuId, parts };
}

/** A row with every part. */
function wholeRow(skuId: string, amount: number): OfferRow {
  return rowOf(
    sku(skuId, `Brand ${amount}`),
    price(skuId, amount),
    stock(skuId, ['n', amount], ['z', 0]),
    { part: 'shipping_exception', skuId, text: `[${amount}]` },
    { part: 'returns_exception', skuId, text: JSON.stringify([`dock ${amount}`]) },
  );
}

export function fileOffersContract(store: () => Store): void {
  const start = (accountId: number) => startedFile(store(), 'Offers', accountId);
  const keyOf = (accountId: number, skuId: string): WriteKey => ({ accountId, skuId, by: AUTHOR });
  /** Returns all parts without their times. */
  async function read(key: WriteKey) {
    const { offers } = store();
    const priced = await offers.readPrice(key);
    const stocked = await offers.readInventory(key);
    return {
      document: (await offers.readOffer(key))?.document,
      price: typeof priced === 'string' ? priced : priced.price,
      stock: stocked?.nodes.map(({ fulfillment_node_id: id, quantity: amount }) => [id, amount]),
      shipping: await readShippingExceptions(offers, key),
      returns: await readReturnLocations(offers, key),
    };
  }
  const whole = (amount: number) => ({
    document: documentOf(`Brand ${amount}`),
    price: amount,
    stock: [
      ['n', amount],
      ['z', 0],
    ],
    shipping: `[${amount}]`,
    returns: [`dock ${amount}`],
  });

  describe('rows of several parts', () => {
    test('write all parts of new and known SKUs, with the number of the file', async () => {
      const at = await uploadedSkus(store(), ['old']);
      const { accountId } = at('');
      await putPrice(store().offers, at('old'), { price: 1, nodes: [] }, NOW_MS);
      const file = await start(accountId);
      const outcomes = await applied(store(), file, wholeRow('old', 2), wholeRow('new', 3), rowOf(price('old', 4)));
      assert.deepEqual(outcomes, ['stored', 'stored', 'stored']);
      assert.deepEqual(await read(at('old')), { ...whole(2), price: 4 });
      assert.deepEqual(await read(at('new')), whole(3));
      for (const skuId of ['old', 'new']) {
        const numbers = await store().offers.readNumbers(at(skuId));
        const { sku: document, price: amount, shipping_exception, returns_exception } = numbers ?? assert.fail();
        const { number } = file;
        assert.deepEqual([document, amount, shipping_exception, returns_exception], [number, number, number, number]);
        assert.deepEqual(
          [...(numbers?.nodes ?? [])],
          [
            ['n', number],
            ['z', number],
          ],
        );
      }
      assert.deepEqual((await dueIds(store(), accountId)).toSorted(), ['new', 'old']);
      const changes = (await historyOf(store(), at('old'))).filter(({ by }) => by === authorOfFile(file.fileId));
      assert.deepEqual(changes.map(({ part }) => part).toSorted(), [
        'inventory',
        'price',
        'returns_exception',
        'shipping_exception',
        'sku',
      ]);
    });

    test('are refused whole if the SKU is unknown or archived', async () => {
      const at = await uploadedSkus(store(), ['open', 'archived']);
      await setArchived(store().offers, at('archived'), true, NOW_MS);
      const before = await read(at('archived'));
      const file = await start(at('').accountId);
      const rows = [
        rowOf(price('unknown', 1), stock('unknown', ['n', 1])),
        wholeRow('archived', 1),
        rowOf(stock('archived', ['n', 1])),
        rowOf(stock('open', ['n', 1]), { part: 'returns_exception', skuId: 'open', text: null }),
      ];
      assert.deepEqual(await applied(store(), file, ...rows), ['unknown', 'archived', 'archived', 'stored']);
      assert.equal(await store().offers.readSkuState(at('unknown')), 'unknown');
      assert.deepEqual(await read(at('archived')), before);
      assert.deepEqual((await read(at('open'))).stock, [['n', 1]]);
    });

    test('leave later writes alone part by part and node by node, and are superseded if nothing is left', async () => {
      const at = await uploadedSkus(store(), ['some', 'all']);
      const file = await start(at('').accountId);
      await putPrice(store().offers, at('some'), { price: 9, nodes: [] }, NOW_MS);
      await patchInventory(store().offers, at('some'), [quantity('n', 9)], NOW_MS);
      await putSku(store().offers, at('all'), documentOf('Later'), NOW_MS);
      await putReturnLocations(store().offers, at('all'), ['later'], NOW_MS);
      const rows = [
        wholeRow('some', 2),
        rowOf(sku('all'), { part: 'returns_exception', skuId: 'all', text: '["file"]' }),
      ];
      assert.deepEqual(await applied(store(), file, ...rows), ['stored', 'superseded']);
      assert.deepEqual(await read(at('some')), {
        ...whole(2),
        price: 9,
        stock: [
          ['n', 9],
          ['z', 0],
        ],
      });
      const { document, returns } = await read(at('all'));
      assert.deepEqual([document, returns], [documentOf('Later'), ['later']]);
    });

    test('of one SKU are applied in order, also if the first of them adds it', async () => {
      const accountId = newAccountId();
      const file = await start(accountId);
      const outcomes = await applied(
        store(),
        file,
        rowOf(price('a', 1)),
        rowOf(sku('b', 'first'), price('b', 1)),
        rowOf(sku('a', 'first'), price('a', 2)),
        rowOf(stock('b', ['n', 1], ['m', 1])),
        rowOf(sku('b', 'second'), price('b', 3), stock('b', ['n', 2])),
      );
      assert.deepEqual(outcomes, ['unknown', 'stored', 'stored', 'stored', 'stored']);
      const [a, b] = [await read(keyOf(accountId, 'a')), await read(keyOf(accountId, 'b'))];
      assert.deepEqual([a.document, a.price], [documentOf('first'), 2]);
      assert.deepEqual([b.document, b.price], [documentOf('second'), 3]);
      assert.deepEqual(b.stock, [
        ['m', 1],
        ['n', 2],
      ]);
      const page = await store().offers.listSkus(accountId, { after: undefined, offset: 0, limit: 10 });
      assert.deepEqual(page, { skuIds: ['b', 'a'], more: false });
    });

    test('change nothing when a slice runs again, and nothing if the file was cancelled', async () => {
      const accountId = newAccountId();
      const file = await start(accountId);
      const rows = [wholeRow('a', 1), wholeRow('b', 2)];
      await applied(store(), file, ...rows);
      const [first, told] = [await read(keyOf(accountId, 'a')), await historyOf(store(), keyOf(accountId, 'a'))];
      assert.deepEqual(await applied(store(), file, ...rows), ['stored', 'stored']);
      assert.deepEqual(await read(keyOf(accountId, 'a')), first);
      assert.deepEqual(await historyOf(store(), keyOf(accountId, 'a')), told);
      await store().files.cancelFile(accountId, file.fileId, LATER_MS);
      const done = movedTo(file, { offset: 10 });
      assert.equal(await store().files.applyRows(file, done, [wholeRow('a', 3)], LATER_MS), 'stale');
      assert.deepEqual(await read(keyOf(accountId, 'a')), first);
    });
  });
}
