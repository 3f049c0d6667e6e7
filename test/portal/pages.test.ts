/** Tests the pages of the portal in a browser: accessibility, dark mode, phone layout, script size, keyboard use. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { issueLink } from '../../src/access/portal/one-time-link.ts';
import { browserSkipped, failedRequests } from '../harness/browser.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { PortalBrowser, waitToSee } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { waitUntil } from '../harness/wait-until.ts';

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const AXE_OF_COLORS = `axe.run({ runOnly: ['color-contrast', 'link-in-text-block'] })`;
/**
 * Colors have less contrast during a transition. A dialog starts its transition two frames after it appears. A replaced transition
 * rejects; its replacement is awaited too.
 */
const TRANSITIONS_ENDED = `(async () => {
  for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
  const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
  await Promise.allSettled(transitions.map((one) => one.finished));
})()`;
const HOUR_MS = 3_600_000;
const SAMPLE_OFFERS = 58;
const SCRIPT_BYTES_MAX = 250_000;
const SCRIPT_BYTES = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
const HEADING_LEVELS = `[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter((one) => one.checkVisibility())
  .map(({ tagName }) => Number(tagName[1]))`;
const HAS_CLIPPED_TABLE = `[...document.querySelectorAll('table')]
  .some(({ parentElement: around }) => around.scrollWidth > around.clientWidth + 1)`;
const USUAL_TITLE = 'Organic cotton T-shirt, Plum, size XXL';
const PHONE = { width: 390, height: 844 };

/** `START` stands for the page at `/`, `LINK` for the token of a password link, `FILE` for a file with failed rows, `PLAN` for a plan. */
const VISITOR_PAGES = ['START', 'portal/sign-in', 'portal/set-password#LINK', 'portal/no/such/page'];
const MERCHANT_PAGES = [
  'overview',
  'offers',
  'offers/page-mug',
  'offers/page-mug?tab=data',
  'offers/page-mug?tab=group',
  'offers/page-mug?tab=exceptions',
  'offers/page-mug?tab=history',
  'add-offer',
  'files',
  'files/FILE',
  'plans/PLAN',
  'no-such-page',
  'api-integration',
  'api-integration?tab=requests',
  'api-integration/requests/none',
  'api-integration?tab=webhooks',
  'api-integration?tab=webhooks&webhook=WEBHOOK',
  'offers?upcoming=CHANGE',
  'settings',
  'team',
  'account',
];
const OPERATOR_PAGES = [
  'home',
  'merchants',
  'merchants/demo',
  'offers',
  'review',
  'users',
  'policies',
  'taxonomy',
  'taxonomy?node=1011010',
  'catalog',
  'catalog?environment=test&code=CODE',
  'placeholders',
  'changes',
  'system',
  'activity-log',
  'api-keys',
  'webhooks',
  'account',
];

interface Overview {
  readonly offers: { readonly total: number };
  readonly waiting_for_review: number;
}

interface Files {
  readonly files: readonly { readonly marketplace_file_id: string; readonly rows_failed: number }[];
}

interface Upcoming {
  readonly changes: readonly { readonly id: number; readonly offers: number }[];
}

interface Listed {
  readonly products: readonly { readonly code: string }[];
}

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

describe('pages of the portal', { skip: browserSkipped(), concurrency: 2 }, () => {
  const portal = portalInBrowser({ DEMO_OFFERS: 'on' });
  const named = new Map<string, string>([['START', '']]);
  before(async () => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    const operator = await PortalBrowser.operatorOf(portal.url);
    const { files } = await waitToSee('the sample offers', async () => {
      const { offers, waiting_for_review } = await merchant.found<Overview>('/test/overview');
      const found = await merchant.found<Files>('/test/files');
      return offers.total === SAMPLE_OFFERS && waiting_for_review === 0 && found.files.length === 2 ? found : undefined;
    });
    named.set('FILE', files.find((file) => file.rows_failed > 0)?.marketplace_file_id ?? assert.fail());
    const code = await waitToSee('a product', async () => {
      return (await operator.found<Listed>('/test/products')).products[0]?.code;
    });
    named.set('CODE', encodeURIComponent(code));
    const { token: link, stored } = issueLink(Date.now() + HOUR_MS);
    const invited = { email: 'new@demo.example', role: 'merchant-viewer', merchantId: 'demo', createdMs: 0 } as const;
    await withSetupStore(portal.server.place, (store) => store.people.addPortalUser(invited, stored));
    named.set('LINK', link);
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
    const planned = await fetch(`${portal.url}/plans`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ offers: [{ merchant_sku: 'page-mug', offer: { price: { price: 20 } } }] }),
    });
    named.set('PLAN', ((await planned.json()) as { id: string }).id);
    const date = encodeURIComponent(new Date(Date.now() + 24 * HOUR_MS).toISOString());
    const announced = { kind: 'excluded_brand', brand: MUG.brand };
    assert.equal((await operator.post(`/policies?enforced_from=${date}`, announced)).status, 200);
    const change = await waitToSee('the warning', async () => {
      const { changes } = await merchant.found<Upcoming>('/test/requirements/upcoming');
      return changes[0]?.offers === 1 ? changes[0] : undefined;
    });
    named.set('CHANGE', String(change.id));
    // No message arrives: there are no reports, and a host name under .invalid never resolves.
    const webhook = { url: 'http://hook.invalid/hook', types: ['report.ready'] };
    const added = await merchant.post('/test/webhooks', webhook);
    const { webhook_id: webhookId } = added.body as { webhook_id: string };
    named.set('WEBHOOK', webhookId);
    assert.equal((await merchant.post(`/test/webhooks/${webhookId}/test`)).status, 200);
  });

  for (const [who, paths] of [
    ['visitor', VISITOR_PAGES],
    ['merchant', MERCHANT_PAGES.map((path) => `portal/test/${path}`)],
    ['operator', OPERATOR_PAGES.map((path) => `portal/operator/${path}`)],
  ] as const) {
    it(`pages of the ${who} have little script, ordered headings, no failed requests, no axe findings in light and dark mode, and fit a phone`, async (t) => {
      const page = await portal.openPage(t, { colorScheme: 'light', bypassCSP: true });
      const failed = failedRequests(page);
      if (who !== 'visitor') await portal.signIn(page, '', `${who}@demo.example`);
      const size = page.viewportSize() ?? assert.fail();
      for (const path of paths) {
        await open(page, path);
        await assertLittleScript(page, path);
        // Shows the actions for the selected offers.
        if (path === 'portal/test/offers') await page.getByLabel('Select all offers shown').check();
        await assertOrderedHeadings(page, path);
        await page.evaluate(AXE);
        await page.evaluate(TRANSITIONS_ENDED);
        await assertAccessible(page, path, 'axe.run()');
        await page.emulateMedia({ colorScheme: 'dark' });
        if (path !== 'START') await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
        await page.evaluate(TRANSITIONS_ENDED);
        // Only colors differ in dark mode.
        await assertAccessible(page, `${path}, dark`, AXE_OF_COLORS);
        await page.setViewportSize(PHONE);
        // The layout animates to its new size.
        await waitUntil(`${path} to be as narrow as a phone`, 60_000, async () => {
          return (await page.evaluate<number>('document.documentElement.scrollWidth')) <= PHONE.width || undefined;
        });
        await waitUntil(`${path} without clipped tables`, 60_000, async () => {
          return !(await page.evaluate<boolean>(HAS_CLIPPED_TABLE)) || undefined;
        });
        await assertOrderedHeadings(page, path);
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme: 'light' });
      }
      assert.deepEqual([...failed], []);
    });
  }

  it('the demo opens on offers for sale, out of stock and with issues, and they have history', async (t) => {
    const page = await portal.openPage(t);
    const failed = failedRequests(page);
    await page.goto(portal.url);
    await page.getByRole('link', { name: 'Portal' }).click();
    await page.getByRole('button', { name: 'merchant@demo.example' }).click();
    await page.getByRole('region', { name: 'Fix these first' }).getByRole('link').first().waitFor();
    for (const tile of ['Ready for sale', 'Out of stock', 'Issues to fix']) {
      await page.getByRole('link', { name: new RegExp(`^${tile} ?[1-9]`) }).waitFor();
    }
    await page.getByRole('link', { name: 'Offers', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search' }).fill('HH-MUG-SLATE');
    await page.getByText('1 offer', { exact: true }).waitFor();
    await page.getByRole('link', { name: /^Stoneware mug/ }).click();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('by API key demo-test-user').first().waitFor();
    assert.deepEqual([...failed], []);
  });

  it('dialogs have no axe findings', async (t) => {
    const page = await portal.openPage(t, { colorScheme: 'light', bypassCSP: true });
    await portal.signIn(page, '', 'merchant@demo.example');
    await open(page, 'portal/test/settings');
    await page.evaluate(AXE);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Offers' }).waitFor();
    await assertAccessible(page, 'command palette', 'axe.run()');
    await page.keyboard.press('Escape');
    await page.getByLabel('Return window (days)').fill('19');
    await page.getByRole('link', { name: 'Files' }).click();
    const discard = page.getByRole('dialog').getByRole('button', { name: 'Discard' });
    await discard.waitFor();
    await page.evaluate(TRANSITIONS_ENDED);
    await assertAccessible(page, 'question', 'axe.run()');
    await discard.click();
    await open(page, 'portal/test/api-integration?tab=webhooks');
    await page.evaluate(AXE);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('checkbox', { name: 'key.rolled', exact: true }).waitFor();
    await page.evaluate(TRANSITIONS_ENDED);
    await assertAccessible(page, 'new webhook', 'axe.run()');
    await open(page, 'portal/test/offers/page-mug');
    await page.evaluate(AXE);
    await page.getByRole('textbox', { name: 'Price', exact: true }).fill('1,234');
    await page.getByRole('button', { name: '$1,234.00' }).waitFor();
    await assertAccessible(page, 'ambiguous number', 'axe.run()');
    await page.getByRole('button', { name: 'Discard' }).click();
    await open(page, 'portal/test/offers');
    await page.evaluate(AXE);
    await page.getByLabel('Select all offers shown').check();
    await page.getByRole('button', { name: 'Change price' }).click();
    await page.getByRole('textbox', { name: 'Percent' }).fill('500');
    await page.getByRole('button', { name: 'Preview change' }).click();
    await page.getByRole('textbox', { name: /^Type \d+ to confirm$/ }).waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      // The transitions start when the page has noticed the change.
      await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
      await page.evaluate(TRANSITIONS_ENDED);
      await assertAccessible(page, `impact of a change, ${scheme}`, 'axe.run()');
    }
  });

  it('pages obey their Content-Security-Policy, and no request of theirs fails', async (t) => {
    // A violation is a console error, which fails the test at its end.
    const page = await portal.openPage(t);
    const failed = failedRequests(page);
    await portal.signIn(page, '', 'merchant@demo.example');
    for (const path of ['overview', 'offers/page-mug']) await open(page, `portal/test/${path}`);
    // The mug has no price, group or exceptions.
    for (const tab of ['Product data', 'Variation group', 'Exceptions', 'History']) {
      await page.getByRole('tab', { name: tab }).click();
    }
    await page.waitForLoadState('networkidle');
    for (const path of ['add-offer', 'api-integration']) await open(page, `portal/test/${path}`);
    await page.getByRole('button', { name: 'Get API keys' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).waitFor();
    assert.deepEqual([...failed], []);
  });

  it('on a phone, the navigation opens and leads to other pages', async (t) => {
    const page = await portal.openPage(t, { viewport: PHONE, hasTouch: true });
    await portal.signIn(page, '', 'merchant@demo.example');
    await open(page, 'portal/test/offers');
    // The header is fixed, so content that is cut off does not widen the page.
    const menu = await page.getByRole('button', { name: 'Account menu for merchant@demo.example' }).boundingBox();
    assert.ok(menu && menu.x + menu.width <= PHONE.width, JSON.stringify(menu));
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('on a phone, filters are in a drawer, and keys are cards', async (t) => {
    const page = await portal.openPage(t, { viewport: PHONE, hasTouch: true });
    await portal.signIn(page, '', 'merchant@demo.example');
    await open(page, 'portal/test/offers');
    assert.equal(await page.getByLabel('Stock').count(), 0);
    const card = page.getByRole('listitem').filter({ hasText: 'Ready for sale' }).first();
    for (const part of [card.getByText('Ready for sale'), card.getByText(/^\$\d/)]) {
      const box = await part.boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= PHONE.width, JSON.stringify(box));
    }
    await page.getByRole('button', { name: 'Filters' }).click();
    const drawer = page.getByRole('dialog', { name: 'Filters' });
    await drawer.getByRole('combobox', { name: 'Stock' }).click();
    await page.getByRole('option', { name: 'Out of stock' }).click();
    await drawer.getByRole('button', { name: 'Show results' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Filters (1)' }).waitFor();
    assert.match(page.url(), /stock=out/);
    await page.getByLabel('Select all offers shown').check();
    const bar = page.getByRole('region', { name: 'Selected offers' });
    await bar.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Copy to live' }).waitFor();
    await page.keyboard.press('Escape');
    await bar.getByRole('button', { name: 'Clear selection' }).click();
    await bar.waitFor({ state: 'hidden' });
    await open(page, 'portal/test/api-integration');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'demo-test-user' })
      .getByRole('button', { name: 'Roll' })
      .waitFor();
    assert.equal(await page.getByRole('table').count(), 0);
    await open(page, 'portal/test/settings');
    await page.getByText('Carrier 2: Ground').first().waitFor();
    const remove = await page.getByRole('button', { name: 'Remove demo-node-east' }).boundingBox();
    assert.ok(remove && remove.x + remove.width <= PHONE.width, 'no scrolling to the actions of a location');
  });

  it('rows of the offer list have one height, also with long texts, and a usual title is not cut', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, '', 'merchant@demo.example');
    await page.route('**/portal/api/test/offers?*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { offers: Record<string, unknown>[] };
      const long = {
        ...body.offers[0],
        sku: 'S'.repeat(50),
        title: 'Long title '.repeat(20),
        brand: 'Brand '.repeat(10),
      };
      const sub_status = ['Missing variation information', 'Missing attribute value'];
      const status = 'Missing Listing Data';
      const usual = { ...body.offers[0], sku: 'usual', title: USUAL_TITLE, status, sub_status };
      await route.fulfill({ response: answer, json: { ...body, offers: [long, usual, ...body.offers] } });
    });
    await open(page, 'portal/test/offers');
    await page.getByRole('cell', { name: 'page-mug', exact: true }).waitFor();
    const heights = await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.clientHeight));
    assert.ok(heights.length >= 3 && heights.every((height) => height >= 35 && height <= 36), String(heights));
    const title = page.getByRole('link', { name: USUAL_TITLE }).locator('..');
    assert.ok(await title.evaluate((one) => one.scrollHeight <= one.clientHeight), 'the size at its end is visible');
    const row = page.getByRole('row', { name: USUAL_TITLE });
    const issue = row.getByText('Issues to fix: Missing variation group +1');
    assert.ok(await issue.evaluate((one) => one.scrollWidth <= one.clientWidth), 'an issue is not cut');
    assert.equal(await page.evaluate(HAS_CLIPPED_TABLE), false);
  });

  it('the keyboard reaches skip button, environment switch and account menu', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, '', 'merchant@demo.example');
    await open(page, 'portal/test/overview');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
    await page.getByRole('radio', { name: 'Test' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/\/live\/overview/);
    const account = page.getByRole('button', { name: 'Account menu for merchant@demo.example' });
    const shown = await account.boundingBox();
    await account.focus();
    await page.keyboard.press('Enter');
    // The menu takes the focus when it has opened.
    await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' });
    await page.getByRole('menuitemradio', { name: 'Dark' }).press('Enter');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    assert.deepEqual(await account.boundingBox(), shown, 'the button is the same after its menu has loaded');
  });

  async function assertAccessible(page: Page, path: string, run: string): Promise<void> {
    const found = await page.evaluate<Finding[]>(`${run}.then(({ violations }) => violations)`);
    const said = found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('\n  ')}`);
    assert.deepEqual(said, [], path);
  }

  /** One `h1`, which is the first heading, and no level is left out below it. */
  async function assertOrderedHeadings(page: Page, path: string): Promise<void> {
    const levels = await page.evaluate<number[]>(HEADING_LEVELS);
    const isOrdered = levels.every((level, at) =>
      at === 0 ? level === 1 : level > 1 && level <= (levels[at - 1] ?? 0) + 1,
    );
    assert.ok(levels.length > 0 && isOrdered, `${path} has headings of the levels ${levels.join(', ')}`);
  }

  /** Sums up the compressed scripts that the page loads if it is opened first, also those that the browser has cached. */
  async function assertLittleScript(page: Page, path: string): Promise<void> {
    const bytes = await page.evaluate<number>(SCRIPT_BYTES);
    assert.ok(bytes > 0 && bytes < SCRIPT_BYTES_MAX, `${path} has ${bytes} bytes of script`);
  }

  async function open(page: Page, path: string): Promise<void> {
    await page.goto(`${portal.url}/${path.replace(/[A-Z]{2,}/, (name) => named.get(name) ?? assert.fail(name))}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // Loading indicators render together with the heading.
    await waitUntil(`all of ${path}`, 60_000, async () => {
      return (await page.getByRole('status', { name: /^Loading / }).count()) === 0 || undefined;
    });
  }
});
