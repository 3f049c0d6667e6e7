/** Tests the documentation of a server whose pages are not built. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withEdgeServer } from '../../../test/harness/edge-server.ts';

it('explains how to build the pages, and shows the API reference without them', async () => {
  await withEdgeServer({ endpoints: [] }, async (url) => {
    const home = await fetch(`${url}/docs`);
    assert.deepEqual([home.status, home.url], [503, `${url}/docs/`]);
    assert.match(home.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.match(await home.text(), /npm run build:portal/);
    for (const [page, document] of [
      ['api', '../openapi.json'],
      ['marketplace-api', '../marketplace/openapi.json'],
    ]) {
      const reference = await fetch(`${url}/docs/${page}`);
      assert.equal(reference.status, 200);
      assert.ok((await reference.text()).includes(`id="document" href="${document}"`), page);
    }
    assert.equal((await fetch(`${url}/docs/guides/portal`)).status, 404);
    const start = (await (await fetch(url)).json()) as Record<string, string>;
    assert.deepEqual(Object.keys(start), ['api', 'openapi', 'docs', 'api_reference']);
  });
});
