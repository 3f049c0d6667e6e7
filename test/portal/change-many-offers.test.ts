/** Tests changes of many offers in a browser: selection, confirmation, progress and undo. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { browserSkipped } from '../harness/browser.ts';
import { PortalBrowser, waitToSee } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';

/** More than a page. */
const LISTED = 60;

describe('changes of many offers in the portal', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();
  before(() => portal.uploadOffers(LISTED));

  it('all matching offers get a new price and are archived, after confirmation', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers');
    const bar = page.getByRole('region', { name: 'Selected offers' });
    const dialog = page.getByRole('dialog');
    const selectAll = async (matching = LISTED + 1) => {
      await page.getByLabel('Select all offers shown').check();
      await bar.getByText('50 selected').waitFor();
      await bar.getByRole('button', { name: 'Select all that match' }).click();
      await bar.getByText(`All ${matching} matching offers selected`).waitFor();
    };
    const changed = async (offers: number) => {
      await dialog.getByText(`Done: ${offers} offers changed.`).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
    };
    await selectAll();
    for (const [how, label, typed, price] of [
      ['Set price', 'New price', '10', '$10.00'],
      ['By percent', 'Percent', '5', '$10.50'],
    ] as const) {
      if (how === 'By percent') await selectAll();
      await bar.getByRole('button', { name: 'Change price' }).click();
      await dialog.getByText(how, { exact: true }).click();
      await dialog.getByRole('textbox', { name: label }).fill(typed);
      await dialog.getByRole('button', { name: 'Preview change' }).click();
      await dialog.getByText(`${LISTED + 1} offers will change`).waitFor();
      assert.equal(await dialog.getByRole('row').filter({ hasText: price }).count(), 7);
      await dialog.getByRole('button', { name: `Change ${LISTED + 1} offers` }).click();
      await changed(LISTED + 1);
      await page.getByRole('cell', { name: price }).first().waitFor();
      assert.equal(await page.getByRole('cell', { name: price }).count(), 50);
    }
    await page.getByRole('link', { name: 'Files' }).click();
    await page.getByRole('link', { name: /^Change price by \+5%/ }).click();
    await page.getByRole('button', { name: 'Undo this file' }).click();
    await dialog.getByText(`for up to ${LISTED + 1} offers`).waitFor();
    await dialog.getByRole('button', { name: 'Undo this file' }).click();
    // Waits for the dialog to close, because its heading, and the status on the page behind it, are the same as on the next page.
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: /^Undo: Change price by \+5%/ }).waitFor();
    await page.getByText('Processed successfully').waitFor();
    await page.goto(`${portal.url}/portal/test/offers`);
    await page.getByRole('cell', { name: '$10.00' }).first().waitFor();
    assert.equal(await page.getByRole('cell', { name: '$10.00' }).count(), 50);

    // The mug does not match this search.
    await page.goto(`${portal.url}/portal/test/offers?q=bowl`);
    await page.getByText(`${LISTED} offers`, { exact: true }).waitFor();
    await selectAll(LISTED);
    const viewport = page.viewportSize() ?? assert.fail();
    const head = page.getByRole('columnheader', { name: 'Price' });
    await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
    for (const shown of [head, bar]) {
      const box = await shown.boundingBox();
      assert.ok(box && box.y > 0 && box.y + box.height <= viewport.height, JSON.stringify(box));
    }
    await bar.getByRole('button', { name: 'Change price' }).click();
    await dialog.getByText('By amount', { exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('-0.5');
    await dialog.getByRole('button', { name: 'Preview change' }).click();
    await dialog.getByRole('row', { name: 'Lowest new price z-10 $10.00 $9.50' }).waitFor();
    // Back keeps what was typed.
    await dialog.getByRole('button', { name: 'Back' }).click();
    assert.equal(await dialog.getByRole('textbox', { name: 'Amount' }).inputValue(), '-$0.50');
    await dialog.getByRole('button', { name: 'Preview change' }).click();
    await dialog.getByRole('button', { name: `Change ${LISTED} offers` }).click();
    await changed(LISTED);
    await page.getByRole('cell', { name: '$9.50' }).nth(49).waitFor();
    await selectAll(LISTED);
    await bar.getByRole('button', { name: 'Change stock' }).click();
    await dialog.getByRole('combobox', { name: 'Location' }).click();
    await page.getByRole('option', { name: 'demo-node-east' }).click();
    await dialog.getByRole('textbox', { name: 'Quantity' }).fill('7');
    await dialog.getByRole('button', { name: 'Preview change' }).click();
    await dialog.getByRole('columnheader', { name: 'Stock after' }).waitFor();
    await dialog.getByRole('button', { name: `Change ${LISTED} offers` }).click();
    await changed(LISTED);
    await page.getByRole('cell', { name: '7', exact: true }).nth(49).waitFor();

    await page.goto(`${portal.url}/portal/test/offers`);
    const first = page.getByRole('row').nth(1);
    for (const [order, price] of [
      ['ascending', '$9.50'],
      ['descending', '$10.00'],
    ] as const) {
      await head.getByRole('button').click();
      await page.locator(`th[aria-sort=${order}]`).waitFor();
      await first.getByRole('cell', { name: price }).waitFor();
    }
    await page.goto(`${portal.url}/portal/test/offers`);
    const merchant = await PortalBrowser.merchantOf(portal.url);
    const stock = { fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 4 }] };
    assert.equal((await merchant.send('PATCH', '/test/merchant-skus/z-69/inventory', stock)).status, 202);
    await page.getByLabel('Select z-69').check();
    await bar.getByRole('button', { name: 'Archive', exact: true }).click();
    await dialog.getByText(/sets their stock to 0/).waitFor();
    await dialog.getByRole('row', { name: /z-69 4 0$/ }).waitFor();
    await dialog.getByRole('button', { name: 'Archive 1 offer' }).click();
    await dialog.getByText('Done: 1 offer changed.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: /z-69/ }).getByText('Archived').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'This list (CSV)' }).click();
    const csv = await readFile(await (await downloading).path(), 'utf8');
    assert.equal(csv.trimEnd().split('\r\n').length, LISTED + 2);

    // The result stays open when no offer matches the filter any more.
    await page.goto(`${portal.url}/portal/test/offers?archived=yes`);
    await page.getByLabel('Select z-69').check();
    await bar.getByRole('button', { name: 'Unarchive' }).click();
    assert.ok(await dialog.getByRole('checkbox', { name: 'Restore the stock from before archiving' }).isChecked());
    await dialog.getByRole('button', { name: 'Preview change' }).click();
    await dialog.getByRole('row', { name: /z-69 0 4$/ }).waitFor();
    await dialog.getByRole('button', { name: 'Unarchive 1 offer' }).click();
    await page.getByText('No matching offers').waitFor();
    await dialog.getByText('Done: 1 offer changed.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await waitToSee('the stock before archiving', async () => {
      const { fulfillment_nodes: found } = await merchant.found<typeof stock>('/test/merchant-skus/z-69/inventory');
      return found[0]?.quantity === 4 || undefined;
    });
  });

  it('a change of many offers, or of prices by more than 30 %, needs the number of offers to be typed', async (t) => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    const skus = ['z-10', 'z-11'];
    for (const sku of skus) {
      assert.equal((await merchant.put(`/test/merchant-skus/${sku}/price`, { price: 10 })).status, 202);
    }
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?sort=sku');
    const bar = page.getByRole('region', { name: 'Selected offers' });
    const dialog = page.getByRole('dialog');
    const preview = async (kind: string, typed: string) => {
      for (const sku of skus) await page.getByLabel(`Select ${sku}`).check();
      await bar.getByRole('button', { name: 'Change price' }).click();
      await dialog.getByText(kind, { exact: true }).click();
      await dialog.getByRole('textbox').fill(typed);
      await dialog.getByRole('button', { name: 'Preview change' }).click();
    };
    const confirm = dialog.getByRole('textbox', { name: 'Type 2 to confirm' });
    const apply = dialog.getByRole('button', { name: 'Change 2 offers' });
    await preview('By percent', '30');
    await apply.and(page.locator(':enabled')).waitFor();
    assert.equal(await confirm.count(), 0);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByRole('textbox').fill('30,5');
    await dialog.getByRole('button', { name: 'Preview change' }).click();
    await dialog.getByText('Prices change by up to 30.5%.').waitFor();
    await dialog.getByRole('row', { name: /z-11 \$10\.00 \$13\.05$/ }).waitFor();
    assert.ok(await apply.isDisabled());
    await confirm.fill('3');
    assert.ok(await apply.isDisabled());
    await confirm.fill('2');
    await apply.click();
    await dialog.getByText('Done: 2 offers changed.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    // The preview of a larger catalog.
    await page.route('**/offers/change/preview*', async (route) => {
      const json = await (await route.fetch()).json();
      const skipped = [
        { reason: 'archived', offers: 1 },
        { reason: 'no_price', offers: 2000 },
      ];
      await route.fulfill({ json: { ...json, offers: 1001, skipped } });
    });
    await preview('By amount', '1');
    await dialog.getByText('1,001 offers will change').waitFor();
    await dialog.getByText('2,001 offers skipped:').waitFor();
    await dialog.getByText('Archived: 1', { exact: true }).waitFor();
    await dialog.getByText('No price: 2,000', { exact: true }).waitFor();
    const large = dialog.getByRole('button', { name: 'Change 1,001 offers' });
    assert.ok(await large.isDisabled());
    await dialog.getByRole('textbox', { name: 'Type 1,001 to confirm' }).fill('1001');
    assert.ok(await large.isEnabled());
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    await dialog.waitFor({ state: 'hidden' });
    await bar.getByRole('button', { name: 'Archive', exact: true }).click();
    assert.ok(await dialog.getByRole('button', { name: 'Archive 1,001 offers' }).isDisabled());
    await dialog.getByRole('textbox', { name: 'Type 1,001 to confirm' }).fill('1,001');
    assert.ok(await dialog.getByRole('button', { name: 'Archive 1,001 offers' }).isEnabled());
  });

  it('the fixes of offers with the same issue are previewed, applied and undone, and one offer has its own', async (t) => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    const television = { ...MUG, product_title: 'Television, 55 inch', marketplace_browse_node_id: 1_021_510 };
    const sized = { ...television, attributes_node_specific: [{ attribute_id: 169, attribute_value: '55 inches' }] };
    for (const [sku, body] of [
      ['tv-likely', television],
      ['tv-1', sized],
      ['tv-2', sized],
    ] as const) {
      assert.equal((await merchant.put(`/test/merchant-skus/${sku}`, body)).status, 202);
    }
    const list = 'test/offers?q=television&sub_status=Missing+attribute+value';
    const reviewed = (path: string) =>
      waitToSee('the reviews', async () => {
        const { offers } = await merchant.found<{ offers: unknown[] }>(`/${path}`);
        return offers.length === 3 || undefined;
      });
    await reviewed(list);
    const sizeOf = async (sku: string) => {
      const { attributes_node_specific: found } = await portal.read(`/merchant-skus/${sku}`);
      return (found as { attribute_value: string }[] | undefined)?.[0]?.attribute_value;
    };
    const page = await portal.openPage(t);
    await portal.signIn(page, list);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Fix all 3 like this' }).click();
    await dialog.getByText('3 offers can be fixed. 2 certain changes selected. Check 1 likely change').waitFor();
    const row = dialog.getByRole('row').filter({ hasText: 'tv-1' });
    await row.getByText('55 inches → 55 in', { exact: true }).waitFor();
    await dialog
      .getByRole('row')
      .filter({ hasText: 'tv-likely' })
      .getByText('Not set → 55 in', { exact: true })
      .waitFor();
    const boxOf = (sku: string) => dialog.getByRole('checkbox', { name: `Fix ${sku}: Set Screen Size to 55 in.` });
    assert.deepEqual(await Promise.all(['tv-1', 'tv-likely'].map((sku) => boxOf(sku).isChecked())), [true, false]);
    await boxOf('tv-2').uncheck();
    await dialog.getByText('1 certain change selected.').waitFor();
    await dialog.getByRole('checkbox', { name: 'Select all likely changes (1)' }).check();
    await dialog.getByRole('button', { name: 'Fix 2 offers' }).click();
    await dialog.getByText('Done: 2 offers changed.').waitFor();
    assert.deepEqual(await Promise.all(['tv-1', 'tv-2', 'tv-likely'].map(sizeOf)), ['55', '55 inches', '55']);
    await dialog.getByRole('button', { name: 'Undo this file' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await reviewed('test/offers?q=television&sub_status=Missing+price');
    await page.goto(`${portal.url}/portal/test/offers?sub_status=Missing+price`);
    await page.getByLabel('Select tv-1').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Fix all/ }).count(), 0, 'only the merchant knows the price');

    await page.goto(`${portal.url}/portal/test/offers/tv-2`);
    await page.getByText('55 inches → 55 in', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Apply: Set Screen Size to 55 in.' }).click();
    await page.getByText('Change applied. You can undo it under History.').waitFor();
    assert.equal(await sizeOf('tv-2'), '55');
    await page.getByText('55 inches → 55 in', { exact: true }).waitFor({ state: 'detached' });
  });
});
