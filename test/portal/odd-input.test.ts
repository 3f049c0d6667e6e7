/** Tests input that no page sends: it is refused or ignored, and the activity log stays complete. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertProblems, requestProblem } from '../harness/api-client.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

const NOT_ENCODED = requestProblem('query_invalid', 'The path must be percent-encoded UTF-8 without NUL.');

for (const { title, store, settings, skip } of VARIANTS_BY_SCOPE) {
  describe(`odd input (${title})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalBrowser;
    before(async () => {
      server = await startTestServer(settings, store);
      operator = await PortalBrowser.operatorOf(server.url);
    });
    after(() => server.close());

    it('odd fields do not keep a change out of the activity log', async () => {
      const odd = { toString: 1, valueOf: 'x' };
      const body = { kind: 'excluded_brand', brand: 'Copycat', odd, email: 'x'.repeat(5000) };
      const added = await operator.post('/policies', body);
      assert.equal(added.status, 200, added.text);
      const { acts } = await operator.found<{ acts: { act: string; subject: string }[] }>('/acts');
      assert.equal(acts[0]?.act, 'addPolicy');
      assert.ok((acts[0]?.subject.length ?? 0) <= 500);
    });

    it('NUL in a path is refused', async () => {
      assertProblems(await operator.post('/users/%00/reset', undefined), [NOT_ENCODED], 400);
      assertProblems(await operator.get('/merchants/%00'), [NOT_ENCODED], 400);
    });

    it('an upload URL needs the CSRF token', async () => {
      const person = await PortalBrowser.merchantOf(server.url);
      assert.equal((await person.get('/test/files/uploadToken')).status, 200);
      person.csrfToken = undefined;
      assert.equal((await person.get('/test/files/uploadToken')).status, 403);
    });
  });
}
