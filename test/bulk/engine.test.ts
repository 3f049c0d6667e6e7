/** Tests bulk files on the real stores: all types, order, lanes, several merchants and several processes at once. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BulkFile } from '../../src/domain/bulk-files.ts';
import { putPrice, putSku } from '../../src/store/contract/put-parts.ts';
import { readReturnLocations } from '../../src/store/contract/read-parts.ts';
import { AUTHOR } from '../../src/store/contract/subject.ts';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { minimalSku } from '../harness/api-client.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';
import { BulkBench, rowsOf } from './bulk-process.ts';

const counts = ({ status, progress }: BulkFile) => ({
  status,
  processed: progress.rowsProcessed,
  failed: progress.rowsFailed,
  superseded: progress.rowsSuperseded,
  waiting: progress.rowsWaiting,
});
const GOOD = { status: 'Processed successfully', failed: 0, superseded: 0, waiting: 0 };

for (const { store: kind, skip } of VARIANTS_BY_SCOPE) {
  describe(`bulk files on ${kind}`, { skip }, () => {
    let bench: BulkBench;
    before(async () => {
      bench = await BulkBench.create(kind);
    });
    after(() => bench.close());

    it('of all types, sent at once, end as if they had been sent one by one', async () => {
      const accountId = await bench.newAccount();
      const node = { id: 'n', rateKind: 'flat' as const, methods: [], levels: ['Standard' as const] };
      await bench.store.settings.putNode(accountId, node);
      await bench.store.settings.addReturnLocation(accountId, 'r');
      const atNode = { fulfillment_node_id: 'n' };
      const exception = { service_level: 'Standard', shipping_exception_type: 'include' };
      const attributes = (index: number) => [{ attribute_id: 120, attribute_value: `size ${index}` }];
      const files = [
        await bench.send(
          accountId,
          'MerchantSKUs',
          rowsOf(1500, (index) => ({ ...minimalSku(), attributes_node_specific: attributes(index) })),
        ),
        await bench.send(
          accountId,
          'Price',
          rowsOf(1500, (index) => ({ price: index + 1 })),
        ),
        await bench.send(
          accountId,
          'Inventory',
          rowsOf(1500, (index) => ({ fulfillment_nodes: [{ ...atNode, quantity: index }] })),
        ),
        await bench.send(accountId, 'Variation', {
          s0: { relationship: 'Variation', variation_refinements: [120], children_skus: ['s1', 's2'] },
        }),
        await bench.send(
          accountId,
          'ShippingException',
          rowsOf(700, () => ({ fulfillment_nodes: [{ ...atNode, shipping_exceptions: [exception] }] })),
        ),
        await bench.send(
          accountId,
          'ReturnsException',
          rowsOf(700, () => ({ return_location_ids: ['r'] })),
        ),
        await bench.send(accountId, 'Archive', { s7: { is_archived: true }, s8: { is_archived: false } }),
      ];
      const work = await bench.work();
      const ended = await Promise.all(files.map((file) => bench.ended(file)));
      await work.close(10_000);
      // A row for a SKU that another file archives may be applied before or after the archiving.
      const archived = ended.flatMap(({ progress }) => progress.errorExcerpt);
      for (const text of archived)
        assert.match(text, /^s7: SKU s7 is archived and cannot be updated\. Unarchive it first\.$/);
      assert.deepEqual(
        ended.map(({ progress }) => [progress.rowsProcessed, progress.rowsWaiting, progress.rowsSuperseded]),
        [1500, 1500, 1500, 1, 700, 700, 2].map((rows) => [rows, 0, 0]),
      );
      const key = { accountId, skuId: 's1499' };
      const price = await bench.store.offers.readPrice(key);
      assert.ok(typeof price === 'object');
      assert.equal(price.price, 1500);
      assert.deepEqual(
        (await bench.store.offers.readInventory(key))?.nodes.map(({ quantity }) => quantity),
        [1499],
      );
      assert.equal((await bench.store.offers.readOffer({ accountId, skuId: 's2' }))?.inGroup, true);
      assert.equal((await bench.store.offers.readOffer({ accountId, skuId: 's7' }))?.archived, true);
      assert.deepEqual(await readReturnLocations(bench.store.offers, { accountId, skuId: 's699' }), ['r']);
    });

    it('never replace data that was accepted after them', async () => {
      const accountId = await bench.newAccount();
      await Promise.all(
        [0, 1, 2].map((index) =>
          putSku(bench.store.offers, { accountId, skuId: `s${index}`, by: AUTHOR }, '{"brand":"x"}', 1),
        ),
      );
      const older = await bench.send(
        accountId,
        'Price',
        rowsOf(3, () => ({ price: 1 })),
      );
      const newer = await bench.send(accountId, 'Price', { s1: { price: 2 } });
      await putPrice(bench.store.offers, { accountId, skuId: 's0', by: AUTHOR }, { price: 9, nodes: [] }, Date.now());
      const work = await bench.work();
      assert.deepEqual(counts(await bench.ended(older)), { ...GOOD, processed: 3, superseded: 1 });
      assert.deepEqual(counts(await bench.ended(newer)), { ...GOOD, processed: 1 });
      await work.close(10_000);
      const prices = await Promise.all(
        [0, 1, 2].map(async (index) => bench.store.offers.readPrice({ accountId, skuId: `s${index}` })),
      );
      assert.deepEqual(
        prices.map((price) => (typeof price === 'object' ? price.price : price)),
        [9, 2, 1],
      );
    });

    it('report each of 100,000 bad rows', async () => {
      const accountId = await bench.newAccount();
      const file = await bench.send(
        accountId,
        'Price',
        rowsOf(100_000, (index) => ({ price: `${index}` })),
      );
      const work = await bench.work();
      const ended = await bench.ended(file);
      await work.close(10_000);
      assert.deepEqual(counts(ended), {
        ...GOOD,
        status: 'Processed with errors',
        processed: 100_000,
        failed: 100_000,
      });
      const errors = await bench.errorsOf(ended);
      assert.equal(Object.keys(errors).length, 100_000);
      assert.deepEqual(errors.s99999?.errors, ['price: must be a number from 0.01 to 1000000000, not a string']);
    });

    it('of a small merchant do not wait for the files of two large ones', async () => {
      const large = await Promise.all(
        [1, 2].map(async () => {
          const accountId = await bench.newAccount();
          return bench.send(
            accountId,
            'MerchantSKUs',
            rowsOf(15_000, () => minimalSku()),
          );
        }),
      );
      const work = await bench.work();
      // A turn of a tenth of a second may end before its file has started.
      await Promise.all(large.map((file) => bench.begun(file)));
      const small = await bench.send(await bench.newAccount(), 'MerchantSKUs', { a: minimalSku() });
      work.wake();
      assert.deepEqual(counts(await bench.ended(small)), { ...GOOD, processed: 1 });
      const unfinished = await Promise.all(large.map((file) => bench.read(file)));
      assert.deepEqual(
        unfinished.map(({ status }) => status),
        ['Processing', 'Processing'],
        'the large files were still running',
      );
      for (const file of large) assert.deepEqual(counts(await bench.ended(file)), { ...GOOD, processed: 15_000 });
      await work.close(10_000);
    });

    it('that are released when the process stops continue in the next one', async () => {
      const accountId = await bench.newAccount();
      const file = await bench.send(
        accountId,
        'MerchantSKUs',
        rowsOf(10_000, () => minimalSku()),
      );
      for (let stops = 0; stops < 3; stops++) {
        const begun = Promise.withResolvers<void>();
        const work = await bench.work(bench.store, { onRowsWritten: begun.resolve });
        await begun.promise;
        await work.close(10_000);
        assert.equal((await bench.read(file)).status, 'Processing');
      }
      const work = await bench.work();
      assert.deepEqual(counts(await bench.ended(file)), { ...GOOD, processed: 10_000 });
      await work.close(10_000);
    });
  });
}

describe('bulk files of several processes', { skip: postgresSkipped() }, () => {
  it('are each processed by one process at a time; no row is lost or counted twice', async (t) => {
    const bench = await BulkBench.create('postgres');
    t.after(() => bench.close());
    const files: BulkFile[] = [];
    for (let merchant = 0; merchant < 6; merchant++) {
      const accountId = await bench.newAccount();
      files.push(
        await bench.send(
          accountId,
          'MerchantSKUs',
          rowsOf(800, () => minimalSku()),
        ),
      );
      for (let price = 1; price <= 4; price++) {
        const rows = { ...rowsOf(800, () => ({ price })), none: { price } };
        files.push(await bench.send(accountId, 'Price', rows));
      }
    }
    const stores = [bench.store, await bench.openSecond(), await bench.openSecond()];
    const works = await Promise.all(stores.map((store) => bench.work(store)));
    const ended = await Promise.all(files.map((file) => bench.ended(file)));
    await Promise.all(works.map((work) => work.close(10_000)));
    for (const file of ended) {
      const { type, progress } = file;
      if (type === 'MerchantSKUs') {
        assert.deepEqual(counts(file), { ...GOOD, processed: 800 });
        continue;
      }
      // Rows of a later file may be applied before rows that waited for the SKUs.
      assert.deepEqual(counts(file), {
        status: 'Processed with errors',
        processed: 801,
        failed: 1,
        superseded: progress.rowsSuperseded,
        waiting: 0,
      });
      assert.deepEqual(Object.keys(await bench.errorsOf(file)), ['none']);
    }
    for (const { accountId } of files) {
      const price = await bench.store.offers.readPrice({ accountId, skuId: 's799' });
      assert.ok(typeof price === 'object');
      assert.equal(price.price, 4);
    }
  });
});
