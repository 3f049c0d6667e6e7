/** Tests the page at /docs in a browser: it shows calls, sends them, and obeys its Content-Security-Policy. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { browserSkipped, openPage } from '../harness/browser.ts';
import { sharedBrowser } from '../harness/shared-browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe('the docs page in a browser', { skip: browserSkipped() }, () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server?.close());

  it('shows every call, sends one, and asks this server alone', async (t) => {
    // A violation is a console error, which fails the test at its end.
    const page = await openPage(t, await sharedBrowser());
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const calls = page.locator('.opblock');
    const shownAt = async (address: string): Promise<number> => {
      await page.goto(`${server.url}${address}`);
      await calls.first().waitFor();
      return calls.count();
    };
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const count = Object.values(paths).flatMap((path) => Object.keys(path)).length;
    assert.deepEqual([await shownAt('/docs/'), await shownAt('/docs')], [count, count]);

    const call = calls.filter({ has: page.getByText('/healthz', { exact: true }) });
    await call.getByRole('button').first().click();
    await call.getByRole('button', { name: 'Execute' }).click();
    await call.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    const foreign = asked.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'));
    assert.deepEqual(foreign, []);
  });
});
