/**
 * Measures the read of a storefront product with 50 offers among many, on SQLite: `node bench/storefront-reads.ts [products]`.
 *
 * Fills the projection through the store, as the projector does, then reads the product with its ranks and JSON, as the call does, and
 * writes an export of all products, as the background work does.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeExport } from '../src/bulk/write-export.ts';
import { readProduct } from '../src/operations/storefront/read-products.ts';
import { shopFeedWaits } from '../src/operations/storefront/read-shop-events.ts';
import type { ProjectedOffer, ShopAccount } from '../src/store/port/storefront.ts';
import { PROJECTED_OFFERS_MAX } from '../src/store/port/storefront.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';

const PRODUCTS = Number(process.argv[2] ?? 100_000);
const OFFERS = 50;
const READS = 2_000;
const NOTICES = {
  prop_65: false,
  prop_65_reasons: null,
  legal_disclaimer: null,
  safety_warning: null,
  cautionary_statements: [],
  country_of_origin: null,
};

const dataDir = await mkdtemp(path.join(tmpdir(), 'storefront-reads-'));
const store = await openSqliteStore({
  dataDir,
  onFatal(error) {
    throw error;
  },
});
try {
  const startMs = performance.now();
  for (let merchant = 1; merchant <= OFFERS; merchant++) await fill(merchant);
  console.log(`${PRODUCTS} products in ${Math.round((performance.now() - startMs) / 1000)} s`);
  const waits = shopFeedWaits(store.storefront);
  const context = { store, isOn: true, showsBestPrice: false, waits, hasUrl: false };
  const took_ms: number[] = [];
  for (let read = 0; read < READS; read++) {
    const beforeMs = performance.now();
    const outcome = await readProduct(context, 'live', asinOf(0));
    took_ms.push(performance.now() - beforeMs);
    if (!outcome.ok) throw new Error('The product was not found.');
  }
  took_ms.sort((a, b) => a - b);
  const at = (share: number) => (took_ms[Math.floor(READS * share)] ?? 0).toFixed(2);
  console.log(`a product with ${OFFERS} offers: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  const usedBefore = process.cpuUsage();
  const exportMs = performance.now();
  let bytes = 0;
  const exporting = {
    ...{ storefront: store.storefront, environmentOf: async () => 'live' as const },
    ...{ currency: 'USD', storefrontUrl: undefined },
  };
  const draft = {
    write: async (chunk: Uint8Array) => {
      bytes += chunk.length;
    },
    keep: async () => 'kept' as const,
    discard: async () => {},
  };
  await writeExport(exporting, { accountId: 1, format: 'NDJSON' }, draft, new AbortController().signal);
  const { user, system } = process.cpuUsage(usedBefore);
  const [took_s, cpu_s] = [(performance.now() - exportMs) / 1000, (user + system) / 1e6];
  const memory_mb = process.resourceUsage().maxRSS / 1024;
  console.log(
    `export: ${took_s.toFixed(1)} s, ${Math.round(PRODUCTS / cpu_s)} products per CPU second, ` +
      `${(bytes / 1e6).toFixed(1)} MB, at most ${Math.round(memory_mb)} MB of memory`,
  );
} finally {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
}

function asinOf(product: number): string {
  return `B${String(product).padStart(9, '0')}`;
}

/** The first merchant sells all products, the others only the first one. */
async function fill(accountId: number): Promise<void> {
  const position = { number: 1, count: 0 };
  const account: ShopAccount = { accountId, environment: 'live', basis: 'b', tag: 't', position, walk: null };
  await store.storefront.beginShopWalk(account);
  const products = accountId === 1 ? PRODUCTS : 1;
  for (let start = 0; start < products; start += PROJECTED_OFFERS_MAX) {
    const length = Math.min(PROJECTED_OFFERS_MAX, products - start);
    const offers = Array.from({ length }, (_, index) => offerOf(accountId, start + index));
    await store.storefront.projectOffers(account, account, offers, Date.now());
  }
}

function offerOf(merchant: number, product: number): ProjectedOffer {
  const code = `asin:${asinOf(product)}` as const;
  const price = 10 + (merchant % 7);
  const offer = {
    ...{ merchant_id: `m-${merchant}`, merchant_name: `Merchant ${merchant}`, merchant_sku: `sku-${product}` },
    ...{ multipack_quantity: 1, price, price_visibility: 'public', display_price: price, price_policy: '101' },
    ...{ member_savings: 'allowed', shipping_at_least: 0, total: price, quantity: merchant, msrp: null },
    ...{ shipping_exceptions: [], return_days: 30, tax_code: null },
  };
  const text = {
    ...{ code, codes: [code], title: `Pot number ${product}`, brand: 'Potter', manufacturer: null },
    ...{ mfr_part_number: null, description: 'Cast iron. '.repeat(60), bullets: [], attributes: [] },
    ...{ category: { id: 2, path: [{ id: 2, name: 'Pots' }] }, images: ['https://img.example/1.jpg'], group: null },
    notices: NOTICES,
  };
  const texts = { offer: JSON.stringify(offer), product: JSON.stringify(text) };
  return { skuId: `sku-${product}`, shown: { code, parent: null, total: price * 10_000, ...texts } };
}
