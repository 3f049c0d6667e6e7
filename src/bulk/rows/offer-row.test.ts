/** Tests rows of type Offers: what they write, which columns and fields their errors name, and for which files they wait. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileEngine, NODE, SKU_BODY } from '../testing/file-engine.ts';

const stock = (quantity: number) => ({ fulfillment_nodes: [{ fulfillment_node_id: NODE.id, quantity }] });
const UNKNOWN_NODE = { fulfillment_nodes: [{ fulfillment_node_id: 'nowhere', quantity: 1 }] };

describe('rows of whole offers', () => {
  it('write the parts that they have, in every format', async () => {
    const contents = [
      JSON.stringify({ a: { price: { price: 2 }, inventory: stock(3), sku: SKU_BODY } }),
      `{"merchant_sku": "a", "inventory": ${JSON.stringify(stock(3))}, "price": {"price": 2}, "sku": ${JSON.stringify(SKU_BODY)}}`,
      `sku,price,stock_1_node_id,stock_1_quantity,${Object.keys(SKU_BODY)}\na,2,${NODE.id},3,${Object.values(SKU_BODY)}\n`,
    ];
    for (const content of contents) {
      const engine = new FileEngine();
      const file = await engine.send('Offers', content);
      assert.equal(await engine.run(file), 'ended');
      assert.deepEqual(await engine.errors(file), {});
      const [row] = engine.applied;
      assert.ok(row?.part === 'offer');
      assert.deepEqual(
        row.parts.map(({ part }) => part),
        ['sku', 'price', 'inventory'],
      );
      assert.equal(await engine.price('a'), 2);
    }
  });

  it('are refused whole, with the problems of all parts, by field and by column', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    const json = await engine.send('Offers', { a: { price: { price: 0 }, inventory: UNKNOWN_NODE }, b: {}, c: 1 });
    await engine.run(json);
    const found = await engine.errors(json);
    assert.deepEqual(
      Object.values(found).map(({ details }) => details.map(({ code, field }) => [code, field])),
      [
        [
          ['too_small', '/price/price'],
          ['fulfillment_node_unknown', '/inventory/fulfillment_nodes/0/fulfillment_node_id'],
        ],
        [['required', '']],
        [['body_not_object', '']],
      ],
    );
    const csv = await engine.send(
      'Offers',
      'sku,price,stock_2_node_id,stock_2_quantity\na,1,nowhere,x\nb,,,\na,1,nowhere,1\n',
    );
    await engine.run(csv);
    const { errorExcerpt } = await engine.progress(csv);
    assert.deepEqual(errorExcerpt, [
      'a: stock_2_quantity: must be an integer from 0 to 2147483647',
      'b: The body must have at least one of: sku, price, inventory, shipping_exception, returns_exception',
      'a: stock_2_node_id: must be one of your fulfillment nodes: see GET /fulfillment-nodes',
    ]);
    assert.deepEqual([engine.applied, await engine.price('a')], [[], undefined]);
  });

  it('never change the archive flag: a row of an archived SKU leaves it as it is', async () => {
    const engine = new FileEngine();
    await engine.upload('open', 'archived');
    await engine.put({ skuId: 'archived', part: 'archive', archived: true });
    const price = { price: { price: 2 } };
    const file = await engine.send(
      'Offers',
      `{"archived": ${JSON.stringify({ is_archived: true, price: { price: 0 } })},
        "open": ${JSON.stringify({ is_archived: true, ...price })},
        "unknown": ${JSON.stringify({ is_archived: true, ...price })},
        "archived": ${JSON.stringify({ is_archived: false, ...price })},
        "text": ${JSON.stringify({ is_archived: 'no', price: { price: 0 } })},
        "open": ${JSON.stringify({ is_archived: false, status: 'x', sub_status: [], group: 1, variation: {}, ...price })}}`,
    );
    await engine.run(file);
    assert.deepEqual(await engine.errorCodes(file), {
      open: ['not_allowed'],
      unknown: ['sku_unknown'],
      archived: ['sku_archived'],
      text: ['wrong_type', 'too_small'],
    });
    const { rowsProcessed, rowsFailed, ignoredFields } = await engine.progress(file);
    assert.deepEqual([rowsProcessed, rowsFailed, await engine.price('open')], [6, 4, 2]);
    assert.deepEqual(ignoredFields, [
      { field: '/group', rows: 1 },
      { field: '/variation', rows: 1 },
    ]);
    assert.match(
      String((await engine.errors(file)).open?.errors),
      /^is_archived: must be false, because the SKU is not archived/,
    );
  });

  it('of unknown SKUs name what is wrong if they have the data of the SKU', async () => {
    const engine = new FileEngine();
    const file = await engine.send('Offers', {
      new: { sku: SKU_BODY, inventory: UNKNOWN_NODE },
      unknown: { inventory: UNKNOWN_NODE },
    });
    await engine.run(file);
    assert.deepEqual(await engine.errorCodes(file), { new: ['fulfillment_node_unknown'], unknown: ['sku_unknown'] });
  });

  it('are only checked if the file is validated', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    const rows = { a: { price: { price: 1 } }, b: { price: { price: 1 } }, c: { sku: SKU_BODY } };
    const file = await engine.send('Offers', rows, undefined, true);
    await engine.run(file);
    assert.deepEqual(await engine.errorCodes(file), { b: ['sku_unknown'] });
    assert.deepEqual([engine.applied, await engine.price('a')], [[], undefined]);
  });
});

describe('files of whole offers and other files', () => {
  it('wait for each other where one may add the SKUs of the other', async () => {
    const engine = new FileEngine();
    const skus = await engine.send('MerchantSKUs', { a: SKU_BODY });
    const offers = await engine.send('Offers', {
      a: { price: { price: 1 } },
      b: { sku: SKU_BODY, price: { price: 2 } },
    });
    const prices = await engine.send('Price', { b: { price: 3 } });
    const returns = await engine.send('ReturnsException', { b: { return_location_ids: ['returns-1'] } });
    assert.equal(await engine.handle('ReturnsException'), 10_000);
    assert.equal(await engine.run(prices), 'waiting');
    assert.equal(await engine.run(offers), 'waiting');
    assert.equal((await engine.progress(offers)).rowsProcessed, 1);
    await engine.run(skus);
    assert.equal(await engine.run(offers), 'ended');
    assert.equal(await engine.run(prices), 'ended');
    assert.equal(await engine.handle('ReturnsException'), undefined);
    for (const file of [offers, prices, returns]) assert.equal(await engine.status(file), 'Processed successfully');
    assert.deepEqual([await engine.price('a'), await engine.price('b')], [1, 3]);
  });

  it('keep the order of submission for each part, whichever runs first', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    const offers = await engine.send('Offers', { a: { price: { price: 1 }, inventory: stock(1) } });
    const prices = await engine.send('Price', { a: { price: 2 } });
    await engine.run(prices);
    await engine.run(offers);
    assert.equal(await engine.price('a'), 2);
    assert.deepEqual((await engine.progress(offers)).rowsSuperseded, 0);
    const late = await engine.send('Offers', { a: { price: { price: 3 } } });
    await engine.put({ skuId: 'a', part: 'price', price: 4, nodes: [] });
    await engine.run(late);
    assert.deepEqual([(await engine.progress(late)).rowsSuperseded, await engine.price('a')], [1, 4]);
  });

  it('wait for earlier Archive files, because an archived SKU refuses all parts', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    await engine.put({ skuId: 'a', part: 'archive', archived: true });
    await engine.send('Archive', { a: { is_archived: false } });
    const offers = await engine.send('Offers', { a: { price: { price: 1 } } });
    assert.equal(await engine.handle('Offers'), 10_000);
    await engine.handle('Archive');
    assert.equal(await engine.handle('Offers'), undefined);
    assert.equal(await engine.status(offers), 'Processed successfully');
  });
});
