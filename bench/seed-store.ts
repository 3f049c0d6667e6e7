/** Fills the test environment of the demo merchant with SKUs, prices and stock for a measurement. */
import { DEMO_MERCHANT_ID, openDemo } from '../src/demo/demo-merchant.ts';
import type { Author } from '../src/domain/author.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { startOfferbook } from './server-process.ts';

const SLICE = 1000;
/** Author in the history for data stored before measuring. */
export const SEEDER: Author = 'key:seeder';

/** Stores offers that are already reviewed, so that no background work is left. */
export async function seedStore(dataDir: string, skus: number): Promise<void> {
  await uploadSkus(dataDir, skus);
  const server = await startOfferbook(dataDir);
  await server.reviewed();
  await server.stop();
}

async function uploadSkus(dataDir: string, skus: number): Promise<void> {
  const store = await openSqliteStore({
    dataDir,
    onFatal: (error) => {
      throw error;
    },
  });
  const nowMs = Date.now();
  await openDemo(store, nowMs);
  const merchant = await store.settings.readMerchant(DEMO_MERCHANT_ID);
  if (merchant === undefined) throw new Error('The demo merchant is missing.');
  const accountId = merchant.accounts.test;
  for (let from = 0; from < skus; from += SLICE) {
    const slice = Array.from({ length: Math.min(SLICE, skus - from) }, (_, i) => ({
      accountId,
      skuId: skuName(from + i),
      by: SEEDER,
    }));
    await Promise.all(
      slice.map((key) =>
        store.offers.write(key, [{ part: 'sku', skuId: key.skuId, document: sampleDocument(key.skuId) }], nowMs),
      ),
    );
    await Promise.all(
      slice.map((key) => store.offers.write(key, [{ part: 'price', skuId: key.skuId, price: 12.5, nodes: [] }], nowMs)),
    );
    const stock = [{ fulfillment_node_id: 'demo-node-east', quantity: 12 }];
    await Promise.all(
      slice.map((key) => store.offers.write(key, [{ part: 'inventory', skuId: key.skuId, quantities: stock }], nowMs)),
    );
  }
  await store.close();
}

/** Returns the id of a stored SKU. All ids have the same length. */
export function skuName(n: number): string {
  return `sku-${String(n).padStart(7, '0')}`;
}

/** Returns a document of about 1.4 KB, the mean of a real catalog. */
export function sampleDocument(skuId: string, { title = '', description = '' } = {}): string {
  return JSON.stringify({
    product_title: `Enameled cast iron pot, 5 liters, ${skuId}${title}`,
    multipack_quantity: 1,
    standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678905' }],
    brand: 'Potter & Sons',
    main_image_url: `https://images.example/${skuId}.jpg`,
    product_description: 'A heavy pot for slow cooking. '.repeat(26) + description,
    bullets: ['Even heat', 'Works on every stove', 'Lid included'].map((bullet) => bullet.repeat(4)),
    marketplace_browse_node_id: 1_010_100,
    attributes_node_specific: [{ attribute_id: 119, attribute_value: 'Red' }],
    prop_65: false,
  });
}
