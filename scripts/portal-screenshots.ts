/**
 * Takes the portal screenshots in docs/images: starts a demo server with a generated catalog in a temporary folder, and
 * captures the main pages in light and dark mode. Run it by hand after pages have changed: `npm run screenshots`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { Catalog } from '../src/catalog-generator/catalog.ts';
import { readSettings } from '../src/config/settings.ts';
import { DEMO_CREDENTIALS, DEMO_NODES } from '../src/demo/demo-merchant.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../src/demo/demo-people.ts';
import { startOfferbook } from '../src/main.ts';
import { launchBrowser, signInOn } from '../test/harness/browser.ts';
import { waitUntil } from '../test/harness/wait-until.ts';

const OFFERS = 240;
const VIEW = { width: 1280, height: 860 };
const target = fileURLToPath(new URL('../docs/images/', import.meta.url));

const MERCHANT_PAGES = {
  overview: 'test/overview',
  offers: 'test/offers',
  files: 'test/files',
  keys: 'test/api-integration',
};
const OPERATOR_PAGES = {
  merchants: 'operator/merchants/demo',
  taxonomy: 'operator/taxonomy',
  system: 'operator/system',
};

const dataDir = await mkdtemp(path.join(tmpdir(), 'offerbook-images-'));
const images: string[] = [];
const offerbook = await startOfferbook(
  readSettings({ PORT: '0', DEMO_OFFERS: 'off', DATA_DIR: dataDir, LOG_LEVEL: 'silent' }),
  {
    demo: true,
    say: (line) => images.push(...(line.match(/http\S+\.jpg/g) ?? [])),
  },
);
const browser = await launchBrowser();
try {
  const shown = await fillStore();
  for (const colorScheme of ['light', 'dark'] as const) {
    await photograph(DEMO_PEOPLE.merchant, { ...MERCHANT_PAGES, offer: `test/offers/${shown}` }, colorScheme);
    await photograph(DEMO_PEOPLE.operator, OPERATOR_PAGES, colorScheme);
  }
} finally {
  await browser.close();
  await offerbook.close();
  await rm(dataDir, { recursive: true });
}

/** Returns the SKU of an offer that is not for sale. */
async function fillStore(): Promise<string> {
  const { user, secret } = DEMO_CREDENTIALS.test;
  const { id_token: token } = await send<{ id_token: string }>(
    'POST',
    '/token',
    '',
    `{"user":"${user}","pass":"${secret}"}`,
  );
  const catalog = new Catalog({ seed: 7, nodeIds: DEMO_NODES.map(({ id }) => id), images });
  for (let place = 0; place < OFFERS; place++) {
    const address = `/merchant-skus/${catalog.skuId(place)}`;
    const sku = catalog.sku(place);
    await send('PUT', sku.includes('product_type_id') ? `${address}/v2` : address, token, sku);
    if (place % 9 !== 0) await send('PUT', `${address}/price`, token, catalog.price(place));
    if (place % 7 !== 0) await send('PATCH', `${address}/inventory`, token, catalog.inventory(place));
    if (place % 31 === 0) await send('PUT', `${address}/price`, token, '{"price":-1}');
  }
  await waitUntil('the last offer to be reviewed', 60_000, async () => {
    const offer = await send<{ status: string }>('GET', `/merchant-skus/${catalog.skuId(OFFERS - 1)}`, token);
    return /Review/.test(offer.status) ? undefined : offer;
  });
  return catalog.skuId(0);
}

async function send<T>(method: string, address: string, token: string, body?: string): Promise<T> {
  const response = await fetch(`${offerbook.url}${address}`, {
    method,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function photograph(
  email: string,
  pages: Readonly<Record<string, string>>,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  const context = await browser.newContext({ viewport: VIEW, colorScheme, locale: 'en-US' });
  const page = await context.newPage();
  await signIn(page, email);
  for (const [name, address] of Object.entries(pages)) {
    await page.goto(`${offerbook.url}/portal/${address}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: `${target}portal-${name}-${colorScheme}.png`, animations: 'disabled' });
  }
  await context.close();
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${offerbook.url}/portal/`);
  await signInOn(page, email, DEMO_PASSWORD);
}
