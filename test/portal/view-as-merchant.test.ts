/** Tests the operator's calls on one merchant: rename, and the read-only view of its pages; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertProblems, minimalSku } from '../harness/api-client.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

const READ_ONLY = 'You are viewing as a merchant, which is read-only. Stop viewing to make changes.';

for (const { store: kind, skip } of VARIANTS_BY_SCOPE) {
  describe(`portal: view as merchant (${kind})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalClient;

    before(async () => {
      server = await startTestServer({}, kind);
      operator = await PortalClient.signIn(server, 'operator');
      const admin = await PortalClient.signIn(server, 'merchant-admin');
      await admin.accepted('PUT', '/live/merchant-skus/seen', minimalSku());
      await operator.found('POST', '/merchants', { merchant_id: 'other', name: 'Other' });
    });
    after(() => server.close());

    const session = async () => (await operator.found<{ person: Record<string, unknown> }>('GET', '/session')).person;

    /** The cookie of the view, as a browser sends it with the session cookie. */
    async function view(merchantId: string): Promise<string> {
      const answer = await operator.send('POST', `/merchants/${merchantId}/view`);
      assert.equal(answer.status, 202, answer.text);
      return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    }

    const as = (cookie: string) => (method: string, path: string, body?: unknown) =>
      operator.send(method, path, body, { cookie: `${operator.cookie}; ${cookie}` });

    it('the operator reads the pages of that merchant, and it is in the activity log', async () => {
      const asDemo = as(await view('demo'));
      const { person } = (await asDemo('GET', '/session')).body as { person: Record<string, unknown> };
      assert.deepEqual(
        [person.role, (person.merchant as { id: string }).id, person.viewing],
        ['merchant-viewer', 'demo', true],
      );
      assert.equal((await asDemo('GET', '/live/merchant-skus/seen')).status, 200);
      assert.equal((await asDemo('GET', '/live/offers')).status, 200);
      const asOther = as(await view('other'));
      assert.equal((await asOther('GET', '/live/merchant-skus/seen')).status, 404, 'another merchant');
      const { acts } = await operator.found<{ acts: { act: string; subject: string }[] }>('GET', '/acts?limit=2');
      assert.deepEqual(
        acts.map(({ act, subject }) => [act, subject]),
        [
          ['viewAsMerchant', 'other'],
          ['viewAsMerchant', 'demo'],
        ],
      );
      assert.deepEqual([(await session()).role, (await session()).viewing], ['operator', undefined]);
    });

    it('every change is refused, to the merchant, as an operator and to their own account, except leaving the view', async () => {
      const asDemo = as(await view('demo'));
      for (const [method, path, body] of [
        ['PUT', '/live/merchant-skus/seen', minimalSku()],
        ['PUT', '/live/merchant-skus/seen/price', { price: 1 }],
        ['POST', '/live/offers/change', { change: 'archive', skus: ['seen'] }],
        ['GET', '/live/files/uploadToken', undefined],
        ['POST', '/policies', { kind: 'excluded_brand', brand: 'a' }],
        ['POST', '/merchants/other/suspend', undefined],
        ['POST', '/merchants/other/view', undefined],
        ['GET', '/policies', undefined],
        ['PUT', '/password', { current_password: 'a', password: 'a long password' }],
        ['DELETE', '/sessions', undefined],
      ] as const) {
        const answer = await asDemo(method, path, body);
        assertProblems(answer, [{ code: 'viewing_as_merchant', field: '', message: READ_ONLY }], 403);
      }
      const ended = await asDemo('DELETE', '/view');
      assert.equal(ended.status, 202);
      assert.match(ended.headers.get('set-cookie') ?? '', /^offerbook_view=; Max-Age=0; .*HttpOnly; SameSite=Strict/);
    });

    it('a cookie of another session, an altered one, and one of a merchant user have no effect', async () => {
      const cookie = await view('demo');
      const second = await PortalClient.signIn(server, 'operator');
      const admin = await PortalClient.signIn(server, 'merchant-admin', 'other');
      for (const [person, sent] of [
        [second, cookie],
        [operator, cookie.replace('demo', 'other')],
        [operator, `${cookie.slice(0, -4)}AAAA`],
        [operator, 'offerbook_view=demo'],
      ] as const) {
        const both = { cookie: `${person.cookie}; ${sent}` };
        assert.equal((await person.send('GET', '/live/merchant-skus/seen', undefined, both)).status, 403);
        assert.equal((await person.send('GET', '/policies', undefined, both)).status, 200, sent);
      }
      const answer = await admin.send('GET', '/live/merchant-skus/seen', undefined, {
        cookie: `${admin.cookie}; ${cookie}`,
      });
      assert.equal(answer.status, 404, 'the user still sees their own merchant');
    });

    it('an unknown merchant is refused, and merchants cannot view others', async () => {
      const unknown = [['merchant_unknown', '', 'No merchant "nobody".']] as const;
      await operator.refused('POST', '/merchants/nobody/view', undefined, unknown, 404);
      const admin = await PortalClient.signIn(server, 'merchant-admin');
      assert.equal((await admin.send('POST', '/merchants/other/view')).status, 403);
      assert.equal((await admin.send('PUT', '/merchants/other', { name: 'a' })).status, 403);
    });

    it('a merchant is renamed; its id stays', async () => {
      await operator.accepted('PUT', '/merchants/other', { name: 'Änother' });
      assert.equal((await operator.found('GET', '/merchants/other')).name, 'Änother');
      await operator.refused('PUT', '/merchants/other', { name: ' ' }, [
        ['bad_format', '/name', 'name: must not be blank'],
      ]);
      const unknown = [['merchant_unknown', '', 'No merchant "nobody".']] as const;
      await operator.refused('PUT', '/merchants/nobody', { name: 'a' }, unknown, 404);
    });
  });
}
