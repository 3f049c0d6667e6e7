/** Tests in a browser that a form is saved only over the version that was opened. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { browserSkipped } from '../harness/browser.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** A leaf of the starter taxonomy. */
const PARTY_TABLEWARE = 1200520;
const BOOTS = 37_005_005_000;
const NODE = 'demo-node-east';
const EXCEPTION = Object.freeze({ shipping_exception_type: 'include', service_level: 'Expedited' });
const CHANGED = 'Someone changed this since you opened it';

describe('version conflicts in the portal', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();

  it('a change by a program after the page was opened is shown before it is overwritten', async (t) => {
    await portal.call('PUT', '/merchant-skus/raced', MUG);
    await portal.call('PUT', '/merchant-skus/raced/price', { price: 5 });
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/raced');
    const priceCard = page.getByRole('region', { name: 'Price' });
    const price = page.getByRole('textbox', { name: 'Price', exact: true });
    await price.fill('9');
    await portal.call('PUT', '/merchant-skus/raced/price', { price: 6 });
    await priceCard.getByRole('button', { name: 'Save', exact: true }).click();
    await priceCard.getByText(CHANGED).waitFor();
    assert.equal(await price.inputValue(), '$9.00');
    assert.equal((await portal.read('/merchant-skus/raced/price')).price, 6);
    const conflict = (field: string, mine: string, saved: string) =>
      page.getByRole('row', { name: `${field} ${mine} ${saved}`, exact: true }).waitFor();
    await conflict('Price', '$9.00', '$6.00');
    // Another change after the message is not overwritten either.
    await portal.call('PUT', '/merchant-skus/raced/price', { price: 7 });
    const refused = page.waitForResponse((response) => response.status() === 412);
    await priceCard.getByRole('button', { name: 'Save mine anyway' }).click();
    await refused;
    await priceCard.getByText(CHANGED).waitFor();
    await conflict('Price', '$9.00', '$7.00');
    assert.equal((await portal.read('/merchant-skus/raced/price')).price, 7);
    assert.equal(await price.inputValue(), '$9.00');
    await priceCard.getByRole('button', { name: 'Save mine anyway' }).click();
    await page.getByText('Saved.').waitFor();
    assert.equal((await portal.read('/merchant-skus/raced/price')).price, 9);
    await priceCard.locator('button[data-loading]').waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Product data' }).click();
    const data = page.getByRole('tabpanel', { name: 'Product data' });
    await data.getByRole('textbox', { name: 'Title', exact: true }).fill('My own mug');
    await portal.call('PUT', '/merchant-skus/raced', { ...MUG, brand: 'Theirs' });
    await data.getByRole('button', { name: 'Save', exact: true }).click();
    await data.getByText(CHANGED).waitFor();
    await conflict('Title', 'My own mug', MUG.product_title);
    await conflict('Brand', MUG.brand, 'Theirs');
    assert.equal((await portal.read('/merchant-skus/raced')).brand, 'Theirs');
    await data.getByRole('button', { name: 'Reload current values' }).click();
    await data.getByText(CHANGED).waitFor({ state: 'hidden' });
    assert.equal(await data.getByRole('textbox', { name: 'Brand', exact: true }).inputValue(), 'Theirs');
  });

  it('every form of an offer and the return settings are saved only over the version that was opened', async (t) => {
    const group = { relationship: 'Variation', children_skus: ['other-one'], variation_refinements: [7] };
    const mug = { ...MUG, attributes_node_specific: [{ attribute_id: 7, attribute_value: 'L' }] };
    for (const sku of ['each', 'other-one']) await portal.call('PUT', `/merchant-skus/${sku}`, mug);
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
    await portal.call('PUT', '/merchant-skus/each/variation', group);
    await page.getByRole('tab', { name: 'Variation group' }).click();
    await page.getByRole('textbox', { name: 'Group title' }).fill('Mugs');
    await save(page.getByRole('region', { name: 'Variation group' }));
    await page.getByRole('tab', { name: 'Exceptions' }).click();
    const shipping = page.getByRole('region', { name: 'Shipping exceptions' });
    await shipping.getByRole('button', { name: 'Add exception' }).click();
    await portal.call('PUT', '/merchant-skus/each/shippingexception', {
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
    await returns.getByRole('row', { name: 'Return window (days) 11 12' }).waitFor();
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
    await dialog.getByRole('row', { name: 'Service levels Standard · Priority Standard' }).waitFor();
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

  it('a note on a merchant shows both values if another operator changed it meanwhile', async (t) => {
    const operator = await PortalBrowser.operatorOf(portal.url);
    const change = async (note: string) =>
      assert.equal((await operator.put('/merchants/demo/note', { note })).status, 202);
    await change('Call Ann.');
    const page = await portal.openPage(t);
    await portal.signIn(page, 'operator/merchants/demo', DEMO_PEOPLE.operator);
    const panel = page.getByRole('region', { name: 'Notes' });
    await panel.getByRole('button', { name: 'Edit note' }).click();
    await panel.getByLabel('Note', { exact: true }).fill('Call Bob.');
    await change('Call Cem.');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await panel.getByText(CHANGED).waitFor();
    await panel.getByRole('row', { name: 'Note Call Bob. Call Cem.' }).waitFor();
    await panel.getByRole('button', { name: 'Save mine anyway' }).click();
    await panel.getByRole('button', { name: 'Edit note' }).waitFor();
    await panel.getByText('Call Bob.').waitFor();
    assert.equal((await operator.found<{ note: string }>('/merchants/demo')).note, 'Call Bob.');
    await change('');
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
    await portal.call('PUT', '/merchant-skus/shod', MUG);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/shod');
    await page.getByRole('tab', { name: 'Product data' }).click();
    const data = page.getByRole('tabpanel', { name: 'Product data' });
    await data.getByRole('textbox', { name: 'Title', exact: true }).fill('Boots');
    await portal.call('PUT', '/merchant-skus/shod/v2', { ...MUG, product_type_id: BOOTS });
    await data.getByRole('button', { name: 'Save', exact: true }).click();
    await data.getByText(CHANGED).waitFor();
    assert.equal((await portal.read('/merchant-skus/shod')).product_title, MUG.product_title);
    await data.getByRole('button', { name: 'Save mine anyway' }).click();
    await page.getByText('Saved.').waitFor();
    const { product_title, product_type_id } = await portal.read('/merchant-skus/shod');
    assert.deepEqual({ product_title, product_type_id }, { product_title: 'Boots', product_type_id: BOOTS });
  });

  /** Another admin changes the return settings. */
  async function setReturnDays(time_to_return_days: number): Promise<void> {
    const other = await PortalBrowser.merchantOf(portal.url);
    const { return_shipping_methods } = await other.found('/merchant');
    assert.equal((await other.put('/merchant', { time_to_return_days, return_shipping_methods })).status, 202);
  }
});
