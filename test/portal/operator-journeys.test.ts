/** Tests in a browser what operators do: add merchants and policies, replace the taxonomy, find offers, and undo changes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { accountIdOf } from '../api/fixtures/merchant-setup.ts';
import { requestToken } from '../harness/api-client.ts';
import { browserSkipped } from '../harness/browser.ts';
import { BulkFiles } from '../harness/bulk-files.ts';
import { holdReviews, releaseReviews } from '../harness/held-reviews.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { PortalBrowser, waitToSee } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';

const DAY_MS = 86_400_000;
const dayAhead = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

interface AnnouncedChanges {
  readonly changes: readonly {
    readonly id: number;
    readonly act: string;
    readonly enforced_from: string;
    readonly state: string;
  }[];
}

/** A change to more than 100 offers needs a confirmation. */
const BRANDED = 120;
const BRAND = 'Forbidden & Co';
const TAXONOMY = '{"offerbook_taxonomy":1}\n{"node":1,"name":"Crockery"}\n{"node":2,"parent":1,"name":"Pots"}\n';

describe('the portal of an operator in a browser', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();

  it('an operator creates a key of the marketplace, and revokes it', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, '', 'operator@demo.example', DEMO_PASSWORD);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create live key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Shop');
    assert.equal(await dialog.getByLabel('Only SKUs that begin with').count(), 0);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('Choose at least one.').waitFor();
    await dialog.getByLabel('Read for the shop').check();
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('Copy the secret now').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Read for the shop').waitFor();
    await page.getByRole('button', { name: /^Revoke live-/ }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Read for the shop').waitFor({ state: 'detached' });
  });

  it('an operator adds a merchant and a policy, and invites a member who sets a password', async (t) => {
    const page = await portal.openPage(t);
    const operator = await PortalBrowser.operatorOf(portal.url);
    await portal.signIn(page, '', 'operator@demo.example', DEMO_PASSWORD);
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await page.getByRole('heading', { name: 'Nothing to compare with yet' }).waitFor();
    await page.getByRole('link', { name: 'Merchants', exact: true }).click();
    await page.getByRole('button', { name: 'Add merchant' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('ID').fill('Acme!');
    await dialog.getByLabel('Name').fill('Acme Stores');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog
      .getByText('Must be 1 to 64 lower-case letters, digits or hyphens, a letter first.', { exact: true })
      .waitFor();
    await dialog.getByLabel('ID').fill('acme');
    await dialog.getByLabel('Email of the first admin').fill('ann@acme.example');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Copy the secrets now').waitFor();
    await dialog.getByText('Password link for ann@acme.example').waitFor();
    await dialog.getByRole('link', { name: 'View merchant' }).click();
    await page.getByRole('heading', { name: 'Acme Stores' }).waitFor();
    await page.getByRole('cell', { name: 'ann@acme.example', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByLabel('Note', { exact: true }).fill('Ask Ann first.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit note' }).waitFor();
    await page.getByText('Ask Ann first.').waitFor();

    await page.getByRole('button', { name: 'View as merchant' }).click();
    await page.getByText('Viewing as Acme Stores. Read-only.').waitFor();
    await page.getByRole('heading', { name: 'No offers yet' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'View as merchant' }).click();
    await page.getByRole('heading', { name: 'No offers yet' }).waitFor();
    await page.getByRole('button', { name: 'Stop viewing' }).click();
    await page.getByRole('heading', { name: 'Acme Stores' }).waitFor();

    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Acme Goods');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Acme Goods' }).waitFor();
    for (const [action, next] of [
      ['Suspend', 'Resume'],
      ['Resume', 'Suspend'],
    ] as const) {
      await page.getByRole('button', { name: action, exact: true }).click();
      await dialog.getByRole('button', { name: action, exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: next, exact: true }).waitFor();
      const { suspended } = await operator.found('/merchants/acme');
      assert.equal(suspended, action === 'Suspend');
    }

    await page.getByRole('button', { name: 'Invite member' }).click();
    await dialog.getByLabel('Email').fill('bob@acme.example');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const link = await dialog.locator('pre').textContent();
    await dialog.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('link', { name: 'Policies' }).click();
    const refused: string[] = [];
    page.on('response', (answer) => answer.status() >= 400 && refused.push(answer.url()));
    await page.getByRole('button', { name: 'Add policy' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Add policy' }).click();
    await dialog.getByLabel('Brand').fill('Copycat');
    await dialog.getByRole('button', { name: 'Show impact' }).click();
    const impact = dialog.filter({ hasText: 'No offers change status' });
    await impact.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText('No merchant can sell it.').waitFor();
    assert.equal(await dialog.getByLabel('Brand').inputValue(), 'Copycat');
    await dialog.getByRole('button', { name: 'Show impact' }).click();
    await dialog.getByRole('button', { name: 'Add policy' }).click();
    await page.getByRole('cell', { name: 'Copycat', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Undo: Added policy: Excluded brand: Copycat' }).click();
    await dialog.getByText('No offers change status').waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('No policies').waitFor();
    await page.getByText('Undid change').waitFor();

    await page.getByRole('button', { name: 'Add policy' }).click();
    await dialog.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Excluded category' }).click();
    await dialog.getByRole('combobox', { name: 'Category' }).fill('party tableware');
    await page.getByRole('option', { name: / > / }).first().click();
    await dialog.getByRole('button', { name: 'Show impact' }).click();
    const category = await dialog.getByText(/^Excluded category: .+ > .+ \(\d+\)$/).textContent();
    await dialog.getByRole('button', { name: 'Add policy' }).click();
    await page.getByRole('cell', { name: category?.replace(/^.*?: /, '') ?? '', exact: true }).waitFor();
    await page.getByRole('button', { name: `Undo: Added policy: ${category}` }).click();
    await dialog.getByText(`Added policy: ${category}.`).waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('No policies').waitFor();
    assert.deepEqual(refused, [], 'an applied change is not previewed again');

    await page.getByRole('link', { name: 'Activity log' }).click();
    await page.getByRole('cell', { name: 'acme', exact: true }).first().waitFor();
    await page.getByRole('row', { name: /Undid change Excluded brand: Copycat/ }).waitFor();
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Changed note on merchant' }).click();
    await page.getByRole('row', { name: /Undid change/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'acme', exact: true }).click();
    await page.getByRole('heading', { name: 'Acme Goods' }).waitFor();

    const bob = await portal.openPage(t);
    await bob.goto(link ?? '');
    const failed: string[] = [];
    bob.on('response', (answer) => answer.status() >= 400 && failed.push(answer.url()));
    await bob.getByLabel(/^New password for/).fill('a long password of bob');
    await bob.getByLabel(/^Confirm password/).fill('a long password of bob');
    await bob.getByRole('button', { name: 'Set password' }).click();
    await bob.getByText('Acme Goods').waitFor();
    await bob.getByRole('heading', { name: 'No offers yet' }).waitFor();
    assert.deepEqual(failed, [], 'a link that is used up is not read again');

    const again = await portal.openPage(t);
    await again.goto(link ?? '');
    await again.getByText('This password link has expired').waitFor();
  });

  it('an operator forbids a brand of many offers and replaces the taxonomy, sees the impact first, and undoes both', async (t) => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    const forSale = async (expected: number) =>
      waitToSee(`${expected} offers for sale`, async () => {
        const path = '/live/offers?status=Available+For+Purchase&limit=200';
        const { offers } = await merchant.found<{ offers: { sku: string }[] }>(path);
        return offers.filter(({ sku }) => sku.startsWith('branded-')).length === expected || undefined;
      });
    await sendBranded();
    await forSale(BRANDED);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'operator/policies', DEMO_PEOPLE.operator, DEMO_PASSWORD);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add policy' }).click();
    await dialog.getByLabel('Brand').fill(BRAND);
    await dialog.getByRole('button', { name: 'Show impact' }).click();
    await dialog.getByText(`${BRANDED} offers of 1 merchant will change status`).waitFor();
    await dialog.getByText(`${BRANDED} live offers will no longer be for sale.`).waitFor();
    await dialog.getByText('Exact count. You can undo the change for 7 days.').waitFor();
    const add = dialog.getByRole('button', { name: 'Add policy' });
    assert.match((await add.getAttribute('style')) ?? '', /red/, 'a dangerous change has a red button');
    const accountId = await withSetupStore(portal.server.place, (store) => accountIdOf(store, 'live'));
    await holdReviews(portal.server.place, accountId);
    await add.click();
    await page.getByText(/^Reviewing offers: \d+ offers left$/).waitFor();
    await releaseReviews(portal.server.place);
    await forSale(0);
    await page.getByText(/^Reviewing offers/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Undo: Added policy: Excluded brand: ${BRAND}` }).click();
    await dialog.getByText(`${BRANDED} offers of 1 merchant will change status`).waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('No policies').waitFor();
    await forSale(BRANDED);

    await page.getByRole('link', { name: 'Taxonomy' }).click();
    const starter = page.getByRole('button', { name: /^Home & Kitchen/ });
    const importTaxonomy = async () => {
      await chooseTaxonomy(page);
      await dialog.getByText(/^\d+ offers of \d+ merchants? will change status$/).waitFor();
      await dialog.getByText(/^\d+ live offers will no longer be for sale\.$/).waitFor();
      await dialog.getByText('Removes 100% of the categories').waitFor();
      const action = dialog.getByRole('button', { name: 'Import', exact: true });
      await dialog.getByLabel(/^Type \d+ to confirm/).fill('1');
      assert.equal(await action.isDisabled(), true);
      await confirmRemoval(page);
      await action.click();
      await page.getByRole('button', { name: /^Crockery/ }).waitFor();
      await forSale(0);
    };
    await starter.waitFor();
    await importTaxonomy();
    await page.getByRole('button', { name: 'Undo: Imported taxonomy: own.ndjson' }).click();
    await dialog.getByText(/^\d+ offers of \d+ merchants? will change status$/).waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await starter.waitFor();
    await forSale(BRANDED);
    await importTaxonomy();
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await dialog.getByText(/^\d+ offers of \d+ merchants? will change status$/).waitFor();
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
    await starter.waitFor();
    await page.getByRole('button', { name: 'Reset', exact: true }).waitFor({ state: 'detached' });
    await forSale(BRANDED);
  });

  it('an operator merges two products after a preview, and separates them', async (t) => {
    const operator = await PortalBrowser.operatorOf(portal.url);
    const [code, other] = ['4006381333931', '9780306406157'];
    for (const [one, title] of [
      [code, 'Blue pen'],
      [other, 'Pen, blue'],
    ] as const) {
      const product = { environment: 'live', code: one, brand: 'Stabil', title };
      assert.equal((await operator.put('/catalog', product)).status, 200);
    }
    const page = await portal.openPage(t);
    const dialog = page.getByRole('dialog');
    await portal.signIn(page, `operator/catalog?code=%22${code}%22`, DEMO_PEOPLE.operator, DEMO_PASSWORD);
    const into = page.getByLabel('Merge into the product with the code');
    await into.fill(code);
    await page.getByRole('button', { name: 'Preview merge' }).click();
    await page.getByText('Must be another product.').waitFor();
    await into.fill('5901234123457');
    await page.getByRole('button', { name: 'Preview merge' }).click();
    await page.getByText('The live catalog has no product EAN 5901234123457.').waitFor();
    await into.fill(other);
    await page.getByRole('button', { name: 'Preview merge' }).click();
    await dialog.getByText('becomes the same product as Pen, blue by Stabil').waitFor();
    await dialog.getByText('No offers change status').waitFor();
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('is the same product as').waitFor();
    const merged = page.getByRole('region', { name: `${code} was merged into Pen, blue` });
    await merged.getByRole('link', { name: `View ${other}` }).click();
    await page.getByText('Merged into this product').getByRole('link', { name: code }).click();
    await page.getByRole('button', { name: 'Separate' }).click();
    await dialog.getByRole('button', { name: 'Separate' }).click();
    await into.waitFor();
  });

  it('an operator announces changes, changes the date of one, and cancels them', async (t) => {
    const operator = await PortalBrowser.operatorOf(portal.url);
    const page = await portal.openPage(t);
    const dialog = page.getByRole('dialog');
    const early = dialog.getByText('Must be at least 1 hour ahead.', { exact: true });
    await portal.signIn(page, 'operator/changes', DEMO_PEOPLE.operator, DEMO_PASSWORD);
    await page.getByRole('heading', { name: 'No announced changes' }).waitFor();
    await page.getByRole('link', { name: 'Policies' }).click();
    await page.getByRole('button', { name: 'Add policy' }).click();
    await dialog.getByLabel('Brand').fill('Later');
    await dialog.getByRole('button', { name: 'Show impact' }).click();
    await dialog.getByLabel('Apply on').fill('2026-01-01T12:00');
    await dialog.getByRole('button', { name: 'Announce' }).click();
    await early.waitFor();
    await dialog.getByLabel('Apply on').fill(`${dayAhead(2)}T12:00`);
    await dialog.getByRole('button', { name: 'Announce' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('No policies').waitFor();
    const mark = page.getByRole('link', { name: /^Changes on / });
    assert.equal(await mark.getAttribute('href'), '/portal/operator/changes');
    await page.getByRole('link', { name: 'Placeholder images' }).click();
    await page.getByRole('heading', { name: 'Placeholder images' }).waitFor();
    assert.equal(await mark.count(), 0);
    await page.getByRole('link', { name: 'Taxonomy' }).click();
    await chooseTaxonomy(page);
    await dialog.getByText(/^2 categories/).waitFor();
    await dialog.getByLabel('Apply on').fill(`${dayAhead(3)}T12:00`);
    await confirmRemoval(page);
    await dialog.getByRole('button', { name: 'Announce' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Home & Kitchen/ }).waitFor();
    await mark.click();
    const panel = page.getByRole('region', { name: 'Announced' });
    await panel.getByRole('row', { name: /Imported taxonomy own\.ndjson/ }).waitFor();
    const row = panel.getByRole('row', { name: /Excluded brand: Later/ });
    await row.getByRole('button', { name: 'Change date of Excluded brand: Later' }).click();
    const field = dialog.getByLabel('Applies on');
    await field.fill('2026-01-01T12:00');
    await dialog.getByRole('button', { name: 'Change date' }).click();
    await early.waitFor();
    const text = `${dayAhead(9)}T12:00`;
    await field.fill(text);
    const moved = await page.evaluate<string>(`new Date('${text}').toISOString()`);
    await dialog.getByRole('button', { name: 'Change date' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const listed = async () =>
      (await operator.found<AnnouncedChanges>('/announced-changes')).changes.find(({ act }) => act === 'addPolicy');
    assert.equal((await listed())?.enforced_from, moved);
    await row.locator(`time[datetime="${moved}"]`).waitFor();
    const { id } = (await listed()) ?? assert.fail();
    await withSetupStore(portal.server.place, async ({ policies }) => {
      for (const [offers, days] of [
        [3, 0.5],
        [1, 1.5],
      ] as const) {
        await policies.noteFailing(new Map([[id, offers]]), Date.now() + days * DAY_MS);
      }
    });
    await page.reload();
    await row.getByRole('button', { name: 'Offers still failing: Excluded brand: Later' }).click();
    await dialog.getByText(/^1 live offer on .+, 3 on .+\. Counted once a day\.$/).waitFor();
    assert.equal(await dialog.locator('svg g path').count(), 2, 'the curve and its area');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await row.getByRole('button', { name: 'Cancel Excluded brand: Later' }).click();
    await dialog.getByRole('button', { name: 'Cancel change' }).click();
    await page.getByRole('row', { name: /Excluded brand: Later Cancelled/ }).waitFor();
    assert.equal((await listed())?.state, 'cancelled');
    await page.getByRole('button', { name: 'Announce Excluded brand: Later again' }).click();
    await dialog.getByRole('button', { name: 'Announce again' }).click();
    await row.waitFor();
    await row.getByRole('button', { name: 'Cancel Excluded brand: Later' }).click();
    await dialog.getByRole('button', { name: 'Cancel change' }).click();
    await page.getByRole('row', { name: /Excluded brand: Later Cancelled/ }).waitFor();
    // The other tests replace the taxonomy.
    await page.getByRole('button', { name: 'Cancel own.ndjson' }).click();
    await dialog.getByRole('button', { name: 'Cancel change' }).click();
    await page.getByRole('heading', { name: 'No announced changes' }).waitFor();
  });

  it('an operator finds an offer, re-checks it and all that match, and opens it as the merchant', async (t) => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    assert.equal((await merchant.put('/live/merchant-skus/found-mug', MUG)).status, 202);
    const page = await portal.openPage(t);
    await portal.signIn(page, 'operator/offers', 'operator@demo.example', DEMO_PASSWORD);
    await page.getByText(/^\d+ offers? of \d+ merchants?$/).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('found-mug');
    // The results of a new search replace the rows of the one before.
    await page.waitForURL(/q=found-mug/);
    const row = page.getByRole('row', { name: /found-mug/ });
    await row.getByRole('cell', { name: 'Demo merchant' }).waitFor();
    await row.getByRole('cell', { name: 'live', exact: true }).waitFor();
    await page.getByText('Search complete: 1 offer', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Re-check found-mug' }).click();
    await row.getByText('Requested').waitFor();
    await page.getByRole('button', { name: 'Re-check all that match' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Re-check' }).click();
    await page.getByRole('heading', { name: 'Review backlog' }).waitFor();
    await page.getByRole('heading', { name: 'Nothing is waiting for review' }).waitFor();
    await page.goBack();
    await row.getByRole('button', { name: MUG.product_title }).click();
    await page.getByText('Viewing as Demo merchant. Read-only.').waitFor();
    await page.getByRole('heading', { name: MUG.product_title }).waitFor();
    assert.match(page.url(), /\/portal\/live\/offers\/found-mug$/);
  });

  async function chooseTaxonomy(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Import taxonomy' }).click();
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('dialog').getByRole('button', { name: 'File' }).click();
    await (await choosing).setFiles({ name: 'own.ndjson', mimeType: 'text/plain', buffer: Buffer.from(TAXONOMY) });
  }

  /** Types the number of removed categories. */
  async function confirmRemoval(page: Page): Promise<void> {
    const field = page.getByRole('dialog').getByLabel(/^Type \d+ to confirm/);
    const label = await page
      .getByRole('dialog')
      .getByText(/^Type \d+ to confirm/)
      .first()
      .textContent();
    await field.fill(/\d+/.exec(label ?? '')?.[0] ?? '');
  }

  /** Uploads the offers of the brand, with prices, by bulk files. */
  async function sendBranded(): Promise<void> {
    const files = new BulkFiles(portal.url, await requestToken(portal.url, 'live'));
    const rows = (row: (place: number) => object) =>
      JSON.stringify(
        Object.fromEntries(Array.from({ length: BRANDED }, (_, place) => [`branded-${place}`, row(place)])),
      );
    const { standard_product_codes: _codes, ...mug } = MUG;
    // Live plants, which need no code other than an ASIN.
    const offer = { ...mug, brand: BRAND, marketplace_browse_node_id: 1_160_520 };
    await files.ended(
      await files.send(
        'MerchantSKUs',
        rows((place) => ({ ...offer, ASIN: `B${String(place).padStart(9, '0')}` })),
      ),
    );
    await files.ended(
      await files.send(
        'Price',
        rows(() => ({ price: 5 })),
      ),
    );
  }
});
