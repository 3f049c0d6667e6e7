/** Tests file processing: rows of every type, the errors of failed rows, and unreadable files. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { NO_PROGRESS } from '../domain/bulk-files.ts';
import { LIMITS } from '../domain/limits.ts';
import type { FileType } from '../domain/vocabulary/file-types.ts';
import { fileName } from '../files/file-storage.ts';
import { FileEngine, memberBody, NODE, SKU_BODY } from './testing/file-engine.ts';
import { MemoryFilePlace } from './testing/memory-file-storage.ts';

describe('rows of every type', () => {
  const group = { relationship: 'Variation', variation_refinements: [1], children_skus: ['b'] };
  const exception = { service_level: 'Standard', shipping_exception_type: 'include' };
  const cases: readonly [type: FileType, body: object, part: string, written: object][] = [
    ['Price', { price: 9.5 }, 'price', { price: 9.5, nodes: [] }],
    [
      'Inventory',
      { fulfillment_nodes: [{ fulfillment_node_id: NODE.id, quantity: 3 }] },
      'inventory',
      { quantities: [{ fulfillment_node_id: NODE.id, quantity: 3 }] },
    ],
    ['Archive', { is_archived: true }, 'archive', { archived: true }],
    ['Variation', group, 'variation', { group: { refinements: '[1]', title: null, childrenSkus: ['b'] } }],
    [
      'ShippingException',
      { fulfillment_nodes: [{ fulfillment_node_id: NODE.id, shipping_exceptions: [exception] }] },
      'shipping_exception',
      { text: JSON.stringify([{ fulfillment_node_id: NODE.id, shipping_exceptions: [exception] }]) },
    ],
    ['ReturnsException', { return_location_ids: ['returns-1'] }, 'returns_exception', { text: '["returns-1"]' }],
    ['MerchantSKUs', SKU_BODY, 'sku', { document: JSON.stringify({ ...orderedSku(), prop_65: false }) }],
  ];
  for (const [type, body, part, written] of cases) {
    it(`${type} write what the single call writes`, async () => {
      const engine = new FileEngine();
      await engine.upload('a', 'b');
      const file = await engine.send(type, { a: body });
      assert.equal(await engine.run(file), 'ended');
      assert.deepEqual(engine.applied, [{ skuId: 'a', part, ...written }]);
      assert.equal(await engine.status(file), 'Processed successfully');
      const { offset, bytesRead } = await engine.progress(file);
      assert.deepEqual(await engine.progress(file), {
        ...NO_PROGRESS,
        format: 'JSON',
        compression: 'none',
        offset,
        bytesRead,
        rowsProcessed: 1,
      });
      assert.deepEqual([offset, bytesRead], [file.bytes - 1, file.bytes]);
    });
  }

  it('of another type are refused by their rules, row by row', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    const file = await engine.send('Price', { a: { is_archived: true } });
    await engine.run(file);
    assert.equal(await engine.status(file), 'Processed with errors');
    assert.deepEqual(await engine.errorCodes(file), { a: ['required'] });
  });

  it('with a product type are shoes', async () => {
    const engine = new FileEngine();
    const file = await engine.send('MerchantSKUs', {
      shoe: { ...SKU_BODY, product_type_id: 12_345 },
      plain: { ...SKU_BODY, product_type_id: null },
    });
    await engine.run(file);
    assert.deepEqual(await engine.errorCodes(file), { shoe: ['not_allowed'] });
    assert.deepEqual(
      engine.applied.map(({ skuId }) => skuId),
      ['plain'],
    );
  });

  it('may use the configured names', async () => {
    const carriers = ['A', 'B', 'C', 'D', 'E'];
    const names = { marketplace: 'acme', external: 'ext', carriers, reviewStatus: 'R', availableStatus: 'A' };
    const engine = new FileEngine({ names });
    const file = await engine.send('MerchantSKUs', {
      set: { ...SKU_BODY, acme_browse_node_id: 100 },
      neutral: { ...SKU_BODY, marketplace_browse_node_id: 100 },
      wrong: { ...SKU_BODY, acme_browse_node_id: 101 },
    });
    await engine.run(file);
    assert.deepEqual(
      Object.values(await engine.errors(file)).map(({ errors }) => errors),
      [['acme_browse_node_id: must be a node of the taxonomy: see GET /taxonomy/search']],
    );
  });

  it('of a key that occurs twice are both applied, in order', async () => {
    const engine = new FileEngine();
    await engine.upload('a');
    const file = await engine.send('Price', '{"a":{"price":1},"a":{"price":2}}');
    await engine.run(file);
    assert.equal(await engine.price('a'), 2);
    assert.equal((await engine.progress(file)).rowsProcessed, 2);
  });

  it('of groups are read with the members of eight at once, and applied in order', async () => {
    const engine = new FileEngine({ slice_rows_max: 10 });
    for (const skuId of ['a', 'b', 'c']) {
      await engine.put({ skuId, part: 'sku', document: JSON.stringify(memberBody(skuId, 40)) });
    }
    const rows = Array.from({ length: 40 }, (_, index) => {
      return `"a": {"relationship": "Variation", "variation_refinements": [${index + 1}], "children_skus": ["b", "c"]}`;
    });
    const { readMembers } = engine.offers;
    let underWay = 0;
    let most = 0;
    engine.offers.readMembers = async (...args) => {
      most = Math.max(most, ++underWay);
      // The last requested members respond first.
      await setTimeout(20 - underWay);
      underWay--;
      return readMembers(...args);
    };
    const order: string[] = [];
    engine.beforeRows = (_file, writes) => {
      for (const write of writes) if (write.part === 'variation') order.push(write.group.refinements);
    };
    // Large pieces, as they are read from a disk.
    const storage = Object.assign(new MemoryFilePlace(65_536), { files: engine.storage.files });
    const file = await engine.send('Variation', `{${rows.join()}}`);
    assert.equal(await engine.run(file, undefined, { ...engine.parts, storage }), 'ended');
    assert.equal(await engine.status(file), 'Processed successfully');
    assert.equal(most, 8);
    assert.deepEqual(
      order,
      rows.map((_, index) => `[${index + 1}]`),
    );
  });

  it('that are older than the stored data are superseded, which is not an error', async () => {
    const engine = new FileEngine();
    await engine.upload('a', 'b');
    const file = await engine.send('Price', { a: { price: 1 }, b: { price: 1 } });
    await engine.put({ skuId: 'a', part: 'price', price: 7, nodes: [] });
    await engine.run(file);
    assert.equal(await engine.status(file), 'Processed successfully');
    const { rowsProcessed, rowsSuperseded, rowsFailed } = await engine.progress(file);
    assert.deepEqual([rowsProcessed, rowsSuperseded, rowsFailed], [2, 1, 0]);
  });

  it('may have keys in any spelling that JSON allows', async () => {
    const engine = new FileEngine();
    await engine.upload('é"\n/');
    const file = await engine.send('Price', '{"\\u00e9\\"\\n\\/": {"price": 1}}');
    await engine.run(file);
    assert.equal(await engine.status(file), 'Processed successfully');
  });
});

describe('rows that fail', () => {
  it('are reported like those of a single call, with their position, and can be retried', async () => {
    const engine = new FileEngine();
    await engine.upload('a', 'b', 'gone');
    await engine.put({ skuId: 'gone', part: 'archive', archived: true });
    const unknownNode = '{"price":1,"fulfillment_nodes":[{"fulfillment_node_id":"x","fulfillment_node_price":1}]}';
    const text = `{"a": {"price" : 0.001}, "b": ${unknownNode}, "new": {"price":3}, "gone": {"price":4},"a":{"price":5}}`;
    const file = await engine.send('Price', text);
    await engine.run(file);
    const rule = 'price: must be a number from 0.01 to 1000000000';
    const nodeRule =
      'fulfillment_nodes[0].fulfillment_node_id: must be one of your fulfillment nodes: see GET /fulfillment-nodes';
    const unknown = 'SKU new not found.';
    const archived = 'SKU gone is archived and cannot be updated. Unarchive it first.';
    const field = '/fulfillment_nodes/0/fulfillment_node_id';
    assert.deepEqual(await engine.errors(file), {
      a: {
        errors: [rule],
        details: [{ code: 'too_small', field: '/price', message: rule }],
        line: 1,
        column: 2,
        byte_offset: 1,
      },
      b: {
        errors: [nodeRule],
        details: [{ code: 'fulfillment_node_unknown', field, message: nodeRule }],
        line: 1,
        column: text.indexOf('"b"') + 1,
        byte_offset: text.indexOf('"b"'),
      },
      new: {
        errors: [unknown],
        details: [{ code: 'sku_unknown', field: '', message: unknown }],
        line: 1,
        column: text.indexOf('"new"') + 1,
        byte_offset: text.indexOf('"new"'),
      },
      gone: {
        errors: [archived],
        details: [{ code: 'sku_archived', field: '', message: archived }],
        line: 1,
        column: text.indexOf('"gone"') + 1,
        byte_offset: text.indexOf('"gone"'),
      },
    });
    assert.deepEqual(await engine.retry(file), {
      a: { price: 0.001 },
      b: JSON.parse(unknownNode),
      new: { price: 3 },
      gone: { price: 4 },
    });
    assert.equal(
      engine.storage.text(fileName(file, 'retry')).startsWith('{\n"a": {"price" : 0.001},\n'),
      true,
      'as sent',
    );
    const progress = await engine.progress(file);
    assert.deepEqual([progress.rowsProcessed, progress.rowsFailed], [5, 4]);
    assert.deepEqual(progress.errorExcerpt, [`a: ${rule}`, `b: ${nodeRule}`, `new: ${unknown}`, `gone: ${archived}`]);
  });

  it('by rules about account settings report first that the SKU is unknown or archived', async () => {
    const engine = new FileEngine();
    await engine.upload('gone');
    await engine.put({ skuId: 'gone', part: 'archive', archived: true });
    const body = { fulfillment_nodes: [{ fulfillment_node_id: 'x', quantity: 1 }] };
    const file = await engine.send('Inventory', { gone: body, new: body });
    await engine.run(file);
    assert.deepEqual(await engine.errorCodes(file), { gone: ['sku_archived'], new: ['sku_unknown'] });
  });

  it('repeated under one key are listed twice', async () => {
    const engine = new FileEngine();
    const file = await engine.send('Price', '{"a":1,"a":2}');
    await engine.run(file);
    assert.equal(engine.storage.text(fileName(file, 'errors')).match(/"a": /g)?.length, 2);
    assert.equal(engine.storage.text(fileName(file, 'retry')), '{\n"a": 1,\n"a": 2');
  });

  it('name the missing children of a group', async () => {
    const engine = new FileEngine();
    await engine.upload('a', 'b');
    const children_skus = ['b', 'new'];
    const file = await engine.send('Variation', {
      a: { relationship: 'Variation', variation_refinements: [1], children_skus },
    });
    await engine.run(file);
    assert.deepEqual((await engine.errors(file)).a?.details, [
      { code: 'child_unknown', field: '/children_skus/1', message: 'children_skus[1]: SKU new not found' },
    ]);
  });

  it('name children that were archived between the check and the write', async () => {
    const engine = new FileEngine();
    await engine.upload('a', 'b');
    const file = await engine.send('Variation', {
      a: { relationship: 'Variation', variation_refinements: [1], children_skus: ['b'] },
    });
    engine.beforeRows = () => engine.put({ skuId: 'b', part: 'archive', archived: true });
    await engine.run(file);
    assert.deepEqual((await engine.errors(file)).a?.details, [
      { code: 'child_archived', field: '/children_skus/0', message: 'children_skus[0]: SKU b is archived' },
    ]);
  });

  it('for bad JSON do not affect other rows, and are strings in the retry file', async () => {
    const engine = new FileEngine();
    await engine.upload('ok');
    const deep = `${'['.repeat(LIMITS.body_depth_max + 1)}${']'.repeat(LIMITS.body_depth_max + 1)}`;
    const file = await engine.send(
      'Price',
      Buffer.concat([
        Buffer.from(`{"broken": {"price": oops}, "deep": ${deep}, "bytes": "`),
        Buffer.from([0xff]),
        Buffer.from('", "text": "x", "ok": {"price": 2}}'),
      ]),
    );
    await engine.run(file);
    assert.deepEqual(await engine.errorCodes(file), {
      broken: ['body_not_json'],
      deep: ['body_too_deep'],
      bytes: ['body_not_utf8'],
      text: ['body_not_object'],
    });
    assert.deepEqual(await engine.retry(file), {
      broken: '{"price": oops}',
      deep,
      bytes: '"\ufffd"',
      text: 'x',
    });
    assert.equal((await engine.progress(file)).rowsProcessed, 5);
  });

  it('for their size are not buffered, and the next row follows', async () => {
    const engine = new FileEngine({ chunk_bytes: 4_096 });
    await engine.upload('ok');
    const fits = `{"price": 1, "x": "${'x'.repeat(LIMITS.body_bytes_max - 21)}"}`;
    assert.equal(fits.length, LIMITS.body_bytes_max);
    const file = await engine.send('Price', `{"ok": ${fits}, "big": ${fits.replace('{', '{ ')}, "ok": {"price": 2}}`);
    await engine.run(file);
    assert.deepEqual((await engine.errors(file)).big?.errors, ['The body of the row must have at most 1048576 bytes.']);
    assert.deepEqual(await engine.errorCodes(file), { big: ['body_too_large'] });
    const { big } = (await engine.retry(file)) as { big: string };
    assert.equal(big.startsWith('{ "price": 1, "x": "xxx'), true);
    assert.ok(big.length <= 65_536);
    const written = engine.applied.at(-1);
    assert.deepEqual(written, { skuId: 'ok', part: 'price', price: 2, nodes: [] });
  });

  const keys: readonly [name: string, key: string, message: string][] = [
    ['empty', '""', 'The key of the row (a SKU id) must not be empty.'],
    ['too long', `"${'k'.repeat(65)}"`, 'The key of the row (a SKU id) must have at most 64 characters.'],
    ['far too long', `"${'k'.repeat(5000)}"`, 'The key of the row (a SKU id) must have at most 64 characters.'],
    ['a dot', '"."', 'The key of the row (a SKU id) must not be "." or "..".'],
    ['no JSON', '"\\q"', 'The key of the row (a SKU id) must be a JSON string.'],
    ['a raw line break', '"a\nb"', 'The key of the row (a SKU id) must be a JSON string.'],
    [
      'half a pair',
      '"\\ud800"',
      'The key of the row (a SKU id) must not contain NUL characters or unpaired surrogates.',
    ],
  ];
  for (const [name, key, message] of keys) {
    it(`for a key that is ${name} say so`, async () => {
      const engine = new FileEngine();
      await engine.upload('k'.repeat(64));
      const file = await engine.send('Price', `{${key}: {"price": 1}, "${'k'.repeat(64)}": {"price": 1}}`);
      await engine.run(file);
      const [entry, ...others] = Object.values(await engine.errors(file));
      assert.deepEqual(entry, {
        errors: [message],
        details: [{ code: 'sku_id_invalid', field: '', message }],
        line: 1,
        column: 2,
        byte_offset: 1,
      });
      assert.equal(others.length, 0);
      assert.deepEqual(Object.values((await engine.retry(file)) as object), [{ price: 1 }]);
    });
  }

  it('are all reported, the first ten also in the record', async () => {
    const engine = new FileEngine({ slice_rows_max: 250 });
    const rows = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`s${index}`, { price: 'x' }]));
    const file = await engine.send('Price', rows);
    await engine.run(file);
    assert.equal(Object.keys(await engine.errors(file)).length, 3_000);
    assert.deepEqual(await engine.retry(file), rows);
    const rule = 'price: must be a number from 0.01 to 1000000000, not a string';
    const excerpt = (await engine.progress(file)).errorExcerpt;
    assert.deepEqual(
      excerpt,
      Array.from({ length: 10 }, (_, index) => `s${index}: ${rule}`),
    );
    assert.deepEqual([(await engine.progress(file)).rowsFailed, engine.written], [3_000, 0]);
  });
});

describe('files as a whole', () => {
  const cases: readonly [name: string, content: Buffer | string, rows: number, codes: readonly string[]][] = [
    ['without rows', '{}', 0, []],
    ['without rows, packed', gzipSync('{}'), 0, []],
    ['packed', gzipSync('{"a": {"price": 1}}'), 1, []],
    ['empty', '', 0, ['file_empty']],
    ['of an empty gzip', gzipSync(''), 0, ['file_empty']],
    ['with an array at the top', '[{"a": {"price": 1}}]', 0, ['file_not_object']],
    ['in no known format', 'PK\u0003\u0004\u0000', 0, ['file_not_object']],
    ['that stop being JSON', '{"a": {"price": 1}, oops', 1, ['file_not_json']],
    ['with something behind them', '{"a": {"price": 1}} {}', 1, ['file_not_json']],
    ['that end too early', '{"a": {"price": 1}, "b": {"pri', 1, ['file_truncated']],
    ['of a gzip that ends too early', gzipSync('{"a": {"price": 1}}').subarray(0, -4), 1, ['file_truncated']],
  ];
  for (const [name, content, rows, codes] of cases) {
    it(`${name} end in a clear state`, async () => {
      const engine = new FileEngine();
      await engine.upload('a');
      const file = await engine.send('Price', content);
      assert.equal(await engine.run(file), 'ended');
      assert.equal(await engine.status(file), codes.length === 0 ? 'Processed successfully' : 'Processed with errors');
      assert.deepEqual(await engine.errorCodes(file), codes.length === 0 ? {} : { '': codes });
      const { rowsProcessed, rowsFailed, fileFaults, errorExcerpt } = await engine.progress(file);
      assert.deepEqual([rowsProcessed, rowsFailed, fileFaults], [rows, 0, codes.length]);
      assert.equal(errorExcerpt.length, codes.length);
      assert.deepEqual(await engine.retry(file), {});
    });
  }

  it('that unpack to too many bytes end at the limit', async () => {
    const engine = new FileEngine({ parts: { unpacked_bytes_max: 1_000 } });
    await engine.upload('a');
    const file = await engine.send('Price', gzipSync(`{"a": {"price": 1},${' '.repeat(1_000_000)}"b": {"price": 2}}`));
    await engine.run(file);
    assert.deepEqual(await engine.errorCodes(file), { '': ['file_unpacked_too_large'] });
    assert.equal((await engine.progress(file)).rowsProcessed, 1);
  });

  it('of an erased account are not changed', async () => {
    const engine = new FileEngine();
    const file = await engine.send('Price', { a: { price: 1 } });
    engine.account = async () => undefined;
    assert.equal(await engine.run(file), 'stale');
    assert.equal(await engine.status(file), 'Processing');
  });

  it('whose bytes are gone fail loudly', async () => {
    const engine = new FileEngine();
    const file = await engine.send('Price', { a: { price: 1 } });
    engine.storage.files.clear();
    await assert.rejects(engine.run(file), { name: 'FileGoneError' });
    assert.equal(await engine.status(file), 'Processing');
  });
});

/** Returns the fields in the order of the body's schema. */
function orderedSku() {
  const { product_title, multipack_quantity, ASIN, brand, main_image_url } = SKU_BODY;
  return { product_title, multipack_quantity, ASIN, brand, main_image_url };
}
