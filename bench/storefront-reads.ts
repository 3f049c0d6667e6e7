/**
 * Measures the read of a storefront product with 50 offers among many, on SQLite: `node bench/storefront-reads.ts [products]`.
 *
 * Fills the projection through the store, as the projector does, then reads the product with its ranks and JSON, as the call does, and
 * previews another order of offers, and writes an export of all products, as the background work does. Then a server does both over HTTP, without other work for the storefront.
 * `node bench/storefront-reads.ts 1000000` measures a million live offers, and how the memory of the server changes during the export.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { issueCredential } from '../src/access/tokens/secrets.ts';
import { writeExport } from '../src/bulk/write-export.ts';
import { ALL_RIGHTS, SCOPE } from '../src/domain/setup/key-scopes.ts';
import { DEFAULT_ORDER } from '../src/domain/vocabulary/rank-parts.ts';
import { estimateRanking } from '../src/operations/review/estimate-ranking.ts';
import { readProduct } from '../src/operations/storefront/read-products.ts';
import { shopFeedWaits } from '../src/operations/storefront/read-shop-events.ts';
import type { ProjectedOffer, ShopAccount } from '../src/store/port/storefront.ts';
import { PROJECTED_OFFERS_MAX, STOREFRONT_ACCOUNT, STOREFRONT_KIND } from '../src/store/port/storefront.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { anonymousMegabytes, NoiseWatch, tooNoisy } from './machine.ts';
import { quantile } from './median.ts';
import { Caller, requestToken, startOfferbook } from './server-process.ts';

const PRODUCTS = Number(process.argv[2] ?? 100_000);
const OFFERS = 50;
const READS = 2_000;
const SAMPLE_MS = 100;
/** The server must not project: it would forget the offers, because their merchants do not exist. */
const LEASE_MS = 86_400_000;
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
  const context = { store, isOn: true, showsBestPrice: false, waits, hasUrl: false, order: () => DEFAULT_ORDER };
  const took_ms: number[] = [];
  for (let read = 0; read < READS; read++) {
    const beforeMs = performance.now();
    const outcome = await readProduct(context, 'live', asinOf(0));
    took_ms.push(performance.now() - beforeMs);
    if (!outcome.ok) throw new Error('The product was not found.');
  }
  printTimes(`a product with ${OFFERS} offers`, took_ms);
  const previewMs = performance.now();
  const impact = await estimateRanking(store.storefront, DEFAULT_ORDER, ['stock', 'total']);
  const { products, examined } = impact;
  const preview_s = ((performance.now() - previewMs) / 1000).toFixed(1);
  console.log(
    `preview of another order: ${preview_s} s, ${examined} offers, ${products} products change their best offer`,
  );
  const usedBefore = process.cpuUsage();
  const exportMs = performance.now();
  let bytes = 0;
  const exporting = {
    ...{ storefront: store.storefront, environmentOf: async () => 'live' as const, order: async () => DEFAULT_ORDER },
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
  const { user: name, secret, stored } = issueCredential('live');
  const account = await store.settings.addMarketplaceAccount('live');
  const key = { ...stored, ...ALL_RIGHTS, scopes: SCOPE.storefront, name: 'shop' };
  await store.settings.addCredential(account, key, Date.now(), 99);
  await store.work.announceWork(STOREFRONT_KIND, STOREFRONT_ACCOUNT, 0);
  if ((await store.work.takeWork(STOREFRONT_KIND, 'benchmark', LEASE_MS)) === undefined) throw new Error('No lease.');
  await store.close();
  await measureServer({ user: name, secret });
} finally {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Reads the product and exports all products over HTTP. */
async function measureServer(credentials: Parameters<typeof requestToken>[1]): Promise<void> {
  const server = await startOfferbook(dataDir, { STOREFRONT: 'on', MARKETPLACE_REQUESTS_PER_MINUTE: '100000000' });
  try {
    using caller = new Caller(server.url, await requestToken(server.url, credentials));
    const call = async (method: string, at: string) => {
      const { status, text } = await caller.send(method, at);
      if (status !== 200 && status !== 202) throw new Error(`${at} got ${status} ${text}`);
      return text;
    };
    const noise = new NoiseWatch();
    const took_ms: number[] = [];
    for (let read = 0; read < READS; read++) {
      const beforeMs = performance.now();
      await call('GET', `/storefront/products/asin:${asinOf(0)}`);
      took_ms.push(performance.now() - beforeMs);
    }
    printTimes(`the same over HTTP`, took_ms, noise);
    const memory_mb: number[] = [];
    const beforeMs = performance.now();
    const { export_id } = JSON.parse(await call('POST', '/storefront/exports?format=NDJSON'));
    let state = { status: '' };
    for (let isReady = false; !isReady; isReady = 'url' in state) {
      await pause(SAMPLE_MS);
      memory_mb.push(anonymousMegabytes(server.pid) ?? Number.NaN);
      state = JSON.parse(await call('GET', `/storefront/exports/${export_id}`));
      if (state.status === 'Failed') throw new Error('The export failed.');
    }
    const took_s = (performance.now() - beforeMs) / 1000;
    const quarters = [0.25, 0.5, 0.75, 1].map((share) =>
      Math.round(memory_mb[Math.ceil(memory_mb.length * share) - 1] ?? 0),
    );
    const loud = tooNoisy(noise.next());
    console.log(
      `export by the server: ${took_s.toFixed(1)} s; memory after each quarter of it ${quarters.join(', ')} MB, ` +
        `at most ${Math.round(Math.max(...memory_mb))} MB${loud === undefined ? '' : `; noisy: ${loud}`}`,
    );
  } finally {
    await server.stop();
  }
}

function printTimes(what: string, took_ms: readonly number[], noise?: NoiseWatch): void {
  const sorted = took_ms.toSorted((one, other) => one - other);
  const [p50 = Number.NaN, p99 = Number.NaN] = [0.5, 0.99].map((share) => quantile(sorted, share) ?? undefined);
  const loud = tooNoisy(noise?.next());
  console.log(
    `${what}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms${loud === undefined ? '' : `; noisy: ${loud}`}`,
  );
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
