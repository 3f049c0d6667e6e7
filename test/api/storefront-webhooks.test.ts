/** Tests webhooks of the marketplace: their calls, and which changes of the storefront a receiver gets, in which order. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { SCOPE } from '../../src/domain/setup/key-scopes.ts';
import { type ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { type ContractCases, describeApi, timedCases } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { seededChance } from '../harness/seeded-random.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type Message, verifyMessage, WebhookReceiver } from '../harness/webhook-receiver.ts';
import { UNKNOWN_ID } from './fixtures/bulk-files.ts';
import { addMerchant, EAST, flatNode } from './fixtures/merchant-setup.ts';
import { newEan, product, sell, shopOf } from './fixtures/shop.ts';

const PATIENCE_MS = 60_000;
const HOOKS = '/storefront/webhooks';
const URL = 'https://hooks.example/changes';
const BOTH = SCOPE.storefront | SCOPE.operate;
const NOT_FOUND = requestProblem('webhook_not_found', 'No webhook with this id.');
const OFF = requestProblem('storefront_off', 'The marketplace has not turned on the storefront (STOREFRONT).');

type Json = Readonly<Record<string, unknown>>;

interface Change {
  readonly id: string;
  readonly code: string;
  readonly change: { readonly offers_changed: readonly Json[] };
}

async function sent(api: ApiClient, method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await api.send(method, path, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as Json;
}

/** A server that may send to loopback, a key of its marketplace, and a receiver. */
async function withReceiver(
  api: ApiClient,
  run: (own: ApiClient, shop: ApiClient, receiver: WebhookReceiver) => Promise<void>,
): Promise<void> {
  using receiver = await WebhookReceiver.open();
  await withOwnServer(api.variant, { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }, async (own) =>
    run(own, await shopOf(own, 'test', BOTH), receiver),
  );
}

/** Reads the changes after a cursor, once there are as many or more. */
async function changesAfter(shop: ApiClient, cursor: string, least: number): Promise<readonly Change[]> {
  return waitUntil(`${least} changes`, PATIENCE_MS, async () => {
    const { events } = (await shop.foundNow(`/storefront/events?limit=1000&after=${cursor}`)) as { events: Change[] };
    return events.length >= least ? events : undefined;
  });
}

async function latest(shop: ApiClient): Promise<string> {
  return String((await shop.foundNow('/storefront/events?after=latest')).next);
}

const idOf = ({ headers }: Message) => String(headers['webhook-id']);

describeApi('webhooks of the marketplace', timedCases(define));

function define({ accepts, refuses }: ContractCases): void {
  accepts('SHOP-10', 'new webhooks, reads, changes and removal, apart from those of merchants', async (api) => {
    const shop = await shopOf(api, 'test', BOTH);
    const { secret, ...webhook } = await sent(shop, 'POST', HOOKS, { url: URL });
    assert.match(String(secret), /^whsec_[\w+/]{43}=$/);
    const path = `${HOOKS}/${webhook.webhook_id}`;
    assert.deepEqual(webhook, {
      webhook_id: webhook.webhook_id,
      url: URL,
      batches: false,
      enabled: true,
      disabled_reason: null,
      failed_attempts: 0,
      created: webhook.created,
    });
    assert.deepEqual(await shop.foundNow(path), webhook);
    assert.deepEqual(await shop.foundNow(HOOKS), { webhooks: [webhook] });
    assert.deepEqual(await api.foundNow('/webhooks'), { webhooks: [] });
    const live = await shopOf(api, 'live', BOTH);
    assert.deepEqual(await live.foundNow(HOOKS), { webhooks: [] });
    assertProblems(await live.get(path), [NOT_FOUND], 404);
    assertProblems(await api.get(`/webhooks/${webhook.webhook_id}`), [NOT_FOUND], 404);
    const changed = { ...webhook, batches: true, enabled: false, disabled_reason: 'Disabled by the operator.' };
    assert.deepEqual(await sent(shop, 'PATCH', path, { batches: true, enabled: false }), changed);
    assert.deepEqual(await shop.foundNow(`${path}/deliveries`), { deliveries: [] });
    await shop.accepted('DELETE', path, undefined);
    assertProblems(await shop.get(path), [NOT_FOUND], 404);
  });
  refuses('SHOP-10', 'invalid URLs, unknown ids, an eleventh webhook, and a storefront that is off', async (api) => {
    const shop = await shopOf(api, 'test', BOTH);
    const local = 'url: must be on the public internet, not localhost or a private IP address';
    const notPublic = { code: 'url_not_public', field: '/url', message: local } as const;
    assertProblems(await shop.send('POST', HOOKS, { url: 'http://127.0.0.1/' }), [notPublic]);
    assertProblems(await shop.patch(`${HOOKS}/${UNKNOWN_ID}`, {}), [NOT_FOUND], 404);
    for (const call of ['secret', 'test', 'replay']) {
      const body = call === 'replay' ? { event_id: 'x' } : {};
      assertProblems(await shop.send('POST', `${HOOKS}/${UNKNOWN_ID}/${call}`, body), [NOT_FOUND], 404);
    }
    const added = await shop.send('POST', HOOKS, { url: URL, types: ['offer.updated'], include: ['changes'] });
    assert.equal(added.headers.get('x-ignored-fields'), '%2Ftypes, %2Finclude');
    for (let count = 1; count < 10; count++) await sent(shop, 'POST', HOOKS, { url: URL });
    const full = requestProblem('webhooks_full', 'The account has reached the limit of 10 webhooks. Remove one first.');
    assertProblems(await shop.send('POST', HOOKS, { url: URL }), [full]);
    await withOwnServer(api.variant, { STOREFRONT: 'off' }, async (own) => {
      const closed = await shopOf(own, 'test', BOTH);
      assertProblems(await closed.send('POST', HOOKS, { url: URL }), [OFF], 404);
      assert.deepEqual(await closed.foundNow(HOOKS), { webhooks: [] });
    });
  });

  accepts(
    'SHOP-11',
    'all changes of all merchants, those of a product in order, also from a failing server',
    async (api) => {
      await withReceiver(api, async (own, shop, receiver) => {
        const { test: other } = await addMerchant(own, {}, ({ settings }, { test }) =>
          settings.putNode(test, flatNode(EAST)),
        );
        const eans = [newEan(), newEan(), newEan()];
        const paths = await Promise.all(
          eans.map((ean, index) => sell(index === 2 ? other : own, `pot-${index}`, ean, { price: 1 })),
        );
        for (const ean of eans) await product(shop, ean, 1);
        const start = await latest(shop);
        const { webhook_id, secret } = await sent(shop, 'POST', HOOKS, { url: receiver.url });
        const { fraction, below } = seededChance(11);
        const [confirmed, inFlight] = [new Map<string, Message>(), new Set<unknown>()];
        const early: string[] = [];
        receiver.answer = async (message) => {
          const { code } = message.body.data;
          if (inFlight.has(code)) early.push(idOf(message));
          inFlight.add(code);
          await pause(below(50));
          inFlight.delete(code);
          if (fraction() < 0.1) return 500;
          confirmed.set(idOf(message), message);
          return 204;
        };
        for (let price = 2; price <= 6; price++) {
          await Promise.all(
            paths.map((path, index) => (index === 2 ? other : own).accepted('PUT', `${path}/price`, { price })),
          );
          // The projection stores what it finds, so each price is waited for.
          await waitUntil(`the price ${price}`, PATIENCE_MS, async () => {
            const found = await Promise.all(eans.map((ean) => product(shop, ean, 1)));
            return found.every(({ offers }) => offers[0]?.price === price) ? true : undefined;
          });
        }
        const changes = await changesAfter(shop, start, eans.length * 5);
        const path = `${HOOKS}/${webhook_id}`;
        await waitUntil('all changes', PATIENCE_MS, async () => {
          // A change of the webhook ends the pause after a failure.
          if (Number((await shop.foundNow(path)).failed_attempts) > 0) await shop.patch(path, {});
          return confirmed.size === changes.length ? true : undefined;
        });
        assert.deepEqual(early, []);
        for (const codes of Map.groupBy(changes, ({ code }) => code).values()) {
          const ids = codes.map(({ id }) => id);
          assert.deepEqual(
            [...confirmed.keys()].filter((id) => ids.includes(id)),
            ids,
          );
        }
        for (const { id, code, change } of changes) {
          const message = confirmed.get(id) ?? assert.fail(id);
          assert.deepEqual([message.body.type, message.body.data], ['product.changed', { code, change }]);
          assert.deepEqual(verifyMessage(String(secret), message), message.body);
        }
        const merchants = new Set(
          changes.flatMap(({ change }) => change.offers_changed.map((offer) => offer.merchant_id)),
        );
        assert.equal(merchants.size, 2);
      });
    },
  );

  accepts('SHOP-11', 'batches with the changes as the log has them, a test event, and a replay', async (api) => {
    await withReceiver(api, async (own, shop, receiver) => {
      const { webhook_id } = await sent(shop, 'POST', HOOKS, { url: receiver.url, batches: true });
      const path = `${HOOKS}/${webhook_id}`;
      assert.equal((await sent(shop, 'PATCH', path, { enabled: false })).enabled, false);
      const start = await latest(shop);
      const [one, two] = [newEan(), newEan()];
      await sell(own, 'pot-1', one);
      await sell(own, 'pot-2', two);
      for (const ean of [one, two]) await product(shop, ean, 1);
      const changes = await changesAfter(shop, start, 2);
      await sent(shop, 'PATCH', path, { enabled: true });
      const [batch] = await receiver.received(1);
      assert.deepEqual([batch?.body.type, batch?.body.data], ['event.batch', { events: changes }]);
      const test = await sent(shop, 'POST', `${path}/test`);
      assert.deepEqual([test.type, test.status], ['webhook.test', 204]);
      const event_id = changes[0]?.id;
      await sent(shop, 'POST', `${path}/replay`, { event_id });
      assert.deepEqual((await receiver.received(3))[2]?.body.data, { events: changes.slice(0, 1) });
      await sent(shop, 'PATCH', path, { batches: false });
      const replayed = await sent(shop, 'POST', `${path}/replay`, { event_id });
      assert.deepEqual([replayed.event_id, replayed.type, replayed.status], [event_id, 'product.changed', 204]);
    });
  });
  refuses('SHOP-11', 'a replay of a change that does not exist', async (api) => {
    const shop = await shopOf(api, 'live', BOTH);
    const { webhook_id } = await sent(shop, 'POST', HOOKS, { url: URL });
    const problem = requestProblem('event_not_found', 'No event with this id. Events are kept for 30 days.');
    for (const event_id of ['x', '000000000000-1-0', '000000000000-0-0', '000000000000-1-1']) {
      assertProblems(await shop.send('POST', `${HOOKS}/${webhook_id}/replay`, { event_id }), [problem], 404);
    }
    await shop.accepted('DELETE', `${HOOKS}/${webhook_id}`, undefined);
  });

  accepts('SHOP-10', 'changes by a key and by the server into the activity log, without secrets', async (api) => {
    await withReceiver(api, async (own, shop, receiver) => {
      const operator = await PortalBrowser.operatorOf(own.server.url);
      const { webhook_id } = await sent(shop, 'POST', HOOKS, { url: `${receiver.url}?token=hidden` });
      const path = `${HOOKS}/${webhook_id}`;
      await sent(shop, 'POST', `${path}/secret`, {});
      await sent(shop, 'POST', `${path}/test`);
      receiver.answer = () => 410;
      await sell(own, 'gone', newEan());
      const acts = () => operator.found<{ acts: Json[] }>('/acts').then((log) => log.acts.toReversed());
      await waitUntil('the webhook to be disabled', PATIENCE_MS, async () =>
        (await acts()).some(({ by }) => by === 'system') ? true : undefined,
      );
      await shop.accepted('DELETE', path, undefined);
      const id = `environment: test, webhook_id: ${webhook_id}`;
      const host = `${id}, host: ${new globalThis.URL(receiver.url).host}`;
      const reason = 'The receiver returned 410 (Gone), so deliveries to it were stopped.';
      assert.deepEqual(
        (await acts()).map(({ act, subject, detail }) => [act, subject, detail]),
        [
          ['addStorefrontWebhook', 'marketplace', `${host}, enabled: true`],
          ['rollStorefrontWebhookSecret', 'marketplace', `${host}, enabled: true`],
          ['disableWebhook', 'marketplace', `${host}, reason: ${reason}`],
          ['removeStorefrontWebhook', 'marketplace', id],
        ],
      );
    });
  });
}
