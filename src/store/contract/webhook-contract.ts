/** Contract tests for webhooks: delivery leases, and the delivery log. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Webhook, WebhookDelivery } from '../../domain/setup/webhooks.ts';
import type { Store } from '../port.ts';
import { LATER_MS, NOW_MS, newAccountId } from './subject.ts';

/** No test takes this long. */
const LEASE_MS = 600_000;
const DELIVERY: WebhookDelivery = {
  eventId: 'event-1',
  type: 'offer.updated',
  events: 1,
  atMs: LATER_MS,
  attempt: 1,
  status: 500,
  failure: 'The receiver returned 500.',
};

function newWebhook(accountId: number, webhookId = 'hook-1'): Webhook {
  return {
    accountId,
    webhookId,
    shop: null,
    address: 'https://hooks.example/',
    types: ['offer.updated'],
    include: [],
    batches: false,
    secrets: [{ secret: 'whsec_AAAA', endsMs: null }],
    createdMs: NOW_MS,
    disabledReason: null,
    position: { number: 1, count: 0 },
    attempts: 0,
    failingSinceMs: null,
    dueMs: NOW_MS,
  };
}

export function webhookContract(store: () => Store): void {
  async function added(): Promise<Webhook> {
    const webhook = newWebhook(newAccountId());
    assert.deepEqual(await store().webhooks.addWebhook(webhook, 2), webhook);
    return webhook;
  }
  const read = async ({ accountId }: Webhook) => (await store().webhooks.listWebhooks(accountId))[0];
  const isDue = async ({ accountId }: Webhook) =>
    (await store().webhooks.listDueWebhooks(undefined, 1000)).some((due) => due.accountId === accountId);

  describe('webhooks', () => {
    test('are stored as given, up to the limit, changed and removed', async () => {
      const webhook = await added();
      const { accountId, webhookId } = webhook;
      assert.deepEqual(await read(webhook), webhook);
      const other: Webhook = { ...newWebhook(accountId, 'hook-2'), shop: 'live' };
      assert.deepEqual(await store().webhooks.addWebhook(other, 2), other);
      assert.deepEqual(await store().webhooks.listWebhooks(accountId), [webhook, other]);
      assert.deepEqual(await store().webhooks.addWebhook({ ...other, address: 'https://c.example/' }, 2), other);
      assert.equal(await store().webhooks.addWebhook(newWebhook(accountId, 'hook-3'), 2), 'full');
      const options = { include: ['changes'], batches: true } as const;
      const change = { address: 'https://b.example/', disabledReason: 'Off.', ...options };
      const changed = await store().webhooks.changeWebhook(accountId, webhookId, change);
      assert.deepEqual({ ...(changed as Webhook), dueMs: NOW_MS }, { ...webhook, ...change });
      assert.equal(await isDue({ ...webhook, accountId: newAccountId() }), false);
      assert.equal(await store().webhooks.changeWebhook(accountId, 'none', change), undefined);
      assert.equal(await store().webhooks.removeWebhook(accountId, webhookId), 'removed');
      assert.equal(await store().webhooks.removeWebhook(accountId, webhookId), 'unknown');
    });

    test('that have failed for long are listed, also disabled ones, longest first', async () => {
      const hooks = [await added(), await added(), await added()];
      const since = [NOW_MS - 5, NOW_MS - 9, NOW_MS + 1];
      for (const [at, webhook] of hooks.entries()) {
        const progress = { position: webhook.position, attempts: 3, disabledReason: at === 1 ? 'It failed.' : null };
        const failing = { ...progress, failingSinceMs: since[at] ?? null };
        assert.equal(await store().webhooks.noteDeliveries(webhook, failing, [], LEASE_MS), 'stored');
      }
      const own = new Map(hooks.map(({ accountId }, at) => [accountId, at]));
      const listed = await store().webhooks.listFailingWebhooks(NOW_MS, 1000);
      assert.deepEqual(
        listed.flatMap(({ accountId }) => own.get(accountId) ?? []),
        [0, 1],
      );
    });

    test('keep the limit and every change when calls come at the same time', async () => {
      const accountId = newAccountId();
      const added = Array.from({ length: 10 }, (_, position) => {
        return store().webhooks.addWebhook(newWebhook(accountId, `hook-${position}`), 2);
      });
      assert.equal((await Promise.all(added)).filter((outcome) => outcome !== 'full').length, 2);
      const [webhook] = await store().webhooks.listWebhooks(accountId);
      assert.ok(webhook);
      for (let round = 0; round < 20; round++) {
        const changes = [
          { address: `https://${round}.example/` },
          { types: round % 2 === 0 ? (['key.rolled'] as const) : (['report.ready'] as const) },
        ];
        await Promise.all(
          changes.map((change) => store().webhooks.changeWebhook(accountId, webhook.webhookId, change)),
        );
        assert.deepEqual({ ...(await read(webhook)), dueMs: 0 }, Object.assign({ ...webhook, dueMs: 0 }, ...changes));
      }
    });

    test('keep every secret of rolls at the same time, up to the limit', async () => {
      const webhook = await added();
      const { accountId, webhookId } = webhook;
      const roll = (secret: string, endsMs = LATER_MS) =>
        store().webhooks.changeWebhook(accountId, webhookId, { roll: { secret, nowMs: NOW_MS, endsMs } });
      const rolls = await Promise.all(Array.from({ length: 5 }, (_, position) => roll(`whsec_${position}`)));
      assert.equal(rolls.filter((outcome) => outcome === 'full').length, 1);
      const secrets = (await read(webhook))?.secrets ?? [];
      const issued = rolls.flatMap((outcome, position) => (outcome === 'full' ? [] : [`whsec_${position}`]));
      assert.deepEqual(secrets.map(({ secret }) => secret).sort(), ['whsec_AAAA', ...issued].sort());
      assert.deepEqual(
        secrets.map(({ endsMs }) => endsMs),
        [null, ...Array(4).fill(LATER_MS)],
      );
      await roll('whsec_now', NOW_MS);
      assert.deepEqual((await read(webhook))?.secrets, [{ secret: 'whsec_now', endsMs: null }]);
    });

    test('are listed in pages', async () => {
      const webhooks = [await added(), await added(), await added()];
      const accounts = new Set(webhooks.map(({ accountId }) => accountId));
      const listed: number[] = [];
      for (let after: Webhook | undefined; ; ) {
        const [webhook] = await store().webhooks.listDueWebhooks(after, 1);
        if (webhook === undefined) break;
        if (accounts.has(webhook.accountId)) listed.push(webhook.accountId);
        after = webhook;
      }
      assert.deepEqual(listed, [...accounts]);
    });

    test('are taken by one process at a time, until its lease ends', async () => {
      const webhook = await added();
      assert.equal(await isDue(webhook), true);
      const taken = await store().webhooks.takeWebhook(webhook, LEASE_MS);
      assert.ok(taken);
      assert.deepEqual(taken, { ...webhook, dueMs: taken.dueMs });
      assert.equal(await store().webhooks.takeWebhook(webhook, LEASE_MS), undefined);
      assert.equal(await isDue(webhook), false);
      const renewed = await store().webhooks.takeWebhook(taken, 0);
      assert.ok(renewed);
      assert.equal(await store().webhooks.takeWebhook(taken, LEASE_MS), undefined, 'the lease was renewed since');
      assert.equal(await isDue(webhook), true);
      assert.ok(await store().webhooks.takeWebhook(renewed, LEASE_MS));
    });

    test('store progress and log, unless the lease was lost or the webhook changed', async () => {
      const webhook = await added();
      const { accountId, webhookId } = webhook;
      const taken = await store().webhooks.takeWebhook(webhook, LEASE_MS);
      assert.ok(taken);
      const position = { number: 7, count: 3, confirmed: [{ number: 7, count: 5 }] };
      const progress = { position, attempts: 1, failingSinceMs: NOW_MS, disabledReason: null };
      assert.equal(await store().webhooks.noteDeliveries(taken, progress, [DELIVERY], undefined), 'stored');
      assert.deepEqual(await read(webhook), { ...taken, ...progress });
      assert.deepEqual(await store().webhooks.listDeliveries(accountId, webhookId, 10), [DELIVERY]);
      await store().webhooks.changeWebhook(accountId, webhookId, { types: ['key.rolled'] });
      assert.equal(await store().webhooks.noteDeliveries(taken, progress, [DELIVERY], undefined), 'lost');
      assert.equal((await store().webhooks.listDeliveries(accountId, webhookId, 10)).length, 1);
    });

    test('are due again after the delay that their holder sets', async () => {
      const webhook = await added();
      for (const [delay_ms, expected] of [
        [0, true],
        [LEASE_MS, false],
      ] as const) {
        const current = await read(webhook);
        assert.ok(current);
        const taken = await store().webhooks.takeWebhook(current, LEASE_MS);
        assert.ok(taken);
        assert.equal(await store().webhooks.noteDeliveries(taken, taken, [], delay_ms), 'stored');
        assert.equal(await isDue(webhook), expected);
      }
    });

    test('keep the newest 200 deliveries, newest first', async () => {
      const { accountId, webhookId } = await added();
      for (let position = 0; position < 205; position++) {
        await store().webhooks.logDelivery(accountId, webhookId, { ...DELIVERY, eventId: `event-${position}` });
      }
      const log = await store().webhooks.listDeliveries(accountId, webhookId, 1000);
      assert.equal(log.length, 200);
      assert.deepEqual([log[0]?.eventId, log.at(-1)?.eventId], ['event-204', 'event-5']);
      await store().webhooks.removeWebhook(accountId, webhookId);
      assert.deepEqual(await store().webhooks.listDeliveries(accountId, webhookId, 10), []);
    });

    test('webhooks that were removed log nothing more', async () => {
      const { accountId, webhookId } = await added();
      await store().webhooks.removeWebhook(accountId, webhookId);
      await store().webhooks.logDelivery(accountId, webhookId, DELIVERY);
      assert.deepEqual(await store().webhooks.listDeliveries(accountId, webhookId, 10), []);
    });
  });
}
