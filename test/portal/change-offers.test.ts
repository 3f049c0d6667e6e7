/** Tests changes to many offers from the portal's offer list, and their undo; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiClient, skuPath } from '../harness/api-client.ts';
import { BulkFiles } from '../harness/bulk-files.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { VARIANTS } from '../harness/variants.ts';

interface Page {
  readonly offers: readonly { readonly sku: string; readonly price: number | null; readonly quantity: number }[];
}

interface FileRecord {
  readonly marketplace_file_id: string;
  readonly file_name: string;
  readonly status: string;
  readonly rows_failed: number;
}

interface Changed {
  readonly offers: number;
  readonly skipped: number;
  readonly file?: FileRecord;
}

function nodePrice(fulfillment_node_price: number) {
  return { fulfillment_node_id: 'demo-node-east', fulfillment_node_price };
}

for (const variant of VARIANTS) {
  describe(`portal: changes to many offers (${variant.title})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    let admin: PortalClient;
    let viewer: PortalClient;

    before(async () => {
      api = await ApiClient.open(variant);
      admin = await PortalClient.signIn(api.server, 'merchant-admin');
      viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
    });
    after(() => api.server.close());

    /** Waits for the end of the bulk file. */
    async function outcomeOf({ offers, skipped, file }: Changed) {
      const ended = await waitToSee('the end of the file', async () => {
        const record = await admin.found<FileRecord>('GET', `/live/files/${file?.marketplace_file_id}`);
        return record.status.startsWith('Processed') ? record : undefined;
      });
      return { offers, skipped, name: ended.file_name, failed: ended.rows_failed };
    }

    it('changes all offers that match, or those selected, by a bulk file', async () => {
      const live = await api.inEnvironment('live');
      for (const [skuId, price] of [
        ['one', 10],
        ['two', 19.99],
        ['nodes', 5],
        ['unpriced', null],
      ] as const) {
        await live.uploadedSku({ product_title: `Mug ${skuId}`, ...api.newProductCodes() }, skuId);
        const body = { price, fulfillment_nodes: skuId === 'nodes' ? [nodePrice(8)] : [] };
        if (price !== null) await live.accepted('PUT', `${skuPath(skuId)}/price`, body);
      }
      await live.uploadedSku({ product_title: 'Mug archived', ...api.newProductCodes() }, 'archived');
      await live.accepted('PUT', `${skuPath('archived')}/status/archive`, { is_archived: true });
      // A sorted search reads the word index, which follows the review.
      await waitToSee('the review of all, and their words in the index', async () => {
        const { offers } = await viewer.found<Page>('GET', '/live/offers?q=mug&sort=price');
        return offers.length === 5 || undefined;
      });
      const change = async (query: string, body: unknown) => {
        return outcomeOf(await admin.found<Changed>('POST', `/live/offers/change?${query}`, body));
      };
      const prices = async () => {
        const { offers } = await viewer.found<Page>('GET', '/live/offers?q=mug&sort=price');
        return offers.map(({ sku, price }) => [sku, price]);
      };
      const preview = (body: unknown) => admin.found('POST', '/live/offers/change/preview?q=mug', body);
      const mug = (sku: string, before: number | null, after: number) => ({ sku, title: `Mug ${sku}`, before, after });
      assert.deepEqual(await preview({ change: 'add_percent_to_price', amount: 30 }), {
        offers: 3,
        skipped: [
          { reason: 'no_price', offers: 1 },
          { reason: 'archived', offers: 1 },
        ],
        examples: [mug('one', 10, 13), mug('two', 19.99, 25.99), mug('nodes', 5, 6.5)],
        prices: { lowest: mug('nodes', 5, 6.5), highest: mug('two', 19.99, 25.99), percent_max: 30 },
      });
      assert.deepEqual(await preview({ change: 'set_price', amount: 12 }), {
        offers: 4,
        skipped: [{ reason: 'archived', offers: 1 }],
        examples: [mug('one', 10, 12), mug('two', 19.99, 12), mug('nodes', 5, 12), mug('unpriced', null, 12)],
        prices: { lowest: mug('one', 10, 12), highest: mug('one', 10, 12), percent_max: 140 },
      });
      assert.deepEqual(await preview({ change: 'add_to_price', amount: -8 }), {
        offers: 2,
        skipped: [
          // The price at its node would become 0, and its own price negative.
          { reason: 'price_too_low', offers: 1 },
          { reason: 'no_price', offers: 1 },
          { reason: 'archived', offers: 1 },
        ],
        examples: [mug('one', 10, 2), mug('two', 19.99, 11.99)],
        prices: { lowest: mug('one', 10, 2), highest: mug('two', 19.99, 11.99), percent_max: 80 },
      });
      const high = await preview({ change: 'add_to_price', amount: 999_999_990 });
      assert.deepEqual(high.skipped, [
        { reason: 'price_too_high', offers: 1 },
        { reason: 'no_price', offers: 1 },
        { reason: 'archived', offers: 1 },
      ]);
      assert.deepEqual(await prices(), [
        ['nodes', 5],
        ['one', 10],
        ['two', 19.99],
        ['unpriced', null],
        ['archived', null],
      ]);
      assert.deepEqual(await change('q=mug', { change: 'add_percent_to_price', amount: 5 }), {
        offers: 3,
        skipped: 2,
        name: 'Change price by +5% (3 offers)',
        failed: 0,
      });
      assert.deepEqual(await prices(), [
        ['nodes', 5.25],
        ['one', 10.5],
        ['two', 20.99],
        ['unpriced', null],
        ['archived', null],
      ]);
      const { fulfillment_nodes } = (await live.get(`${skuPath('nodes')}/price`)).body as {
        fulfillment_nodes: unknown;
      };
      assert.deepEqual(fulfillment_nodes, [nodePrice(8.4)]);
      const cheaper = await change('q=mug', { change: 'add_to_price', amount: -6 });
      assert.deepEqual(cheaper, { offers: 2, skipped: 3, name: 'Change price by -6 (2 offers)', failed: 0 });
      await change('', { change: 'set_price', amount: 7, skus: ['unpriced', 'unpriced', 'never'] });
      assert.deepEqual(await prices(), [
        ['one', 4.5],
        ['nodes', 5.25],
        ['unpriced', 7],
        ['two', 14.99],
        ['archived', null],
      ]);
      // The exact result, 1.265, rounds up.
      await change('', { change: 'set_price', amount: 1.15, skus: ['one'] });
      await change('', { change: 'add_percent_to_price', amount: 10, skus: ['one'] });
      assert.deepEqual((await prices())[0], ['one', 1.27]);
      const stock = { change: 'set_stock', fulfillment_node_id: 'demo-node-east', quantity: 3 };
      const stocked = await preview(stock);
      assert.deepEqual(stocked.examples, [
        mug('one', null, 3),
        mug('two', null, 3),
        mug('nodes', null, 3),
        mug('unpriced', null, 3),
      ]);
      assert.equal((await change('q=mug', stock)).offers, 4);
      assert.equal((await viewer.found<Page>('GET', '/live/offers?q=mug&stock=in')).offers.length, 4);
      const again = await preview({ ...stock, quantity: 0, skus: ['one'] });
      assert.deepEqual(again, { offers: 1, skipped: [], examples: [mug('one', 3, 0)] });
      assert.deepEqual(await preview({ change: 'archive' }), {
        offers: 4,
        skipped: [{ reason: 'archived', offers: 1 }],
        examples: [mug('one', 3, 0), mug('two', 3, 0), mug('nodes', 3, 0), mug('unpriced', 3, 0)],
      });
      assert.deepEqual(await change('q=mug', { change: 'archive' }), {
        offers: 4,
        skipped: 1,
        name: 'Archive (4 offers)',
        failed: 0,
      });
      const archived = await viewer.found<Page>('GET', '/live/offers?q=mug&archived=yes&sort=stock');
      assert.deepEqual(
        archived.offers.map(({ quantity }) => quantity),
        [0, 0, 0, 0, 0],
      );
      const none = await admin.found('POST', '/live/offers/change?q=mug', { change: 'archive' });
      assert.deepEqual(none, { offers: 0, skipped: 5 });
      for (const [restore_stock, quantity] of [
        [true, 3],
        [false, 0],
      ] as const) {
        assert.deepEqual(await preview({ change: 'unarchive', restore_stock, skus: ['one', 'archived'] }), {
          offers: 2,
          skipped: [],
          examples: [mug('one', 0, quantity), mug('archived', 0, 0)],
        });
      }
      assert.deepEqual(await preview({ change: 'archive' }), {
        offers: 0,
        skipped: [{ reason: 'archived', offers: 5 }],
        examples: [],
      });
    });

    it('undoes a change of many offers, except where the offer was changed since', async () => {
      const live = await api.inEnvironment('live');
      const skus = ['undo 1', 'undo/2', 'undo"3'];
      const east = (quantity: number) => ({ fulfillment_node_id: 'demo-node-east', quantity });
      for (const skuId of skus) {
        await live.uploadedSku(api.newProductCodes(), skuId);
        await live.accepted('PUT', `${skuPath(skuId)}/price`, { price: 10, fulfillment_nodes: [nodePrice(8)] });
        await live.accepted('PATCH', `${skuPath(skuId)}/inventory`, { fulfillment_nodes: [east(4)] });
      }
      const change = async (body: object) => {
        const changed = await admin.found<Changed>('POST', '/live/offers/change', { ...body, skus });
        await outcomeOf(changed);
        return `/live/files/${changed.file?.marketplace_file_id}/undo`;
      };
      const undo = async (path: string) => outcomeOf(await admin.found<Changed>('POST', path));
      const read = async (what: string) =>
        Promise.all(skus.map(async (skuId) => (await live.get(`${skuPath(skuId)}/${what}`)).body as never));
      const prices = async () => (await read('price')).map(({ price }: { price: number }) => price);
      const quantities = async () =>
        (await read('inventory')).map(
          ({ fulfillment_nodes: [node] }: { fulfillment_nodes: { quantity: number }[] }) => node?.quantity,
        );

      const raised = await change({ change: 'add_percent_to_price', amount: 5 });
      await live.accepted('PUT', `${skuPath('undo/2')}/price`, { price: 99 });
      const name = 'Undo: Change price by +5% (3 offers)';
      assert.deepEqual(await undo(raised), { offers: 2, skipped: 1, name, failed: 0 });
      assert.deepEqual(await prices(), [10, 99, 10]);
      const [{ fulfillment_nodes }] = (await read('price')) as unknown as [{ fulfillment_nodes: unknown }];
      assert.deepEqual(fulfillment_nodes, [nodePrice(8)]);
      const skipped_skus = skus.map((sku) => ({ sku, reason: 'changed_since' }));
      assert.deepEqual(await admin.found('POST', raised), { offers: 0, skipped: 3, skipped_skus });

      await undo(await change({ change: 'set_stock', fulfillment_node_id: 'demo-node-east', quantity: 0 }));
      assert.deepEqual(await quantities(), [4, 4, 4]);

      const archived = await change({ change: 'archive' });
      await live.accepted('PUT', `${skuPath('undo/2')}/status/archive`, { is_archived: false });
      assert.deepEqual(await undo(archived), { offers: 2, skipped: 1, name: 'Undo: Archive (3 offers)', failed: 0 });
      await waitToSee('the restored stock', async () => ((await quantities()).join() === '4,0,4' ? true : undefined));
      assert.equal((await viewer.send('POST', archived)).status, 403);

      // Unarchiving restores the stock of the last archiving only, and no stock where there was none.
      await live.accepted('PATCH', `${skuPath('undo 1')}/inventory`, { fulfillment_nodes: [east(7)] });
      await change({ change: 'archive' });
      await change({ change: 'unarchive', restore_stock: true });
      await waitToSee('the stock before archiving', async () =>
        (await quantities()).join() === '7,0,4' ? true : undefined,
      );
      const { files } = await admin.found<{ files: FileRecord[] }>('GET', '/live/files');
      assert.deepEqual(
        files.slice(0, 2).map(({ file_name }) => file_name),
        ['Restore stock (2 offers)', 'Unarchive (3 offers)'],
      );
      await change({ change: 'archive' });
      await change({ change: 'unarchive', restore_stock: false });
      assert.deepEqual(await quantities(), [0, 0, 0]);
      const unknown = ['file_not_found', '', 'No file with this id. Files are kept for 30 days.'] as const;
      await admin.refused('POST', archived.replace('/live', '/test'), undefined, [unknown], 404);
    });

    it('undoes a file that the offer list did not make', async () => {
      await api.uploadedSku({}, 'POT-1');
      await api.accepted('PUT', `${skuPath('POT-1')}/price`, { price: 4 });
      await new BulkFiles(api.server.url, api.token).send('Price', '{\n  "POT-1": { "price": 5 }\n}');
      const sent = await waitToSee('the end of the file', async () => {
        const { files } = await admin.found<{ files: FileRecord[] }>('GET', '/test/files');
        return files[0]?.status.startsWith('Processed') ? files[0].marketplace_file_id : undefined;
      });
      const undone = await admin.found<Changed & { skipped_skus: unknown[] }>('POST', `/test/files/${sent}/undo`);
      assert.deepEqual([undone.offers, undone.skipped, undone.skipped_skus], [1, 0, []]);
    });

    it('refuses changes that make no sense, and viewers', async () => {
      for (const path of ['/test/offers/change', '/test/offers/change/preview']) {
        await admin.refused('POST', path, { change: 'set_price', skus: [] }, [
          ['too_few', '/skus', 'skus: must have 1 to 200 entries'],
          ['required', '/amount', 'amount: is required'],
        ]);
        await admin.refused('POST', path, { change: 'add_percent_to_price', amount: -100 }, [
          ['too_small', '/amount', 'amount: must be at least -99'],
        ]);
        await admin.refused('POST', path, { change: 'set_stock', fulfillment_node_id: 'none', quantity: 1 }, [
          [
            'fulfillment_node_unknown',
            '/fulfillment_node_id',
            'fulfillment_node_id: must be one of your fulfillment nodes',
          ],
        ]);
        await admin.refused('POST', path, { change: 'set_stock' }, [
          ['required', '/fulfillment_node_id', 'fulfillment_node_id: is required'],
          ['required', '/quantity', 'quantity: is required'],
        ]);
        assert.equal((await admin.send('POST', `${path}?status=Sold`, { change: 'archive' })).status, 400);
        assert.equal((await viewer.send('POST', path, { change: 'archive' })).status, 403);
      }
    });
  });
}
