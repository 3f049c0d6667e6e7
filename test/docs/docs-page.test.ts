/** Tests the documentation and the API reference in a real browser: search, light and dark mode, sending a call, and the policy. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { browserSkipped, openPage } from '../harness/browser.ts';
import { sharedBrowser } from '../harness/shared-browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

interface OpenApiPaths {
  readonly paths: Readonly<Record<string, object>>;
}

describe('the docs in a browser', { skip: browserSkipped() }, () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server?.close());

  it('can be read, searched, copied from and switched to dark mode', async (t) => {
    const page = await openPage(t, await sharedBrowser(), {
      colorScheme: 'light',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.goto(`${server.url}/docs`);
    await page.getByRole('heading', { level: 1, name: 'Offerbook documentation' }).waitFor();
    assert.equal(page.url(), `${server.url}/docs/`);

    await page.keyboard.press('/');
    await page.keyboard.type('rate_limited');
    await page.locator('#results a[href$="/reference/errors"]').click();
    await page.waitForURL(/\/docs\/reference\/errors/);

    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: 'Light or dark' }).click();
    const dark = await background();
    assert.notEqual(dark, light);

    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Bulk files' }).click();
    await page.waitForURL(/\/docs\/guides\/bulk-files$/);
    assert.equal(await background(), dark, 'the choice stays');
    const block = page.locator('.code').first();
    await block.hover();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(
      await page.evaluate<string>('navigator.clipboard.readText()'),
      await block.locator('code').textContent(),
    );

    await page.evaluate(AXE);
    const { violations } = await page.evaluate<{ violations: { id: string }[] }>('axe.run()');
    assert.deepEqual(violations, []);
  });

  it('fits a phone, with a menu', async (t) => {
    const viewport = { width: 360, height: 740 };
    const page = await openPage(t, await sharedBrowser(), { viewport, isMobile: true, hasTouch: true });
    await page.goto(`${server.url}/docs/reference/errors`);
    const menu = page.getByRole('navigation', { name: 'Pages' });
    assert.equal(await menu.isVisible(), false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await menu.getByRole('link', { name: 'Limits' }).click();
    await page.waitForURL(/\/docs\/reference\/limits$/);
    assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), viewport.width);
  });

  it('shows every call, sends one with code samples, and contacts only this server', async (t) => {
    // A violation of the policy is collected, and fails the test at its end.
    const page = await openPage(t, await sharedBrowser());
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const calls = page.locator('.opblock');
    await page.goto(`${server.url}/docs/api`);
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiPaths;
    const count = Object.values(paths).flatMap((path) => Object.keys(path)).length;
    await calls.nth(count - 1).waitFor();
    assert.equal(await calls.count(), count);

    const call = calls.filter({ has: page.getByText('/healthz', { exact: true }) });
    await call.getByRole('button').first().click();
    await call.getByRole('button', { name: 'Execute' }).click();
    await call.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    for (const [language, start] of [
      ['TypeScript', 'const response = await fetch("'],
      ['Python', 'from urllib.request import'],
    ] as const) {
      await call.locator('.request-snippets').getByText(language, { exact: true }).click();
      await call.locator('.request-snippets pre', { hasText: start }).waitFor();
    }
    assert.equal(await page.locator('#calls li').count(), count);
    const foreign = asked.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'));
    assert.deepEqual(foreign, []);
  });

  it('shows every call of the marketplace on a page of its own, which both pages link', async (t) => {
    const page = await openPage(t, await sharedBrowser());
    await page.goto(`${server.url}/docs/api`);
    await page.getByRole('link', { name: 'Marketplace API' }).click();
    await page.getByRole('link', { name: 'API for merchants' }).waitFor();
    await page.getByRole('link', { name: 'List products with their best offers' }).click();
    await page.waitForURL(/\/docs\/marketplace-api#\/Storefront\/listStorefrontProducts$/);
    const { paths } = (await (await fetch(`${server.url}/marketplace/openapi.json`)).json()) as OpenApiPaths;
    const count = Object.values(paths).flatMap((path) => Object.keys(path)).length;
    const calls = page.locator('.opblock');
    await calls.nth(count - 1).waitFor();
    assert.equal(await calls.count(), count);
  });

  it('leads to a call, shows code for it before it is sent, and its required fields first', async (t) => {
    const page = await openPage(t, await sharedBrowser());
    await page.goto(`${server.url}/docs/api`);
    const calls = page.locator('.opblock');
    // The filter works once the calls are listed.
    await page.locator('#calls li').first().waitFor();
    await calls.nth(2).waitFor();
    await page.getByRole('searchbox', { name: 'Filter calls' }).fill('upload data');
    await calls.nth(2).waitFor({ state: 'detached' });
    assert.equal(await calls.count(), 2);
    await page.getByRole('link', { name: 'Upload the data of a SKU' }).click();
    await page.waitForURL(/#\/SKUs\/putSku$/);
    const call = page.locator('#operations-SKUs-putSku');
    const code = call.locator('.code-samples');
    for (const [language, start] of [
      ['curl', "curl -X PUT '"],
      ['TypeScript', 'const response = await fetch("'],
      ['Python', 'import os\nfrom urllib.request import'],
    ] as const) {
      await code.getByRole('button', { name: language }).click();
      await code.locator('pre', { hasText: start }).waitFor();
    }
    await call.getByRole('tab', { name: 'Schema' }).first().click();
    const rest = call.locator('details', { hasText: '37 optional fields' });
    await rest.getByText('37 optional fields').waitFor();
    await call.getByText('product_title').first().waitFor();
    assert.equal(await rest.getByText('manufacturer').isVisible(), false);
  });

  it('uses the token of a sent call for the others', async (t) => {
    const page = await openPage(t, await sharedBrowser());
    await page.goto(`${server.url}/docs/api#/Token/createToken`);
    const token = page.locator('#operations-Token-createToken');
    await token.getByRole('button', { name: 'Execute' }).click();
    await token.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    await page.getByRole('link', { name: 'Check a token' }).click();
    const check = page.locator('#operations-Token-checkToken');
    await check.getByRole('button', { name: 'Execute' }).click();
    await check.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
  });
});
