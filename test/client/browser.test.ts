/** Tests the client in a browser, on a page of the server itself. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Offerbook } from '../../client/src/offerbook.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { browserSkipped, launchBrowser, openPage } from '../harness/browser.ts';
import { ROOT } from '../harness/suites.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe('the client in a browser', { skip: browserSkipped() }, () => {
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
  });
  after(() => Promise.all([browser.close(), server.close()]));

  it('uploads a file over HTTP/1.1, where browsers do not stream requests', async (t) => {
    const page = await openPage(t, browser);
    await page.route('**/client/src/*.ts', async (route) => {
      const text = await readFile(path.join(ROOT, new URL(route.request().url()).pathname), 'utf8');
      await route.fulfill({ contentType: 'text/javascript', body: stripTypeScriptTypes(text) });
    });
    await page.goto(`${server.url}/portal/sign-in`);
    const { user, secret: pass } = DEMO_CREDENTIALS.test;
    const status = await page.evaluate(
      async ({ url, user, pass }) => {
        const client: { Offerbook: typeof Offerbook } = await import(`${url}/client/src/offerbook.ts`);
        const { files } = new client.Offerbook({ url, user, pass });
        const content = new Blob(['{"a":{"price":1}}']);
        return (await files.upload({ type: 'Price', name: 'prices.json', content })).status;
      },
      { url: server.url, user, pass },
    );
    assert.match(status, /^(?:Acknowledged|Process)/);
  });
});
