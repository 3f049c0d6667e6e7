/** Tests navigation in a browser: Back button, URLs, unsaved changes, and code that fails to load. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { browserSkipped } from '../harness/browser.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('navigation in the portal', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();
  before(async () => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    assert.equal((await merchant.put('/test/merchant-skus/mug', MUG)).status, 202);
  });

  it('an offer links back to the filtered list, also after a reload', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?stock=out&sort=sku');
    await page.getByRole('link', { name: MUG.product_title }).click();
    await page.getByRole('heading', { name: MUG.product_title }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'All offers' }).click();
    await page.waitForURL(`${portal.url}/portal/test/offers?stock=out&sort=sku`);
  });

  it('the URL has the open taxonomy node, and the Back button works', async (t) => {
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

  it('unsaved settings are discarded only after confirmation', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/settings');
    const days = page.getByLabel('Return window (days)');
    await days.fill('17');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('link', { name: 'Files' }).click();
    await waitUntil('the question', 60_000, async () => asked[0]);
    assert.deepEqual(asked, ['Discard unsaved changes?']);
    assert.equal(await days.inputValue(), '17');
  });

  it('a chart that fails to load leaves the page usable, and loads on retry', async (t) => {
    const page = await portal.openPage(t);
    await page.route('**/assets/request-chart-*.js', (route) => route.abort());
    await portal.signIn(page, 'test/overview');
    const requests = page.getByRole('region', { name: 'API requests' });
    await requests.getByText("Couldn't load the chart.").waitFor();
    await page.getByRole('region', { name: 'Offers by status' }).waitFor();
    await page.unroute('**/assets/request-chart-*.js');
    await requests.getByRole('button', { name: 'Try again' }).click();
    await requests.locator('svg.recharts-surface').first().waitFor();
  });

  it('a page that fails to load because the server is down says so, and loads on retry', async (t) => {
    // React logs the failure to the console, which is expected here.
    const context = await portal.browser.newContext({ locale: 'en-US' });
    t.after(() => context.close());
    const page = await context.newPage();
    await portal.signIn(page, 'test/overview');
    await page.route('**/portal/**', (route) => route.abort());
    await page.getByRole('link', { name: 'API integration' }).click();
    await page.getByText('The server did not answer. Try again.').first().waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.unroute('**/portal/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'API integration' }).waitFor();
  });
});
