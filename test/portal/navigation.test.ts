/** Tests navigation in a browser: Back button, URLs, pages of offers, unsaved changes, and code that fails to load. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Offerbook } from '../../client/src/offerbook.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { SUB_STATUSES } from '../../src/domain/vocabulary/statuses.ts';
import { browserSkipped } from '../harness/browser.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { PortalBrowser, waitToSee } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';

/** More than a page. */
const LISTED = 60;
const FILES_PER_PAGE = 20;
/** Longer than the pause after which the search field searches. */
const TYPING_PAUSE_MS = 1000;
/** Longer than a slow machine needs to stop the clock of a page, which cannot go back. */
const MINUTE_MS = 60_000;

describe('navigation in the portal', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();
  before(() => portal.uploadOffers(LISTED));

  it('an offer links back to the filtered list, also after a reload', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?stock=out&sort=sku');
    await page.getByRole('link', { name: MUG.product_title }).click();
    await page.getByRole('heading', { name: MUG.product_title }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'All offers' }).click();
    await page.waitForURL(`${portal.url}/portal/test/offers?stock=out&sort=sku`);
  });

  it('a link opens its page although a search still waits for a pause in typing', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?sort=sku');
    const link = page.getByRole('link', { name: MUG.product_title });
    await link.waitFor();
    // Holds the code of the offer's page until the search field would have searched.
    const { promise: searched, resolve: proceed } = Promise.withResolvers<void>();
    const opening = page.waitForRequest(/assets\/offer-.*\.js/);
    await page.route(/assets\/offer-.*\.js/, async (route) => {
      await searched;
      await route.continue();
    });
    // The page's timers stand still, so that a slow machine does not search before the click.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + MINUTE_MS);
    await page.getByLabel('Search', { exact: true }).fill('bowl');
    // A person presses, the pause ends, and the person releases.
    await link.hover();
    await page.mouse.down();
    await page.clock.runFor(TYPING_PAUSE_MS);
    await page.mouse.up();
    await opening;
    await page.clock.runFor(TYPING_PAUSE_MS);
    await page.clock.resume();
    proceed();
    await page.getByRole('heading', { name: MUG.product_title }).waitFor();
    assert.match(page.url(), /\/offers\/mug$/);
  });

  it('a search that waited for the mouse button is made after its release', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?sort=sku');
    await page.getByRole('link', { name: MUG.product_title }).waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + MINUTE_MS);
    await page.getByLabel('Search', { exact: true }).fill('bowl');
    await page.getByRole('heading', { name: 'Offers' }).hover();
    await page.mouse.down();
    await page.clock.runFor(TYPING_PAUSE_MS);
    assert.doesNotMatch(page.url(), /q=bowl/);
    await page.mouse.up();
    await page.clock.runFor(TYPING_PAUSE_MS);
    await page.clock.resume();
    await page.waitForURL(/q=bowl/);
  });

  it('a page of offers and a saved view are in the URL, and Back returns to them', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?sort=sku');
    await page.getByText(`${LISTED + 1} offers`).waitFor();
    await page.getByText('1–50 of 61').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–61 of 61').waitFor();
    const second = page.url();
    await page.getByRole('row', { name: /z-69/ }).getByRole('link').click();
    await page.getByRole('link', { name: 'All offers' }).click();
    await page.waitForURL(second);
    await page.getByText('Page 2').waitFor();
    await page.goBack();
    await page.goBack();
    await page.waitForURL(second);
    await page.reload();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByRole('row', { name: /mug/ }).first().waitFor();

    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save as').fill('By SKU');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.goto(`${portal.url}/portal/test/offers?stock=out`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'SKU', exact: true }).uncheck();
    assert.equal(await page.getByRole('columnheader', { name: 'SKU' }).count(), 0);
    const view = page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'By SKU', exact: true });
    await view.click();
    await page.waitForURL(/offers\?sort=sku$/);
    await view.and(page.locator('[aria-pressed=true]')).waitFor();
    await page.goBack();
    await page.waitForURL(/offers\?stock=out$/);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Delete view By SKU' }).click();
    await view.waitFor({ state: 'detached' });
  });

  it('keys move through the rows of the list, select and open them, and Shift selects a range', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?sort=sku');
    const box = (sku: string) => page.getByRole('checkbox', { name: `Select ${sku}`, exact: true });
    await box('mug').check();
    await box('z-12').click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    // Shift on a row after one that was deselected deselects the rows between.
    await box('z-10').uncheck();
    await box('z-11').click({ modifiers: ['Shift'] });
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await box('z-11').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await page.keyboard.press('k');
    assert.ok(await box('z-14').isChecked());
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next row').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/offers\/z-13$/);
  });

  it('the URL has the page of files, and Back returns to it', async (t) => {
    const { user, secret: pass } = DEMO_CREDENTIALS.test;
    const { files } = new Offerbook({ url: portal.url, user, pass });
    for (let place = 0; place <= FILES_PER_PAGE; place++) {
      await files.upload({ type: 'Price', name: `prices-${place}.json`, content: '{}' });
    }
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/files');
    await page.getByRole('button', { name: '2', exact: true }).click();
    await page.waitForURL(/\/files\?page=2$/);
    await page.getByRole('link', { name: 'prices-0.json' }).click();
    await page.getByRole('heading', { name: 'prices-0.json' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'prices-0.json' }).waitFor();
    await page.getByRole('button', { name: '1', exact: true }).click();
    await page.waitForURL(/\/files$/);
    await page.getByRole('link', { name: `prices-${FILES_PER_PAGE}.json` }).waitFor();

    // The command palette finds a file of another page, by name and by id.
    const palette = page.getByRole('combobox', { name: 'Search or jump to a page' });
    const oldest = page.getByRole('option', { name: /^prices-0\.json / });
    await page.keyboard.press('Control+k');
    await palette.fill('PRICES-0.');
    await oldest.click();
    await page.waitForURL(/\/files\/[^/]+$/);
    const fileId = page.url().replace(/^.*\//, '');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.keyboard.press('Control+k');
    await palette.fill(fileId);
    await oldest.click();
    await page.getByRole('heading', { name: 'prices-0.json' }).waitFor();
  });

  it('the URL has the search of merchants, and Back returns to it', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'operator/merchants', DEMO_PEOPLE.operator);
    const search = page.getByLabel('Search', { exact: true });
    await search.fill('nobody');
    await page.getByText('No matching merchants').waitFor();
    await search.fill('demo');
    await page.getByRole('link', { name: 'Demo merchant' }).click();
    await page.getByRole('heading', { name: 'Demo merchant' }).waitFor();
    await page.goBack();
    await page.waitForURL(/\/merchants\?q=demo$/);
    assert.equal(await search.inputValue(), 'demo');
  });

  it('the URL has the open taxonomy node and the search, and the Back button works', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'operator/taxonomy', DEMO_PEOPLE.operator);
    const tree = page.getByRole('region', { name: 'Categories' });
    const department = tree.getByRole('button', { name: /categories$/ }).first();
    await department.click();
    await page.waitForURL(/\?node=/);
    await tree.getByRole('button', { name: 'All departments' }).waitFor();
    const way = await tree.getByText(/./).first().textContent();
    await page.reload();
    await tree.getByRole('button', { name: 'All departments' }).waitFor();
    assert.equal(await tree.getByText(/./).first().textContent(), way);
    await page.goBack();
    await department.waitFor();
    assert.equal(new URL(page.url()).search, '');

    const search = page.getByLabel('Search', { exact: true });
    await search.fill('party tableware');
    const result = page.getByRole('button', { name: / > Party Tableware$/ });
    await result.waitFor();
    await page.reload();
    await result.click();
    await page.waitForURL(/\?node=[^&]+$/);
    await page.goBack();
    await result.waitFor();
    await page.locator('input[value="party tableware"]').waitFor();
    await search.fill('');
    await department.waitFor();
    assert.equal(new URL(page.url()).search, '');
  });

  it('an operator reaches and undoes a change after 60 newer ones', async (t) => {
    await withSetupStore(portal.server.place, async ({ policies }) => {
      for (let made = 0; made <= 60; made++) {
        const note = { atMs: Date.now(), by: 'ann', act: 'addPolicy', subject: `Brand ${made}.`, impact: null };
        await policies.addPolicy({ kind: 'excluded_brand', brand: `Brand ${made}` }, note);
      }
    });
    const page = await portal.openPage(t);
    await portal.signIn(page, 'operator/taxonomy', DEMO_PEOPLE.operator);
    const undo = page.getByRole('button', { name: 'Undo: Added policy: Brand 0.' });
    await page.getByRole('button', { name: 'Undo: Added policy: Brand 60.' }).waitFor();
    assert.equal(await undo.count(), 0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await undo.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undid change').waitFor();
  });

  it('the URL has the looked-up product code, and the fields follow it', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'operator/catalog', DEMO_PEOPLE.operator);
    const code = page.getByLabel('Product code');
    for (const typed of ['012345678905', 'B000000001']) {
      await code.fill(typed);
      await page.getByRole('button', { name: 'Look up' }).click();
      await page.waitForURL((url) => url.search.includes(typed));
    }
    await page.reload();
    await page.getByRole('region', { name: 'Product' }).waitFor();
    assert.equal(await code.inputValue(), 'B000000001');
    await page.goBack();
    await page.waitForURL((url) => url.search.includes('012345678905'));
    await page.locator('input[value="012345678905"]').waitFor();
  });

  it('unsaved settings are discarded only after confirmation, by links and by the Back button', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/overview');
    await page.getByRole('link', { name: 'Settings' }).click();
    const days = page.getByLabel('Return window (days)');
    await days.fill('17');
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    for (const leave of [() => page.getByRole('link', { name: 'Files' }).click(), () => page.goBack()]) {
      await leave();
      await question.getByRole('button', { name: 'Keep editing' }).click();
      await question.waitFor({ state: 'hidden' });
      assert.equal(await days.inputValue(), '17');
      await page.waitForURL(/settings$/);
    }
    await page.goBack();
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('the overview leads to the offers behind its figures', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/api-integration?tab=requests');
    await page
      .getByRole('region', { name: 'API requests' })
      .getByText(/^Limit /)
      .waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Test environment: customers never see these offers').waitFor();
    await page.getByRole('link', { name: /^Issues to fix \d+$/ }).click();
    await page.waitForURL(/offers\?status=Missing(\+|%20)Listing(\+|%20)Data$/);
    await page.goBack();
    const fixes = page.getByRole('region', { name: 'Fix these first' });
    await fixes
      .getByText(/ units held back$/)
      .filter({ visible: true })
      .first()
      .waitFor();
    await page.route('**/api/test/overview', async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { offers: object };
      const by_sub_status = SUB_STATUSES.map((sub_status) => ({ sub_status, offers: 1 }));
      await route.fulfill({ response, json: { ...json, offers: { ...json.offers, by_sub_status } } });
    });
    await page.reload();
    await fixes.getByRole('button', { name: 'Show 6 more kinds of issues' }).click();
    assert.equal(await fixes.getByRole('link').count(), SUB_STATUSES.length);
    await page.unroute('**/api/test/overview');
    await page.reload();
    await fixes.getByRole('link', { name: /^Missing category Choose a category \d+ offers?$/ }).click();
    await page.waitForURL(/offers\?sub_status=Missing(\+|%20)category$/);
    const names = new RegExp(`^(?:Bowl|${MUG.product_title})`);
    await page.getByRole('link', { name: names }).first().waitFor();

    await page.goto(`${portal.url}/portal/test/offers?q=stonwear`);
    await page.getByText('Did you mean stoneware?').waitFor();
    const merchant = await PortalBrowser.merchantOf(portal.url);
    await waitToSee('the reviews', async () => {
      const { waiting_for_review: due } = await merchant.found<{ waiting_for_review: number }>('/test/overview');
      return due === 0 || undefined;
    });
    await page.reload();
    await page.getByText('Did you mean stoneware?', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'stoneware', exact: true }).click();
    await page.getByRole('link', { name: MUG.product_title }).first().waitFor();
  });

  it('an issue has one name on the overview, in the list and its filter, and on the page of the offer', async (t) => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    const standard_product_codes = [{ standard_product_code: '012345678906', standard_product_code_type: 'UPC' }];
    const body = { ...MUG, product_title: 'Mistyped code', standard_product_codes };
    assert.equal((await merchant.put('/test/merchant-skus/mistyped', body)).status, 202);
    await waitToSee('the reviews', async () => {
      const { waiting_for_review: due } = await merchant.found<{ waiting_for_review: number }>('/test/overview');
      return due === 0 || undefined;
    });
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/overview');
    const name = 'Invalid product code';
    await page.getByRole('link', { name: `${name} Correct the product code 1 offer` }).click();
    await page.waitForURL(/offers\?sub_status=Invalid(\+|%20)SKU(\+|%20)identifier$/);
    assert.equal(await page.getByRole('combobox', { name: 'Issue' }).inputValue(), name);
    const row = page.getByRole('row', { name: /Mistyped code/ });
    await row.getByText(name).waitFor();
    await row.getByRole('link', { name: 'Mistyped code' }).click();
    await page.getByRole('region', { name: 'Review' }).getByText(name, { exact: true }).waitFor();
  });

  it('the command palette opens pages, offers, merchants and changes, and ? lists the shortcuts', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/overview');
    // The shortcuts work before the page has loaded.
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const field = page.getByRole('combobox', { name: 'Search or jump to a page' });
    await page.keyboard.press('Control+k');
    await field.fill('settings');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Control+k');
    await field.press('Escape');
    await field.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Search or jump to a page' }).click();
    await field.fill('mug');
    await page.getByRole('option', { name: `${MUG.product_title} mug` }).waitFor();
    await field.press('ArrowDown');
    await field.press('Enter');
    await page.getByRole('heading', { name: MUG.product_title }).waitFor();

    await page.keyboard.press('Control+k');
    await field.fill('key roll');
    await page.getByRole('option', { name: 'Roll key', exact: true }).click();
    await page.getByRole('heading', { name: 'Active keys' }).waitFor();

    await page.keyboard.press('Control+k');
    await field.fill('missing price');
    await page.getByRole('option', { name: 'Missing price Show offers' }).click();
    await page.waitForURL(/\/test\/offers\?sub_status=Missing/);
    await page.keyboard.press('Control+k');
    await field.fill('raise prices');
    await page.getByRole('option', { name: 'Change prices' }).click();
    const change = page.getByRole('dialog', { name: 'Change price' });
    await change.getByRole('button', { name: 'Cancel' }).click();
    await change.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await field.fill('dark');
    await page.getByRole('option', { name: 'Dark mode' }).click();
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();

    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('Go to Files').waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    // Sent together, because the second key must follow within a second.
    await Promise.all(['g', 'f'].map((key) => page.keyboard.press(key)));
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor();

    const operator = await portal.openPage(t);
    await portal.signIn(operator, 'operator/system', DEMO_PEOPLE.operator);
    await operator.getByRole('heading', { name: 'System', level: 1 }).waitFor();
    await operator.keyboard.press('Control+k');
    await operator.getByRole('combobox', { name: 'Search or jump to a page' }).fill('demo');
    await operator.getByRole('option', { name: 'Demo merchant demo' }).click();
    await operator.getByRole('heading', { name: 'Demo merchant' }).waitFor();
  });

  it('a page that fails to load because the server is down says so, and loads on retry', async (t) => {
    // React logs the failure to the console, which is expected here.
    const context = await portal.browser.newContext({ locale: 'en-US' });
    t.after(() => context.close());
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    await portal.signIn(page, 'test/overview');
    await page.route('**/portal/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Developers' }).click();
    await page.getByText('The server did not respond. Try again.').first().waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.unroute('**/portal/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Developers' }).waitFor();
  });
});
