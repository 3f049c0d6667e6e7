/** Tests the settings of webhooks: batches of events, and events with their changes. */
import assert from 'node:assert/strict';
import { LIMITS } from '../../src/domain/limits.ts';
import { type ApiClient, assertProblems, minimalSku, skuPath } from '../harness/api-client.ts';
import { type ContractCases, describeApi, timedCases } from '../harness/contract-cases.ts';
import { toNeutral } from '../harness/spellings.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type Message, verifyMessage } from '../harness/webhook-receiver.ts';
import { type Json, LOOPBACK_ALLOWED, sent, withReceiver } from './fixtures/webhooks.ts';

const PATIENCE_MS = 60_000;
const TYPES = ['offer.updated'];

function eventsIn({ body }: Message): readonly Json[] {
  return body.type === 'event.batch' ? (body.data.events as readonly Json[]) : assert.fail('It is no batch.');
}

/** Adds SKUs while the webhook is off. */
async function addSkus(api: ApiClient, path: string, from: number, to: number): Promise<void> {
  await sent(api, 'PATCH', path, { enabled: false });
  const skuIds = Array.from({ length: to - from }, (_, index) => `sku-${from + index}`);
  await Promise.all(skuIds.map((skuId) => api.accepted('PUT', skuPath(skuId), minimalSku())));
  await sent(api, 'PATCH', path, { enabled: true });
}

describeApi('settings of webhooks', timedCases(define), LOOPBACK_ALLOWED);

function define({ accepts, refuses }: ContractCases): void {
  accepts('HOOK-09', 'batches of up to 100 events in the order of the feed, signed', async (api) => {
    await withReceiver(api, async (own, receiver) => {
      const added = await sent(own, 'POST', '/webhooks', { url: receiver.url, types: TYPES, batches: true });
      assert.equal(added.batches, true);
      const path = `/webhooks/${added.webhook_id}`;
      const most = LIMITS.webhook_batch_events_max;
      await addSkus(own, path, 0, most);
      assert.deepEqual(
        (await receiver.received(1)).map((message) => eventsIn(message).length),
        [most],
      );
      await addSkus(own, path, most, 2 * most + 1);
      const messages = await receiver.received(3);
      assert.deepEqual(
        messages.map((message) => eventsIn(message).length),
        [most, most, 1],
      );
      const { events } = (await own.foundNow(`/events?types=${TYPES}&limit=1000`)) as { events: Json[] };
      assert.deepEqual(messages.flatMap(eventsIn), events);
      for (const [index, message] of messages.entries()) {
        assert.deepEqual(verifyMessage(String(added.secret), message), message.body);
        assert.equal((message.body as unknown as Json).timestamp, eventsIn(message).at(-1)?.at);
        assert.match(String(message.headers['webhook-id']), /^batch-[0-9a-f]{24}$/);
        assert.equal(
          index,
          messages.findIndex(({ headers }) => headers['webhook-id'] === message.headers['webhook-id']),
        );
      }
      const { deliveries } = (await own.foundNow(`${path}/deliveries`)) as { deliveries: Json[] };
      assert.deepEqual(
        deliveries.map(({ event_id, type, events, failure }) => [event_id, type, events, failure]),
        messages
          .map((message) => [message.headers['webhook-id'], 'event.batch', eventsIn(message).length, null])
          .toReversed(),
      );
    });
  });

  accepts('HOOK-09', 'a failed batch again as a whole', async (api) => {
    await withReceiver(api, async (own, receiver) => {
      receiver.answer = () => 500;
      const added = await sent(own, 'POST', '/webhooks', { url: receiver.url, types: TYPES, batches: true });
      const path = `/webhooks/${added.webhook_id}`;
      await addSkus(own, path, 0, 3);
      await waitUntil('the failed attempt', PATIENCE_MS, async () =>
        (await own.foundNow(path)).failed_attempts === 1 ? true : undefined,
      );
      receiver.answer = () => 204;
      await sent(own, 'PATCH', path, {});
      const [first, again] = await receiver.received(2);
      assert.ok(first && again);
      assert.deepEqual([again.text, again.headers['webhook-id']], [first.text, first.headers['webhook-id']]);
    });
  });

  accepts('HOOK-09', 'batches that end before 256 KiB', async (api) => {
    await withReceiver(api, async (own, receiver) => {
      const body = { url: receiver.url, types: TYPES, batches: true, include: ['changes'] };
      const path = `/webhooks/${(await sent(own, 'POST', '/webhooks', body)).webhook_id}`;
      await sent(own, 'PATCH', path, { enabled: false });
      const [count, long] = [40, { product_description: 'é'.repeat(2000), bullets: Array(5).fill('é'.repeat(500)) }];
      const skuIds = Array.from({ length: count }, (_, index) => `sku-${index}`);
      await Promise.all(skuIds.map((skuId) => own.accepted('PUT', skuPath(skuId), { ...minimalSku(), ...long })));
      await sent(own, 'PATCH', path, { enabled: true });
      await waitUntil('all events', PATIENCE_MS, async () =>
        receiver.messages.flatMap(eventsIn).length === count ? true : undefined,
      );
      const lengths = receiver.messages.map(({ text }) => Buffer.byteLength(text));
      const envelope = 200;
      assert.ok(lengths.length > 1 && Math.max(...lengths) < LIMITS.webhook_batch_bytes_max + envelope, `${lengths}`);
      assert.ok((lengths[0] ?? 0) > LIMITS.webhook_batch_bytes_max - 20_000, `${lengths}`);
    });
  });

  accepts(
    'HOOK-09',
    'events with their changes, also in a replay, and single events after the batches are off',
    async (api) => {
      await withReceiver(api, async (own, receiver) => {
        const body = { url: receiver.url, types: TYPES, include: ['changes'] };
        const added = await sent(own, 'POST', '/webhooks', body);
        assert.deepEqual([added.include, added.batches], [['changes'], false]);
        const path = `/webhooks/${added.webhook_id}`;
        await own.uploadedSku({}, 'pot');
        const [message] = await receiver.received(1);
        const changes = [{ pointer: '/sku', before: null, after: { ...minimalSku(), prop_65: false } }];
        const neutral = (data: unknown) => JSON.parse(toNeutral(own.variant, JSON.stringify(data)));
        assert.deepEqual(neutral(message?.body.data.changes), changes);
        const event_id = message?.headers['webhook-id'];
        await sent(own, 'POST', `${path}/replay`, { event_id });
        assert.equal(receiver.messages[1]?.text, message?.text);
        assert.equal((await sent(own, 'PATCH', path, { batches: true })).batches, true);
        await sent(own, 'POST', `${path}/replay`, { event_id });
        assert.deepEqual(
          eventsIn(receiver.messages[2] as Message).map(({ id, changes }) => [id, neutral(changes)]),
          [[event_id, changes]],
        );
        const changed = await sent(own, 'PATCH', path, { batches: false, include: [] });
        assert.deepEqual([changed.batches, changed.include], [false, []]);
        await own.accepted('PUT', `${skuPath('pot')}/price`, { price: 1 });
        const last = (await receiver.received(4))[3];
        assert.deepEqual(
          [last?.body.type, last?.body.data.part, last?.body.data.changes],
          ['offer.updated', 'price', undefined],
        );
      });
    },
  );

  refuses('HOOK-09', 'settings that are not valid', async (api) => {
    const url = 'https://hooks.example/events';
    const { webhook_id } = await sent(api, 'POST', '/webhooks', { url });
    for (const [body, problem] of [
      [{ batches: 'on' }, { code: 'wrong_type', field: '/batches', message: 'batches: must be true or false' }],
      [
        { include: ['values'] },
        { code: 'not_allowed', field: '/include/0', message: 'include[0]: must be exactly changes' },
      ],
      [
        { include: ['changes', 'changes'] },
        { code: 'too_many', field: '/include', message: 'include: must have at most 1 entry' },
      ],
    ] as const) {
      assertProblems(await api.send('POST', '/webhooks', { url, ...body }), [problem]);
      assertProblems(await api.send('PATCH', `/webhooks/${webhook_id}`, body), [problem]);
    }
    await api.accepted('DELETE', `/webhooks/${webhook_id}`, undefined);
  });
}
