/** Every page of the portal in a real browser: usable by keyboard and screen reader, light and dark, on a phone, and small. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { browserSkipped } from '../harness/browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { waitUntil } from '../harness/wait-until.ts';

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const AXE_OF_COLOURS = `axe.run({ runOnly: ['color-contrast', 'link-in-text-block'] })`;
/** Colours in between have less contrast. One that is replaced by another rejects; the other is waited for, too. */
const TRANSITIONS_ENDED = `Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition)
  .map((one) => one.finished)).then(() => undefined)`;
const SCRIPT_BYTES_MAX = 250_000;
const PHONE = { width: 390, height: 844 };

const MERCHANT_PAGES = [
  'overview',
  'offers',
  'offers/page-mug',
  'files',
  'api-integration',
  'setup',
  'people',
  'account',
];
const OPERATOR_PAGES = [
  'merchants',
  'merchants/demo',
  'people',
  'policies',
  'taxonomy',
  'catalog',
  'placeholders',
  'system',
  'acts',
  'account',
];

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

describe('pages of the portal', { skip: browserSkipped(), concurrency: 2 }, () => {
  const portal = portalInBrowser();
  before(async () => {
    const answer = await fetch(`${portal.url}/token`, {
      method: 'POST',
      body: JSON.stringify({ user: 'demo-test-user', pass: 'demo-test-secret' }),
    });
    const { id_token: token } = (await answer.json()) as { id_token: string };
    const put = await fetch(`${portal.url}/merchant-skus/page-mug`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(MUG),
    });
    assert.equal(put.status, 202);
  });

  for (const [who, paths] of [
    ['merchant', MERCHANT_PAGES.map((path) => `test/${path}`)],
    ['operator', OPERATOR_PAGES.map((path) => `operator/${path}`)],
  ] as const) {
    it(`axe finds nothing serious on the pages of the ${who}, light and dark, and none is wider than a phone`, async (t) => {
      const page = await portal.openPage(t, { colorScheme: 'light', bypassCSP: true });
      await portal.signIn(page, '', `${who}@demo.example`);
      const size = page.viewportSize() ?? assert.fail();
      for (const path of paths) {
        await open(page, path);
        await page.evaluate(AXE);
        await page.evaluate(TRANSITIONS_ENDED);
        await assertAccessible(page, path, 'axe.run()');
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
        await page.evaluate(TRANSITIONS_ENDED);
        // All but the colours is the same.
        await assertAccessible(page, `${path}, dark`, AXE_OF_COLOURS);
        await page.setViewportSize(PHONE);
        // What surrounds the page glides to its new size.
        await waitUntil(`${path} to be as narrow as a phone`, 60_000, async () => {
          return (await page.evaluate<number>('document.documentElement.scrollWidth')) <= PHONE.width || undefined;
        });
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme: 'light' });
      }
    });
  }

  it('the pages keep to the policy of what a page may load', async (t) => {
    // A page that breaks it complains, which fails the test at its end.
    const page = await portal.openPage(t);
    await portal.signIn(page, '', 'merchant@demo.example');
    for (const path of ['overview', 'offers/page-mug', 'api-integration']) await open(page, `test/${path}`);
    await page.getByRole('button', { name: 'Get API keys' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make the keys' }).waitFor();
  });

  it('on a phone the list of pages is opened, and leads to them', async (t) => {
    const page = await portal.openPage(t, { viewport: PHONE, hasTouch: true });
    await portal.signIn(page, '', 'merchant@demo.example');
    await open(page, 'test/offers');
    await page.getByRole('button', { name: 'Open the list of pages' }).click();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('the first load has less script than its limit', async (t) => {
    const page = await portal.openPage(t);
    const scripts: Promise<number>[] = [];
    page.on('response', (response) => {
      if (/\.js(\?|$)/.test(response.url())) scripts.push(response.body().then((body) => gzipSync(body).length));
    });
    await page.goto(`${portal.url}/portal/`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const bytes = (await Promise.all(scripts)).reduce((sum, one) => sum + one, 0);
    assert.ok(bytes > 0 && bytes < SCRIPT_BYTES_MAX, `${bytes} bytes`);
  });

  it('the keyboard reaches everything: skip link, switch of environment, menu', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, '', 'merchant@demo.example');
    await open(page, 'test/overview');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the page');
    await page.getByRole('radio', { name: 'Test' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/\/live\/overview/);
    await page.getByRole('button', { name: 'Menu of merchant@demo.example' }).focus();
    await page.keyboard.press('Enter');
    // The menu takes the focus once it stands, from whatever has it by then.
    await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' });
    await page.getByRole('menuitemradio', { name: 'Dark' }).press('Enter');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  });

  async function assertAccessible(page: Page, path: string, run: string): Promise<void> {
    const found = await page.evaluate<Finding[]>(`${run}.then(({ violations }) => violations)`);
    const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const said = serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('\n  ')}`);
    assert.deepEqual(said, [], path);
  }

  async function open(page: Page, path: string): Promise<void> {
    await page.goto(`${portal.url}/portal/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // What loads of the page comes with its heading.
    await waitUntil(`all of ${path}`, 60_000, async () => {
      return (await page.getByRole('status', { name: /is loading$/ }).count()) === 0 || undefined;
    });
  }
});
