/** Tests in a browser how price and stock are edited in the cells of the offer list. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { browserSkipped } from '../harness/browser.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { portalInBrowser } from '../harness/portal-in-browser.ts';

const EAST = 'demo-node-east';

describe('the cells of the offer list', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();
  before(async () => {
    await portal.uploadOffers(2);
    for (const sku of ['mug', 'z-10']) {
      const nodes = [{ fulfillment_node_id: EAST, fulfillment_node_price: 8 }];
      await portal.call('PUT', `/merchant-skus/${sku}/price`, { price: 10, fulfillment_nodes: nodes });
    }
  });

  const rowOf = (page: Page, sku: string) =>
    page.getByRole('row').filter({ has: page.getByRole('checkbox', { name: `Select ${sku}`, exact: true }) });
  const hasPrice = (sku: string, price: number) =>
    waitToSee(`the price ${price} of ${sku}`, async () => {
      return (await portal.read(`/merchant-skus/${sku}/price`)).price === price || undefined;
    });

  it('save with Tab and Enter, keep the prices of locations, and are undone with Esc', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?sort=sku');
    const mug = rowOf(page, 'mug');
    await mug.getByRole('checkbox').focus();
    await page.keyboard.press('e');
    await page.getByLabel('Price of mug').fill('12.50');
    await page.keyboard.press('Tab');
    await page.getByRole('group', { name: 'Stock of mug' }).locator('input:focus').waitFor();
    await page.keyboard.type('4');
    await page.keyboard.press('Enter');
    await hasPrice('mug', 12.5);
    await mug.getByRole('button', { name: '$12.50' }).waitFor();
    await mug.getByRole('button', { name: '4', exact: true }).waitFor();
    const { fulfillment_nodes: overrides } = await portal.read('/merchant-skus/mug/price');
    assert.deepEqual(overrides, [{ fulfillment_node_id: EAST, fulfillment_node_price: 8 }]);
    await waitToSee('the stock', async () => {
      const { fulfillment_nodes: nodes } = await portal.read('/merchant-skus/mug/inventory');
      return (nodes as { quantity: number }[])[0]?.quantity === 4 || undefined;
    });

    await rowOf(page, 'z-11').getByRole('button', { name: 'Set price' }).click();
    await page.getByLabel('Price of z-11').fill('7');
    await page.keyboard.press('Escape');
    await rowOf(page, 'z-11').getByRole('button', { name: 'Set price' }).waitFor();
    await rowOf(page, 'z-11').getByRole('button', { name: 'Set price' }).click();
    await page.getByLabel('Price of z-11').fill('7');
    await page.keyboard.press('Shift+Tab');
    await page.getByRole('group', { name: 'Stock of z-10' }).waitFor();
    await page.keyboard.press('Escape');
    await hasPrice('z-11', 7);
  });

  it('keep the list as it is while one is edited, and close when other offers are shown', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?sort=-updated');
    const first = page.getByRole('row').nth(1);
    const last = page.getByRole('row').last();
    await last.getByTitle('Edit price').click();
    const [, sku = ''] =
      /^Price of (.+)$/.exec((await page.getByLabel(/^Price of /).getAttribute('aria-label')) ?? '') ?? [];
    await page.getByLabel(`Price of ${sku}`).fill('15');
    await page.keyboard.press('Tab');
    // Escape undoes only in the fields, which appear when the stock is read.
    await page
      .getByRole('group', { name: `Stock of ${sku}` })
      .locator('input:focus')
      .waitFor();
    await hasPrice(sku, 15);
    await last.getByRole('button', { name: '$15.00' }).waitFor();
    await page.keyboard.press('Escape');
    await first.getByRole('button', { name: '$15.00' }).waitFor();

    await first.getByTitle('Edit price').click();
    await page.getByLabel(`Price of ${sku}`).fill('0');
    await page.keyboard.press('Enter');
    await page.getByRole('alert', { name: `Price of ${sku} is not saved` }).waitFor();
    await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(sku);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('1 offer', { exact: true }).waitFor();
    await rowOf(page, sku).getByRole('button', { name: '$15.00' }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  it('show the offers of the search before, dimmed, until the next ones are read', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?sort=sku');
    await rowOf(page, 'mug').waitFor();
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/offers\?.*q=bowl/, async (route) => {
      await mayAnswer;
      await route.continue();
    });
    await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('bowl');
    await page.locator('[aria-busy=true]').waitFor();
    await page.locator('[aria-busy=true] tbody a').first().focus();
    assert.equal(await page.locator('tbody :focus').count(), 0, 'the keyboard does not reach the previous offers');
    assert.equal(await rowOf(page, 'mug').count(), 1);
    answer();
    await rowOf(page, 'mug').waitFor({ state: 'detached' });
    await rowOf(page, 'z-10').waitFor();
  });

  it('are edited in the cards of a phone', async (t) => {
    const page = await portal.openPage(t, { viewport: { width: 390, height: 800 } });
    await portal.signIn(page, 'test/offers?sort=sku');
    const card = page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name: 'Select mug' }) });
    // The page must keep its width in every frame, not only at the end.
    await page.evaluate(`
      widest = 0;
      (function look() {
        widest = Math.max(widest, document.documentElement.scrollWidth);
        requestAnimationFrame(look);
      })()
    `);
    await card.getByTitle('Edit price').click();
    await page.getByLabel('Price of mug').fill('18');
    await page.keyboard.press('Enter');
    await hasPrice('mug', 18);
    await card.getByRole('button', { name: '$18.00' }).waitFor();
    await card.getByTitle('Edit stock').click();
    await page.getByRole('group', { name: 'Stock of mug' }).locator('input:focus').waitFor();
    assert.equal(await page.evaluate('widest'), 390);
    await page.keyboard.press('Escape');
  });

  it('offers are copied to the empty live environment, and the copy is undone', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'live/overview');
    await page.getByRole('button', { name: 'Copy from test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy to live' });
    await dialog.getByRole('button', { name: 'Copy 3 offers' }).click();
    await dialog.getByText('3 offers copied.').waitFor();
    await dialog.getByRole('button', { name: /^Undo/ }).click();
    await dialog.getByText(/^Undone/).waitFor();
    await dialog.getByRole('link', { name: 'View offers in live' }).click();
    await page.getByRole('button', { name: /^Archived/ }).click();
    await waitToSee('the archived copies', async () => {
      await page.reload();
      // The offers are read after the page is loaded.
      await page.getByText(/^\d+ offers?$|^No matching offers$/).waitFor();
      return (await page.getByText('3 offers', { exact: true }).count()) === 1 || undefined;
    });
  });

  it('show a refusal, an unusual price and a change made elsewhere, and write nothing before the answer', async (t) => {
    await portal.call('PUT', '/merchant-skus/z-10/price', { price: 10 });
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?sort=sku');
    const row = rowOf(page, 'z-10');
    const edit = async (price: string) => {
      await row.getByTitle('Edit price').click();
      await page.getByLabel('Price of z-10').fill(price);
      await page.keyboard.press('Enter');
    };
    const problem = page.getByRole('alert', { name: 'Price of z-10 is not saved' });
    await row.getByRole('button', { name: '$10.00' }).waitFor();
    await edit('2000000000');
    await problem.getByText(/more than 3 times/).waitFor();
    await problem.getByRole('button', { name: 'Save' }).click();
    await problem.getByText(/Enter a price from/).waitFor();
    await problem.getByRole('button', { name: 'Edit' }).click();
    assert.equal(await page.getByLabel('Price of z-10').inputValue(), '$2,000,000,000.00');
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: '$10.00' }).waitFor();

    // A list that is read again meanwhile would show the new price.
    const { promise: isChanged, resolve: noteChanged } = Promise.withResolvers<void>();
    const ofPrice = '**/merchant-skus/z-10/price';
    await page.route(ofPrice, async (route) => {
      await isChanged;
      await route.continue();
    });
    await edit('12');
    await portal.call('PUT', '/merchant-skus/z-10/price', { price: 11 });
    noteChanged();
    await problem.getByText('Changed elsewhere: now $11.00.').waitFor();
    await page.unroute(ofPrice);
    assert.equal((await portal.read('/merchant-skus/z-10/price')).price, 11);
    await problem.getByRole('button', { name: 'Undo' }).click();
    await row.getByRole('button', { name: '$11.00' }).waitFor();

    // The part must have been read before the change.
    const read = page.waitForResponse(ofPrice);
    await row.getByTitle('Edit price').click();
    const field = page.getByLabel('Price of z-10');
    await (await read).finished();
    await portal.call('PUT', '/merchant-skus/z-10/price', { price: 13 });
    await field.fill('14');
    await page.keyboard.press('Enter');
    await problem.getByText('Changed elsewhere: now $13.00.').waitFor();
    await problem.getByRole('button', { name: 'Save $14.00' }).click();
    await hasPrice('z-10', 14);
  });
});
