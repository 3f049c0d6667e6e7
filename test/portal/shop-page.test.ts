/** Tests the shop of the demo in a browser: live updates, hostile texts, search, lost connections, accessibility, phone layout. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { browserSkipped } from '../harness/browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { PromisedTime } from '../harness/promised-time.ts';
import { waitUntil } from '../harness/wait-until.ts';

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const PATIENCE_MS = 60_000;
const PROMISED_MS = 2_000;
const PHONE = { width: 390, height: 844 };
const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>';

describe('the shop of the demo', { skip: browserSkipped() }, () => {
  const demo = portalInBrowser();
  const mug = { ...MUG, marketplace_browse_node_id: 1_011_010 };
  const codeOf = (code: string) => [{ standard_product_code: code, standard_product_code_type: 'UPC' }];
  const stock = (quantity: number) => ({ fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity }] });
  const setPrice = (sku: string, price: number) => demo.call('PUT', `/merchant-skus/${sku}/price`, { price });

  async function sell(sku: string, code: string, fields: object): Promise<void> {
    await demo.call('PUT', `/merchant-skus/${sku}`, { ...mug, standard_product_codes: codeOf(code), ...fields });
    await setPrice(sku, 14.5);
    await demo.call('PATCH', `/merchant-skus/${sku}/inventory`, stock(7));
    await waitUntil(`the product of ${sku}`, PATIENCE_MS, async () => {
      return (await fetch(`${demo.url}/shop/api/products/${code}`)).ok || undefined;
    });
  }

  before(async () => {
    await sell('mug', '012345678905', {
      prop_65: true,
      map_implementation: '102',
      map_price: 20,
      safety_warning: 'Hot when hot.',
      bullets: ['Holds tea'],
    });
    await sell('hostile', '036000291452', { product_title: HOSTILE, brand: '"><b>brand', multipack_quantity: 2 });
  });

  it('shows a changed price within two seconds, without a reload, and says so', async (t) => {
    const page = await demo.openPage(t);
    await page.goto(`${demo.url}/shop/`);
    const card = page.getByRole('listitem').filter({ hasText: 'brand' });
    await card.getByText('$14.50 for 2 items').waitFor();
    await page.evaluate('window.isSamePage = true');
    const promised = new PromisedTime(PROMISED_MS);
    for (const price of [13.25, 12.75, 11.99]) {
      await setPrice('hostile', price);
      await promised.wait(`the price ${price}`, async () => {
        return (await card.getByText(`$${price}`).count()) === 1 || undefined;
      });
    }
    promised.assertKept();
    await page.locator('#status').getByText('now $11.99').waitFor();
    assert.equal(await page.evaluate('window.isSamePage'), true);
  });

  it('shows texts of merchants as text, and the product with notices, policy and reason', async (t) => {
    const page = await demo.openPage(t);
    await page.goto(`${demo.url}/shop/`);
    await page.getByRole('link', { name: HOSTILE, exact: true }).click();
    await page.getByRole('heading', { name: HOSTILE, exact: true }).waitFor();
    await page.getByText('"><b>brand', { exact: true }).waitFor();
    assert.equal(await page.locator('main script, main b').count(), 0);
    await page.getByRole('link', { name: 'All products' }).click();
    await page.getByRole('link', { name: MUG.product_title }).click();
    await page.getByText('WARNING (California Proposition 65)').waitFor();
    for (const text of ['Hot when hot.', 'Holds tea', 'Demo merchant', 'Rank 1 of 1: The only offer', '7 in stock']) {
      await page.getByText(text).waitFor();
    }
    await page.getByText('$20.00 Sign in for the price.').waitFor();
    assert.equal(await page.getByText('14.50').count(), 0, 'the price under policy 102 is not shown');
  });

  it('searches, and says what is wrong when nothing can be shown', async (t) => {
    const page = await demo.openPage(t);
    await page.goto(`${demo.url}/shop/`);
    const search = async (words: string, heading: string) => {
      await page.getByLabel('Search products').fill(words);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('heading', { name: heading }).waitFor();
    };
    await search('stoneware', 'Results for “stoneware”');
    // Fails if there are several.
    await page.getByRole('listitem').waitFor();
    await search('nothing', 'Results for “nothing”');
    await page.getByText('No products.').waitFor();
    await search('?', 'q: must contain a letter or digit.');
    await page.goto(`${demo.url}/shop/#p=unknown`);
    await page.getByRole('heading', { name: 'No offer of a product with this code' }).waitFor();
  });

  it('says that it reconnects, and then shows what changed meanwhile', async (t) => {
    const page = await demo.openPage(t);
    await page.goto(`${demo.url}/shop/#p=036000291452`);
    await page.getByText('7 in stock').waitFor();
    let isDown = true;
    await page.route('**/shop/api/**', (route) => (isDown ? route.abort() : route.continue()));
    // Ends the request that waits, which was sent before.
    await demo.call('PATCH', '/merchant-skus/hostile/inventory', stock(6));
    await page.getByText('Connection lost. Reconnecting…').waitFor();
    await demo.call('PATCH', '/merchant-skus/hostile/inventory', stock(5));
    isDown = false;
    await page.getByText('5 in stock').waitFor();
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible and fits a phone in ${colorScheme} mode`, async (t) => {
      const page = await demo.openPage(t, { colorScheme, viewport: PHONE, bypassCSP: true });
      for (const place of ['', '#p=012345678905', '#q=nothing']) {
        await page.goto(`${demo.url}/shop/${place}`);
        await page.locator('main h2').waitFor();
        await page.evaluate(AXE);
        const { violations } = await page.evaluate<{ violations: object[] }>('axe.run()');
        assert.deepEqual(violations, [], place);
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= PHONE.width);
      }
    });
  }
});
