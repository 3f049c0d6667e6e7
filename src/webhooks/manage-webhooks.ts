/** Use cases: a merchant or the marketplace adds, changes, tests and removes webhooks, rolls their secrets, and replays events. */
import { randomUUID } from 'node:crypto';
import { type Account, isMarketplace } from '../domain/account.ts';
import type { Included } from '../domain/event-changes.ts';
import { LIMITS } from '../domain/limits.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../domain/outcome.ts';
import { requestProblem } from '../domain/problem.ts';
import type { Webhook, WebhookChange, WebhookDelivery, WebhookSecret } from '../domain/setup/webhooks.ts';
import { EVENT_TYPES, type EventType } from '../domain/vocabulary/event-types.ts';
import type { WebhookStore } from '../store/port/webhooks.ts';
import { batchOf, deliveryOf, type Message, messageOf, sendMessage } from './messages.ts';
import { newSecret } from './signature.ts';
import type { WebhookClient } from './webhook-client.ts';
import type { WebhookFeed } from './webhook-feed.ts';

export interface WebhookContext {
  readonly store: { readonly webhooks: WebhookStore };
  readonly feed: WebhookFeed;
  readonly client: WebhookClient;
  readonly nowMs: () => number;
}

export interface IssuedSecret {
  readonly webhook: Webhook;
  /** Shown to the merchant only once. */
  readonly secret: string;
}

const SECOND_MS = 1000;
const SECRETS_FULL = requestProblem(
  'webhook_secrets_full',
  `The webhook has reached the limit of ${LIMITS.webhook_secrets_max} valid secrets. Wait until one expires, or set overlap_seconds to 0 to revoke all old secrets.`,
);

interface Added {
  readonly url: string;
  readonly types?: readonly EventType[] | undefined;
  readonly include?: readonly Included[] | undefined;
  readonly batches?: boolean | undefined;
}

/** Adds a webhook, which gets all events from now on. */
export async function addWebhook(
  { store, feed, nowMs }: WebhookContext,
  account: Account,
  { url, types = EVENT_TYPES, include = [], batches = false }: Added,
  webhookId: string,
): Promise<Outcome<IssuedSecret>> {
  const { accountId } = account;
  const shop = isMarketplace(account) ? account.environment : null;
  const webhook: Webhook = {
    accountId,
    webhookId,
    shop,
    address: url,
    types: withoutRepeats(types),
    include,
    batches,
    secrets: [{ secret: newSecret(), endsMs: null }],
    createdMs: nowMs(),
    disabledReason: null,
    position: await feed.endOf({ accountId, shop }),
    attempts: 0,
    failingSinceMs: null,
    dueMs: nowMs(),
  };
  const added = await store.webhooks.addWebhook(webhook, LIMITS.webhooks_max);
  if (added === 'full') {
    const text = `The account has reached the limit of ${LIMITS.webhooks_max} webhooks. Remove one first.`;
    return refuseRequest('webhooks_full', text);
  }
  const [{ secret }] = added.secrets as [WebhookSecret];
  return accept({ webhook: added, secret });
}

export async function findWebhook(
  { store }: WebhookContext,
  { accountId }: Account,
  webhookId: string,
): Promise<Outcome<Webhook>> {
  const found = (await store.webhooks.listWebhooks(accountId)).find((webhook) => webhook.webhookId === webhookId);
  return found === undefined ? unknownWebhook() : accept(found);
}

export async function changeWebhook(
  { store }: WebhookContext,
  { accountId }: Account,
  webhookId: string,
  change: WebhookChange,
): Promise<Outcome<Webhook>> {
  const types = change.types && { types: withoutRepeats(change.types) };
  const changed = await store.webhooks.changeWebhook(accountId, webhookId, { ...change, ...types });
  if (changed === 'full') return refuse([SECRETS_FULL]);
  return changed === undefined ? unknownWebhook() : accept(changed);
}

/** Adds a new secret. Old secrets also sign messages until their overlap ends. */
export async function rollSecret(
  context: WebhookContext,
  account: Account,
  webhookId: string,
  overlap_seconds: number,
): Promise<Outcome<IssuedSecret>> {
  const secret = newSecret();
  const nowMs = context.nowMs();
  const roll = { secret, nowMs, endsMs: nowMs + overlap_seconds * SECOND_MS };
  const changed = await changeWebhook(context, account, webhookId, { roll });
  return changed.ok ? accept({ webhook: changed.value, secret }) : changed;
}

export async function removeWebhook(
  { store }: WebhookContext,
  { accountId }: Account,
  webhookId: string,
): Promise<Outcome<undefined>> {
  const removed = await store.webhooks.removeWebhook(accountId, webhookId);
  return removed === 'unknown' ? unknownWebhook() : accept(undefined);
}

/** Sends a message that belongs to no event, whether or not the webhook is enabled. */
export async function testWebhook(
  context: WebhookContext,
  account: Account,
  webhookId: string,
): Promise<Outcome<WebhookDelivery>> {
  const found = await findWebhook(context, account, webhookId);
  if (!found.ok) return found;
  const type = 'webhook.test';
  const body = JSON.stringify({ type, timestamp: new Date(context.nowMs()).toISOString(), data: {} });
  return sendNow(context, found.value, { id: `test-${randomUUID()}`, type, body, events: [] });
}

/** Sends an event again, whether or not it was delivered. */
export async function replayEvent(
  context: WebhookContext,
  account: Account,
  webhookId: string,
  eventId: string,
): Promise<Outcome<WebhookDelivery>> {
  const found = await findWebhook(context, account, webhookId);
  if (!found.ok) return found;
  const event = await context.feed.findEvent(found.value, eventId);
  if (event === undefined) {
    return refuseRequest('event_not_found', `No event with this id. Events are kept for ${LIMITS.event_days} days.`);
  }
  return sendNow(context, found.value, found.value.batches ? batchOf([event]) : messageOf(event));
}

async function sendNow(
  { store, client, nowMs }: WebhookContext,
  webhook: Webhook,
  message: Message,
): Promise<Outcome<WebhookDelivery>> {
  const sent = await sendMessage(client, webhook, message, { nowMs: nowMs() });
  const delivery = deliveryOf(message, sent, 1, nowMs());
  await store.webhooks.logDelivery(webhook.accountId, webhook.webhookId, delivery);
  return accept(delivery);
}

/** Events are looked up once per type, so a type that is listed twice would send its events twice. */
function withoutRepeats(types: readonly EventType[]): readonly EventType[] {
  return [...new Set(types)];
}

function unknownWebhook() {
  return refuseRequest('webhook_not_found');
}

interface Changed {
  readonly webhook_id: string;
  /** Only the host of the URL is shown, because the rest may contain secrets. */
  readonly url?: string;
  readonly enabled?: boolean;
  readonly reason?: string;
}

/** Describes a change to a webhook in the activity log. */
export function webhookAct(
  account: Pick<Account, 'merchantId' | 'environment'>,
  { webhook_id, url, enabled, reason }: Changed,
): { readonly subject: string; readonly detail: string } {
  const { merchantId, environment } = account;
  const host = url === undefined ? undefined : new URL(url).host;
  const fields = Object.entries({ environment, webhook_id, host, enabled, reason });
  const detail = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])).join(', ');
  const subject = isMarketplace(account) ? 'marketplace' : merchantId;
  return { subject, detail: detail.slice(0, LIMITS.act_detail_characters_max) };
}
