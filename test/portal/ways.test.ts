/** Ways through the portal, in a real browser: back to the same place, by an address, and on after code did not come. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { browserSkipped } from '../harness/browser.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('ways through the portal', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();
  before(async () => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    assert.equal((await merchant.put('/test/merchant-skus/mug', MUG)).status, 202);
  });

  it('from an offer back to the list as it was filtered, after a reload too', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?stock=out&sort=sku');
    await page.getByRole('link', { name: MUG.product_title }).click();
    await page.getByRole('heading', { name: MUG.product_title }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'All offers' }).click();
    await page.waitForURL(`${portal.url}/portal/test/offers?stock=out&sort=sku`);
  });

  it('the open node of the taxonomy stands in the address, and the browser leads back', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'operator/taxonomy', DEMO_PEOPLE.operator);
    const tree = page.getByRole('region', { name: 'Tree' });
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

  it('the product code that was looked up stands in the address, and the fields follow it', async (t) => {
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

  it('away from a setup that is not saved only when asked', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/setup');
    const days = page.getByLabel('Days to return');
    await days.fill('17');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('link', { name: 'Files' }).click();
    await waitUntil('the question', 60_000, async () => asked[0]);
    assert.deepEqual(asked, ['What you typed is not saved. Leave the page all the same?']);
    assert.equal(await days.inputValue(), '17');
  });

  it('a chart that did not come leaves the page standing, and comes when it is tried again', async (t) => {
    const page = await portal.openPage(t);
    await page.route('**/assets/request-chart-*.js', (route) => route.abort());
    await portal.signIn(page, 'test/overview');
    const requests = page.getByRole('region', { name: 'Requests to the API' });
    await requests.getByText('The chart could not be loaded.').waitFor();
    await page.getByRole('region', { name: 'Offers by status' }).waitFor();
    await page.unroute('**/assets/request-chart-*.js');
    await requests.getByRole('button', { name: 'Try again' }).click();
    await requests.locator('svg.recharts-surface').first().waitFor();
  });

  it('a page that does not come without a server says so, and comes when it is tried again', async (t) => {
    // React tells the console of the failure, which is meant here.
    const context = await portal.browser.newContext({ locale: 'en-US' });
    t.after(() => context.close());
    const page = await context.newPage();
    await portal.signIn(page, 'test/overview');
    await page.route('**/portal/**', (route) => route.abort());
    await page.getByRole('link', { name: 'API Integration' }).click();
    await page.getByText('No answer came from the server. Try again.').first().waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.unroute('**/portal/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'API Integration' }).waitFor();
  });
});
