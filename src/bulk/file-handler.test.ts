/** Tests which file runs when: order, file types, rows that wait for another file, and time shares among merchants. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FileType } from '../domain/vocabulary/file-types.ts';
import { fileName } from '../files/file-storage.ts';
import { fileKind } from '../store/port/files.ts';
import { FileEngine, memberBody, NODE, SKU_BODY } from './testing/file-engine.ts';

describe('files of one type', () => {
  it('run one after the other in the order of submission', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    const files = await Promise.all([1, 2, 3].map((price) => engine.send('Price', { a: { price } })));
    const order: string[] = [];
    engine.beforeRows = ({ fileId }) => {
      order.push(fileId);
    };
    assert.equal(await engine.handle('Price'), undefined);
    assert.deepEqual(
      order,
      files.map(({ fileId }) => fileId),
    );
    assert.equal(await engine.price('a'), 3);
    assert.equal(engine.ended, 3);
  });

  it('are done if there are no files', async () => {
    assert.equal(await new FileEngine().handle('Price'), undefined);
  });

  it('of other accounts are not touched', async () => {
    const engine = new FileEngine();
    const other = await new FileEngine().send('Price', { a: { price: 1 } });
    assert.equal(await engine.handle('Price'), undefined);
    assert.equal(await engine.status(other), 'Acknowledged');
  });

  it('continue after one that was cancelled meanwhile', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    const first = await engine.send('Price', { a: { price: 1 } });
    const second = await engine.send('Price', { a: { price: 2 } });
    engine.beforeRows = async ({ fileId }) => {
      if (fileId === first.fileId) await engine.cancel(first);
    };
    assert.equal(await engine.handle('Price'), 100, 'looked at again soon');
    assert.equal(await engine.handle('Price'), undefined);
    assert.deepEqual(
      [await engine.status(first), await engine.status(second)],
      ['Cancelled', 'Processed successfully'],
    );
  });
});

describe('files of several types', () => {
  const group = { relationship: 'Variation', variation_refinements: [1], children_skus: ['b'] };
  const behind: readonly [FileType, object][] = [
    ['Variation', group],
    ['ShippingException', {}],
    ['ReturnsException', {}],
  ];
  for (const [type, body] of behind) {
    it(`${type} files wait for SKU files that were submitted before`, async () => {
      const engine = new FileEngine();
      const skus = await engine.send('MerchantSKUs', { a: memberBody('a'), b: memberBody('b') });
      const file = await engine.send(type, { a: body });
      assert.equal(await engine.handle(type), 10_000);
      assert.equal(await engine.status(file), 'Acknowledged');
      assert.equal(await engine.handle('MerchantSKUs'), undefined);
      assert.equal(await engine.handle(type), undefined);
      assert.deepEqual(
        [await engine.status(skus), await engine.status(file)],
        ['Processed successfully', 'Processed successfully'],
      );
    });

    it(`${type} files do not wait for SKU files that were submitted later`, async () => {
      const engine = new FileEngine();
      await engine.upload('a', 'b');
      const file = await engine.send(type, { a: body });
      await engine.send('MerchantSKUs', { a: SKU_BODY });
      assert.equal(await engine.handle(type), undefined);
      assert.equal(await engine.status(file), 'Processed successfully');
    });
  }

  const free: readonly [FileType, object][] = [
    ['Price', { price: 1 }],
    ['Inventory', { fulfillment_nodes: [{ fulfillment_node_id: NODE.id, quantity: 1 }] }],
    ['Archive', { is_archived: false }],
  ];
  for (const [type, body] of free) {
    it(`${type} files do not wait for SKU files`, async () => {
      const engine = new FileEngine();
      await engine.upload('a');
      const skus = await engine.send('MerchantSKUs', { b: SKU_BODY });
      const file = await engine.send(type, { a: body });
      assert.equal(await engine.handle(type), undefined);
      assert.deepEqual(
        [await engine.status(skus), await engine.status(file)],
        ['Acknowledged', 'Processed successfully'],
      );
    });
  }
});

describe('stock', () => {
  const stock = { fulfillment_nodes: [{ fulfillment_node_id: NODE.id, quantity: 1 }] };

  it('waits for Archive files that were submitted before, so that SKUs they unarchive accept it', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    const flags = await engine.send('Archive', { a: { is_archived: false } });
    const file = await engine.send('Inventory', { a: stock });
    assert.equal(await engine.handle('Inventory'), 10_000);
    assert.equal(await engine.status(file), 'Acknowledged');
    assert.equal(await engine.handle('Archive'), undefined);
    assert.equal(await engine.handle('Inventory'), undefined);
    assert.deepEqual(
      [await engine.status(flags), await engine.status(file)],
      ['Processed successfully', 'Processed successfully'],
    );
  });

  it('does not wait for Archive files that were submitted later', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    const file = await engine.send('Inventory', { a: stock });
    await engine.send('Archive', { a: { is_archived: true } });
    assert.equal(await engine.handle('Inventory'), undefined);
    assert.equal(await engine.status(file), 'Processed successfully');
  });
});

describe('rows of SKUs that an earlier file may add', () => {
  it('are deferred, and retried when that file is finished', async () => {
    const engine = new FileEngine({ slice_rows_max: 2 });
    await engine.upload('a', 'e');
    const skus = await engine.send('MerchantSKUs', { b: SKU_BODY, d: SKU_BODY });
    const prices = {
      a: { price: 1 },
      b: { price: 2 },
      c: { price: 3 },
      x: { price: 'x' },
      d: { price: 4 },
      e: { price: 5 },
    };
    const file = await engine.send('Price', prices);

    assert.equal(await engine.handle('Price'), 10_000);
    assert.equal(await engine.status(file), 'Processing');
    const waiting = await engine.progress(file);
    assert.deepEqual(
      [waiting.phase, waiting.rowsWaiting, waiting.rowsProcessed, waiting.rowsFailed],
      ['waiting', 3, 3, 1],
    );
    assert.deepEqual([await engine.price('a'), await engine.price('e')], [1, 5]);

    await engine.handle('MerchantSKUs');
    assert.equal(await engine.status(skus), 'Processed successfully');
    assert.equal(await engine.handle('Price'), undefined);
    assert.equal(await engine.status(file), 'Processed with errors');
    const done = await engine.progress(file);
    assert.deepEqual([done.rowsWaiting, done.rowsProcessed, done.rowsFailed], [0, 6, 2]);
    assert.deepEqual([await engine.price('b'), await engine.price('d')], [2, 4]);
    assert.deepEqual(await engine.errorCodes(file), { x: ['wrong_type'], c: ['sku_unknown'] });
    assert.deepEqual(await engine.retry(file), { x: { price: 'x' }, c: { price: 3 } });
    assert.equal(done.bytesRead, file.bytes);
    assert.equal(
      engine.storage.files.has(fileName(file, 'deferred')),
      false,
      'the list of rows is not needed any more',
    );
  });

  it('are deferred even if they break rules about account settings', async () => {
    const engine = new FileEngine();
    await engine.send('MerchantSKUs', { a: SKU_BODY });
    const body = { fulfillment_nodes: [{ fulfillment_node_id: 'x', quantity: 1 }] };
    const file = await engine.send('Inventory', { a: body });
    await engine.handle('Inventory');
    assert.equal((await engine.progress(file)).rowsWaiting, 1);
    await engine.handle('MerchantSKUs');
    await engine.handle('Inventory');
    assert.deepEqual(await engine.errorCodes(file), { a: ['fulfillment_node_unknown'] });
  });

  it('let later files of their type run first, and do not undo them', async () => {
    const engine = new FileEngine();
    await engine.send('MerchantSKUs', { a: SKU_BODY });
    const first = await engine.send('Price', { a: { price: 1 } });
    const second = await engine.send('Price', { a: { price: 2 }, b: { price: 2 } });
    await engine.upload('b');
    assert.equal(await engine.handle('Price'), 10_000);
    assert.deepEqual([(await engine.progress(first)).rowsWaiting, (await engine.progress(second)).rowsWaiting], [1, 1]);
    assert.equal(await engine.price('b'), 2);
    await engine.handle('MerchantSKUs');
    assert.equal(await engine.handle('Price'), undefined);
    assert.equal(await engine.price('a'), 2);
    assert.deepEqual(
      [await engine.status(first), await engine.status(second)],
      ['Processed successfully', 'Processed successfully'],
    );
  });

  it('do not overwrite a single call that was made meanwhile', async () => {
    const engine = new FileEngine();
    await engine.send('MerchantSKUs', { a: SKU_BODY });
    const file = await engine.send('Price', { a: { price: 1 } });
    await engine.handle('Price');
    await engine.handle('MerchantSKUs');
    await engine.put({ skuId: 'a', part: 'price', price: 9, nodes: [] });
    await engine.handle('Price');
    assert.equal(await engine.price('a'), 9);
    assert.equal((await engine.progress(file)).rowsSuperseded, 1);
  });

  it('fail at once if the SKU file was submitted later', async () => {
    const engine = new FileEngine();
    const file = await engine.send('Price', { a: { price: 1 } });
    await engine.send('MerchantSKUs', { a: SKU_BODY });
    await engine.handle('Price');
    assert.deepEqual(await engine.errorCodes(file), { a: ['sku_unknown'] });
  });

  it('are not lost when the SKU file ends while they are written', async () => {
    const engine = new FileEngine();
    const skus = await engine.send('MerchantSKUs', { a: SKU_BODY });
    const file = await engine.send('Price', { a: { price: 1 } });
    const { applyRows } = engine.files;
    engine.files.applyRows = async (...args) => {
      const outcomes = await applyRows(...args);
      engine.files.applyRows = applyRows;
      await engine.run(skus);
      return outcomes;
    };
    assert.equal(await engine.handle('Price'), undefined);
    assert.equal(await engine.status(file), 'Processed successfully');
    assert.equal(await engine.price('a'), 1);
  });

  it('hold back later rows of their keys, so that both are applied in order', async () => {
    const engine = new FileEngine({ slice_rows_max: 2 });
    await engine.upload('a', 'c');
    const skus = await engine.send('MerchantSKUs', { b: SKU_BODY });
    const text =
      '{"b":{"price":1},"a":{"price":1},"c":{"price":1},"\\u0062":{"price":2},"a":{"price":2},"b":{"price":3}}';
    const file = await engine.send('Price', text);
    let slices = 0;
    engine.beforeRows = async () => {
      if (++slices === 2) await engine.upload('b');
    };
    assert.equal(await engine.handle('Price'), 10_000);
    assert.deepEqual([(await engine.progress(file)).rowsWaiting, (await engine.progress(file)).rowsProcessed], [3, 3]);
    assert.deepEqual([await engine.price('a'), await engine.price('b'), await engine.price('c')], [2, undefined, 1]);
    await engine.cancel(skus);
    assert.equal(await engine.handle('Price'), undefined);
    assert.deepEqual([(await engine.progress(file)).rowsWaiting, (await engine.progress(file)).rowsProcessed], [0, 6]);
    assert.equal(await engine.price('b'), 3);
    assert.equal(await engine.status(file), 'Processed successfully');
  });

  it('defer later rows of their keys even if the SKU file has finished meanwhile', async () => {
    const engine = new FileEngine({ slice_rows_max: 2 });
    await engine.upload('a');
    const skus = await engine.send('MerchantSKUs', { b: SKU_BODY });
    const file = await engine.send(
      'Price',
      '{"b":{"price":1},"a":{"price":1},"b":{"price":2},"a":{"price":2},"x":{"price":1}}',
    );
    let slices = 0;
    engine.beforeRows = async ({ type }) => {
      if (type === 'Price' && ++slices === 2) await engine.run(skus);
    };
    assert.equal(await engine.handle('Price'), undefined);
    assert.deepEqual([await engine.price('a'), await engine.price('b')], [2, 2]);
    assert.deepEqual(await engine.errorCodes(file), { x: ['sku_unknown'] });
    assert.equal((await engine.progress(file)).rowsProcessed, 5);
  });

  it('fail when the SKU file is cancelled', async () => {
    const engine = new FileEngine();
    const skus = await engine.send('MerchantSKUs', { a: SKU_BODY });
    const file = await engine.send('Price', { a: { price: 1 } });
    await engine.handle('Price');
    await engine.cancel(skus);
    assert.equal(await engine.handle('Price'), undefined);
    assert.deepEqual(await engine.errorCodes(file), { a: ['sku_unknown'] });
  });

  it('of a file with a broken end report that error once', async () => {
    const engine = new FileEngine();
    await engine.send('MerchantSKUs', { a: SKU_BODY });
    const file = await engine.send('Price', '{"a": {"price": 1}, oops');
    await engine.handle('Price');
    assert.equal(await engine.status(file), 'Processing');
    await engine.handle('MerchantSKUs');
    await engine.handle('Price');
    assert.equal(await engine.status(file), 'Processed with errors');
    assert.deepEqual(await engine.errorCodes(file), { '': ['file_not_json'] });
    assert.equal(engine.storage.text(fileName(file, 'errors')).match(/file_not_json/g)?.length, 1);
    assert.equal(await engine.price('a'), 1);
  });
});

describe('rows that were deferred in a file with more errors than are listed', () => {
  it('are all tried and counted', async () => {
    const keys = Array.from({ length: 100 }, (_, index) => `s${index}`);
    const bad = Array.from({ length: 600 }, (_, index) => [`bad${index}`, { price: 'x' }] as const);
    const rows = Object.fromEntries([...keys.map((key) => [key, { price: 1 }] as const), ...bad]);
    const engine = new FileEngine({ slice_rows_max: 10, parts: { error_bytes_max: 2_000 } });
    const skus = await engine.send('MerchantSKUs', {});
    const file = await engine.send('Price', rows);
    assert.equal(await engine.handle('Price'), 10_000);
    await engine.upload(...keys.slice(0, 80));
    await engine.run(skus);
    assert.equal(await engine.handle('Price'), undefined);
    const { rowsProcessed, rowsFailed, rowsWaiting, fileFaults, errorBytes } = await engine.progress(file);
    assert.deepEqual([rowsProcessed, rowsFailed, rowsWaiting, fileFaults], [700, 620, 0, 1]);
    assert.ok(errorBytes < 3_000);
    const prices = await engine.prices();
    assert.equal(keys.filter((key) => prices.get(key) === 1).length, 80);
  });
});

describe('files that wait with many errors', () => {
  it('let no later file of their type run until they are done', async () => {
    const bad = Array.from({ length: 50 }, (_, index) => [`bad${index}`, { price: 'x' }] as const);
    const engine = new FileEngine({ parts: { kept_bytes_max: 16_000 } });
    const skus = await engine.send('MerchantSKUs', {});
    const first = await engine.send('Price', Object.fromEntries([['later', { price: 1 }], ...bad]));
    const second = await engine.send('Price', { 'no price': {} });
    assert.equal(await engine.handle('Price'), 10_000);
    assert.ok((await engine.progress(first)).errorBytes > 2_000);
    assert.deepEqual([await engine.status(first), await engine.status(second)], ['Processing', 'Acknowledged']);
    await engine.run(skus);
    assert.equal(await engine.handle('Price'), undefined);
    assert.deepEqual([await engine.status(first), await engine.status(second)], Array(2).fill('Processed with errors'));
  });
});

describe('a disk with less free space than files must leave', () => {
  it('makes files wait at their position, and continue when there is space', async () => {
    const engine = new FileEngine({ slice_rows_max: 10 });
    const keys = Array.from({ length: 50 }, (_, index) => `s${index}`);
    await engine.upload(...keys);
    const file = await engine.send('Price', Object.fromEntries(keys.map((key) => [key, { price: 1 }])));
    let looks = 0;
    engine.storage.hasRoom = async () => ++looks < 4;
    assert.equal(await engine.handle('Price'), 0);
    const { rowsProcessed } = await engine.progress(file);
    assert.ok(rowsProcessed > 0 && rowsProcessed < 50, `${rowsProcessed}`);
    assert.deepEqual([await engine.handle('Price'), engine.heldUp], [10_000, 1]);
    assert.deepEqual(
      [(await engine.progress(file)).rowsProcessed, await engine.status(file)],
      [rowsProcessed, 'Processing'],
    );
    engine.storage.hasRoom = async () => true;
    assert.equal(await engine.handle('Price'), undefined);
    assert.deepEqual([(await engine.progress(file)).rowsProcessed, engine.heldUp], [50, 1]);
  });
});

describe('time slices', () => {
  const rows = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`s${index}`, SKU_BODY]));
  const due = (kind: string) => [{ kind, due: 1, oldestDue_ms: 0 }];

  /** Slices of ten documents; each document counts as three rows. */
  const newEngine = () => new FileEngine({ slice_rows_max: 30 });

  /** An engine in which each slice takes this long. */
  const slowEngine = (slice_ms: number): FileEngine => {
    const engine = newEngine();
    engine.beforeRows = () => {
      engine.elapsed_ms += slice_ms;
    };
    return engine;
  };

  it('end after ten seconds when others of the kind are due', async () => {
    const engine = slowEngine(5_000);
    const file = await engine.send('MerchantSKUs', rows);
    engine.figures = due(fileKind('MerchantSKUs'));
    assert.equal(await engine.handle('MerchantSKUs'), 0, 'at once again');
    assert.deepEqual([await engine.status(file), engine.elapsed_ms], ['Processing', 10_000]);
    assert.equal((await engine.progress(file)).rowsProcessed, 20);
    engine.figures = [];
    assert.equal(await engine.handle('MerchantSKUs'), undefined);
    assert.equal((await engine.progress(file)).rowsProcessed, 50);
  });

  it('continue for ten seconds, whichever accounts are due', async () => {
    const engine = slowEngine(2_499);
    const file = await engine.send('MerchantSKUs', rows);
    engine.figures = due(fileKind('MerchantSKUs'));
    assert.equal(await engine.handle('MerchantSKUs'), undefined);
    assert.deepEqual([await engine.status(file), engine.elapsed_ms], ['Processed successfully', 12_495]);
  });

  it('continue if only other types are due, and check again each second', async () => {
    const engine = slowEngine(10_000);
    const file = await engine.send('MerchantSKUs', rows);
    engine.figures = due(fileKind('Price'));
    engine.beforeRows = (_file, { length }) => {
      engine.elapsed_ms += engine.elapsed_ms === 0 ? 10_000 : 1_000;
      if (engine.elapsed_ms === 12_000) engine.figures = due(fileKind('MerchantSKUs'));
      assert.equal(length, 10);
    };
    assert.equal(await engine.handle('MerchantSKUs'), 0);
    assert.deepEqual([await engine.status(file), engine.elapsed_ms], ['Processing', 12_000]);
  });

  it('last three times as long as it takes to reach the position of a file', async () => {
    const engine = slowEngine(5_000);
    const file = await engine.send('MerchantSKUs', rows);
    engine.figures = due(fileKind('MerchantSKUs'));
    assert.equal(await engine.handle('MerchantSKUs'), 0);
    const { read } = engine.storage;
    engine.storage.read = (...args) => {
      engine.elapsed_ms += 4_000;
      return read.apply(engine.storage, args);
    };
    const beganMs = engine.elapsed_ms;
    assert.equal(await engine.handle('MerchantSKUs'), undefined);
    assert.equal(engine.elapsed_ms - beganMs, 4_000 + 3 * 5_000, 'else it had ended before the last slice');
    assert.equal(await engine.status(file), 'Processed successfully');
  });

  it('end when the process stops', async () => {
    const engine = newEngine();
    const file = await engine.send('MerchantSKUs', rows);
    engine.beforeRows = () => {
      engine.isStopping = true;
    };
    assert.equal(await engine.handle('MerchantSKUs'), 0);
    assert.equal((await engine.progress(file)).rowsProcessed, 10);
  });
});
