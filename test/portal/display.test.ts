/** Tests in a browser how pages show settings, files, charts and long texts. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { minimalSku } from '../harness/api-client.ts';
import { browserSkipped, signInOn } from '../harness/browser.ts';
import { PortalBrowser, waitToSee } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';

const GZIP_BYTES_MAX = 200;
const PLAIN_BYTES_MAX = 2048;

const minute = (at: number, counts: object) => ({
  at: new Date(at * 60_000).toISOString(),
  requests: 5,
  errors: 0,
  refused: 0,
  ...counts,
});

describe('display of pages', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser({
    HISTORY_DAYS: '0',
    FILE_BYTES_MAX: String(GZIP_BYTES_MAX),
    FILE_UNPACKED_BYTES_MAX: String(PLAIN_BYTES_MAX),
  });
  let merchant: PortalBrowser;
  before(async () => {
    merchant = await PortalBrowser.merchantOf(portal.url);
  });

  it('a long word in a title or brand neither hides list columns nor widens the page', async (t) => {
    const long = { ...MUG, product_title: 'x'.repeat(500), brand: 'y'.repeat(100) };
    assert.equal((await merchant.put('/test/merchant-skus/long', long)).status, 202);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers');
    await page.getByRole('cell', { name: 'long', exact: true }).waitFor();
    const { width } = page.viewportSize() ?? assert.fail();
    const head = await page.getByRole('columnheader', { name: 'Updated' }).boundingBox();
    assert.ok(head && head.x + head.width <= width, 'the last column is visible');
    const row = await page.getByRole('row').nth(1).boundingBox();
    assert.ok(row && row.height < 150, `the row is ${row?.height} px high`);
    await page.getByRole('link', { name: long.product_title }).click();
    await page.getByRole('heading', { name: long.product_title }).waitFor();
    await page.getByText(long.brand).first().waitFor();
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width);
  });

  it('a copy to live is undone where it was made, without a history too', async (t) => {
    const copied = { ...MUG, product_title: 'Copied mug' };
    assert.equal((await merchant.put('/test/merchant-skus/copied', copied)).status, 202);
    assert.equal((await merchant.put('/test/merchant-skus/copied/price', { price: 9 })).status, 202);
    await waitToSee('the offer in searches', async () => {
      return (await merchant.found<{ offers: unknown[] }>('/test/offers?q=copied')).offers.length === 1 || undefined;
    });
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers?q=copied');
    await page.getByLabel('Select copied').check();
    await page.getByRole('button', { name: 'Copy to live' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy to live' });
    await dialog.getByRole('button', { name: 'Copy 1 offer' }).click();
    await dialog.getByRole('button', { name: /^Undo/ }).click();
    await dialog.getByText('Undone: 1 offer archived in live.').waitFor();
    await waitToSee('the archived copy', async () => {
      const { is_archived } = await merchant.found<{ is_archived?: boolean }>('/live/merchant-skus/copied');
      return is_archived === true || undefined;
    });
  });

  it('digits have the same width in columns of numbers, and texts keep the hyphen of the typeface', async (t) => {
    const shirt = { ...MUG, product_title: 'T-shirt' };
    assert.equal((await merchant.put('/test/merchant-skus/shirt', shirt)).status, 202);
    assert.equal((await merchant.put('/test/merchant-skus/shirt/price', { price: 11.11 })).status, 202);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers');
    const digits = (shown: Locator) =>
      shown.evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).fontVariantNumeric);
    assert.equal(await digits(page.getByRole('link', { name: 'T-shirt' })), 'normal');
    assert.equal(await digits(page.getByRole('cell', { name: '$11.11' })), 'tabular-nums');
    await page.getByRole('link', { name: 'T-shirt' }).click();
    assert.equal(await digits(page.getByRole('textbox', { name: 'Price', exact: true })), 'tabular-nums');
  });

  it('a long list that was sorted once says when, and is sorted again from its first page', async (t) => {
    assert.equal((await merchant.put('/test/merchant-skus/sorted', MUG)).status, 202);
    const page = await portal.openPage(t);
    const asked: boolean[] = [];
    let sortedMs = Date.now() - 180_000;
    await page.route('**/portal/api/test/offers?*', async (route) => {
      const isFirst = !new URL(route.request().url()).searchParams.has('after');
      asked.push(isFirst);
      const json = await (await route.fetch()).json();
      const sorted = { at: new Date(sortedMs).toISOString(), again_from: new Date(sortedMs + 60_000).toISOString() };
      await route.fulfill({ json: { ...json, sorted } });
    });
    const after = Buffer.from(JSON.stringify(['price', '-2', 0])).toString('base64url');
    await portal.signIn(page, `test/offers?sort=price&page=2&after=${after}`);
    await page.getByText('Sorted 3m ago').waitFor();
    assert.deepEqual(asked, [false]);
    sortedMs = Date.now();
    await page.getByRole('button', { name: 'Sort again' }).click();
    await page.getByText(/^Sorted (now|\d+s ago)$/).waitFor();
    await waitToSee('the first page to be read', async () => asked.at(-1) || undefined);
    assert.equal(await page.getByRole('button', { name: 'Sort again' }).count(), 0);
  });

  it('the status of a file is not cut off, and an unreadable file has no green bar', async (t) => {
    const page = await portal.openPage(t, { viewport: { width: 1000, height: 800 } });
    await portal.signIn(page, 'test/files');
    await page.getByLabel('File to upload').setInputFiles(plainFile('broken.json', '{"mug": '));
    await page.getByRole('combobox', { name: 'File type' }).click();
    await page.getByRole('option', { name: 'Prices' }).click();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('Processed with errors').waitFor();
    await page.getByRole('link', { name: 'All files' }).click();
    const status = page.getByRole('table').getByText('Processed with errors');
    await status.waitFor();
    assert.ok(await status.evaluate((one) => one.scrollWidth <= one.clientWidth), 'the status is cut off');
    assert.match(
      await barColor(page.getByRole('progressbar', { name: 'Progress of broken.json' }).locator('> *').first()),
      /orange/,
    );
  });

  it('file size limits are checked before the upload, separately for plain and gzip files', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/files');
    const rows = JSON.stringify({ plain: { ...MUG, description: 'z'.repeat(GZIP_BYTES_MAX) } });
    const packed = { name: 'large.json.gz', mimeType: 'application/gzip', buffer: incompressible() };
    await page.getByLabel('File to upload').setInputFiles(packed);
    await page.getByText(/A gzip file must be at most 200 bytes/).waitFor();
    await page.getByLabel('File to upload').setInputFiles(plainFile('too-large.json', 'x'.repeat(PLAIN_BYTES_MAX + 1)));
    await page.getByText(/Upload one file of at most 2 KiB/).waitFor();
    await page.getByLabel('File to upload').setInputFiles(plainFile('plain.json', rows));
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('heading', { name: 'plain.json' }).waitFor();
  });

  it('pages say if history is turned off, and promise no undo', async (t) => {
    assert.equal((await merchant.put('/test/merchant-skus/untold', MUG)).status, 202);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/offers/untold');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('heading', { name: 'History is turned off' }).waitFor();

    // Nothing can be undone without a history.
    await page.getByRole('link', { name: 'All offers' }).click();
    await page.getByLabel('Select untold').check();
    const dialog = page.getByRole('dialog');
    for (const [button, text] of [
      ['Change price', /Archived offers are skipped, and offers without a price\.$/],
      ['Archive', /sets their stock to 0\.$/],
    ] as const) {
      await page
        .getByRole('region', { name: 'Selected offers' })
        .getByRole('button', { name: button, exact: true })
        .click();
      await dialog.getByText(text).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'hidden' });
    }
  });

  it('the color of a failed check says who acts next: red is only for the marketplace', async (t) => {
    assert.equal((await merchant.put('/test/merchant-skus/colored', MUG)).status, 202);
    const page = await portal.openPage(t);
    await page.route('**/portal/api/test/merchant-skus/colored/review', async (route) => {
      const found = await (await route.fetch()).json();
      for (const check of found.checks) {
        if (check.check === 'exclusion')
          Object.assign(check, { state: 'failed', next: 'marketplace', remedy: 'Wait.' });
      }
      await route.fulfill({ json: found });
    });
    await portal.signIn(page, 'test/offers/colored');
    const review = page.getByRole('region', { name: 'Review' });
    await review.getByRole('button', { name: /^Details of all/ }).click();
    const badge = (check: string) => {
      const row = review.locator('.mantine-Group-root', { hasText: new RegExp(`^failed${check}: `) });
      return row.locator('.mantine-Badge-root');
    };
    assert.match((await badge('Price').getAttribute('style')) ?? '', /-orange-/);
    assert.match((await badge('Marketplace policy').getAttribute('style')) ?? '', /-red-/);
  });

  it('the request chart hides empty series, and the limit is shown as text', async (t) => {
    const page = await portal.openPage(t);
    await page.route('**/portal/api/merchants/demo', async (route) => {
      const answer = await route.fetch();
      const found = await answer.json();
      found.requests.live.minutes = [minute(1, { errors: 2 }), minute(2, {})];
      found.requests.test.minutes = [minute(1, { refused: 1 }), minute(2, {})];
      await route.fulfill({ json: found });
    });
    await page.goto(`${portal.url}/portal/operator/merchants/demo`);
    await signInOn(page, DEMO_PEOPLE.operator, DEMO_PASSWORD);
    for (const [environment, shown, left] of [
      ['live', 'Errors', 'Rate-limited'],
      ['test', 'Rate-limited', 'Errors'],
    ] as const) {
      const panel = page.getByRole('region', { name: `API requests (${environment})` });
      await panel.getByText('Limit 1,000,000/min · Peak in the last hour 5/min').waitFor();
      await panel.getByText(shown, { exact: true }).first().waitFor();
      assert.equal(await panel.getByText(left, { exact: true }).count(), 0);
    }
  });

  it('operator pages say which figures are missing while a database node is down', async (t) => {
    const page = await portal.openPage(t);
    const notice = page.getByRole('status').filter({ hasText: 'Some accounts are temporarily unavailable' });
    await page.goto(`${portal.url}/portal/operator/merchants`);
    await signInOn(page, DEMO_PEOPLE.operator, DEMO_PASSWORD);
    await page.getByRole('row').filter({ hasText: 'demo' }).waitFor();
    assert.equal(await notice.count(), 0);
    await page.route('**/portal/api/merchants', async (route) => {
      const found = await (await route.fetch()).json();
      for (const merchant of found.merchants) {
        merchant.offers.live = null;
        merchant.requests.live.last_minute = found.limit_per_minute;
      }
      await route.fulfill({ json: found });
    });
    await page.reload();
    await notice.waitFor();
    await page.getByRole('cell', { name: 'Unavailable' }).waitFor();
    const rate = page.getByRole('progressbar', { name: /requests from Demo merchant/ });
    assert.match((await rate.getAttribute('style')) ?? '', /-orange-/, 'the merchant acts next');
    await page.route('**/portal/api/system', async (route) => {
      const found = await (await route.fetch()).json();
      found.review.accounts_missing = 3;
      found.store.writes = { waiting: 0, oldest_wait_seconds: 0 };
      found.images = { waiting: 3, oldest_wait_seconds: 4, retrying: 1, oldest_retry_seconds: 1200 };
      await route.fulfill({ json: found });
    });
    await page.goto(`${portal.url}/portal/operator/system`);
    await notice.getByText("3 accounts can't be counted").waitFor();
    const images = page.getByRole('region', { name: 'Images to fetch' });
    await images.getByText('2', { exact: true }).waitFor();
    await images.getByText('Oldest: 4 s. 1 more waiting for a retry, the oldest for 20 min').waitFor();
    await page.getByRole('region', { name: 'Pending writes' }).getByText('None waiting').waitFor();
  });

  it('the overview does not list issues of offers in review', async (t) => {
    const page = await portal.openPage(t);
    let issues = 0;
    await page.route('**/portal/api/test/overview', async (route) => {
      const found = await (await route.fetch()).json();
      found.waiting_for_review = 1;
      for (const row of found.offers.by_status) row.offers = row.status === 'Missing Listing Data' ? issues : 0;
      Object.assign(found.offers, { total: 57, in_review: 57 - issues, for_sale: 0, out_of_stock: 0 });
      found.offers.by_sub_status = [{ sub_status: 'Missing price', offers: 43 }];
      await route.fulfill({ json: found });
    });
    await portal.signIn(page, 'test/overview');
    await page.getByText('57 offers, review is running', { exact: true }).waitFor();
    const fixes = page.getByRole('region', { name: 'Fix these first' });
    await fixes.getByText('Offers in review are listed here if the review finds issues.').waitFor();
    const byStatus = page.getByRole('region', { name: 'Offers by status' });
    assert.deepEqual(await byStatus.getByRole('link').allTextContents(), [
      'Ready for sale',
      'Out of stock',
      'Issues to fix',
      'In review',
      'Unauthorized',
      'Excluded',
      'Archived',
    ]);
    issues = 2;
    await page.reload();
    await fixes.getByText('43 offers').waitFor();
  });

  it('operators find a product by its brand, and see its ranked offers', async (t) => {
    const offer = { ...minimalSku(), brand: 'Browsed Brand', product_title: 'Browsed pot' };
    const fulfillment_nodes = [{ fulfillment_node_id: 'demo-node-east', quantity: 3 }];
    await portal.call('PUT', '/merchant-skus/browsed', offer);
    await portal.call('PUT', '/merchant-skus/browsed/price', { price: 12 });
    await portal.call('PATCH', '/merchant-skus/browsed/inventory', { fulfillment_nodes });
    const operator = await PortalBrowser.operatorOf(portal.url);
    await waitToSee('the product', async () => {
      type Found = { products: { best_offers: unknown[] }[] };
      const { products } = await operator.found<Found>('/test/products?q=browsed');
      return products[0]?.best_offers.length === 1 || undefined;
    });
    const page = await portal.openPage(t);
    await portal.signIn(page, 'operator/catalog?environment=test', DEMO_PEOPLE.operator);
    await page.getByLabel('Search').fill('browsed');
    await page.getByText(/^\$[\d.]+ from Demo merchant$/).waitFor();
    await page.getByRole('link', { name: 'Browsed pot' }).click();
    await page.getByRole('heading', { name: 'Browsed pot', level: 1 }).waitFor();
    await page.getByRole('region', { name: 'Ranked offers' }).getByText('The only offer').waitFor();
    await page.getByRole('link', { name: 'All products' }).click();
    await page.getByRole('heading', { name: 'Products' }).waitFor();
  });

  it('the taxonomy preview says what would change in each category', async (t) => {
    const page = await portal.openPage(t);
    await page.goto(`${portal.url}/portal/operator/taxonomy`);
    await signInOn(page, DEMO_PEOPLE.operator, DEMO_PASSWORD);
    await page.route('**/portal/api/taxonomy/preview', (route) =>
      route.fulfill({
        json: {
          format: 'offerbook',
          nodes: 2,
          problems: [],
          problems_total: 0,
          added: 0,
          changed: 2,
          removed: 0,
          samples: {
            added: [],
            changed: [
              { id: 1, path: 'Toys > Balls', path_before: 'Sports > Balls', what: ['parent'] },
              { id: 2, path: 'Toys > Kites', path_before: 'Toys > Kites', what: ['attributes', 'active'] },
            ],
            removed: [],
          },
          impact: { offers: 13_600, live: 12_500, merchants: 3, off_sale: 12_000, exact: false, examined: 20_000 },
        },
      }),
    );
    await page.getByRole('button', { name: 'Import taxonomy' }).click();
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('dialog').getByRole('button', { name: 'File' }).click();
    await (await choosing).setFiles(plainFile('other.ndjson', '{}'));
    await page.getByText('Toys > Balls (was Sports > Balls): place in the tree').waitFor();
    await page.getByText('Toys > Kites: attributes, active').waitFor();
    await page.getByText('About 13,600 offers of 3 merchants will change status').waitFor();
    await page.getByText('12,500 live, 1,100 in the test environment.').waitFor();
    await page.getByText('About 12,000 live offers will no longer be for sale.').waitFor();
    await page.getByText('Estimated from a sample of 20,000 offers.').waitFor();
  });
});

function plainFile(name: string, text: string) {
  return { name, mimeType: 'application/json', buffer: Buffer.from(text) };
}

/** Larger than the gzip limit after compression. */
function incompressible(): Buffer {
  const bytes = Buffer.from(Array.from({ length: 2 * GZIP_BYTES_MAX }, (_none, at) => (at * at * 31 + at * 7) % 251));
  const packed = gzipSync(bytes);
  assert.ok(packed.length > GZIP_BYTES_MAX);
  return packed;
}

function barColor(bar: Locator): Promise<string> {
  return bar.evaluate((one) => one.getAttribute('style') ?? '');
}
