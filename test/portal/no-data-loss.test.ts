/** Tests in a browser that the portal loses neither the requested page, nor unsaved input, nor stored data. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { browserSkipped, signInOn } from '../harness/browser.ts';
import { MUG as PLAIN_MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** A leaf of the starter taxonomy. */
const PARTY_TABLEWARE = 1200520;
const CHANGED = 'Someone changed this since you opened it';
const MUG = Object.freeze({ ...PLAIN_MUG, bullets: ['two\nlines', 'one line'], ships_alone: true });

describe('the portal loses nothing', { skip: browserSkipped() }, () => {
  // These settings rename fields in all responses.
  const portal = portalInBrowser({ MARKETPLACE_NAME: 'acme', EXTERNAL_NAME: 'zed' });

  it('sign-in returns to the requested page, and sign-out works', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    assert.equal(page.url(), `${portal.url}/portal/test/settings`);

    await page.reload();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'MAIN');
    assert.equal(page.url(), `${portal.url}/portal/test/settings`);

    await page.getByRole('button', { name: /^Account menu for/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${portal.url}/portal/sign-in?to=//elsewhere.example/`);
    await signInOn(page, DEMO_PEOPLE.merchant, DEMO_PASSWORD);
    await page.waitForURL(`${portal.url}/portal/test/overview`);
  });

  it('files and categories work with renamed fields, and saving keeps all fields', async (t) => {
    const stored = { ...MUG, acme_browse_node_id: PARTY_TABLEWARE, zed_item_type_keyword: 'mugs' };
    await portal.call('PUT', '/merchant-skus/named', stored);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/named');
    await page.getByRole('tab', { name: 'Product data' }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Stoneware mug, 13 oz');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Stoneware mug, 13 oz' }).waitFor();
    const {
      status: _status,
      sub_status: _why,
      is_archived: _flag,
      merchant_sku: _id,
      ...kept
    } = await portal.read('/merchant-skus/named');
    assert.deepEqual(kept, { ...stored, product_title: 'Stoneware mug, 13 oz', prop_65: false });

    await page.getByRole('link', { name: 'Files' }).click();
    await page.getByLabel('File to upload').setInputFiles({
      name: 'winter.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify({ winter: MUG })),
    });
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('heading', { name: 'winter.json' }).waitFor();
    await page.getByText('Processed successfully').waitFor();
  });

  it('unsaved input survives tab switches and changes from elsewhere, until saved or discarded', async (t) => {
    await portal.call('PUT', '/merchant-skus/typed', MUG);
    await portal.call('PUT', '/merchant-skus/typed/price', { price: 5 });
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/typed');
    const price = page.getByRole('textbox', { name: 'Price', exact: true });
    const priceCard = page.getByRole('region', { name: 'Price' });
    const quantity = page.getByRole('textbox', { name: /^Quantity at/ }).first();
    const inventoryCard = page.getByRole('region', { name: 'Inventory' });
    await price.fill('9');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('tab', { name: 'Price and inventory' }).click();
    assert.equal(await price.inputValue(), '$9.00');

    await portal.call('PUT', '/merchant-skus/typed/price', { price: 6 });
    await quantity.fill('7');
    await inventoryCard.getByRole('button', { name: 'Save', exact: true }).click();
    await priceCard.getByText(CHANGED).waitFor();
    assert.equal(await price.inputValue(), '$9.00');
    await page.getByRole('link', { name: 'Files' }).click();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    assert.equal(await price.inputValue(), '$9.00', 'the page asks before it is left');

    await priceCard.getByRole('button', { name: 'Reload current values' }).click();
    assert.equal(await price.inputValue(), '$6.00');
    await portal.call('PUT', '/merchant-skus/typed/price', { price: 7 });
    await quantity.fill('8');
    await inventoryCard.getByRole('button', { name: 'Save', exact: true }).click();
    await waitUntil('the form follows', 60_000, async () =>
      (await price.inputValue()) === '$7.00' ? true : undefined,
    );
    assert.equal(await quantity.inputValue(), '8');
  });

  it('a change that is saved offline is kept, and sent when the browser is online again, unless it is cancelled', async (t) => {
    await portal.call('PUT', '/merchant-skus/offline', MUG);
    await portal.call('PUT', '/merchant-skus/offline/price', { price: 5 });
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/offline');
    const price = page.getByRole('textbox', { name: 'Price', exact: true });
    await price.fill('7');
    await page.context().setOffline(true);
    const card = page.getByRole('region', { name: 'Price' });
    const save = card.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await page.getByText('1 change is kept on this page').waitFor();
    await page.getByRole('button', { name: 'Cancel the change' }).click();
    await page.getByText('The change was not sent.').waitFor();
    assert.equal(await price.inputValue(), '$7.00');
    await save.click();
    await page.getByText('1 change is kept on this page').waitFor();
    assert.equal((await portal.read('/merchant-skus/offline/price')).price, 5);
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'hidden' });
    await waitUntil('the new price', 60_000, async () =>
      (await portal.read('/merchant-skus/offline/price')).price === 7 ? true : undefined,
    );
  });

  it('leaving with several unsaved parts asks once', async (t) => {
    await portal.call('PUT', '/merchant-skus/several', MUG);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/several');
    await page.getByRole('textbox', { name: 'Price', exact: true }).fill('9');
    await page
      .getByRole('textbox', { name: /^Quantity at/ })
      .first()
      .fill('7');
    // A newer server version has other code files.
    await page.route('**/assets/data-form-*.js', (route) => route.abort());
    await page.getByRole('tab', { name: 'Product data' }).click();
    await page.getByText('The portal was updated. Save your changes, then reload the page.').waitFor();
    await page.unroute('**/assets/data-form-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Price and inventory' }).click();
    assert.equal(await page.getByRole('textbox', { name: 'Price', exact: true }).inputValue(), '$9.00');
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await page.getByRole('link', { name: 'Files' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor();
    await question.waitFor({ state: 'hidden' });
    // Nothing unsaved is left, so no confirmation is needed.
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('signing out with unsaved changes asks first', async (t) => {
    await portal.call('PUT', '/merchant-skus/kept', MUG);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/kept');
    const price = page.getByRole('textbox', { name: 'Price', exact: true });
    await price.fill('9');
    const signOut = async () => {
      await page.getByRole('button', { name: /^Account menu for/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await signOut();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'hidden' });
    assert.equal(await price.inputValue(), '$9.00');
    await signOut();
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('a list sorted by title says how many offers are not in it yet', async (t) => {
    await portal.call('PUT', '/merchant-skus/reviewed', MUG);
    const page = await portal.openPage(t);
    await page.route('**/portal/api/test/overview', async (route) => {
      const answer = await route.fetch();
      const overview = await answer.json();
      const reviewed = overview.offers.by_status.reduce(
        (sum: number, { offers }: { offers: number }) => sum + offers,
        0,
      );
      overview.offers.total = reviewed + 3;
      await route.fulfill({ json: overview });
    });
    await portal.signIn(page, 'test/offers?sort=title');
    await page.getByText('3 offers in review not listed yet').waitFor();
    await page.route('**/portal/api/test/offers?*', (route) => route.fulfill({ json: { offers: [], next: null } }));
    await page.reload();
    await page.getByText('No matching offers').waitFor();
    await page.getByText('3 offers in review will be searchable after the review.').waitFor();
  });

  it('a child offer links to its group', async (t) => {
    const mug = { ...MUG, attributes_node_specific: [{ attribute_id: 7, attribute_value: 'L' }] };
    for (const sku of ['large%20mug', 'small-mug']) await portal.call('PUT', `/merchant-skus/${sku}`, mug);
    const group = { relationship: 'Variation', children_skus: ['small-mug'], variation_refinements: [7] };
    await portal.call('PUT', '/merchant-skus/large%20mug/variation', group);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/small-mug');
    await page.getByRole('tab', { name: 'Variation group' }).click();
    await page.getByText('In the group of Stoneware mug').waitFor();
    await page.getByRole('link', { name: 'View group' }).click();
    await page.waitForURL(`${portal.url}/portal/test/offers/large%20mug?tab=group`);
    await page.getByText('large mug', { exact: true }).first().waitFor();
    await page.getByText('small-mug', { exact: true }).first().waitFor();
    assert.equal(await page.getByText(/^In the group of/).count(), 0);
  });

  it('a file is cancelled only after confirmation', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/overview');
    const file = {
      marketplace_file_id: 'slow',
      url: '',
      status: 'Processing',
      file_type: 'Price',
      file_name: 'slow.json',
      received: '2026-01-31T09:30:00.000Z',
      rows_processed: 1,
      rows_failed: 0,
      rows_superseded: 0,
      rows_waiting: 0,
    };
    let cancelled = 0;
    await page.route('**/portal/api/test/files/slow', (route) => route.fulfill({ json: file }));
    await page.route('**/portal/api/test/files/slow/cancel', (route) => {
      cancelled++;
      return route.fulfill({ json: file });
    });
    await page.goto(`${portal.url}/portal/test/files/slow`);
    await page.getByRole('button', { name: 'Cancel upload' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel slow.json' });
    await dialog.getByRole('button', { name: 'Keep processing' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(cancelled, 0);
    await page.getByRole('button', { name: 'Cancel upload' }).click();
    await dialog.getByRole('button', { name: 'Cancel upload' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(cancelled, 1);
  });

  it('a missing file is not polled', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/overview');
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/test/files/none')) asked += 1;
    });
    await page.clock.install();
    await page.goto(`${portal.url}/portal/test/files/none`);
    await page.getByText('No file with this id').waitFor();
    await page.clock.runFor(10_000);
    assert.equal(asked, 1);
  });
});
