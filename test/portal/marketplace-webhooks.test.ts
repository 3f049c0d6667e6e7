/** Tests the calls with which operators manage the marketplace's webhooks in the portal; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PortalClient } from '../harness/portal-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

const URL = 'https://hooks.example/changes';
const PATH = '/live/marketplace-webhooks';
const NOT_FOUND = [['webhook_not_found', '', 'No webhook with this id.']] as const;

type Json = Readonly<Record<string, unknown>>;

for (const { store: kind, skip } of VARIANTS_BY_SCOPE) {
  describe(`webhooks of the marketplace in the portal (${kind})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalClient;

    before(async () => {
      server = await startTestServer({}, kind);
      operator = await PortalClient.signIn(server, 'operator');
    });
    after(() => server.close());

    it('are added before the first key, read, changed and removed, in each environment, and recorded', async () => {
      assert.deepEqual(await operator.found('GET', PATH), { webhooks: [] });
      await operator.refused('GET', `${PATH}/unknown/deliveries`, undefined, NOT_FOUND, 404);
      const { secret, ...webhook } = await operator.found('POST', PATH, { url: URL, types: [], include: [] });
      assert.match(String(secret), /^whsec_/);
      assert.deepEqual(await operator.found('GET', PATH), { webhooks: [webhook] });
      assert.deepEqual(await operator.found('GET', '/test/marketplace-webhooks'), { webhooks: [] });
      const one = `${PATH}/${webhook.webhook_id}`;
      const rolled = await operator.found('POST', `${one}/secret`, {});
      assert.notEqual(rolled.secret, secret);
      const changed = await operator.found('PATCH', one, { batches: true, enabled: false });
      const disabled = { enabled: false, disabled_reason: 'Disabled by the operator.' };
      assert.deepEqual(changed, { ...webhook, batches: true, ...disabled });
      assert.deepEqual(await operator.found('GET', `${one}/deliveries`), { deliveries: [] });
      await operator.accepted('DELETE', one);
      const { acts } = await operator.found<{ acts: Json[] }>('GET', '/acts');
      const id = `environment: live, webhook_id: ${webhook.webhook_id}`;
      const host = `${id}, host: hooks.example`;
      assert.deepEqual(
        acts.map(({ act, subject, detail }) => [act, subject, detail]),
        [
          ['removeStorefrontWebhook', 'marketplace', id],
          ['changeStorefrontWebhook', 'marketplace', `${host}, enabled: false`],
          ['rollStorefrontWebhookSecret', 'marketplace', `${host}, enabled: true`],
          ['addStorefrontWebhook', 'marketplace', `${host}, enabled: true`],
        ],
      );
    });

    it('are refused as by the API, and are not among those of merchants', async () => {
      const local = 'must be on the public internet, not localhost or a private IP address';
      const refusal = [['url_not_public', '/url', `url: ${local}`]] as const;
      await operator.refused('POST', PATH, { url: 'http://127.0.0.1/' }, refusal);
      await operator.refused('PATCH', `${PATH}/unknown`, {}, NOT_FOUND, 404);
      const { webhook_id } = await operator.found('POST', PATH, { url: URL });
      const admin = await PortalClient.signIn(server, 'merchant-admin');
      assert.deepEqual(await admin.found('GET', '/live/webhooks'), { webhooks: [] });
      await admin.refused('DELETE', `/live/webhooks/${webhook_id}`, undefined, NOT_FOUND, 404);
      await operator.accepted('DELETE', `${PATH}/${webhook_id}`);
    });
  });
}
