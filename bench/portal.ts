/**
 * `npm run bench:portal`: opens every page in a browser, on a server with 100,000 generated and reviewed offers of the demo
 * merchant, and prints how long each page takes until it shows its data. A first load fills the browser's cache, as for a user who comes
 * back. The figure is the median of three more loads. Then it types into the search of the offer list, and prints how long the rows take
 * after the last key. Writes bench/results/portal.json.
 *
 * `--skus N` uses fewer, to try a change; `--keep FOLDER` keeps the database there and reuses it the next time.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { Files, fileIdOf } from '../client/src/files.ts';
import { Session } from '../client/src/session.ts';
import { OFFER_TABS } from '../portal/src/api/offer-tabs.ts';
import { Catalog } from '../src/catalog-generator/catalog.ts';
import { readSettings } from '../src/config/settings.ts';
import { DEMO_CREDENTIALS, DEMO_MERCHANT_ID, openDemo } from '../src/demo/demo-merchant.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../src/demo/demo-people.ts';
import type { NodeQuantity } from '../src/domain/offers/part.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Store } from '../src/store/port.ts';
import { launchBrowser, signInOn } from '../test/harness/browser.ts';
import { FigureTable } from './floors.ts';
import { planOf } from './generated-files.ts';
import { median } from './median.ts';
import { countOf, NOISY } from './options.ts';
import { writeResult } from './report.ts';
import { SEEDER } from './seed-store.ts';
import { startOfferbook } from './server-process.ts';

const { values: options } = parseArgs({
  options: { skus: { type: 'string', default: '100000' }, keep: { type: 'string' }, ...NOISY },
});
const SKUS = countOf('skus', options.skus);
const SLICE_OFFERS = 1000;
const LOADS = 3;
const LOAD_MS_MAX = 1000;
const SEARCH_MS_MAX = 500;
const SEARCH_TURNS = 5;

const catalog = new Catalog(planOf(1));
/** Words of many offers, of fewer, of none, and one SKU. */
const SEARCHES = ['navy', 'navy shirt', 'navy zzqx', catalog.skuId(50_000)];
const MERCHANT_PAGES = [
  'overview',
  'offers',
  'offers?sort=title',
  'offers?sort=price',
  'offers?status=Missing+Listing+Data',
  'offers?stock=out',
  'offers?q=blue+shirt',
  'add-offer',
  ...OFFER_TABS.map((tab) => `offers/${catalog.skuId(8)}?tab=${tab}`),
  'files',
  'api-integration',
  'api-integration?tab=requests',
  'api-integration?tab=webhooks',
  'settings',
  'team',
  'account',
].map((page) => `test/${page}`);
const OPERATOR_PAGES = [
  'merchants',
  'merchants/demo',
  'offers?q=blue+shirt',
  'review',
  'users',
  'policies',
  'taxonomy',
  'catalog',
  'placeholders',
  'system',
  'activity-log',
  'account',
].map((page) => `operator/${page}`);

/** When the page has its heading and no part is still loading, resolves with the milliseconds since the navigation. */
const WHEN_LOADED = `new Promise((resolve) => {
  const look = () => {
    const isLoaded = document.querySelector('h1') && !document.querySelector('[role=status][aria-label^=Loading]');
    if (isLoaded) resolve(performance.now());
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Resolves with the milliseconds from the last key to the frame with the rows of the search. */
const WHEN_FOUND = `(words) => new Promise((resolve) => {
  let pressedAt;
  addEventListener('keydown', () => { pressedAt = performance.now(); }, true);
  const look = () => {
    const isAsked = new URLSearchParams(location.search).get('q') === words;
    const isLoading = document.querySelector('[role=status][aria-label^=Loading], [aria-busy=true]');
    if (isAsked && !isLoading) requestAnimationFrame(() => resolve(performance.now() - pressedAt));
    else requestAnimationFrame(look);
  };
  look();
})`;

const figures = new FigureTable('Portal', options.noisy);
const folder = options.keep ?? mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
if (options.keep === undefined) opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const dataDir = path.join(folder, 'portal');
if (!existsSync(dataDir)) await fillStore();
const server = opened.adopt(await startOfferbook(dataDir), (one) => one.stop());
await server.reviewed();
const browser = opened.adopt(await launchBrowser(), (one) => one.close());
await measureSearches(browser);
await measure(browser, DEMO_PEOPLE.merchant, [...MERCHANT_PAGES, `test/files/${await sendFile()}`]);
await measure(browser, DEMO_PEOPLE.operator, OPERATOR_PAGES);
figures.sayMissed();
writeResult('portal', { notes: [`${SKUS.toLocaleString('en-US')} offers`], tables: [figures] });

async function fillStore(): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const settings = readSettings({ DATA_DIR: dataDir });
  await using filling = new AsyncDisposableStack();
  const store = filling.adopt(
    await openStore(settings, (error) => {
      throw error;
    }),
    (one) => one.close(),
  );
  await openDemo(store, Date.now());
  const accountId = (await store.settings.readMerchant(DEMO_MERCHANT_ID))?.accounts.test ?? Number.NaN;
  for (let from = 0; from < SKUS; from += SLICE_OFFERS) {
    const places = Array.from({ length: Math.min(SLICE_OFFERS, SKUS - from) }, (_, place) => from + place);
    await Promise.all(places.map((place) => putOffer(store, accountId, place)));
  }
}

/** Stores an offer. One in eight has no price, and one in seven has no stock. */
async function putOffer({ offers }: Store, accountId: number, place: number): Promise<void> {
  const key = { accountId, skuId: catalog.skuId(place), by: SEEDER };
  const nowMs = Date.now();
  await offers.write(key, [{ part: 'sku', skuId: key.skuId, document: catalog.sku(place) }], nowMs);
  const { price } = JSON.parse(catalog.price(place)) as { price: number };
  if (place % 8 !== 0) await offers.write(key, [{ part: 'price', skuId: key.skuId, price, nodes: [] }], nowMs);
  const { fulfillment_nodes: nodes } = JSON.parse(catalog.inventory(place)) as { fulfillment_nodes: NodeQuantity[] };
  if (place % 7 !== 0) await offers.write(key, [{ part: 'inventory', skuId: key.skuId, quantities: nodes }], nowMs);
}

/** Sends a file of two prices, one of them invalid, and returns its id. */
async function sendFile(): Promise<string> {
  const { user, secret: pass } = DEMO_CREDENTIALS.test;
  const files = new Files(new Session({ url: server.url, user, pass }));
  const content = JSON.stringify({ [catalog.skuId(1)]: { price: 9.99 }, [catalog.skuId(2)]: { price: -1 } });
  const fileId = fileIdOf(await files.upload({ type: 'Price', name: 'prices.json', content }));
  await Array.fromAsync(files.follow(fileId));
  return fileId;
}

async function measure(of: Browser, email: string, pages: readonly string[]): Promise<void> {
  const context = await of.newContext({ locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(`${server.url}/portal/`);
  await signInOn(page, email, DEMO_PASSWORD);
  for (const address of pages) {
    const times: number[] = [];
    // The first load fills the browser's cache.
    for (let load = 0; load <= LOADS; load++) times.push(await loadMs(page, address));
    figures.figure({ what: `/portal/${address}`, value: median(times.slice(1)), unit: 'ms', ceiling: LOAD_MS_MAX });
  }
  await context.close();
}

async function measureSearches(of: Browser): Promise<void> {
  const page = await (await of.newContext({ locale: 'en-US' })).newPage();
  await page.goto(`${server.url}/portal/`);
  await signInOn(page, DEMO_PEOPLE.merchant, DEMO_PASSWORD);
  for (const words of SEARCHES) {
    const times: number[] = [];
    for (let turn = 0; turn <= SEARCH_TURNS; turn++) {
      await loadMs(page, 'test/offers');
      const found = page.evaluate<number>(`(${WHEN_FOUND})(${JSON.stringify(words)})`);
      await page.getByRole('searchbox', { name: 'Search', exact: true }).pressSequentially(words, { delay: 80 });
      times.push(await found);
    }
    figures.figure({ what: `search "${words}"`, value: median(times.slice(1)), unit: 'ms', ceiling: SEARCH_MS_MAX });
  }
  await page.context().close();
}

async function loadMs(page: Page, address: string): Promise<number> {
  await page.goto(`${server.url}/portal/${address}`, { waitUntil: 'commit' });
  return page.evaluate<number>(WHEN_LOADED);
}
