/** Tests in a browser that merchants add, duplicate, fix, archive and restore offers, and see what announced changes would do to them. */
import assert from 'node:assert/strict';
import { before, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { demoImage } from '../../src/demo/images/demo-image.ts';
import { browserSkipped } from '../harness/browser.ts';
import { PortalBrowser, waitToSee } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';

/** A leaf of the starter taxonomy with a required attribute, Bed Size. */
const BEDS = 1_071_010;
const BED_SIZE = 159;
const EAST = 'demo-node-east';
const WEST = 'demo-node-west';

const DAY_MS = 86_400_000;

interface Upcoming {
  readonly changes: readonly { readonly id: number; readonly offers: number }[];
}

describe('the page of an offer', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();
  let merchant: PortalBrowser;
  before(async () => {
    merchant = await PortalBrowser.merchantOf(portal.url);
  });

  it('an announced change that takes an offer off sale is on the overview, above its offers and on the page of the offer', async (t) => {
    await put('/test/merchant-skus/soon', { ...MUG, brand: 'Soon & Sons' });
    const operator = await PortalBrowser.operatorOf(portal.url);
    const date = new Date(Date.now() + 3 * DAY_MS).toISOString();
    const path = `/policies?enforced_from=${encodeURIComponent(date)}`;
    assert.equal((await operator.post(path, { kind: 'excluded_brand', brand: 'Soon & Sons' })).status, 200);
    const upcoming = async () => (await merchant.found<Upcoming>('/test/requirements/upcoming')).changes[0];
    await waitToSee('the warning', async () => (await upcoming())?.offers === 1 || undefined);
    const page = await openPage(t, 'test/overview');
    await page.getByText(/^1 offer will not be for sale from .+ unless fixed$/).waitFor();
    await page.getByRole('link', { name: 'View 1 offer' }).click();
    const notice = page.getByRole('alert', { name: 'Excluded brand: Soon & Sons' });
    await notice.locator(`time[datetime="${date}"]`).waitFor();
    const rows = page.getByRole('table').getByRole('link', { name: MUG.product_title });
    // Fails if there are several.
    await rows.waitFor();
    await page.getByRole('combobox', { name: 'Announced change' }).click();
    await page.getByRole('option', { name: 'Offers that will fail' }).click();
    await page.waitForURL('**/offers?upcoming=yes');
    await rows.click();
    const warning = page.getByRole('alert').filter({ hasText: /^ExcludedWill fail from / });
    await warning.locator(`time[datetime="${date}"]`).waitFor();
    await warning.getByText('This marketplace does not sell the brand Soon & Sons.').waitFor();
    const change = (await upcoming()) ?? assert.fail();
    assert.equal((await operator.post(`/announced-changes/${change.id}/cancel`)).status, 200);
    await warning.getByRole('link', { name: 'View announced change' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'This change is no longer announced' }).waitFor();
  });

  it('the position of an offer says its rank and why, and whether it is in the shop', async (t) => {
    await put('/test/merchant-skus/placed', MUG);
    const page = await openPage(t, 'test/offers/placed');
    const card = page.getByRole('region', { name: 'Position' });
    await card.getByText('Not in the shop: not live, or out of stock.').waitFor();
    const own = { merchant_sku: 'placed', product_code: 'gtin:00012345678905', is_shown: true };
    const rank = { rank: 2, rank_of: 3, rank_reason: 'total', above_best: 1.2, why: '1.20 above the best offer' };
    await page.route('**/merchant-skus/placed/position', (route) =>
      route.fulfill({ json: { ...own, ...rank, best_total: 9.5 } }),
    );
    await page.reload();
    await card.getByText('Rank 2').waitFor();
    const text = /^1\.20 above the best offer\. 3 offers compared\. The best offer costs \D*9\.50 with shipping\.$/;
    await card.getByText(text).waitFor();

    await page.route('**/offers?*limit=*', async (route) => {
      const listed = await (await route.fetch()).json();
      const offers = listed.offers.filter(({ sku }: { sku: string }) => sku === 'placed');
      Object.assign(offers[0], { rank: { rank: 2, of: 7 } });
      await route.fulfill({ json: { ...listed, offers } });
    });
    await page.goto(`${portal.url}/portal/test/offers`);
    await page.getByRole('row').getByText('2nd of 7').waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByText('2nd of 7 offers').waitFor();
  });

  it('a merchant adds an offer after fixing all reported fields, then duplicates it without its codes', async (t) => {
    await put('/test/merchant-skus/taken', MUG);
    const page = await openPage(t, 'test/offers');
    const image = await demoImage('mug');
    await page.route('https://images.example/bed.jpg', (route) =>
      route.fulfill({ body: Buffer.from(image), contentType: 'image/jpeg' }),
    );
    await page.getByRole('link', { name: 'Add offer' }).click();
    await page.getByRole('button', { name: 'Skip this step' }).click();
    const save = page.getByRole('button', { name: 'Save' });
    const sku = page.getByRole('textbox', { name: 'SKU', exact: true });
    const required = ['Title', 'Brand', 'Multipack quantity', 'Main image URL'];
    for (const name of required) {
      assert.equal(await field(page, name).getAttribute('aria-required'), 'true', name);
    }
    assert.equal(await page.locator('[aria-required=true]').count(), required.length + 1, 'the SKU, and no other');

    for (const [group, name] of [
      ['Product', 'Bullet points (one per line)'],
      ['Handling', 'Ships alone'],
    ] as const) {
      assert.equal(await field(page, name).isVisible(), false, 'folded');
      await unfold(page, group);
      await field(page, name).focus();
      const isCovered = await page.evaluate(`(() => {
        const { left, bottom } = document.activeElement.getBoundingClientRect();
        return document.elementFromPoint(left + 5, bottom - 5) !== document.activeElement;
      })()`);
      assert.equal(isCovered, false, `the save bar covers ${name}`);
    }

    await sku.fill(' ');
    await save.click();
    await page.getByText('Enter a SKU.').waitFor();
    await page.getByText('Fix 5 fields to save.').waitFor();
    for (const name of ['Title', 'Brand', 'Main image URL', 'ASIN']) {
      assert.equal(await field(page, name).getAttribute('aria-invalid'), 'true', name);
    }
    await page.getByText('Add a product code, or enter an ASIN.').waitFor();

    const missing: string[] = [];
    page.on('response', (answer) => answer.status() === 404 && missing.push(answer.url()));
    await sku.fill('taken');
    await field(page, 'Title').fill('Oak bed');
    await field(page, 'Brand').fill('Sleepers');
    await field(page, 'Main image URL').fill('https://images.example/bed.jpg');
    await page.getByRole('img', { name: 'Preview of Main image URL' }).waitFor();
    await choose(page, 'Category', 'beds', /^Beds/);
    await page.getByText('>', { exact: true }).first().waitFor();
    await choose(page, 'Bed Size', 'queen', /^Queen/);
    await unfold(page, 'Origin, tax and keywords');
    await choose(page, 'Country of origin', 'portu', 'Portugal');
    await unfold(page, 'Manufacturer pricing');
    await choose(page, 'Unit (for price per unit)', 'cou', 'count');
    await page.getByRole('button', { name: 'Add product code' }).click();
    await field(page, 'Code').fill('1');
    await field(page, 'Price').fill('0');
    // The form sends no stock for the first location, so the server's index of this one is 0.
    await field(page, `Stock at ${WEST}`).fill('9999999999');
    await save.click();
    await page.getByText('Must have 12 digits as UPC.').waitFor();
    await page.getByText('Fix 3 fields to save.').waitFor();
    for (const [name, text] of [
      ['Price', 'Enter a price from $0.01 to $1,000,000,000.'],
      [`Stock at ${WEST}`, 'Enter a whole number from 0 to 2,147,483,647.'],
    ] as const) {
      assert.equal(await field(page, name).getAttribute('aria-invalid'), 'true', name);
      await page.getByText(text).waitFor();
    }
    await page.locator('[data-path="codes.0.code"]:focus').waitFor();
    await field(page, 'Price').fill('349.5');
    await field(page, `Stock at ${WEST}`).fill('12');
    await save.click();
    await page.getByText('Fix 1 field to save.').waitFor();
    await page.locator('[data-path="codes.0.code"]:focus').waitFor();
    const typo = page.getByText(
      'The check digit (the last one) is wrong. After 01234567890 it must be 5. Look for a typo.',
    );
    await field(page, 'Code').fill('012345678906');
    await typo.waitFor();
    await field(page, 'Code').fill('012345678905');
    await typo.waitFor({ state: 'detached' });
    await save.click();
    await page.getByText('You already have an offer with this SKU.').waitFor();
    await sku.fill('bed 1');
    await save.click();

    await page.getByRole('heading', { name: 'Oak bed' }).waitFor();
    await field(page, 'Price').waitFor();
    assert.equal(page.url(), `${portal.url}/portal/test/offers/bed%201`);
    assert.deepEqual(missing, [], 'a new SKU is not read');
    const added = await read('/test/merchant-skus/bed%201');
    assert.deepEqual(added, {
      product_title: 'Oak bed',
      brand: 'Sleepers',
      multipack_quantity: 1,
      main_image_url: 'https://images.example/bed.jpg',
      standard_product_codes: MUG.standard_product_codes,
      marketplace_browse_node_id: BEDS,
      attributes_node_specific: [{ attribute_id: BED_SIZE, attribute_value: 'Queen' }],
      country_of_origin: 'Portugal',
      type_of_unit_for_price_per_unit: 'count',
      prop_65: false,
    });
    const { price } = await read('/test/merchant-skus/bed%201/price');
    const { fulfillment_nodes: stock } = await read('/test/merchant-skus/bed%201/inventory');
    assert.equal(price, 349.5);
    assert.deepEqual(
      (stock as { fulfillment_node_id: string; quantity: number }[]).map((node) => [
        node.fulfillment_node_id,
        node.quantity,
      ]),
      [[WEST, 12]],
    );

    await page.getByRole('link', { name: 'Duplicate' }).click();
    await sku.fill('bed 2');
    assert.equal(await field(page, 'Title').inputValue(), 'Oak bed');
    assert.equal(await page.getByRole('textbox', { name: 'Code', exact: true }).count(), 0);
    await field(page, 'ASIN').fill('B000000001');
    await save.click();
    await page.waitForURL(`${portal.url}/portal/test/offers/bed%202`);
    const { standard_product_codes: _codes, ...kept } = added;
    assert.deepEqual(await read('/test/merchant-skus/bed%202'), { ...kept, ASIN: 'B000000001' });
  });

  it('a code that the catalog knows fills a new offer, and an error in a folded group is shown', async (t) => {
    const known = { standard_product_code: '036000291452', standard_product_code_type: 'UPC' };
    const first = { ...MUG, product_title: 'Paper towels', brand: 'Wipes', standard_product_codes: [known] };
    await put('/test/merchant-skus/known', { ...first, marketplace_browse_node_id: BEDS });
    await waitToSee('the product in the catalog', async () => {
      return (await merchant.found<{ product: unknown }>('/test/catalog?code=036000291452')).product ?? undefined;
    });
    const page = await openPage(t, 'test/add-offer');
    const start = field(page, 'Product code or title');
    await start.fill('03600029145');
    await page.getByText('A product code has 10, 12, 13 or 14 digits. This one has 11.').waitFor();
    await start.fill('036000291453');
    await page.getByText('After 03600029145 it must be 2.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Continue' }).isDisabled(), true);
    await start.fill('0 36000 29145 2');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Filled from the catalog for the code 036000291452.').waitFor();
    assert.equal(await field(page, 'Title').inputValue(), 'Paper towels');
    assert.equal(await field(page, 'Brand').inputValue(), 'Wipes');
    assert.equal(await field(page, 'Code').inputValue(), '036000291452');
    await page.getByRole('textbox', { name: 'SKU', exact: true }).fill('from-catalog');
    await field(page, 'Main image URL').fill('https://images.example/towels.jpg');
    await unfold(page, 'Dimensions and weight');
    const weight = field(page, 'Shipping weight (pounds)');
    await weight.fill('-1');
    await page.getByRole('heading', { name: 'Dimensions and weight' }).click();
    await weight.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[data-path="plain.shipping_weight_pounds"]:focus').waitFor();
    await page.getByText('1 problem', { exact: true }).waitFor();
    await weight.fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Paper towels' }).waitFor();
    const { product_title, standard_product_codes: codes } = await read('/test/merchant-skus/from-catalog');
    assert.deepEqual([product_title, codes], ['Paper towels', [known]]);
  });

  it('a variation group suggests offers with the same brand and title, and finds others by words', async (t) => {
    const tee = { ...MUG, brand: 'Teeworks', attributes_node_specific: [{ attribute_id: 7, attribute_value: 'L' }] };
    await put('/test/merchant-skus/tee-m', { ...tee, product_title: 'Cotton tee shirt, medium' });
    await put('/test/merchant-skus/tee-l', { ...tee, product_title: 'Cotton tee shirt, large' });
    await put('/test/merchant-skus/tee-v', { ...tee, product_title: 'V-neck, large', brand: 'Veeworks' });
    await waitToSee('the review', async () => {
      const found = await Promise.all(
        ['teeworks', 'veeworks'].map((q) => merchant.found<{ offers: readonly unknown[] }>(`/test/offers?q=${q}`)),
      );
      return found.flatMap(({ offers }) => offers).length === 3 || undefined;
    });
    const page = await openPage(t, 'test/offers/tee-m?tab=group');
    const children = page.getByRole('combobox', { name: 'Add offers' });
    await children.click();
    await page.getByText('Similar offers').waitFor();
    assert.equal(await page.getByRole('option', { name: 'Cotton tee shirt, medium' }).count(), 0, 'the parent itself');
    await page.getByRole('option', { name: /^Cotton tee shirt, large/ }).click();
    await children.fill('veewor');
    await page.getByRole('option', { name: /^V-neck, large/ }).click();
    await page.getByRole('combobox', { name: 'Variation attributes' }).waitFor();
    const members = page.getByRole('table', { name: 'Offers of the group' });
    await members.getByRole('link', { name: 'V-neck, large' }).waitFor();
    await members.getByRole('link', { name: 'Cotton tee shirt, large' }).waitFor();
  });

  it('gaps of a variation group are filled in its table, and a child joins it and is removed on its own page', async (t) => {
    const tee = { ...MUG, brand: 'Knitworks' };
    const of = (value: string) => ({
      ...tee,
      attributes_node_specific: [7, 8].map((id) => ({ attribute_id: id, attribute_value: value })),
    });
    await put('/test/merchant-skus/knit-s', { ...of('S'), product_title: 'Knit tee, small' });
    await put('/test/merchant-skus/knit-m', { ...of('M'), product_title: 'Knit tee, medium' });
    await put('/test/merchant-skus/knit-l', { ...of('L'), product_title: 'Knit tee, large' });
    const group = { relationship: 'Variation', variation_refinements: [7, 8], children_skus: ['knit-m'] };
    await put('/test/merchant-skus/knit-s/variation', group);
    await put('/test/merchant-skus/knit-m', { ...tee, product_title: 'Knit tee, medium' });
    await waitToSee('the review', async () => {
      return (
        (await merchant.found<{ offers: readonly unknown[] }>('/test/offers?q=knit')).offers.length === 3 || undefined
      );
    });
    const page = await openPage(t, 'test/offers/knit-s?tab=group');
    // The second value is typed and saved before the first save has ended.
    for (const [id, value] of [
      [7, 'M'],
      [8, 'Medium'],
    ]) {
      await page.getByRole('combobox', { name: `Attribute ${id} of knit-m` }).fill(String(value));
      await page.keyboard.press('Enter');
    }
    await waitToSee('both attributes', async () => {
      const { attributes_node_specific: found } = await read('/test/merchant-skus/knit-m');
      return ['"M"', '"Medium"'].every((value) => JSON.stringify(found ?? '').includes(value)) || undefined;
    });
    const focused = await page.locator(':focus').getAttribute('aria-label');
    assert.equal(focused, 'Attribute 8 of knit-m', 'saving leaves the focus in the field');
    const childrenAre = (...skus: string[]) =>
      waitToSee(`the children ${skus}`, async () => {
        const { children_skus: found } = await read('/test/merchant-skus/knit-s/variation');
        return JSON.stringify((found as string[]).toSorted()) === JSON.stringify(skus) || undefined;
      });

    await page.goto(`${portal.url}/portal/test/offers/knit-l?tab=group`);
    await page.getByRole('combobox', { name: 'Join a group' }).click();
    await page.getByRole('option', { name: /^Knit tee, medium/ }).click();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('In the group of Knit tee, small').waitFor();
    await childrenAre('knit-l', 'knit-m');
    await page.getByRole('button', { name: 'Remove from group' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove from group' }).click();
    await page.getByRole('combobox', { name: 'Join a group' }).waitFor();
    await childrenAre('knit-m');
    await page.goto(`${portal.url}/portal/test/offers/knit-m?tab=group`);
    await page.getByText('A group needs at least one offer besides its parent').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Remove from group' }).count(), 0);
  });

  it('each issue leads to its field', async (t) => {
    await put('/test/merchant-skus/unfixed', { ...MUG, marketplace_browse_node_id: BEDS, multipack_quantity: 1 });
    const page = await openPage(t, 'test/offers/unfixed');
    for (const [issue, label, search] of [
      ['Missing or invalid attribute', 'Bed Size *', '?tab=data'],
      ['Missing price', 'Price', ''],
      ['Missing or invalid attribute', 'Bed Size *', '?tab=data'],
    ] as const) {
      await page.getByRole('button', { name: `Fix ${issue}` }).click();
      await waitToSee(`focus on ${label}`, async () => {
        return (await page.evaluate('document.activeElement.labels?.[0]?.textContent')) === label || undefined;
      });
      assert.equal(page.url(), `${portal.url}/portal/test/offers/unfixed${search}`);
    }

    const operator = await PortalBrowser.operatorOf(portal.url);
    const pen = { environment: 'test', code: '4006381333931', brand: 'Penner', title: 'A pen' };
    assert.equal((await operator.put('/catalog', pen)).status, 200);
    const codes = [{ standard_product_code: pen.code, standard_product_code_type: 'EAN' }];
    await put('/test/merchant-skus/foreign', { ...MUG, brand: 'Somebody else', standard_product_codes: codes });
    await page.goto(`${portal.url}/portal/test/offers/foreign`);
    await page.getByText('Product not identified').waitFor();
    const cause = 'In the catalog, EAN 4006381333931 belongs to the brand Penner.';
    // The list of checks, which loads separately, repeats the sentence.
    await page.getByText(cause).first().waitFor();
    // Advice is listed apart from the issues, because it is not an issue.
    const advice = page.getByRole('alert', { name: 'Advice' });
    await advice.getByText('Add bullets: up to 5 short texts about the product.').waitFor();
  });

  it('a category is replaced by typing, and kept when it is chosen again', async (t) => {
    await put('/test/merchant-skus/recategorized', { ...MUG, marketplace_browse_node_id: BEDS });
    const page = await openPage(t, 'test/offers/recategorized?tab=data');
    const category = page.getByRole('combobox', { name: 'Category', exact: true });
    await waitToSee('the name', async () => (await category.inputValue()) === 'Beds' || undefined);
    await category.focus();
    await page.getByRole('option', { name: /Beds/ }).first().click();
    assert.equal(await category.inputValue(), 'Beds');
    await page.getByRole('heading', { level: 1 }).click();
    await category.focus();
    await page.keyboard.type('party tableware');
    await page.getByRole('option', { name: /Party Tableware/ }).click();
    assert.equal(await category.inputValue(), 'Party Tableware');
  });

  it('a category is suggested from the title, and chosen by one click', async (t) => {
    const page = await openPage(t, 'test/add-offer');
    await field(page, 'Product code or title').fill('Stoneware mug, 12 oz');
    await page.getByRole('button', { name: 'Continue' }).click();
    assert.equal(await field(page, 'Title').inputValue(), 'Stoneware mug, 12 oz');
    const suggested = page.getByRole('group', { name: 'Suggested categories' });
    await suggested.getByRole('button', { name: 'Dinnerware' }).click();
    await suggested.waitFor({ state: 'detached' });
    const category = page.getByRole('combobox', { name: 'Category', exact: true });
    await waitToSee('the name', async () => (await category.inputValue()) === 'Dinnerware' || undefined);
  });

  it('a category is chosen by going down the taxonomy, and back', async (t) => {
    const page = await openPage(t, 'test/add-offer');
    await field(page, 'Product code or title').fill('Something');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Browse categories' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a category' });
    await dialog.getByRole('button', { name: /^Home & Kitchen/ }).click();
    await dialog.getByRole('button', { name: /^Kitchen/ }).click();
    await dialog.getByRole('button', { name: 'Home & Kitchen', exact: true }).click();
    await dialog.getByRole('button', { name: /^Dining/ }).click();
    await dialog.getByRole('button', { name: /^Dinnerware/ }).click();
    await dialog.waitFor({ state: 'hidden' });
    const category = page.getByRole('combobox', { name: 'Category', exact: true });
    await waitToSee('the name', async () => (await category.inputValue()) === 'Dinnerware' || undefined);
  });

  it('a category that loads slowly is not searched for by its placeholder', async (t) => {
    await put('/test/merchant-skus/slow-category', { ...MUG, marketplace_browse_node_id: BEDS });
    const page = await portal.openPage(t);
    const searched: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/taxonomy/search')) searched.push(searchParams.get('q'));
    });
    // Longer than the pause in typing after which a select searches.
    await page.route(`**/taxonomy/nodes/${BEDS}`, async (route) => {
      await delay(600);
      await route.continue();
    });
    await portal.signIn(page, 'test/offers/slow-category?tab=data');
    const category = page.getByRole('combobox', { name: 'Category', exact: true });
    await waitToSee('the name', async () => (await category.inputValue()) === 'Beds' || undefined);
    assert.deepEqual(
      searched.filter((words) => words !== 'Beds'),
      [],
    );
  });

  it('archiving asks first, and undoing it restores the stock', async (t) => {
    await put('/test/merchant-skus/shelved', MUG);
    const stock = { fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 4 }] };
    const patched = await merchant.send('PATCH', '/test/merchant-skus/shelved/inventory', stock);
    assert.equal(patched.status, 202, patched.text);
    const page = await openPage(t, 'test/offers/shelved');
    const archive = page.getByRole('button', { name: 'Archive', exact: true });
    const dialog = page.getByRole('dialog');
    await archive.click();
    await dialog.getByText(/stock will be set to 0/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.deepEqual(await stateOf('shelved'), [false, 4]);

    await archive.click();
    await dialog.getByRole('button', { name: 'Archive' }).click();
    // The notification stays as long as the mouse is over it.
    await page.getByText('Archived. Stock is set to 0.').hover();
    await page.getByText('This offer is not for sale.').waitFor();
    assert.deepEqual(await stateOf('shelved'), [true, 0]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Offer unarchived and stock restored.').waitFor();
    assert.deepEqual(await stateOf('shelved'), [false, 4]);

    // The offer can also be unarchived later, on its page, with and without its stock.
    for (const [restores, quantity] of [
      [true, 4],
      [false, 0],
    ] as const) {
      await put('/test/merchant-skus/shelved/status/archive', { is_archived: true });
      await page.reload();
      await page.getByRole('button', { name: 'Unarchive' }).click();
      await dialog.getByText(`${EAST}: 4`).waitFor();
      await dialog.getByRole('checkbox', { name: 'Restore these quantities' }).setChecked(restores);
      await dialog.getByRole('button', { name: 'Unarchive' }).click();
      await archive.waitFor();
      assert.deepEqual(await stateOf('shelved'), [false, quantity]);
    }
  });

  it('the history names fields and authors, and restores versions that are still allowed', async (t) => {
    const attributes_node_specific = [{ attribute_id: 7, attribute_value: 'L' }];
    for (const sku of ['told', 'child_1', 'child-2'])
      await put(`/test/merchant-skus/${sku}`, { ...MUG, attributes_node_specific });
    for (const child of ['child_1', 'child-2']) {
      const group = { relationship: 'Variation', variation_refinements: [7], children_skus: [child] };
      await put('/test/merchant-skus/told/variation', group);
    }
    await put('/test/merchant-skus/child_1/status/archive', { is_archived: true });
    for (const price of [5, 6]) await put('/test/merchant-skus/told/price', { price });
    const page = await openPage(t, 'test/offers/told?tab=history');
    await page.getByText('by merchant@demo.example').first().getByRole('link').waitFor();
    await page.getByText(/^Price \$5\.00 → \$6\.00, \+20% by merchant@demo\.example at \d/).waitFor();
    await page.getByRole('button', { name: 'Show values: Offer added' }).click();
    await page.getByRole('row', { name: 'Brand — Potter & Sons' }).waitFor();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: /^Restore earlier value: Price/ }).click();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Price restored.').waitFor();
    assert.equal((await read('/test/merchant-skus/told/price')).price, 5);
    await page.getByText('Price $6.00 → $5.00, -16.7%').waitFor();

    await page.getByRole('button', { name: /^Restore earlier value: Variation group/ }).click();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByText('Child SKUs: SKU child_1 is archived.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual((await read('/test/merchant-skus/told/variation')).children_skus, ['child-2']);
  });

  async function openPage(t: TestContext, path: string): Promise<Page> {
    const page = await portal.openPage(t);
    await portal.signIn(page, path);
    return page;
  }

  function field(page: Page, label: string) {
    return page.getByRole('textbox', { name: label, exact: true });
  }

  /** Opens a group of fields from the index at the side. */
  async function unfold(page: Page, group: string): Promise<void> {
    const index = page.getByRole('navigation', { name: 'Groups of fields' });
    await index.getByRole('button', { name: group }).click();
    await page.getByRole('region', { name: group }).locator('details[open]').waitFor();
  }

  /** Searches in a select and chooses an option. */
  async function choose(page: Page, label: string, words: string, option: string | RegExp): Promise<void> {
    await page.getByRole('combobox', { name: label, exact: true }).fill(words);
    await page.getByRole('option', { name: option, exact: true }).click();
  }

  async function put(path: string, body: unknown): Promise<void> {
    const answer = await merchant.put(path, body);
    assert.equal(answer.status, 202, answer.text);
  }

  /** Reads the offer, and leaves out the fields that the review sets. */
  async function read(path: string): Promise<Record<string, unknown>> {
    const {
      status: _status,
      sub_status: _why,
      is_archived: _flag,
      merchant_sku: _id,
      ...kept
    } = await merchant.found(path);
    return kept;
  }

  async function stateOf(sku: string): Promise<readonly [archived: unknown, quantity: number | undefined]> {
    const { is_archived: archived } = await merchant.found(`/test/merchant-skus/${sku}`);
    const inventory = await merchant.found<{ fulfillment_nodes: { quantity: number }[] }>(
      `/test/merchant-skus/${sku}/inventory`,
    );
    return [archived, inventory.fulfillment_nodes[0]?.quantity];
  }
});
