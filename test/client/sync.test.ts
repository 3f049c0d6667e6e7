/** Tests what `offerbook-client diff` finds and `offerbook-client sync` sends, on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { skuPath } from '../../client/src/parts.ts';
import { type CatalogLine, catalogCommands, EAST, sku, stock } from '../harness/catalog-commands.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

const exception = { service_level: 'Standard', shipping_exception_type: 'include' };
/** An offer with all parts, and the child of its group. */
const CATALOG = [
  {
    id: "'=whole/ü",
    sku: sku('Whole offer'),
    price: { price: 9.5, fulfillment_nodes: [{ fulfillment_node_id: EAST, fulfillment_node_price: 9 }] },
    inventory: stock(7),
    shipping_exception: { fulfillment_nodes: [{ fulfillment_node_id: EAST, shipping_exceptions: [exception] }] },
    returns_exception: { return_location_ids: ['demo-returns-east'] },
    variation: { relationship: 'Variation', variation_refinements: [119], children_skus: ['child'] },
  },
  { id: 'child', sku: sku('Child'), price: { price: 3 } },
] as const;

for (const { title, store, skip } of VARIANTS_BY_SCOPE) {
  describe(`a catalog (${title})`, { skip }, () => {
    const { client, fileOf, offerbook, sync, diff } = catalogCommands(store);

    it('is sent with all its parts, and the second run sends nothing', async () => {
      const first = await sync(CATALOG);
      assert.deepEqual(first, {
        isDone: true,
        plan: { sku: 2, price: 2, inventory: 1, shipping_exception: 1, returns_exception: 1, variation: 1 },
        failed: 0,
      });
      assert.deepEqual(await sync(CATALOG), { isDone: true, plan: {}, failed: 0 });
      assert.deepEqual(await diff(CATALOG), { isDone: true, parts: {} });
      assert.equal((await client().getPrice(CATALOG[0].id))?.value.price, 9.5);
    });

    it('shows drift in each part, and only that is sent', async () => {
      const [{ id, ...parts }] = CATALOG;
      const changes: Readonly<Record<string, [method: string, address: string, body: object]>> = {
        sku: ['PUT', '', sku('Another title')],
        price: ['PUT', '/price', { price: 9.5 }],
        inventory: ['PATCH', '/inventory', stock(8)],
        shipping_exception: ['PUT', '/shippingexception', {}],
        returns_exception: ['PUT', '/returnsexception', {}],
        variation: ['PUT', '/variation', { ...parts.variation, group_title: 'T' }],
      };
      const changed: string[] = [];
      for (const [part, [method, address, body]] of Object.entries(changes)) {
        await client().call(method, skuPath(id, address), { body });
        changed.push(part);
        assert.deepEqual(await diff(CATALOG), { isDone: false, parts: { [id]: changed } });
      }
      const { plan } = await sync(CATALOG);
      assert.deepEqual(plan, Object.fromEntries(Object.keys(changes).map((part) => [part, 1])));
      assert.deepEqual((await sync(CATALOG)).plan, {});
      // Nodes and parts that the file does not name stay unchanged.
      await client().patchInventory(id, stock(4, 'demo-node-west'));
      await client().putPrice('child', { price: 4 });
      assert.deepEqual(await diff([{ id, inventory: stock(7) }, { id: 'child' }]), { isDone: true, parts: {} });
      assert.deepEqual((await diff([{ id, returns_exception: {} }])).parts, { [id]: ['returns_exception'] });
    });

    it('may be CSV with prices and stock, with a row for each node', async () => {
      await client().call('PUT', skuPath('csv-1'), { body: sku('Number one') });
      await client().call('PUT', skuPath('csv "2"'), { body: sku('Number two') });
      const csv =
        '\ufeffSKU;price;node_id;quantity\r\ncsv-1;8.50;demo-node-west;3\r\ncsv-1;8.50;demo-node-east;0\r\n"csv ""2""";2;;\r\n';
      assert.deepEqual(await sync(csv), { isDone: true, plan: { price: 2, inventory: 1 }, failed: 0 });
      assert.deepEqual((await sync(csv)).plan, {});
      assert.deepEqual((await sync(csv.replace('west;3', 'west;5'))).plan, { inventory: 1 });
      assert.equal((await client().getPrice('csv "2"'))?.value.price, 2);
    });

    it('keeps all decimals of a price, as the server does', async () => {
      await client().call('PUT', skuPath('decimals'), { body: sku('Priced by weight') });
      for (const [content, price] of [
        ['sku,price\ndecimals,12.345\n', 12.345],
        ['sku,price\ndecimals,12.3450\n', undefined],
        ['{"id":"decimals","price":{"price":0.0151}}\n', 0.0151],
      ] as const) {
        assert.deepEqual((await sync(content)).plan, price === undefined ? {} : { price: 1 });
        if (price !== undefined) assert.equal((await client().getPrice('decimals'))?.value.price, price);
        assert.deepEqual((await sync(content)).plan, {});
      }
      const tooLow = { name: 'UsageError', message: /price must be at least 0\.01/ };
      await assert.rejects(sync('sku,price\ndecimals,0.0099\n'), tooLow);
    });

    it('keeps prices of individual nodes if it is CSV, and replaces them if it is NDJSON', async () => {
      const nodes = [{ fulfillment_node_id: EAST, fulfillment_node_price: 7 }];
      for (const id of ['node-1', 'node-2']) {
        await client().call('PUT', skuPath(id), { body: sku(`Priced ${id}`) });
        await client().putPrice(id, { price: 8, fulfillment_nodes: nodes });
      }
      const csv = 'sku,price\nnode-1,9.00\nnode-2,8.00\n';
      assert.deepEqual((await diff(csv)).parts, { 'node-1': ['price'] });
      assert.deepEqual(await sync(csv), { isDone: true, plan: { price: 1 }, failed: 0 });
      const read = async () => (await client().getPrice('node-1'))?.value;
      assert.deepEqual([(await read())?.price, (await read())?.fulfillment_nodes], [9, nodes]);
      assert.deepEqual((await sync(csv)).plan, {});
      assert.deepEqual((await sync([{ id: 'node-1', price: { price: 9 } }])).plan, { price: 1 });
      assert.deepEqual((await read())?.fulfillment_nodes, []);
    });

    it('archives missing SKUs if requested, and unarchives them when they return', async () => {
      const kept: CatalogLine[] = [];
      for await (const id of client().skus()) kept.push({ id });
      const without = kept.filter(({ id }) => id !== 'csv-1');
      assert.deepEqual((await sync(without)).plan, {});
      assert.deepEqual((await diff(without, '--prune=archive')).parts, { 'csv-1': ['archive'] });
      const { stderr } = await offerbook('diff', await fileOf(without));
      assert.match(stderr, /Active SKUs on the server: \d+\. Not in the file: 1\.\n/);
      const tooMany = {
        name: 'UsageError',
        message: /^1 of \d+ SKUs would be archived, because they are not in the file\..*=1\.$/,
      };
      await assert.rejects(sync(without, '--prune=archive', '--prune-max=0'), tooMany);
      await assert.rejects(sync(without, '--prune=archive', '--prune-max=1%'), tooMany);
      assert.deepEqual((await sync(without, '--prune', 'archive', '--prune-max=1')).plan, { archive: 1 });
      assert.equal((await client().getSku('csv-1'))?.value.is_archived, true);
      assert.deepEqual((await sync(without, '--prune=archive')).plan, {});
      const back = kept.map((line) => (line.id === 'csv-1' ? { ...line, inventory: stock(2) } : line));
      assert.deepEqual((await sync(back, '--prune=archive')).plan, { unarchive: 1, inventory: 1 });
      assert.deepEqual((await sync(back, '--prune=archive')).plan, {});
      const flagged = back.map((line) => (line.id === 'csv-1' ? { ...line, is_archived: true } : line));
      assert.deepEqual((await sync(flagged)).plan, { archive: 1 });
      assert.deepEqual((await sync(flagged)).plan, {});
    });
  });
}
