/** Tests the portal's calls for webhooks: who may change them, refusals at their fields, test events and replays; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ENVIRONMENTS } from '../../src/domain/account.ts';
import { ApiClient, assertProblems, minimalSku } from '../harness/api-client.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

interface Hook {
  readonly webhook_id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly secret?: string;
}

interface Sent {
  readonly event_id: string;
  readonly type: string;
  readonly status: number | null;
  readonly failure: string | null;
}

const URL = 'https://hooks.example/events';

for (const variant of VARIANTS_BY_SCOPE) {
  describe(`portal: webhooks (${variant.title})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    let receiver: WebhookReceiver;
    let admin: PortalClient;
    let viewer: PortalClient;

    before(async () => {
      receiver = await WebhookReceiver.open();
      api = await ApiClient.open(variant, { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
      admin = await PortalClient.signIn(api.server, 'merchant-admin');
      viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
    });
    after(async () => {
      await api.server.close();
      receiver[Symbol.dispose]();
    });

    for (const environment of ENVIRONMENTS) {
      it(`an admin adds, tests, changes and deletes one in ${environment}; a viewer reads it without the secret`, async () => {
        const added = await admin.found<Hook>('POST', `/${environment}/webhooks`, { url: receiver.url });
        const path = `/${environment}/webhooks/${added.webhook_id}`;
        assert.match(added.secret ?? '', /^whsec_/);
        const { secret, ...shown } = added;
        assert.deepEqual(await viewer.found('GET', `/${environment}/webhooks`), { webhooks: [shown] });
        const other = environment === 'test' ? 'live' : 'test';
        assert.deepEqual(await viewer.found('GET', `/${other}/webhooks`), { webhooks: [] });

        const test = await admin.found<Sent>('POST', `${path}/test`);
        assert.deepEqual([test.type, test.status, test.failure], ['webhook.test', 204, null]);
        await admin.accepted('PUT', `/${environment}/merchant-skus/hooked`, minimalSku());
        const event = await waitToSee('the delivery', async () => (await log(path)).find(isOfOffer));
        const replayed = await admin.found<Sent>('POST', `${path}/replay`, { event_id: event.event_id });
        assert.deepEqual([replayed.event_id, replayed.status], [event.event_id, 204]);
        assert.ok((await log(path)).filter(({ event_id }) => event_id === event.event_id).length >= 2);

        const rolled = await admin.found<Hook>('POST', `${path}/secret`, { overlap_seconds: 3600 });
        assert.notEqual(rolled.secret, secret);
        const disabled = await admin.found<Hook>('PATCH', path, { url: URL, enabled: false });
        assert.deepEqual(
          [disabled.url, disabled.enabled, disabled.disabled_reason],
          [URL, false, 'Disabled by the merchant.'],
        );
        assert.equal((await admin.found<Hook>('PATCH', path, { enabled: true })).disabled_reason, null);
        await admin.accepted('DELETE', path);
        assert.deepEqual(await viewer.found('GET', `/${environment}/webhooks`), { webhooks: [] });
      });
    }

    it('refuses bad URLs and types at their fields, and an eleventh webhook', async () => {
      await admin.refused('POST', '/test/webhooks', { url: 'hooks.example', types: [] }, [
        ['bad_url', '/url', 'url: must be an absolute http or https URL'],
        ['too_few', '/types', 'types: must have 1 to 9 entries'],
      ]);
      const { webhook_id } = await admin.found<Hook>('POST', '/test/webhooks', { url: URL });
      await admin.refused('PATCH', `/test/webhooks/${webhook_id}`, { url: 'ftp://hooks.example' }, [
        ['bad_url', '/url', 'url: must be an absolute http or https URL'],
      ]);
      for (let count = 1; count < 10; count++) await admin.found('POST', '/test/webhooks', { url: URL });
      await admin.refused('POST', '/test/webhooks', { url: URL }, [
        ['webhooks_full', '', 'The account has reached the limit of 10 webhooks. Remove one first.'],
      ]);
    });

    it('lets neither viewers nor operators who view as the merchant change or send anything', async () => {
      const { webhook_id } = await admin.found<Hook>('POST', '/live/webhooks', {
        url: receiver.url,
        types: ['report.ready'],
      });
      const path = `/live/webhooks/${webhook_id}`;
      const before = await viewer.found('GET', '/live/webhooks');
      const received = receiver.messages.length;
      const operator = await PortalClient.signIn(api.server, 'operator');
      const view = await operator.send('POST', '/merchants/demo/view');
      const cookie = `${operator.cookie}; ${(view.headers.get('set-cookie') ?? '').split(';', 1)[0]}`;
      for (const [method, below, body] of [
        ['POST', '/live/webhooks', { url: URL }],
        ['PATCH', path, { enabled: false }],
        ['POST', `${path}/secret`, {}],
        ['POST', `${path}/test`, undefined],
        ['POST', `${path}/replay`, { event_id: 'x' }],
        ['DELETE', path, undefined],
      ] as const) {
        const role = 'Your role (merchant-viewer) does not allow this. Required role: merchant-admin.';
        await viewer.refused(method, below, body, [['forbidden_role', '', role]], 403);
        const message = 'You are viewing as a merchant, which is read-only. Stop viewing to make changes.';
        const answer = await operator.send(method, below, body, { cookie });
        assertProblems(answer, [{ code: 'viewing_as_merchant', field: '', message }], 403);
      }
      const seen = await operator.send('GET', `${path}/deliveries`, undefined, { cookie });
      assert.deepEqual([seen.status, seen.body], [200, { deliveries: [] }]);
      assert.deepEqual(await viewer.found('GET', '/live/webhooks'), before);
      assert.equal(receiver.messages.length, received);
    });

    async function log(path: string): Promise<readonly Sent[]> {
      return (await viewer.found<{ deliveries: Sent[] }>('GET', `${path}/deliveries`)).deliveries;
    }
  });
}

function isOfOffer({ type }: Sent): boolean {
  return type === 'offer.updated';
}
