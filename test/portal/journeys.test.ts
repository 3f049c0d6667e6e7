/** Tests main user journeys of the portal in a browser, from the first sign-in to an offer for sale. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { browserSkipped } from '../harness/browser.ts';
import { addPerson, PERSON_PASSWORD, PortalBrowser } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { writeTools } from '../harness/shell.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('the portal in a browser', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();

  it('a merchant creates keys, uses them, and fixes an offer until it is for sale', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, '', 'merchant@demo.example', DEMO_PASSWORD);
    await page.getByRole('heading', { name: 'No offers yet' }).waitFor();

    await page.getByRole('link', { name: 'Developers' }).click();
    await page.getByRole('button', { name: 'Get API keys' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('ERP');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Copy the secret now').waitFor();
    for (const label of ['Key ID (user)', 'Secret (pass)']) await dialog.getByText(label, { exact: true }).waitFor();
    const [user = '', pass = ''] = await dialog.locator('pre').allTextContents();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('cell', { name: `ERP ${user}` }).waitFor();
    assert.equal(await page.getByText(pass).count(), 0, 'the secret is shown once');
    await page.getByText(/"marketplace_browse_node_id":\d+/).waitFor();

    await page.getByRole('button', { name: 'Get API keys' }).click();
    await dialog.getByLabel('Name').fill('prices');
    for (const box of await dialog.getByRole('checkbox').all()) await box.uncheck();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Choose at least one.').waitFor();
    for (const name of ['Set prices', 'Read']) await dialog.getByRole('checkbox', { name }).check();
    await dialog.getByLabel('Only SKUs that begin with').fill('p'.repeat(65));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Must have 1 to 64 characters').waitFor();
    await dialog.getByLabel('Only SKUs that begin with').fill('ACME-');
    await dialog.getByLabel('Most offers per plan').fill('200');
    await dialog.getByLabel('Largest price change').fill('10');
    await dialog.getByLabel('Hours (UTC)').fill('8-18');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Must be two different hours such as 08-18').waitFor();
    await dialog.getByLabel('Hours (UTC)').fill('08-18');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Cannot be combined with limits of plans').waitFor();
    await dialog.getByLabel('Only SKUs that begin with').fill('');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Copy the secret now').waitFor();
    const [limited = ''] = await dialog.locator('pre').allTextContents();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const plans = 'Plans: up to 200 offers, prices by up to 10%, 08-18 UTC';
    const rights = `Read, Set prices · ${plans}`;
    await page.getByRole('cell', { name: `prices ${limited} ${rights}` }).waitFor();

    await page.getByRole('button', { name: 'Roll demo-test-user' }).click();
    await dialog.getByRole('button', { name: 'Roll key' }).click();
    await dialog.getByText('The old key expires on').waitFor();
    const [replacement = ''] = await dialog.locator('pre').allTextContents();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await page.getByRole('button', { name: 'Roll demo-test-user' }).count(), 0);
    await page.getByRole('button', { name: `Revoke ${replacement}` }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: `Unnamed key ${replacement}` }).waitFor({ state: 'detached' });
    const replaced = page.getByRole('cell', { name: /^Unnamed key demo-test-user Replaced, works until / });
    assert.equal(await replaced.count(), 1, 'the replaced key stays');

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('cell', { name: 'Carrier 2: Ground Carrier 2: 2 Day Carrier 4: Ground' }).waitFor();
    assert.equal(await page.getByText('<carrier').count(), 0, 'no placeholder is shown');
    const locations = page.getByRole('region', { name: 'Return locations' });
    await locations.getByLabel('Return location ID').fill('dock');
    await locations.getByRole('button', { name: 'Add' }).click();
    await locations.getByRole('button', { name: 'Remove dock' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await locations.getByRole('cell', { name: 'dock', exact: true }).waitFor({ state: 'detached' });

    const token = await tokenOf(user, pass);
    await putJson('/merchant-skus/mug', token, MUG);

    await page.getByRole('link', { name: 'Offers', exact: true }).click();
    await page.getByRole('link', { name: MUG.product_title }).click();
    await page.getByText('Not for sale: 2 issues to fix').waitFor();
    const review = page.getByRole('region', { name: 'Review' });
    await review.getByText('Missing category').waitFor();
    await review.getByText('Choose a category: the catalog has none for this product.', { exact: true }).waitFor();
    await review.getByText('Missing price').waitFor();
    await review.getByRole('button', { name: 'Details of all 17 checks' }).click();
    await review.getByText('Title: The offer has a title.').waitFor();
    assert.equal(await review.getByText('product_title').count(), 0, 'no JSON unless it is asked for');
    await review.getByRole('checkbox', { name: /^Show the data for each check/ }).press('Space');
    await review.getByText('product_title').first().waitFor();

    await page.getByRole('textbox', { name: 'Price', exact: true }).fill('12.50');
    await page.getByRole('region', { name: 'Price' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not for sale: 1 issue to fix').waitFor();

    await page.getByRole('tab', { name: 'Product data' }).click();
    const category = page
      .getByRole('region', { name: 'Identity and category' })
      .getByLabel('Category', { exact: true });
    await category.fill('party tableware');
    await page.getByRole('option', { name: /Party Tableware/ }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Out of stock' }).waitFor();
    const merchant = await PortalBrowser.merchantOf(portal.url);
    const stock = { fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 3 }] };
    assert.equal((await merchant.send('PATCH', '/test/merchant-skus/mug/inventory', stock)).status, 202);
    await page.reload();
    await page.getByRole('heading', { name: 'Ready for sale (test only)' }).waitFor();
    // The collapsed details contain the text too, as the status in the API, so only visible text counts.
    const forSale = page.getByText('Available For Purchase').filter({ visible: true });
    assert.equal(await forSale.count(), 0, 'no customer sees a test offer');

    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('by merchant@demo.example').first().waitFor();
    await page.getByText(`by API key ${user}`).first().waitFor();

    await page.getByRole('link', { name: 'All offers' }).click();
    const row = page.getByRole('row', { name: /mug/ });
    await row.getByText('Ready for sale', { exact: true }).waitFor();
    const statuses = page.getByRole('group', { name: 'Status' });
    // Without their numbers.
    assert.deepEqual(
      (await statuses.getByRole('button').allTextContents()).map((text) => text.replace(/\d+$/, '')),
      ['All', 'Ready for sale', 'Out of stock', 'Issues to fix', 'In review', 'Unauthorized', 'Excluded', 'Archived'],
    );
    await statuses.getByRole('button', { name: /^Out of stock/ }).click();
    await row.waitFor({ state: 'detached' });
    await statuses.getByRole('button', { name: /^Ready for sale/ }).click();
    await row.waitFor();
    await statuses.getByRole('button', { name: /^All/ }).click();
    await page.waitForURL(/\/offers$/);

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Remove demo-node-east' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog
      .getByText(/"demo-node-east" is used by 1 offer in test: mug\. First set the stock of these offers there to 0/)
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('link', { name: 'Developers' }).click();
    const commands = page.getByRole('region', { name: 'Quick start' }).locator('pre');
    await commands.filter({ hasText: '"marketplace_browse_node_id":' }).waitFor();
    const script = `{\n${(await commands.allTextContents()).join('\n')}\n} <<< '${pass}'`;
    const env = { ...process.env, PATH: `${await writeTools()}:${process.env.PATH}` };
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    assert.match(stdout, /"checks":/);
    assert.equal((await merchant.found('/test/merchant-skus/first-sku/price')).price, 12.5);
    const { fulfillment_nodes: [stocked] = [] } = await merchant.found<typeof stock>(
      '/test/merchant-skus/first-sku/inventory',
    );
    assert.equal(stocked?.quantity, 25);
  });

  it('a demo login signs in, and the first steps of a new merchant tick themselves off', async (t) => {
    const page = await portal.openPage(t);
    await page.goto(`${portal.url}/portal/`);
    await page.getByRole('button', { name: DEMO_PEOPLE.operator }).click();
    await page.waitForURL(/\/portal\/operator\//);

    const operator = await PortalBrowser.operatorOf(portal.url);
    assert.equal((await operator.post('/merchants', { merchant_id: 'orchard', name: 'Orchard' })).status, 200);
    const merchant = await addPerson(portal.server, 'ann@orchard.example', 'merchant-admin', 'orchard');
    const own = await portal.openPage(t);
    await portal.signIn(own, 'test/overview', 'ann@orchard.example', PERSON_PASSWORD);
    const steps = own.getByRole('region', { name: 'Get started' });
    await steps.getByLabel('To do').nth(5).waitFor();
    assert.equal(await steps.getByRole('link', { name: 'Set its price' }).count(), 0, 'there is no offer yet');
    await steps.getByRole('link', { name: 'Add your first offer' }).click();
    await own.getByRole('heading', { name: 'Add offer' }).waitFor();
    await own.getByRole('button', { name: 'Skip this step' }).click();
    await own.getByRole('link', { name: 'Add a location in Settings' }).click();
    await own.getByRole('heading', { name: 'Settings' }).waitFor();
    await own.goBack();
    await own.goBack();
    const node = { rate_kind: 'flat', shipping_methods: ['Freight'], service_levels: ['Standard'] };
    assert.equal((await merchant.put('/test/nodes/barn', node)).status, 202);
    await own.goto(`${portal.url}/portal/test/add-offer`);
    await own.getByRole('button', { name: 'Skip this step' }).click();
    await own.getByRole('textbox', { name: 'Stock', exact: true }).waitFor();
    await own.goBack();
    assert.equal((await merchant.post('/test/keys', { name: 'ERP' })).status, 200);
    await own.reload();
    await steps.getByLabel('Done').nth(1).waitFor();
    assert.equal(await steps.getByLabel('To do').count(), 4);
    const addCup = async (environment: 'test' | 'live') => {
      const path = `/${environment}/merchant-skus/cup`;
      assert.equal((await merchant.put(path, { ...MUG, marketplace_browse_node_id: 1_011_010 })).status, 202);
      assert.equal((await merchant.put(`${path}/price`, { price: 8 })).status, 202);
    };
    await addCup('test');
    const stock = { fulfillment_nodes: [{ fulfillment_node_id: 'barn', quantity: 1 }] };
    assert.equal((await merchant.send('PATCH', '/test/merchant-skus/cup/inventory', stock)).status, 202);
    await own.goto(`${portal.url}/portal/live/overview`);
    await own.getByText('The test environment has 1 offer.').waitFor();
    await addCup('live');
    await own.goto(`${portal.url}/portal/test/overview`);
    await own.getByRole('region', { name: 'Fix these first' }).waitFor();
    await steps.waitFor({ state: 'detached' });
  });

  it('a refused value is reported at its field, and nothing changes', async (t) => {
    const token = await tokenOf('demo-live-user', 'demo-live-secret');
    await putJson('/merchant-skus/refused', token, MUG);
    const page = await portal.openPage(t);
    await portal.signIn(page, '', 'merchant@demo.example', DEMO_PASSWORD);
    await page.getByText('Live', { exact: true }).click();
    // Until the page has switched, its links lead to the test environment.
    await page.getByRole('radio', { name: 'Live', checked: true }).waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Offers', exact: true }).click();
    await page.getByRole('link', { name: MUG.product_title }).click();
    await page.getByRole('tab', { name: 'Product data' }).click();
    const code = page.getByRole('textbox', { name: 'Code', exact: true });
    await code.fill('12');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must have 12 digits as UPC.').waitFor();
    assert.equal(await code.getAttribute('aria-invalid'), 'true');
    const { standard_product_codes: codes } = (await getJson('/merchant-skus/refused', token)) as typeof MUG;
    assert.deepEqual(codes, MUG.standard_product_codes);
  });

  it('a file with bad rows shows progress and errors, and its retry file can be downloaded', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, '', 'merchant@demo.example', DEMO_PASSWORD);
    await page.getByRole('link', { name: 'Files' }).click();
    const { brand, ...unbranded } = MUG;
    const nameless = { ...unbranded, brnad: brand };
    const rows = { 'file-good': { ...MUG, colour: 'red' }, 'file-bad': nameless, 'file-worse': 7 };
    await page.getByLabel('File to upload').setInputFiles({
      name: 'autumn.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(rows)),
    });
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('heading', { name: 'autumn.json' }).waitFor();
    await page.getByText('Processed with errors').waitFor();
    assert.equal(await page.getByRole('progressbar').getAttribute('aria-valuenow'), '100');
    await page.getByText('3 rows, 2 failed', { exact: true }).waitFor();
    await page.getByText('Succeeded', { exact: true }).locator('..').getByText('1', { exact: true }).waitFor();
    const errors = page.getByRole('table');
    await errors.getByRole('cell', { name: 'file-worse' }).waitFor();
    const ignored = page.getByRole('alert', { name: 'Unrecognized fields' });
    assert.deepEqual(await ignored.getByRole('listitem').allTextContents(), ['/colour in 1 row', '/brnad in 1 row']);
    assert.deepEqual(await errors.locator('tbody tr td:first-child').allTextContents(), ['file-bad', 'file-worse']);
    const texts = await errors.locator('tbody tr').allInnerTexts();
    assert.match(texts[0] ?? '', /^file-bad\s+Brand\s+Brand is required \(Did you send it as "brnad"\?\)\.$/);
    await page.setViewportSize({ width: 390, height: 844 });
    await waitUntil('a phone to show the problem without scrolling', 30_000, async () => {
      const problem = await errors.getByText('Brand is required (Did').boundingBox();
      return problem !== null && problem.x + problem.width <= 390 ? true : undefined;
    });
    await page.setViewportSize({ width: 1280, height: 720 });

    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download failed rows' }).click();
    const retry = JSON.parse(await readFile(await (await downloading).path(), 'utf8'));
    assert.deepEqual(retry, { 'file-bad': nameless, 'file-worse': 7 });
  });

  it('merchants see neither offers of other merchants nor operator pages, and viewers cannot make changes', async (t) => {
    const operator = await PortalBrowser.operatorOf(portal.url);
    const added = await operator.post('/merchants', { merchant_id: 'other', name: 'Other Stores' });
    assert.equal(added.status, 200, added.text);
    await addPerson(portal.server, 'eve@other.example', 'merchant-admin', 'other');
    await addPerson(portal.server, 'vic@demo.example', 'merchant-viewer');
    const token = await tokenOf('demo-live-user', 'demo-live-secret');
    await putJson('/merchant-skus/private', token, MUG);

    const eve = await portal.openPage(t);
    await portal.signIn(eve, '', 'eve@other.example', PERSON_PASSWORD);
    await eve.goto(`${portal.url}/portal/live/offers/private`);
    await eve.getByText('SKU private not found.').first().waitFor();
    await eve.goto(`${portal.url}/portal/operator/merchants`);
    await eve.getByRole('heading', { name: 'Overview' }).waitFor();

    const vic = await portal.openPage(t);
    await portal.signIn(vic, '', 'vic@demo.example', PERSON_PASSWORD);
    await vic.goto(`${portal.url}/portal/live/offers/private`);
    await vic.getByRole('heading', { name: MUG.product_title }).waitFor();
    await vic.getByRole('tab', { name: 'Product data' }).click();
    assert.equal(await vic.getByRole('textbox', { name: 'Title', exact: true }).isEditable(), false);
    assert.equal(await vic.getByRole('button', { name: /Save|Archive|Re-check/ }).count(), 0);
    await vic.getByRole('link', { name: 'Developers' }).click();
    await vic.getByRole('heading', { name: 'Active keys' }).waitFor();
    assert.equal(await vic.getByRole('button', { name: /Get API keys|Roll|Revoke/ }).count(), 0);

    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/team');
    const row = page.getByRole('row', { name: /vic@demo\.example/ });
    const edit = async (item: string) => {
      await row.getByRole('button', { name: 'Edit vic@demo.example' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await row.getByRole('cell', { name: 'Merchant viewer' }).waitFor();
    await edit('Make merchant admin');
    await page.getByText('The role of vic@demo.example is now Merchant admin.').waitFor();
    await row.getByRole('cell', { name: 'Merchant admin' }).waitFor();
    await vic.reload();
    await vic.getByRole('button', { name: 'Get API keys' }).waitFor();
    await edit('Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    await vic.reload();
    await vic.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('a developer finds a failed request by its filters, turns bodies on, and reads what was sent', async (t) => {
    const token = await tokenOf('demo-live-user', 'demo-live-secret');
    const page = await portal.openPage(t);
    const refreshed = async () => {
      // Requests are stored once a second at most.
      portal.server.passTime(1_000);
      await page.getByRole('button', { name: 'Refresh' }).click();
    };
    const failed = await refusedPrice(token);
    await portal.signIn(page, 'live/api-integration');
    await page.getByRole('tab', { name: 'Request log' }).click();
    await page.getByRole('combobox', { name: 'Result' }).click();
    await page.getByRole('option', { name: 'Failed', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search' }).fill(failed);
    await page.waitForURL((url) => url.search === `?tab=requests&status=failed&q=${failed}`);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'log-mug' });
    await row.getByText('too_small').waitFor();
    assert.equal(await row.count(), 1, 'filters in the address stay after a reload');
    const openRequest = () => page.getByRole('link', { name: 'PUT /merchant-skus/{sku}/price' }).first().click();
    await openRequest();
    await page.getByRole('heading', { name: 'PUT /merchant-skus/log-mug/price' }).waitFor();
    await page.waitForURL((url) => url.pathname.endsWith(`/live/api-integration/requests/${failed}`));
    await page.reload();
    await page.getByText('price: must be a number from 0.01 to 1000000000').waitFor();
    await page.getByText('Not kept. Turn on').waitFor();
    const command = page.locator('pre').last();
    const url = `${portal.url}/merchant-skus/log-mug/price`;
    const curl = [
      `curl -X PUT '${url}' -H "Authorization: Bearer $TOKEN" \\`,
      `  -H 'Content-Type: application/json' -d `,
    ];
    assert.equal(await command.innerText(), `${curl.join('\n')}'@body.json'`);
    assert.match(
      (await page.getByRole('link', { name: 'log-mug' }).getAttribute('href')) ?? '',
      /live\/offers\/log-mug$/,
    );
    await page.goBack();

    const bodies = page.getByLabel('Keep bodies of failed requests');
    await bodies.click();
    await page.locator('[role=switch]:checked:enabled').waitFor();
    const next = await refusedPrice(token);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForURL((url) => url.search === '?tab=requests');
    await refreshed();
    await page.getByText('log-mug').nth(1).waitFor();
    await openRequest();
    await page.getByText(next).waitFor();
    const sent = page.getByRole('region', { name: 'Body sent' }).locator('pre');
    assert.deepEqual(JSON.parse(await sent.innerText()), { price: -1, pass: '[removed]' });
    assert.equal(await command.innerText(), `${curl.join('\n')}'{"price":-1,"pass":"[removed]"}'`);
    await page.goBack();
    await bodies.click();
    await page.locator('[role=switch]:not(:checked):enabled').waitFor();
    await page.goto(`${portal.url}/portal/test/api-integration/requests/${next}`);
    await page.getByRole('heading', { name: 'Request not found' }).waitFor();
  });

  /** Returns the request id. */
  async function refusedPrice(token: string): Promise<string> {
    const headers = { authorization: `Bearer ${token}` };
    const body = JSON.stringify({ price: -1, pass: 'hunter2' });
    const answer = await fetch(`${portal.url}/merchant-skus/log-mug/price`, { method: 'PUT', headers, body });
    assert.equal(answer.status, 400);
    return answer.headers.get('x-request-id') ?? assert.fail('no request id');
  }

  async function tokenOf(user: string, pass: string): Promise<string> {
    const answer = await fetch(`${portal.url}/token`, { method: 'POST', body: JSON.stringify({ user, pass }) });
    assert.equal(answer.status, 200);
    return ((await answer.json()) as { id_token: string }).id_token;
  }

  async function putJson(path: string, token: string, body: unknown): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${portal.url}${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 202);
  }

  async function getJson(path: string, token: string): Promise<unknown> {
    const answer = await fetch(`${portal.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    return answer.json();
  }
});
