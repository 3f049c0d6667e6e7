/** Tests in a browser that the portal loses neither the requested page, nor unsaved input, nor stored data. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { browserSkipped, signInOn } from '../harness/browser.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { MUG as PLAIN_MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** A leaf of the starter taxonomy. */
const PARTY_TABLEWARE = 1200520;
const BOOTS = 37_005_005_000;
const NODE = 'demo-node-east';
const EXCEPTION = Object.freeze({ shipping_exception_type: 'include', service_level: 'Expedited' });
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
    await call('PUT', '/merchant-skus/named', stored);
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
    } = await read('/merchant-skus/named');
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
    await call('PUT', '/merchant-skus/typed', MUG);
    await call('PUT', '/merchant-skus/typed/price', { price: 5 });
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

    await call('PUT', '/merchant-skus/typed/price', { price: 6 });
    await quantity.fill('7');
    await inventoryCard.getByRole('button', { name: 'Save', exact: true }).click();
    await priceCard.getByText(CHANGED).waitFor();
    assert.equal(await price.inputValue(), '$9.00');
    await page.getByRole('link', { name: 'Files' }).click();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    assert.equal(await price.inputValue(), '$9.00', 'the page asks before it is left');

    await priceCard.getByRole('button', { name: 'Reload current values' }).click();
    assert.equal(await price.inputValue(), '$6.00');
    await call('PUT', '/merchant-skus/typed/price', { price: 7 });
    await quantity.fill('8');
    await inventoryCard.getByRole('button', { name: 'Save', exact: true }).click();
    await waitUntil('the form follows', 60_000, async () =>
      (await price.inputValue()) === '$7.00' ? true : undefined,
    );
    assert.equal(await quantity.inputValue(), '8');
  });

  it('a change by a program after the page was opened is shown before it is overwritten', async (t) => {
    await call('PUT', '/merchant-skus/raced', MUG);
    await call('PUT', '/merchant-skus/raced/price', { price: 5 });
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/raced');
    const priceCard = page.getByRole('region', { name: 'Price' });
    const price = page.getByRole('textbox', { name: 'Price', exact: true });
    await price.fill('9');
    await call('PUT', '/merchant-skus/raced/price', { price: 6 });
    await priceCard.getByRole('button', { name: 'Save', exact: true }).click();
    await priceCard.getByText(CHANGED).waitFor();
    assert.equal(await price.inputValue(), '$9.00');
    assert.equal((await read('/merchant-skus/raced/price')).price, 6);
    // Another change after the message is not overwritten either.
    await call('PUT', '/merchant-skus/raced/price', { price: 7 });
    const refused = page.waitForResponse((response) => response.status() === 412);
    await priceCard.getByRole('button', { name: 'Save mine anyway' }).click();
    await refused;
    await priceCard.getByText(CHANGED).waitFor();
    assert.equal((await read('/merchant-skus/raced/price')).price, 7);
    assert.equal(await price.inputValue(), '$9.00');
    await priceCard.getByRole('button', { name: 'Save mine anyway' }).click();
    await page.getByText('Saved.').waitFor();
    assert.equal((await read('/merchant-skus/raced/price')).price, 9);
    await priceCard.locator('button[data-loading]').waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Product data' }).click();
    const data = page.getByRole('tabpanel', { name: 'Product data' });
    await data.getByRole('textbox', { name: 'Title', exact: true }).fill('My own mug');
    await call('PUT', '/merchant-skus/raced', { ...MUG, brand: 'Theirs' });
    await data.getByRole('button', { name: 'Save', exact: true }).click();
    await data.getByText(CHANGED).waitFor();
    assert.equal((await read('/merchant-skus/raced')).brand, 'Theirs');
    await data.getByRole('button', { name: 'Reload current values' }).click();
    await data.getByText(CHANGED).waitFor({ state: 'hidden' });
    assert.equal(await data.getByRole('textbox', { name: 'Brand', exact: true }).inputValue(), 'Theirs');
  });

  it('every form of an offer and the return settings are saved only over the version that was opened', async (t) => {
    const group = { relationship: 'Variation', children_skus: ['other-one'], variation_refinements: [7] };
    const mug = { ...MUG, attributes_node_specific: [{ attribute_id: 7, attribute_value: 'L' }] };
    for (const sku of ['each', 'other-one']) await call('PUT', `/merchant-skus/${sku}`, mug);
    const page = await portal.openPage(t);
    const sent: string[] = [];
    page.on('request', (request) => {
      const { 'if-match': match, 'if-none-match': none } = request.headers();
      if (['PUT', 'PATCH'].includes(request.method()) && !request.url().endsWith('/session')) {
        sent.push(`${request.url().split('/').at(-1)} ${match === undefined ? none : 'tag'}`);
      }
    });
    await portal.signIn(page, 'test/offers/each');
    const save = async (within: Locator) => {
      const before = sent.length;
      await within.getByRole('button', { name: 'Save', exact: true }).click();
      await waitUntil('the save', 30_000, async () => (sent.length > before ? true : undefined));
      await within.getByRole('button', { name: 'Discard' }).waitFor({ state: 'hidden' });
    };
    for (const [price, quantity] of ['9', '8'].entries()) {
      await page.getByRole('textbox', { name: 'Price', exact: true }).fill(`${price + 5}`);
      await save(page.getByRole('region', { name: 'Price' }));
      await page
        .getByRole('textbox', { name: /^Quantity at/ })
        .first()
        .fill(quantity);
      await save(page.getByRole('region', { name: 'Inventory' }));
    }
    assert.deepEqual(sent, ['price *', 'inventory *', 'price tag', 'inventory tag']);
    await call('PUT', '/merchant-skus/each/variation', group);
    await page.getByRole('tab', { name: 'Variation group' }).click();
    await page.getByRole('textbox', { name: 'Group title' }).fill('Mugs');
    await save(page.getByRole('region', { name: 'Variation group' }));
    await page.getByRole('tab', { name: 'Exceptions' }).click();
    const shipping = page.getByRole('region', { name: 'Shipping exceptions' });
    await shipping.getByRole('button', { name: 'Add exception' }).click();
    await call('PUT', '/merchant-skus/each/shippingexception', {
      fulfillment_nodes: [{ fulfillment_node_id: NODE, shipping_exceptions: [EXCEPTION] }],
    });
    await shipping.getByRole('combobox', { name: 'Location' }).click();
    await page.getByRole('option', { name: NODE }).click();
    await shipping.getByRole('combobox', { name: 'Service level' }).click();
    await page.getByRole('option', { name: 'Standard' }).first().click();
    await shipping.getByRole('button', { name: 'Save', exact: true }).click();
    await shipping.getByText(CHANGED).waitFor();
    assert.deepEqual(sent.slice(4), ['variation tag', 'shippingexception *']);
    await shipping.getByRole('button', { name: 'Reload current values' }).click();
    await shipping.getByRole('group', { name: 'Exception 1' }).waitFor();

    await page.goto(`${portal.url}/portal/test/settings`);
    const returns = page.getByRole('region', { name: 'Returns', exact: true });
    const days = returns.getByRole('textbox', { name: 'Return window (days)' });
    await days.fill('11');
    await setReturnDays(12);
    await returns.getByRole('button', { name: 'Save', exact: true }).click();
    await returns.getByText(CHANGED).waitFor();
    assert.equal(await days.inputValue(), '11');
    await returns.getByRole('button', { name: 'Reload current values' }).click();
    assert.equal(await days.inputValue(), '12');
    await days.fill('13');
    await save(returns);
    assert.equal(sent.at(-1), 'merchant tag');
  });

  it('a location is saved only over the version that was opened, and a new one replaces none', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/settings');
    const other = await PortalBrowser.merchantOf(portal.url);
    const stored = { rate_kind: 'flat', shipping_methods: ['Freight'], service_levels: ['Standard'] };
    const change = async (rate_kind: string) =>
      assert.equal((await other.put('/test/nodes/dock', { ...stored, rate_kind })).status, 202);
    await change('flat');
    await page.getByRole('button', { name: 'Add location' }).click();
    const dialog = page.getByRole('dialog');
    const choose = async (field: string, option: string) => {
      await dialog.getByRole('combobox', { name: field }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    const save = dialog.getByRole('button', { name: 'Save', exact: true });
    await dialog.getByLabel('ID').fill('dock');
    await choose('Shipping methods', 'Freight');
    await choose('Service levels', 'Priority');
    await save.click();
    await dialog.getByText('You already have a location with this ID.').waitFor();
    await dialog.getByLabel('ID').fill('dock 2');
    await save.click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Edit dock', exact: true }).click();
    await choose('Service levels', 'Priority');
    await change('per_pound');
    await save.click();
    await dialog.getByText(CHANGED).waitFor();
    await dialog.getByRole('button', { name: 'Reload current values' }).click();
    assert.equal(await dialog.getByRole('combobox', { name: 'Rates' }).inputValue(), 'Rates per pound');
    await choose('Service levels', 'Priority');
    await change('flat');
    await save.click();
    await dialog.getByRole('button', { name: 'Save mine anyway' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await other.found('/test/nodes/dock'), {
      fulfillment_node_id: 'dock',
      ...stored,
      rate_kind: 'per_pound',
      service_levels: ['Standard', 'Priority'],
    });
  });

  it('a product is corrected only in the version that was opened', async (t) => {
    const operator = await PortalBrowser.operatorOf(portal.url);
    const product = { environment: 'live', code: '4006381333931', brand: 'Penner', title: 'A pen' };
    const address = `/catalog?environment=live&code=${product.code}`;
    const change = async (values: object) =>
      assert.equal((await operator.put('/catalog', { ...product, ...values })).status, 200);
    await change({});
    const page = await portal.openPage(t);
    await portal.signIn(page, `operator${address}`, DEMO_PEOPLE.operator);
    const form = page.getByRole('region', { name: 'Product', exact: true });
    const title = form.getByLabel('Title');
    const save = form.getByRole('button', { name: 'Save', exact: true });
    await title.fill('My pen');
    await change({ category: PARTY_TABLEWARE });
    await save.click();
    await form.getByText(CHANGED).waitFor();
    await form.getByRole('button', { name: 'Reload current values' }).click();
    assert.equal(await title.inputValue(), product.title);
    assert.match(await form.getByRole('combobox', { name: 'Category' }).inputValue(), / > /);

    await title.fill('My pen');
    await save.click();
    const impact = page.getByRole('dialog', { name: 'Correct product' });
    const apply = impact.getByRole('button', { name: 'Save' });
    await apply.and(page.locator(':enabled')).waitFor();
    await change({ brand: 'Theirs' });
    await apply.click();
    await impact.getByText('has changed since you read it').waitFor();
    await impact.getByRole('button', { name: 'Cancel' }).click();
    await form.getByRole('button', { name: 'Save mine anyway' }).click();
    await apply.click();
    await page.getByText('Applied.').waitFor();
    const { brand, title: saved } = await operator.found(address);
    assert.deepEqual({ brand, saved }, { brand: product.brand, saved: 'My pen' });
    await form.getByRole('button', { name: 'Discard' }).waitFor({ state: 'hidden' });
  });

  it('an offer that a program turned into a shoe stays a shoe', async (t) => {
    await call('PUT', '/merchant-skus/shod', MUG);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/shod');
    await page.getByRole('tab', { name: 'Product data' }).click();
    const data = page.getByRole('tabpanel', { name: 'Product data' });
    await data.getByRole('textbox', { name: 'Title', exact: true }).fill('Boots');
    await call('PUT', '/merchant-skus/shod/v2', { ...MUG, product_type_id: BOOTS });
    await data.getByRole('button', { name: 'Save', exact: true }).click();
    await data.getByText(CHANGED).waitFor();
    assert.equal((await read('/merchant-skus/shod')).product_title, MUG.product_title);
    await data.getByRole('button', { name: 'Save mine anyway' }).click();
    await page.getByText('Saved.').waitFor();
    const { product_title, product_type_id } = await read('/merchant-skus/shod');
    assert.deepEqual({ product_title, product_type_id }, { product_title: 'Boots', product_type_id: BOOTS });
  });

  it('leaving with several unsaved parts asks once', async (t) => {
    await call('PUT', '/merchant-skus/several', MUG);
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
    await call('PUT', '/merchant-skus/kept', MUG);
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
    await call('PUT', '/merchant-skus/reviewed', MUG);
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

  it('a child offer links to the parent of its group', async (t) => {
    const mug = { ...MUG, attributes_node_specific: [{ attribute_id: 7, attribute_value: 'L' }] };
    for (const sku of ['large%20mug', 'small-mug']) await call('PUT', `/merchant-skus/${sku}`, mug);
    const group = { relationship: 'Variation', children_skus: ['small-mug'], variation_refinements: [7] };
    await call('PUT', '/merchant-skus/large%20mug/variation', group);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/small-mug');
    await page.getByRole('tab', { name: 'Variation group' }).click();
    await page.getByText('Child of large mug').waitFor();
    await page.getByRole('link', { name: 'View parent' }).click();
    await page.waitForURL(`${portal.url}/portal/test/offers/large%20mug`);
    await page.getByRole('tab', { name: 'Variation group' }).click();
    await page.getByText('small-mug', { exact: true }).first().waitFor();
    assert.equal(await page.getByText(/^Child of/).count(), 0);
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

  async function call(method: string, path: string, body: unknown): Promise<void> {
    const answer = await fetch(`${portal.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${await token()}` },
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 202, await answer.text());
  }

  /** Another admin changes the return settings. */
  async function setReturnDays(time_to_return_days: number): Promise<void> {
    const other = await PortalBrowser.merchantOf(portal.url);
    const { return_shipping_methods } = await other.found('/merchant');
    assert.equal((await other.put('/merchant', { time_to_return_days, return_shipping_methods })).status, 202);
  }

  async function read(path: string): Promise<Record<string, unknown>> {
    const answer = await fetch(`${portal.url}${path}`, { headers: { authorization: `Bearer ${await token()}` } });
    return (await answer.json()) as Record<string, unknown>;
  }

  async function token(): Promise<string> {
    const body = JSON.stringify({ user: 'demo-test-user', pass: 'demo-test-secret' });
    const answer = await fetch(`${portal.url}/token`, { method: 'POST', body });
    return ((await answer.json()) as { id_token: string }).id_token;
  }
});
