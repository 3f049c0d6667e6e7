/**
 * Takes the portal screenshots in docs/images: starts a demo server in a temporary folder, and captures the main pages in light and
 * dark mode, some also on a phone. Run it by hand after pages have changed: `npm run screenshots`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page, ViewportSize } from 'playwright-core';
import { Offerbook } from '../client/src/offerbook.ts';
import { readSettings } from '../src/config/settings.ts';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../src/demo/demo-people.ts';
import { startOfferbook } from '../src/main.ts';
import { launchBrowser, signInOn } from '../test/harness/browser.ts';
import { waitUntil } from '../test/harness/wait-until.ts';

const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
const target = fileURLToPath(new URL('../docs/images/', import.meta.url));

const MERCHANT_PAGES = {
  overview: 'test/overview',
  offers: 'test/offers',
  files: 'test/files',
  keys: 'test/api-integration',
};
const PHONE_PAGES = { 'overview-phone': 'test/overview', 'offers-phone': 'test/offers' };
const OPERATOR_PAGES = {
  merchants: 'operator/merchants/demo',
  taxonomy: 'operator/taxonomy',
  system: 'operator/system',
};

/** An offer that is not for sale. */
const SHOWN = 'KW-KETTLE-MOSS';
/** The last offer that the demo uploads. Its image arrives late, so its review is not awaited. */
const LAST = 'QU-LANTERN-SLATE';
const UPLOAD_MS_MAX = 60_000;

const dataDir = await mkdtemp(path.join(tmpdir(), 'offerbook-images-'));
const offerbook = await startOfferbook(readSettings({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent' }), {
  demo: true,
});
const browser = await launchBrowser();
try {
  await whenReviewed();
  for (const colorScheme of ['light', 'dark'] as const) {
    await photograph(DEMO_PEOPLE.merchant, { ...MERCHANT_PAGES, offer: `test/offers/${SHOWN}` }, colorScheme, DESKTOP);
    await photograph(DEMO_PEOPLE.merchant, PHONE_PAGES, colorScheme, PHONE);
    await photograph(DEMO_PEOPLE.operator, OPERATOR_PAGES, colorScheme, DESKTOP);
  }
} finally {
  await browser.close();
  await offerbook.close();
  await rm(dataDir, { recursive: true });
}

async function whenReviewed(): Promise<void> {
  const { user, secret: pass } = DEMO_CREDENTIALS.test;
  const client = new Offerbook({ url: offerbook.url, user, pass });
  await waitUntil('the last offer', UPLOAD_MS_MAX, () => client.getPrice(LAST));
  for await (const sku of client.skus()) if (sku !== LAST) await client.waitForReview(sku);
}

async function photograph(
  email: string,
  pages: Readonly<Record<string, string>>,
  colorScheme: 'light' | 'dark',
  viewport: ViewportSize,
): Promise<void> {
  const context = await browser.newContext({ viewport, colorScheme, locale: 'en-US' });
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
