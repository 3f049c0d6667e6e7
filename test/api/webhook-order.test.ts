/** Tests in which order webhooks get events that are sent in parallel. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../src/domain/limits.ts';
import { type ApiClient, skuPath } from '../harness/api-client.ts';
import { type ContractCases, describeApi, timedCases } from '../harness/contract-cases.ts';
import { seededChance } from '../harness/seeded-random.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { Message, WebhookReceiver } from '../harness/webhook-receiver.ts';
import { type Json, LOOPBACK_ALLOWED, sent, withReceiver } from './fixtures/webhooks.ts';

const PATIENCE_MS = 60_000;
const TYPES = ['offer.updated'];

interface Scene {
  readonly own: ApiClient;
  readonly receiver: WebhookReceiver;
  readonly path: string;
  /** Adds SKUs, and sets the price of each this many times. The webhook is off meanwhile. */
  readonly written: (skus: number, prices: number) => Promise<void>;
  readonly enable: () => Promise<void>;
}

async function withWebhook(api: ApiClient, body: Json, run: (scene: Scene) => Promise<void>): Promise<void> {
  await withReceiver(api, async (own, receiver) => {
    const added = await sent(own, 'POST', '/webhooks', { url: receiver.url, ...body });
    const path = `/webhooks/${added.webhook_id}`;
    const switched = async (enabled: boolean) => assert.equal((await own.patch(path, { enabled })).status, 200);
    await switched(false);
    const written = async (skus: number, prices: number) => {
      const skuIds = Array.from({ length: skus }, (_, index) => `sku-${index}`);
      await Promise.all(skuIds.map((skuId) => own.uploadedSku({}, skuId)));
      for (let price = 1; price <= prices; price++) {
        await Promise.all(skuIds.map((skuId) => own.accepted('PUT', `${skuPath(skuId)}/price`, { price })));
      }
    };
    await run({ own, receiver, path, written, enable: () => switched(true) });
  });
}

const idOf = ({ headers }: Message) => String(headers['webhook-id']);

describeApi('the order of webhooks', timedCases(define), LOOPBACK_ALLOWED);

function define({ accepts }: ContractCases): void {
  accepts('HOOK-08', 'events of one SKU in order from a server that retries, in parallel for others', async (api) => {
    await withWebhook(api, { types: TYPES }, async ({ own, receiver, path, written, enable }) => {
      const [skus, prices] = [30, 3];
      await written(skus, prices);
      const { events } = (await own.foundNow(`/events?types=${TYPES}&limit=1000`)) as { events: Json[] };
      const before = new Map<unknown, unknown>();
      const last = new Map<unknown, unknown>();
      for (const { id, merchant_sku } of events) {
        before.set(id, last.get(merchant_sku));
        last.set(merchant_sku, id);
      }
      const { fraction, below } = seededChance(7);
      const confirmed = new Set<unknown>();
      const early: string[] = [];
      let [inFlight, most] = [0, 0];
      receiver.answer = async (message) => {
        const id = idOf(message);
        const previous = before.get(id);
        if (previous !== undefined && !confirmed.has(previous)) early.push(id);
        most = Math.max(most, ++inFlight);
        await pause(20 + below(60));
        inFlight--;
        if (fraction() < 0.05) return 500;
        confirmed.add(id);
        return 204;
      };
      await enable();
      await waitUntil('all events', PATIENCE_MS, async () => {
        // A change of the webhook ends the pause after a failure.
        if (Number((await own.foundNow(path)).failed_attempts) > 0) await own.patch(path, {});
        return confirmed.size === events.length ? true : undefined;
      });
      assert.deepEqual(early, [], 'No event arrives before the event of its SKU that precedes it is confirmed.');
      assert.deepEqual(confirmed, new Set(events.map(({ id }) => id)));
      assert.ok(most > 5 && most <= LIMITS.webhook_in_flight_max, `${most} messages at a time`);
    });
  });

  accepts('HOOK-08', 'after a failure only what is not confirmed, the first one alone', async (api) => {
    await withWebhook(api, { types: TYPES }, async ({ own, receiver, path, written, enable }) => {
      await written(15, 0);
      const first = Promise.withResolvers<string>();
      receiver.answer = async (message) => {
        first.resolve(idOf(message));
        if (idOf(message) !== (await first.promise)) return 204;
        // The others are confirmed while it fails.
        await receiver.received(15);
        return 500;
      };
      await enable();
      await waitUntil('the failed attempt', PATIENCE_MS, async () =>
        (await own.foundNow(path)).failed_attempts === 1 ? true : undefined,
      );
      await waitUntil('the retry', PATIENCE_MS, async () => (receiver.messages.length > 15 ? true : undefined));
      const ids = receiver.messages.map(idOf);
      assert.equal(new Set(ids.slice(0, 15)).size, 15);
      assert.deepEqual(ids.slice(15), [await first.promise]);
      receiver.answer = () => 204;
      await own.patch(path, {});
      await receiver.received(17);
      assert.deepEqual(receiver.messages.slice(15).map(idOf), [await first.promise, await first.promise]);
    });
  });

  accepts('HOOK-08', 'an event that belongs to no offer after all events before it', async (api) => {
    await withWebhook(api, {}, async ({ own, receiver, written, enable }) => {
      await written(5, 0);
      await own.send('POST', '/reports/ProductStatus');
      await waitUntil('the report', PATIENCE_MS, async () => {
        const { events } = (await own.foundNow('/events?types=report.ready')) as { events: Json[] };
        return events.length === 1 ? true : undefined;
      });
      await own.uploadedSku({}, 'later');
      const { events } = (await own.foundNow('/events?limit=1000')) as { events: Json[] };
      const ids = events.map(({ id }) => id);
      const place = events.findIndex(({ type }) => type === 'report.ready');
      receiver.answer = async () => {
        await pause(20);
        return 204;
      };
      await enable();
      const arrived = (await receiver.received(ids.length)).map(idOf);
      assert.deepEqual(new Set(arrived.slice(0, place)), new Set(ids.slice(0, place)));
      assert.equal(arrived[place], ids[place]);
    });
  });
}
