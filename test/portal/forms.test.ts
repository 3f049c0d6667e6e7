/** Tests in a browser that forms save exactly what was typed, key by key. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { demoImage } from '../../src/demo/images/demo-image.ts';
import { browserSkipped, type openPage } from '../harness/browser.ts';
import { addPerson, PERSON_PASSWORD, PortalBrowser, type SessionBody, waitToSee } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';

describe('forms of the portal', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();
  let merchant: PortalBrowser;
  before(async () => {
    merchant = await PortalBrowser.merchantOf(portal.url);
  });

  it('a number submitted with Enter is saved as shown', async (t) => {
    await putOffer('typed');
    const page = await openAsMerchant(t, 'test/offers/typed');
    const card = page.getByRole('region', { name: 'Price' });
    const price = card.getByRole('textbox', { name: 'Price', exact: true });
    // Until the change is saved and the page reloaded, Save and Enter are disabled.
    const nothingToSave = card
      .getByRole('button', { name: 'Save', disabled: true })
      .and(page.locator(':not([data-loading])'));
    for (const [keys, shown, saved] of [
      ['1200', '$1,200.00', 1200],
      ['1,234.56', '$1,234.56', 1234.56],
      ['1.250,5', '$1,250.50', 1250.5],
      ['1250,05', '$1,250.05', 1250.05],
      ["$ 1'300", '$1,300.00', 1300],
    ] as const) {
      await type(price, keys);
      assert.equal(await price.inputValue(), keys);
      await page.keyboard.press('Enter');
      assert.equal(await price.inputValue(), shown);
      await stored('/test/merchant-skus/typed/price', { price: saved });
      await price.blur();
      await nothingToSave.waitFor();
      assert.equal(await price.inputValue(), shown);
    }

    await page.getByRole('tab', { name: 'Product data' }).click();
    await type(page.getByRole('textbox', { name: 'Shipping weight (pounds)' }), '1,000.50');
    await page.keyboard.press('Enter');
    await stored('/test/merchant-skus/typed', { shipping_weight_pounds: 1000.5 });
  });

  it('a decimal comma is understood, and retyping what is shown changes nothing, in any browser language', async (t) => {
    await putOffer('comma');
    await putPrice('comma', 20);
    const page = await portal.openPage(t, { locale: 'de-DE' });
    await portal.signIn(page, 'test/offers/comma');
    const card = page.getByRole('region', { name: 'Price' });
    const price = card.getByRole('textbox', { name: 'Price', exact: true });
    await type(price, '18,50');
    await card.getByRole('button', { name: 'Save' }).click();
    await stored('/test/merchant-skus/comma/price', { price: 18.5 });
    assert.equal(await price.inputValue(), '$18.50');
    await page.goto(`${portal.url}/portal/test/offers?q=comma`);
    await page.getByRole('cell', { name: '$18.50', exact: true }).waitFor();
  });

  it('a number with two meanings is asked about, and text that is not a number is refused at its field', async (t) => {
    await putOffer('asked');
    const page = await openAsMerchant(t, 'test/offers/asked');
    const card = page.getByRole('region', { name: 'Price' });
    const price = card.getByRole('textbox', { name: 'Price', exact: true });
    const save = card.getByRole('button', { name: 'Save' });
    const writes: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') writes.push(request.postData() ?? '');
    });
    for (const [keys, message] of [
      ['1,234', 'Did you mean $1,234.00 or $1.234?'],
      ['1.234', 'Did you mean $1,234.00 or $1.234?'],
      ['12x', 'Enter a number, such as 18.50.'],
      ['-', 'Enter a number, such as 18.50.'],
    ] as const) {
      await type(price, keys);
      await save.click();
      await card.getByText(message).waitFor();
      assert.equal(await price.inputValue(), keys);
      assert.equal(await price.getAttribute('aria-invalid'), 'true');
      assert.ok(await price.evaluate((input) => input === input.ownerDocument.activeElement));
    }
    assert.deepEqual(writes, []);
    await type(price, '1.234');
    await card.getByRole('button', { name: '$1,234.00' }).click();
    assert.equal(await price.inputValue(), '$1,234.00');
    assert.notEqual(await price.getAttribute('aria-invalid'), 'true');
    await save.click();
    await stored('/test/merchant-skus/asked/price', { price: 1234 });
    assert.equal(writes.length, 1);

    // A stored number is not asked about, although it would be if it were typed.
    assert.equal(
      (await merchant.put('/test/merchant-skus/asked', { ...MUG, shipping_weight_pounds: 1.234 })).status,
      202,
    );
    await page.reload();
    await page.getByRole('tab', { name: 'Product data' }).click();
    const weight = page.getByRole('textbox', { name: 'Shipping weight (pounds)' });
    await weight.focus();
    await weight.blur();
    assert.equal(await weight.inputValue(), '1.234');
    assert.notEqual(await weight.getAttribute('aria-invalid'), 'true');
    await type(page.getByRole('textbox', { name: 'Multipack quantity' }), '1,5');
    await page.getByText('Enter a whole number.').waitFor();
  });

  it('a price that becomes more than 3 times higher or lower is asked about once', async (t) => {
    await putOffer('jump');
    await putPrice('jump', 10);
    const page = await openAsMerchant(t, 'test/offers/jump');
    const card = page.getByRole('region', { name: 'Price' });
    const price = card.getByRole('textbox', { name: 'Price', exact: true });
    const save = card.getByRole('button', { name: 'Save' });
    const question = page.getByRole('dialog', { name: 'Check before saving' });
    await type(price, '30');
    await save.click();
    // The notification disappears after 4 seconds.
    await page.getByText('Saved.').waitFor();
    await stored('/test/merchant-skus/jump/price', { price: 30 });

    await type(price, '90.01');
    await save.click();
    await question
      .getByText('The new price is more than 3 times the current one: $30.00 becomes $90.01.', { exact: true })
      .waitFor();
    await question.getByRole('button', { name: 'Go back' }).click();
    await question.waitFor({ state: 'hidden' });
    assert.equal((await merchant.found('/test/merchant-skus/jump/price')).price, 30);
    await save.click();
    await question.getByRole('button', { name: 'Save' }).click();
    await stored('/test/merchant-skus/jump/price', { price: 90.01 });

    await type(card.getByRole('textbox', { name: 'Price at demo-node-east' }), '30');
    await save.click();
    await question
      .getByText('The new price at demo-node-east is less than a third of the current one: $90.01 becomes $30.00.', {
        exact: true,
      })
      .waitFor();
  });

  it('a cleared quantity is reported, and nothing is saved', async (t) => {
    await putOffer('cleared');
    const nodes = ['demo-node-east', 'demo-node-west'].map((fulfillment_node_id) => ({
      fulfillment_node_id,
      quantity: 5,
    }));
    const sentBefore = await merchant.send('PATCH', '/test/merchant-skus/cleared/inventory', {
      fulfillment_nodes: nodes,
    });
    assert.equal(sentBefore.status, 202, sentBefore.text);
    const page = await openAsMerchant(t, 'test/offers/cleared');
    const card = page.getByRole('region', { name: 'Inventory' });
    const east = card.getByRole('textbox', { name: 'Quantity at demo-node-east' });
    await type(card.getByRole('textbox', { name: 'Quantity at demo-node-west' }), '1,500');
    await type(east, '');
    await east.press('Backspace');
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent += 1;
    });
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Enter 0 if out of stock.').waitFor();
    assert.equal(await east.getAttribute('aria-invalid'), 'true');
    assert.equal(sent, 0);

    await type(east, '0');
    await page.keyboard.press('Enter');
    await waitToSee('both quantities to be saved', async () => {
      const { fulfillment_nodes: found } = await merchant.found<{ fulfillment_nodes: { quantity: number }[] }>(
        '/test/merchant-skus/cleared/inventory',
      );
      return found.map(({ quantity }) => quantity).join() === '0,1500' || undefined;
    });
  });

  it('a form started in one environment is reset in the other', async (t) => {
    const page = await openAsMerchant(t, 'test/settings');
    const location = page.getByRole('textbox', { name: 'Return location ID' });
    await location.waitFor();
    await page.getByText('Live', { exact: true }).click();
    await page.getByRole('radio', { name: 'Live', checked: true }).waitFor({ state: 'attached' });
    await location.fill('of-live');
    await page.getByRole('button', { name: 'Add location' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('ID').fill('of-live');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Choose at least one.').nth(1).waitFor();
    await page.goBack();
    await page.waitForURL(/\/test\/settings/);
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await location.inputValue(), '');
  });

  it('the open list of a field of a location does not cover the next field', async (t) => {
    const page = await openAsMerchant(t, 'test/settings');
    await page.getByRole('button', { name: 'Add location' }).click();
    const dialog = page.getByRole('dialog');
    for (const [name, next] of [
      ['Shipping methods', dialog.getByRole('combobox', { name: 'Service levels' })],
      ['Service levels', dialog.getByRole('button', { name: 'Save' })],
    ] as const) {
      await dialog.getByRole('combobox', { name }).click();
      await page.getByRole('option').first().click();
      await next.click({ trial: true });
    }
  });

  it('a shipping exception without a service is reported at the service field, and one without a location is not sent', async (t) => {
    await putOffer('shipped');
    const page = await openAsMerchant(t, 'test/offers/shipped');
    await page.getByRole('tab', { name: 'Exceptions' }).click();
    const card = page.getByRole('region', { name: 'Shipping exceptions' });
    await card.getByRole('button', { name: 'Add exception' }).click();
    const node = card.getByRole('combobox', { name: 'Location' });
    assert.equal(await node.getAttribute('required'), '');
    await node.click();
    await page.getByRole('option', { name: 'demo-node-east' }).click();
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Choose a service level or a shipping method.', { exact: true }).waitFor();
    assert.equal(await card.getByRole('combobox', { name: 'Service level' }).getAttribute('aria-invalid'), 'true');
    assert.notEqual(await node.getAttribute('aria-invalid'), 'true');
  });

  it('an operator removes the category of a product', async (t) => {
    const operator = await PortalBrowser.operatorOf(portal.url);
    const product = {
      environment: 'live',
      code: '4006381333931',
      brand: 'Penner',
      title: 'A pen',
      category: 1_010_100,
    };
    const put = await operator.put('/catalog', product);
    assert.equal(put.status, 200, put.text);
    const codes = [{ standard_product_code: product.code, standard_product_code_type: 'EAN' }];
    const pen = { ...MUG, brand: product.brand, standard_product_codes: codes };
    assert.equal((await merchant.put('/live/merchant-skus/pen', pen)).status, 202);
    const page = await openAs(t, DEMO_PEOPLE.operator, 'operator/catalog');
    await page.getByLabel('Product code').fill(product.code);
    await page.keyboard.press('Enter');
    const offers = page.getByRole('region', { name: 'Offers' });
    await offers.getByRole('row', { name: /^pen Demo merchant Penner/ }).waitFor();
    const brand = page.getByLabel('Brand');
    await brand.fill('Pencil');
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByRole('dialog').getByText('Discard unsaved changes?').waitFor();
    await page.keyboard.press('Escape');
    // A dialog that closes returns the focus.
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await brand.fill(product.brand);
    const category = page.getByRole('combobox', { name: 'Category' });
    await category.focus();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Clear');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    const correct = page.getByRole('dialog', { name: 'Correct product' });
    await correct.getByText(`Live environment: offers of ${product.code} are re-reviewed.`).waitFor();
    await correct.getByRole('button', { name: 'Save' }).click();
    await waitToSee('the category to be gone', async () => {
      const found = await operator.found(`/catalog?environment=live&code=${product.code}`);
      return found.category === null || undefined;
    });
    await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Test').click();
    await page.getByText('This code is not in the catalog yet.').waitFor();
    await brand.fill('Penner');
    await page.getByLabel('Title').fill('A pen');
    await page.getByRole('button', { name: 'Save' }).click();
    const add = page.getByRole('dialog', { name: 'Add product' });
    await add.getByText(`Test environment: offers of ${product.code} are re-reviewed.`).waitFor();
  });

  it('viewers can read and copy all values, and cannot change any', async (t) => {
    const exceptions = [{ shipping_exception_type: 'restricted', service_level: 'Standard' }];
    for (const sku of ['looked-at', 'put-away']) {
      await putOffer(sku);
      const put = await merchant.put(`/test/merchant-skus/${sku}/shippingexception`, {
        fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', shipping_exceptions: exceptions }],
      });
      assert.equal(put.status, 202, put.text);
    }
    const archived = await merchant.put('/test/merchant-skus/put-away/status/archive', { is_archived: true });
    assert.equal(archived.status, 202, archived.text);
    await addPerson(portal.server, 'vic@demo.example', 'merchant-viewer');
    for (const page of [
      await openAs(t, 'vic@demo.example', 'test/offers/looked-at', PERSON_PASSWORD),
      await openAsMerchant(t, 'test/offers/put-away'),
    ]) {
      for (const [tab, label] of [
        ['Price and inventory', 'Quantity at demo-node-west'],
        ['Product data', 'Subject to Proposition 65'],
        ['Variation group', 'Group title'],
        ['Exceptions', 'Amount'],
      ] as const) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('textbox', { name: label }).waitFor();
      }
      const parts = page.getByRole('tabpanel', { includeHidden: true });
      assert.equal(await parts.locator(':is(input, textarea):disabled').count(), 0);
      assert.equal(await parts.locator(':is(input, textarea):not([type=hidden]):read-write').count(), 0);
      assert.equal(await parts.locator('input[type=checkbox]').count(), 0);
      assert.equal(await parts.getByRole('button').count(), 0);

      // Nothing is unsaved, so no confirmation is needed.
      await page.getByRole('link', { name: 'Files' }).click();
      await page.getByRole('heading', { name: 'Files', exact: true }).waitFor();
    }
  });

  it('offers of a suspended merchant read as suspended, and its users see no buttons', async (t) => {
    const operator = await PortalBrowser.operatorOf(portal.url);
    const added = await operator.post('/merchants', { merchant_id: 'halted', name: 'Halted Stores' });
    assert.equal(added.status, 200, added.text);
    const eve = await addPerson(portal.server, 'eve@halted.example', 'merchant-admin', 'halted');
    const node = { rate_kind: 'flat', shipping_methods: ['Freight'], service_levels: ['Standard'] };
    for (const [method, path, body] of [
      ['PUT', '/live/nodes/only', node],
      ['PUT', '/live/merchant-skus/mug', { ...MUG, marketplace_browse_node_id: 1200520 }],
      ['PUT', '/live/merchant-skus/mug/price', { price: 12.5 }],
      [
        'PATCH',
        '/live/merchant-skus/mug/inventory',
        { fulfillment_nodes: [{ fulfillment_node_id: 'only', quantity: 3 }] },
      ],
    ] as const) {
      const sent = await eve.send(method, path, body);
      assert.equal(sent.status, 202, sent.text);
    }
    const page = await openAs(t, 'eve@halted.example', 'live/offers/mug', PERSON_PASSWORD);
    const changes = page.getByRole('button', { name: /^(Save|Archive|Re-check)$/ });
    // Parts of the page load one by one.
    for (const name of ['Save', 'Archive', 'Re-check']) {
      await page.getByRole('button', { name, exact: true }).first().waitFor();
    }
    await page.getByRole('heading', { name: 'For sale', exact: true }).waitFor();

    const suspended = await operator.post('/merchants/halted/suspend');
    assert.equal(suspended.status, 202, suspended.text);
    await waitToSee('the session to know', async () => {
      return (await eve.found<SessionBody>('/session')).person?.merchant?.suspended || undefined;
    });
    await page.reload();
    await page.getByText('The marketplace has suspended this merchant').waitFor();
    await page.getByRole('textbox', { name: 'Price', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Review' }).getByRole('heading', { name: 'Suspended' }).waitFor();
    assert.equal(await changes.count(), 0);

    const main = page.getByRole('main');
    const forSale = main.getByText('For sale', { exact: true });
    await page.getByRole('link', { name: 'Offers', exact: true }).click();
    await main.getByRole('row', { name: /mug/ }).getByText('Suspended', { exact: true }).waitFor();
    assert.equal(await forSale.count(), 0);
    await page.getByRole('link', { name: 'Overview' }).click();
    // The overview has the status as a tile, and as a row of "Offers by status".
    await main.getByRole('link', { name: /^Suspended ?1$/ }).waitFor();
    await main.getByRole('link', { name: 'Suspended', exact: true }).waitFor();
    assert.equal(await forSale.count(), 0);

    await page.getByRole('link', { name: 'Team' }).click();
    await page.getByRole('cell', { name: /eve@halted.example/ }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^(Invite|Edit)/ }).count(), 0);

    const list = await openAs(t, DEMO_PEOPLE.operator, 'operator/offers?merchant=halted');
    const status = list.getByRole('row', { name: /mug/ }).getByRole('cell').nth(4);
    await status.getByText('Suspended', { exact: true }).waitFor();
  });

  it('a placeholder is removed only after confirmation', async (t) => {
    const operator = await PortalBrowser.operatorOf(portal.url);
    const image = await demoImage('mug');
    const added = await operator.post('/placeholders?note=no%20photo', image);
    assert.equal(added.status, 200, added.text);
    const page = await openAs(t, DEMO_PEOPLE.operator, 'operator/placeholders');
    const remove = page.getByRole('button', { name: /^Remove / });
    const dialog = page.getByRole('dialog', { name: 'Remove placeholder' });
    await remove.click();
    await dialog.getByText(/^no photo: /).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await operator.found<{ placeholders: unknown[] }>('/placeholders')).placeholders.length, 1);
    await remove.click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No placeholders added').waitFor();
    assert.deepEqual(await operator.found('/placeholders'), { placeholders: [] });
  });

  function openAsMerchant(t: Parameters<typeof openPage>[0], path: string): Promise<Page> {
    return openAs(t, DEMO_PEOPLE.merchant, path);
  }

  async function openAs(
    t: Parameters<typeof openPage>[0],
    email: string,
    path: string,
    password = DEMO_PASSWORD,
  ): Promise<Page> {
    const page = await portal.openPage(t);
    await portal.signIn(page, path, email, password);
    return page;
  }

  async function putOffer(sku: string): Promise<void> {
    const answer = await merchant.put(`/test/merchant-skus/${sku}`, MUG);
    assert.equal(answer.status, 202, answer.text);
  }

  async function putPrice(sku: string, price: number): Promise<void> {
    const answer = await merchant.put(`/test/merchant-skus/${sku}/price`, { price });
    assert.equal(answer.status, 202, answer.text);
  }

  async function stored(path: string, expected: Readonly<Record<string, unknown>>): Promise<void> {
    await waitToSee(`${path} to be ${JSON.stringify(expected)}`, async () => {
      const { body } = await merchant.get(path);
      const found = (body ?? {}) as Record<string, unknown>;
      return Object.entries(expected).every(([name, value]) => found[name] === value) || undefined;
    });
  }
});

/** Replaces the field's content. */
async function type(field: Locator, keys: string): Promise<void> {
  await field.focus();
  await field.press('ControlOrMeta+a');
  for (const key of keys) await field.press(key);
}
