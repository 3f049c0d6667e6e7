/** Tests the marketplace's own API keys in the portal and on the command line; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { offerbookHere, runHere } from '../harness/command-line.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

interface Key {
  readonly user: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly ends: string | null;
}

interface Created {
  readonly user: string;
  readonly secret: string;
}

const SHOP = { name: 'Shop', scopes: ['storefront'] };

for (const { store: kind, skip } of VARIANTS_BY_SCOPE) {
  describe(`keys of the marketplace (${kind})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalClient;

    before(async () => {
      server = await startTestServer({}, kind);
      operator = await PortalClient.signIn(server, 'operator');
    });
    after(() => server.close());

    const keysOf = async (environment: string) =>
      (await operator.found<{ keys: Key[] }>('GET', `/${environment}/marketplace-keys`)).keys;

    const statusOf = async ({ user, secret }: Created) => {
      const sent = { method: 'POST', body: JSON.stringify({ user, pass: secret }) };
      const token = (await (await fetch(`${server.url}/token`, sent)).json()) as { id_token?: string };
      if (token.id_token === undefined) return 'no token';
      const headers = { authorization: `Bearer ${token.id_token}` };
      const answer = await fetch(`${server.url}/marketplace/merchants`, { headers });
      await answer.text();
      return answer.status;
    };

    it('are created, rolled and revoked in the portal, in each environment, and recorded', async () => {
      assert.deepEqual([await keysOf('live'), await keysOf('test')], [[], []]);
      const shop = await operator.found<Created>('POST', '/live/marketplace-keys', SHOP);
      const both = { name: 'Dashboard', scopes: ['operate', 'storefront'] };
      const dashboard = await operator.found<Created>('POST', '/test/marketplace-keys', both);
      assert.match(shop.user, /^live-/);
      assert.deepEqual([await statusOf(shop), await statusOf(dashboard)], [403, 200]);
      const next = await operator.found<Created>('POST', `/test/marketplace-keys/${dashboard.user}/roll`, {});
      assert.deepEqual([await statusOf(dashboard), await statusOf(next)], ['no token', 200]);
      const shown = (keys: readonly Key[]) =>
        keys.map(({ user, name, scopes, ends }) => ({ user, name, scopes, ends }));
      assert.deepEqual(shown(await keysOf('live')), [{ user: shop.user, ...SHOP, ends: null }]);
      const scopes = ['storefront', 'operate'];
      assert.deepEqual(shown(await keysOf('test')), [{ user: next.user, name: 'Dashboard', scopes, ends: null }]);
      await operator.accepted('DELETE', `/test/marketplace-keys/${next.user}`);
      await operator.accepted('DELETE', `/live/marketplace-keys/${shop.user}`);
      assert.deepEqual([await keysOf('live'), await keysOf('test')], [[], []]);
      assert.deepEqual([await statusOf(shop), await statusOf(next)], ['no token', 'no token']);
      const { acts } = await operator.found<{ acts: { act: string; subject: string; detail: string }[] }>(
        'GET',
        '/acts',
      );
      assert.deepEqual(
        acts.slice(0, 5).map(({ act, subject, detail }) => [act, subject, detail]),
        [
          ['revokeMarketplaceKey', shop.user, ''],
          ['revokeMarketplaceKey', next.user, ''],
          ['rollMarketplaceKey', dashboard.user, ''],
          ['addMarketplaceKey', dashboard.user, 'name: Dashboard, scopes: ["operate","storefront"]'],
          ['addMarketplaceKey', shop.user, 'name: Shop, scopes: ["storefront"]'],
        ],
      );
    });

    it('need a scope of the marketplace; keys of merchants cannot have one, and are not among them', async () => {
      const names = 'must be one of: storefront, operate';
      for (const [sent, problem] of [
        [{ name: 'a' }, ['required', '/scopes', 'scopes: is required']],
        [{ name: 'a', scopes: [] }, ['too_few', '/scopes', 'scopes: must have 1 to 2 entries']],
        [{ name: 'a', scopes: ['read'] }, ['not_allowed', '/scopes/0', `scopes[0]: ${names}`]],
        [{ scopes: ['operate'] }, ['required', '/name', 'name: is required']],
      ] as const) {
        await operator.refused('POST', '/live/marketplace-keys', sent, [problem]);
      }
      const admin = await PortalClient.signIn(server, 'merchant-admin');
      const ofMerchants = 'must be one of: read, listing, price, stock, files, webhooks';
      await admin.refused('POST', '/live/keys', SHOP, [['not_allowed', '/scopes/0', `scopes[0]: ${ofMerchants}`]]);
      const [own] = (await admin.found<{ keys: Key[] }>('GET', '/live/keys')).keys;
      const unknown = [['key_unknown', '', `No active key "${own?.user}".`]] as const;
      await operator.refused('DELETE', `/live/marketplace-keys/${own?.user}`, undefined, unknown, 404);
      await operator.refused('POST', `/live/marketplace-keys/${own?.user}/roll`, {}, unknown, 404);
      const shop = await operator.found<Created>('POST', '/live/marketplace-keys', SHOP);
      const alien = [['key_unknown', '', `No active key "${shop.user}".`]] as const;
      await admin.refused('DELETE', `/live/keys/${shop.user}`, undefined, alien, 404);
      await operator.refused('DELETE', `/test/marketplace-keys/${shop.user}`, undefined, alien, 404);
      await operator.accepted('DELETE', `/live/marketplace-keys/${shop.user}`);
    });

    it('are added up to 20 in each environment', async () => {
      const added: Created[] = [];
      for (let count = 0; count < 20; count++) {
        added.push(await operator.found<Created>('POST', '/test/marketplace-keys', SHOP));
      }
      const full = 'Limit reached: the marketplace has 20 active keys in test. Revoke one first.';
      await operator.refused('POST', '/test/marketplace-keys', SHOP, [['keys_full', '', full]]);
      for (const { user } of added) await operator.accepted('DELETE', `/test/marketplace-keys/${user}`);
    });

    it('are created, listed, rolled and revoked on the command line too', async () => {
      const run = (...args: string[]) => offerbookHere(server.place, 'keys', ...args);
      const live = ['--marketplace', '--env', 'live'];
      const added = await run('add', ...live, '--name', 'Dashboard', '--scope', 'operate');
      const key = added.credentials as Created;
      assert.deepEqual(added, { merchant_id: null, environment: 'live', credentials: key });
      const rolled = await run('roll', ...live, '--user', key.user, '--overlap', '1h');
      const next = rolled.credentials as Created;
      assert.deepEqual([await statusOf(key), await statusOf(next)], [200, 200]);
      const listed = (await run('list', '--marketplace')) as { merchant_id: null; credentials: Key[] };
      assert.equal(listed.merchant_id, null);
      assert.deepEqual(
        listed.credentials.map(({ user, name, scopes, ends }) => [user, name, scopes, ends]),
        [
          [key.user, 'Dashboard', ['operate'], rolled.previous_end],
          [next.user, 'Dashboard', ['operate'], null],
        ],
      );
      for (const user of [key.user, next.user]) await run('revoke', user, ...live, '--yes');
      assert.deepEqual(await run('list', '--marketplace'), { merchant_id: null, credentials: [] });
      for (const [args, text] of [
        [['list'], 'Add --merchant <id> or --marketplace.'],
        [
          ['list', '--marketplace', '--merchant', 'demo'],
          "option '--marketplace' cannot be used with option '--merchant <id>'",
        ],
        [['roll', ...live], 'Add --user <user>: keys of the marketplace are replaced one by one.'],
      ] as const) {
        const { exitCode, stderr } = await runHere(server.place, 'keys', ...args);
        assert.equal(exitCode, 2, stderr);
        assert.ok(stderr.includes(text), stderr);
      }
    });
  });
}
