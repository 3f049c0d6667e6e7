/** Tests webhooks: their calls, and what a receiver gets. */
import assert from 'node:assert/strict';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { assertProblems, requestProblem } from '../harness/api-client.ts';
import { type ContractCases, describeApi, describeSharedApi, timedCases } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type Message, verifyMessage, WebhookReceiver } from '../harness/webhook-receiver.ts';
import { UNKNOWN_ID } from './fixtures/bulk-files.ts';
import { addMerchant } from './fixtures/merchant-setup.ts';
import { type Json, LOOPBACK_ALLOWED, sent, withReceiver } from './fixtures/webhooks.ts';

const DAY_MS = 86_400_000;
const PATIENCE_MS = 60_000;
/** Number of messages without a response, before another merchant's message is sent to the same host. */
const SILENT_AT_LEAST = 4;
const NOT_FOUND = requestProblem('webhook_not_found', 'No webhook with this id.');
const URL = 'https://hooks.example/events';

describeApi('webhooks', timedCases(define), LOOPBACK_ALLOWED);

describeSharedApi('webhooks to private addresses', ({ refuses }) => {
  refuses('HOOK-05', 'private addresses and localhost, in a new webhook and in a change', async (shared) => {
    const { test: api } = await addMerchant(shared);
    const { webhook_id } = await sent(api, 'POST', '/webhooks', { url: URL });
    const text = 'url: must be on the public internet, not localhost or a private IP address';
    const problem = { code: 'url_not_public', field: '/url', message: text } as const;
    for (const host of ['127.0.0.1:9', '127.1', '2130706433', '10.0.0.7', '169.254.169.254', '[::1]', 'LocalHost.']) {
      const url = `http://${host}/hook`;
      assertProblems(await api.send('POST', '/webhooks', { url }), [problem]);
      assertProblems(await api.send('PATCH', `/webhooks/${webhook_id}`, { url }), [problem]);
    }
    const { webhooks } = await api.foundNow('/webhooks');
    assert.deepEqual(
      (webhooks as Json[]).map(({ url }) => url),
      [URL],
    );
  });
});

function define({ accepts, refuses }: ContractCases): void {
  accepts('HOOK-01', 'new webhooks, reads, changes and removal; the secret is shown once', async (api) => {
    const { secret, ...webhook } = await sent(api, 'POST', '/webhooks', { url: URL, types: ['file.finished'] });
    assert.match(String(secret), /^whsec_[\w+/]{43}=$/);
    const path = `/webhooks/${webhook.webhook_id}`;
    assert.deepEqual(webhook, {
      webhook_id: webhook.webhook_id,
      url: URL,
      types: ['file.finished'],
      include: [],
      batches: false,
      enabled: true,
      disabled_reason: null,
      failed_attempts: 0,
      created: webhook.created,
    });
    assert.deepEqual(await api.foundNow(path), webhook);
    const { webhooks } = await api.foundNow('/webhooks');
    assert.deepEqual(webhooks, [webhook]);
    const changed = { ...webhook, url: `${URL}/2`, enabled: false, disabled_reason: 'Disabled by the merchant.' };
    assert.deepEqual(await sent(api, 'PATCH', path, { url: `${URL}/2`, enabled: false }), changed);
    const live = await api.inEnvironment('live');
    assertProblems(await live.get(path), [NOT_FOUND], 404);
    await api.accepted('DELETE', path, undefined);
    assertProblems(await api.get(path), [NOT_FOUND], 404);
  });
  refuses('HOOK-01', 'URLs that are not valid, unknown types and ids, and an eleventh webhook', async (api) => {
    const live = await api.inEnvironment('live');
    assert.equal((await live.send('POST', '/webhooks', { url: 'ftp://a.example/' })).status, 400);
    assert.equal((await live.send('POST', '/webhooks', { url: URL, types: ['offer.sold'] })).status, 400);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
    ] as const) {
      assertProblems(await live.send(method, `/webhooks/${UNKNOWN_ID}${path}`), [NOT_FOUND], 404);
    }
    assertProblems(await live.patch(`/webhooks/${UNKNOWN_ID}`, {}), [NOT_FOUND], 404);
    for (let count = 0; count < 10; count++) await sent(live, 'POST', '/webhooks', { url: URL });
    const full = requestProblem('webhooks_full', 'The account has reached the limit of 10 webhooks. Remove one first.');
    assertProblems(await live.send('POST', '/webhooks', { url: URL }), [full]);
  });

  accepts('HOOK-02', 'events in order, signed as Standard Webhooks; rolled secrets overlap', async (api) => {
    await withReceiver(api, async (own, receiver) => {
      const body = { url: receiver.url, types: ['offer.updated'] };
      const { webhook_id, secret } = await sent(own, 'POST', '/webhooks', body);
      const path = await own.uploadedSku({}, 'pot');
      await own.accepted('PUT', `${path}/price`, { price: 1 });
      const [first, second] = await receiver.received(2);
      assert.ok(first && second);
      const parts = [first, second].map(({ body: { type, data } }) => [type, data.merchant_sku, data.part]);
      assert.deepEqual(parts, [
        ['offer.updated', 'pot', 'sku'],
        ['offer.updated', 'pot', 'price'],
      ]);
      const verify = (key: unknown, message: Message) => verifyMessage(String(key), message);
      assert.deepEqual(verify(secret, first), first.body);
      assert.throws(() => verify(secret, { ...first, text: `${first.text} ` }));

      const rolled = await sent(own, 'POST', `/webhooks/${webhook_id}/secret`, { overlap_seconds: 600 });
      await own.accepted('PUT', `${path}/price`, { price: 2 });
      const third = (await receiver.received(3))[2];
      assert.ok(third);
      for (const key of [secret, rolled.secret]) verify(key, third);
      const together = await Promise.all(
        [300, 300].map((overlap_seconds) => sent(own, 'POST', `/webhooks/${webhook_id}/secret`, { overlap_seconds })),
      );
      await sent(own, 'POST', `/webhooks/${webhook_id}/test`);
      const tested = receiver.messages.at(-1);
      assert.ok(tested);
      for (const key of [secret, rolled.secret, ...together.map((each) => each.secret)]) verify(key, tested);
      const last = await sent(own, 'POST', `/webhooks/${webhook_id}/secret`, { overlap_seconds: 0 });
      await own.accepted('PUT', `${path}/price`, { price: 3 });
      const fourth = (await receiver.received(5))[4];
      assert.ok(fourth);
      verify(last.secret, fourth);
      assert.throws(() => verify(rolled.secret, fourth));
    });
  });

  accepts('HOOK-02', 'each event once, although a type was named twice', async (api) => {
    await withReceiver(api, async (own, receiver) => {
      const types = ['offer.updated', 'offer.updated'];
      const added = await sent(own, 'POST', '/webhooks', { url: receiver.url, types });
      const changed = await sent(own, 'PATCH', `/webhooks/${added.webhook_id}`, { types });
      const path = await own.uploadedSku({}, 'pot');
      await own.accepted('PUT', `${path}/price`, { price: 1 });
      const parts = (await receiver.received(2)).map(({ body }) => body.data.part);
      assert.deepEqual(parts, ['sku', 'price']);
      assert.deepEqual([added.types, changed.types], [['offer.updated'], ['offer.updated']]);
    });
  });

  accepts('HOOK-03', 'retries before the next event, for 3 days', async (api) => {
    using receiver = await WebhookReceiver.open();
    await withOwnServer(api.variant, LOOPBACK_ALLOWED, async (own) => {
      receiver.answer = () => 500;
      const { webhook_id } = await sent(own, 'POST', '/webhooks', { url: receiver.url, types: ['offer.updated'] });
      const path = await own.uploadedSku({}, 'pot');
      await own.accepted('PUT', `${path}/price`, { price: 1 });
      const [first, again] = await receiver.received(2);
      assert.equal(first?.headers['webhook-id'], again?.headers['webhook-id'], 'The same event is sent again.');
      receiver.answer = () => 200;
      own.server.passTime(60_000);
      const messages = await waitUntil('the next event', PATIENCE_MS, async () => {
        const parts = receiver.messages.map(({ body }) => body.data.part);
        return parts.includes('price') ? parts : undefined;
      });
      assert.deepEqual(new Set(messages.slice(0, -1)), new Set(['sku']));

      receiver.answer = () => 503;
      await own.accepted('PUT', `${path}/price`, { price: 2 });
      const webhook = () => own.foundNow(`/webhooks/${webhook_id}`);
      await waitUntil('a failed attempt', PATIENCE_MS, async () =>
        Number((await webhook()).failed_attempts) > 0 ? true : undefined,
      );
      own.server.passTime(3 * DAY_MS);
      const late = await own.inEnvironment('test');
      const disabled = await waitUntil('the webhook to be disabled', PATIENCE_MS, async () => {
        const found = await late.foundNow(`/webhooks/${webhook_id}`);
        return found.enabled === false ? found : undefined;
      });
      assert.equal(disabled.disabled_reason, 'No delivery succeeded for 3 days. The receiver returned 503.');
      receiver.answer = () => 200;
      const count = receiver.messages.length;
      await sent(late, 'PATCH', `/webhooks/${webhook_id}`, { enabled: true });
      await receiver.received(count + 1);
    });
  });

  accepts('HOOK-04', 'a test event, the log of deliveries, and a replay', async (api) => {
    await withReceiver(api, async (own, receiver) => {
      const { webhook_id } = await sent(own, 'POST', '/webhooks', { url: receiver.url, types: ['offer.updated'] });
      const path = `/webhooks/${webhook_id}`;
      /** Sends the call twice with one key: the repeat sends no message. */
      const sentOnce = async (call: string, body?: Json) => {
        const send = () => own.send('POST', `${path}/${call}`, body, { 'idempotency-key': call });
        const first = await send();
        assert.equal((await send()).text, first.text);
        return first.body as Json;
      };
      const test = await sentOnce('test');
      assert.deepEqual([test.type, test.status, test.failure], ['webhook.test', 204, null]);
      await own.uploadedSku({}, 'pot');
      const message = (await receiver.received(2))[1];
      const event_id = message?.headers['webhook-id'];
      const replayed = await sentOnce('replay', { event_id });
      assert.deepEqual([replayed.event_id, replayed.status], [event_id, 204]);
      const again = (await receiver.received(3))[2];
      assert.deepEqual([again?.text, again?.headers['webhook-id']], [message?.text, event_id]);
      const log = await waitUntil('the log', PATIENCE_MS, async () => {
        const { deliveries } = (await own.foundNow(`${path}/deliveries`)) as { deliveries: Json[] };
        return deliveries.length === 3 ? deliveries : undefined;
      });
      assert.deepEqual(new Set(log.map(({ event_id }) => event_id)), new Set([test.event_id, event_id]));
    });
  });
  refuses('HOOK-04', 'a replay of an event that does not exist', async (api) => {
    const { webhook_id } = await sent(api, 'POST', '/webhooks', { url: URL });
    const problem = requestProblem('event_not_found', 'No event with this id. Events are kept for 30 days.');
    for (const event_id of ['x', '000000000000-1-1']) {
      assertProblems(await api.send('POST', `/webhooks/${webhook_id}/replay`, { event_id }), [problem], 404);
    }
    await api.accepted('DELETE', `/webhooks/${webhook_id}`, undefined);
  });

  refuses('HOOK-04', 'a sixth test event of an account at the same time, but not that of another', async (api) => {
    await withReceiver(api, async (own, receiver, live) => {
      receiver.answer = (_, path) => (path === '/silent' ? 0 : 204);
      const silent = await sent(own, 'POST', '/webhooks', { url: receiver.url.replace('/hook', '/silent') });
      const other = await sent(live, 'POST', '/webhooks', { url: receiver.url });
      const tests = Array.from({ length: 6 }, () => own.send('POST', `/webhooks/${silent.webhook_id}/test`));
      const text = 'Too many test events and replays are being sent. Wait for one to finish.';
      assertProblems(await Promise.race(tests), [requestProblem('webhook_tests_too_many', text)], 429);
      assert.equal((await sent(live, 'POST', `/webhooks/${other.webhook_id}/test`)).status, 204);
      receiver[Symbol.dispose]();
      await Promise.all(tests);
    });
  });

  accepts('HOOK-06', "another merchant's deliveries while receivers on the same host are silent", async (api) => {
    await withReceiver(api, async (own, receiver) => {
      const closed = await WebhookReceiver.open();
      const { url } = closed;
      closed[Symbol.dispose]();
      receiver.answer = (_, path) => (path === '/silent' ? 0 : 204);
      const silent = receiver.url.replace('/hook', '/silent');
      const types = ['offer.updated'];
      for (const each of [url, ...Array<string>(9).fill(silent)])
        await sent(own, 'POST', '/webhooks', { url: each, types });
      const { live: other } = await addMerchant(own);
      await sent(other, 'POST', '/webhooks', { url: receiver.url, types });
      await own.uploadedSku({}, 'a');
      const before = (await receiver.received(SILENT_AT_LEAST)).length;
      const startedMs = performance.now();
      for (const skuId of ['b', 'c']) await other.uploadedSku({}, skuId);
      const arrived = await waitUntil('both messages', PATIENCE_MS, async () => {
        const skuIds = receiver.messages.slice(before).map(({ body }) => body.data.merchant_sku);
        return skuIds.includes('c') ? skuIds.filter((skuId) => skuId !== 'a') : undefined;
      });
      assert.deepEqual(arrived, ['b', 'c']);
      assert.ok(performance.now() - startedMs < 9_000, 'They do not wait for the timeout of the other receivers.');
      // The server would wait for the responses when it stops.
      receiver[Symbol.dispose]();
    });
  });

  accepts('HOOK-07', 'changes by keys, users and the server into the activity log, without secrets', async (api) => {
    using receiver = await WebhookReceiver.open();
    await withOwnServer(api.variant, LOOPBACK_ALLOWED, async (own) => {
      const { user } = DEMO_CREDENTIALS.test;
      const person = await PortalBrowser.merchantOf(own.server.url);
      const operator = await PortalBrowser.operatorOf(own.server.url);
      const body = { url: `${receiver.url}?token=hidden`, types: ['offer.updated'] };
      const { webhook_id } = await sent(own, 'POST', '/webhooks', body);
      const path = `/webhooks/${webhook_id}`;
      const key = { 'idempotency-key': 'roll-1' };
      for (let count = 0; count < 2; count++)
        assert.equal((await own.send('POST', `${path}/secret`, {}, key)).status, 200);
      assert.equal((await person.send('PATCH', `/test${path}`, { enabled: true })).status, 200);
      receiver.answer = () => 410;
      await own.uploadedSku({}, 'pot');
      const acts = () => operator.found<{ acts: Json[] }>('/acts').then((log) => log.acts.toReversed());
      await waitUntil('the webhook to be disabled', PATIENCE_MS, async () =>
        (await acts()).some(({ by }) => by === 'system') ? true : undefined,
      );
      await own.accepted('DELETE', path, undefined);
      assertProblems(await own.send('DELETE', path), [NOT_FOUND], 404);
      const id = `environment: test, webhook_id: ${webhook_id}`;
      const { host } = new globalThis.URL(receiver.url);
      const enabled = `${id}, host: ${host}, enabled: true`;
      const reason = 'The receiver returned 410 (Gone), so deliveries to it were stopped.';
      assert.deepEqual(
        (await acts()).map(({ by, act, subject, detail }) => [by, act, subject, detail]),
        [
          [`key ${user}`, 'addWebhook', 'demo', enabled],
          [`key ${user}`, 'rollWebhookSecret', 'demo', enabled],
          [DEMO_PEOPLE.merchant, 'changeWebhook', 'demo', enabled],
          ['system', 'disableWebhook', 'demo', `${id}, host: ${host}, reason: ${reason}`],
          [`key ${user}`, 'removeWebhook', 'demo', id],
        ],
      );
    });
  });

  // The two cases that move the clock come last. Leases keep the real clock, so a webhook that is added later would get its events late.
  refuses('HOOK-02', 'a sixth valid secret, until another one ends', async (api) => {
    const { test: own } = await addMerchant(api);
    const { webhook_id } = await sent(own, 'POST', '/webhooks', { url: URL });
    const path = `/webhooks/${webhook_id}/secret`;
    for (const overlap_seconds of [60, 600, 600, 600]) await sent(own, 'POST', path, { overlap_seconds });
    const text =
      'The webhook has reached the limit of 5 valid secrets. Wait until one expires, or set overlap_seconds to 0 to revoke all old secrets.';
    const problem = requestProblem('webhook_secrets_full', text);
    assertProblems(await own.send('POST', path, { overlap_seconds: 600 }), [problem]);
    own.server.passTime(61_000);
    await sent(own, 'POST', path, { overlap_seconds: 600 });
    assertProblems(await own.send('POST', path, {}), [problem]);
    await sent(own, 'POST', path, { overlap_seconds: 0 });
  });
  refuses('HOOK-07', 'more than 100 changes of an account in an hour', async (api) => {
    const { test: own, live } = await addMerchant(api);
    const { webhook_id } = await sent(own, 'POST', '/webhooks', { url: URL });
    const path = `/webhooks/${webhook_id}`;
    // Refused calls change nothing, and do not count.
    for (let count = 0; count < 3; count++) assert.equal((await own.patch(`/webhooks/${UNKNOWN_ID}`, {})).status, 404);
    for (let count = 1; count < 100; count++) assert.equal((await own.patch(path, {})).status, 200);
    const text =
      'Too many webhook changes: more than 100 in an hour. Retry after the number of seconds in Retry-After.';
    const refused = await own.patch(path, {});
    assertProblems(refused, [requestProblem('webhook_changes_too_many', text)], 429);
    assert.match(refused.headers.get('retry-after') ?? '', /^3[56]\d\d$/);
    assert.equal((await own.get(path)).status, 200);
    assert.equal((await live.patch(path, {})).status, 404);
    own.server.passTime(3_600_000);
    assert.equal((await own.patch(path, {})).status, 200);
  });
}
