/** POST, GET, PATCH and DELETE /webhooks, their secrets, tests, deliveries and replays; the same below /storefront, for the marketplace */
import { type Account, isMarketplace } from '../../../domain/account.ts';
import {
  NewShopWebhookBody,
  NewWebhookBody,
  ReplayBody,
  SecretRollBody,
  ShopWebhookChangeBody,
  WEBHOOK_OPTIONS,
  WebhookChangeBody,
} from '../../../domain/bodies/webhook.ts';
import { OneOf } from '../../../domain/check/schema.ts';
import { type TSchema, Type } from '../../../domain/check/type.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { type Outcome, refuseRequest } from '../../../domain/outcome.ts';
import { requestProblem } from '../../../domain/problem.ts';
import { SCOPE } from '../../../domain/setup/key-scopes.ts';
import type { Webhook, WebhookDelivery } from '../../../domain/setup/webhooks.ts';
import { EVENT_TYPES } from '../../../domain/vocabulary/event-types.ts';
import { isoTime } from '../../../domain/vocabulary/iso-time.ts';
import * as webhooks from '../../../webhooks/manage-webhooks.ts';
import { webhookAct } from '../../../webhooks/manage-webhooks.ts';
import { acceptedAnswer, NOT_KEPT } from '../../answers/answers.ts';
import {
  type ActWords,
  type Answer,
  type BadAnswer,
  endpointsOf,
  type GoodAnswer,
  type MarketplaceEndpoint,
  type MerchantCall,
} from '../../endpoint.ts';
import { limitParameter, readQuery } from '../../query.ts';

const shared = { access: 'merchant', needs: SCOPE.webhooks, tag: 'Webhooks' } as const;
const LIMIT = { min: 1, max: LIMITS.webhook_deliveries_max, fallback: 50 };
const OVERLAP_SECONDS = 86_400;

const OrNullText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const { include, batches } = WEBHOOK_OPTIONS;
const idFields = {
  webhook_id: Type.String({ description: 'Id of the webhook.' }),
  url: Type.String({ description: 'URL that receives a `POST` request for each event.' }),
};
const stateFields = {
  batches,
  enabled: Type.Boolean({ description: 'Whether events are sent to the webhook.' }),
  disabled_reason: OrNullText('Why the webhook is disabled; null while it is enabled.'),
  failed_attempts: Type.Integer({
    description: 'Number of failed attempts since the last message that was delivered.',
  }),
  created: Type.String({ format: 'date-time', description: 'When the webhook was added.' }),
};
const webhookFields = {
  ...idFields,
  types: Type.Array(OneOf(EVENT_TYPES, { description: 'An event type.' }), {
    description: 'Event types that are sent to the webhook.',
  }),
  include,
  ...stateFields,
};
const shopFields = { ...idFields, ...stateFields };
const WEBHOOK_TITLE = { title: 'Webhook', description: 'A webhook.' };
const ISSUED_TITLE = { title: 'WebhookWithSecret', description: 'A webhook with its new secret.' };
const WebhookAnswer = Type.Object(webhookFields, WEBHOOK_TITLE);
const Secret = Type.String({
  description:
    'Secret that signs the messages. Shown only in this response: a repeat with the same `Idempotency-Key` omits it. ' +
    'If you did not receive it, replace it with `POST /webhooks/{webhook_id}/secret`.',
});
const IssuedAnswer = Type.Object({ ...webhookFields, secret: Type.Optional(Secret) }, ISSUED_TITLE);
const ListAnswer = (webhook: TSchema) =>
  Type.Object({ webhooks: Type.Array(webhook, { description: 'In the order in which they were added.' }) });
const ShopAnswer = Type.Object(shopFields, { ...WEBHOOK_TITLE, title: 'StorefrontWebhook' });
const IssuedShopAnswer = Type.Object(
  {
    ...shopFields,
    secret: Type.String({ description: 'Secret that signs the messages. Shown only in this response.' }),
  },
  { ...ISSUED_TITLE, title: 'StorefrontWebhookWithSecret' },
);
const DeliveryAnswer = Type.Object(
  {
    event_id: Type.String({ description: 'Id of the event; of a batch, the id of the message.' }),
    type: Type.String({ description: 'Type of the event, `event.batch` or `webhook.test`.' }),
    events: Type.Integer({ description: 'Number of events in the message.' }),
    at: Type.String({ format: 'date-time', description: 'When the attempt was made.' }),
    attempt: Type.Integer({
      description: 'Number of the attempt since the last message that was delivered, starting at 1.',
    }),
    status: Type.Union([Type.Integer(), Type.Null()], {
      description: "HTTP status of the webhook's response; null if there was no response.",
    }),
    failure: OrNullText('Why the attempt failed; null if the event was delivered.'),
  },
  { title: 'WebhookDelivery', description: 'One attempt to deliver an event.' },
);

export const webhookEndpoints = endpointsOf(shared, {
  'POST /webhooks': {
    id: 'addWebhook',
    summary: 'Add a webhook',
    description:
      'The server sends all new events to the `url`, those of each SKU in order, signed according to the Standard Webhooks specification. ' +
      `It retries a failed delivery for ${LIMITS.webhook_retry_days} days, then disables the webhook.`,
    requestBody: NewWebhookBody,
    act,
    answer: IssuedAnswer,
    async handle({ services, account, body, newId }) {
      const ofShop = isMarketplace(account);
      if (ofShop && !services.storefront.isOn) return refuseRequest('storefront_off');
      const { checks } = services.webhooks;
      const checked: ReturnType<typeof checks.added> = ofShop ? checks.addedToShop(body) : checks.added(body);
      if (!checked.ok) return checked;
      const added = await webhooks.addWebhook(services.webhooks, account, checked.value, newId());
      return issuedAnswer(added, checked.ignored);
    },
  },
  'GET /webhooks': {
    id: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Returns all webhooks of the account with their state, never their secrets.',
    answer: ListAnswer(WebhookAnswer),
    async handle({ services, account }) {
      const list = await services.webhooks.store.webhooks.listWebhooks(account.accountId);
      return { status: 200, json: JSON.stringify({ webhooks: list.map(webhookJson) }), headers: NOT_KEPT };
    },
  },
  'GET /webhooks/{webhook_id}': {
    id: 'getWebhook',
    summary: 'Read a webhook',
    description: 'Shows whether the webhook is enabled, and why the server disabled it.',
    answer: WebhookAnswer,
    failures: [404],
    handle: async ({ services, account, targetId: webhookId }) =>
      jsonAnswer(await webhooks.findWebhook(services.webhooks, account, webhookId), webhookJson),
  },
  'PATCH /webhooks/{webhook_id}': {
    id: 'changeWebhook',
    summary: 'Change, disable or enable a webhook',
    description: 'Changes only the fields that are sent.',
    requestBody: WebhookChangeBody,
    act,
    answer: WebhookAnswer,
    failures: [404],
    async handle({ services, account, targetId: webhookId, body }) {
      const { checks } = services.webhooks;
      const ofShop = isMarketplace(account);
      const checked: ReturnType<typeof checks.changed> = ofShop ? checks.changedInShop(body) : checks.changed(body);
      if (!checked.ok) return checked;
      const { url, types, include, batches, enabled } = checked.value;
      const change = {
        ...(url === undefined ? {} : { address: url }),
        ...(types === undefined ? {} : { types }),
        ...(include === undefined ? {} : { include }),
        ...(batches === undefined ? {} : { batches }),
        ...(enabled === undefined
          ? {}
          : { disabledReason: enabled ? null : `Disabled by the ${ofShop ? 'operator' : 'merchant'}.` }),
      };
      const changed = await webhooks.changeWebhook(services.webhooks, account, webhookId, change);
      return { ...jsonAnswer(changed, webhookJson), ignored: checked.ignored };
    },
  },
  'DELETE /webhooks/{webhook_id}': {
    id: 'removeWebhook',
    summary: 'Remove a webhook and its log',
    description: 'Nothing more is sent to it. This cannot be undone; to pause a webhook, disable it.',
    act,
    failures: [404],
    handle: async ({ services, account, targetId: webhookId }) =>
      acceptedAnswer(await webhooks.removeWebhook(services.webhooks, account, webhookId)),
  },
  'POST /webhooks/{webhook_id}/secret': {
    id: 'rollWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'During the overlap, messages have a signature for each valid secret. Secrets that were replaced earlier keep their ' +
      `expiry time, unless \`overlap_seconds\` is 0. The limit is ${LIMITS.webhook_secrets_max} valid secrets.`,
    requestBody: SecretRollBody,
    act,
    answer: IssuedAnswer,
    failures: [404],
    async handle({ services, account, targetId: webhookId, body }) {
      const checked = services.webhooks.checks.rolled(body);
      if (!checked.ok) return checked;
      const { overlap_seconds = OVERLAP_SECONDS } = checked.value;
      const rolled = await webhooks.rollSecret(services.webhooks, account, webhookId, overlap_seconds);
      return issuedAnswer(rolled, checked.ignored);
    },
  },
  'POST /webhooks/{webhook_id}/test': {
    id: 'testWebhook',
    summary: 'Send a test event',
    description: 'Sends an event of type `webhook.test` immediately and returns the result.',
    answer: DeliveryAnswer,
    failures: [404],
    unhurried: true,
    handle: ({ services, account, targetId: webhookId }) =>
      sendNow(account, () => webhooks.testWebhook(services.webhooks, account, webhookId)),
  },
  'POST /webhooks/{webhook_id}/replay': {
    id: 'replayEvent',
    summary: 'Send an event again',
    description: 'Sends the event immediately, whether or not it was delivered before, and returns the result.',
    requestBody: ReplayBody,
    answer: DeliveryAnswer,
    failures: [404],
    unhurried: true,
    async handle({ services, account, targetId: webhookId, body }) {
      const checked = services.webhooks.checks.replayed(body);
      if (!checked.ok) return checked;
      const { event_id } = checked.value;
      const answer = await sendNow(account, () =>
        webhooks.replayEvent(services.webhooks, account, webhookId, event_id),
      );
      return { ...answer, ignored: checked.ignored };
    },
  },
  'GET /webhooks/{webhook_id}/deliveries': {
    id: 'listDeliveries',
    summary: 'List delivery attempts to a webhook, newest first',
    description: 'Use it to find out why your server did not accept an event.',
    query: { limit: limitParameter(LIMIT) },
    answer: Type.Object({ deliveries: Type.Array(DeliveryAnswer, { description: 'Newest first.' }) }),
    failures: [404],
    async handle({ services, account, targetId: webhookId, query }) {
      const page = readQuery(query, (reading) => ({ limit: reading.wholeNumber('limit', LIMIT) }));
      if ('problems' in page) return page;
      const found = await webhooks.findWebhook(services.webhooks, account, webhookId);
      if (!found.ok) return found;
      const deliveries = await services.webhooks.store.webhooks.listDeliveries(
        account.accountId,
        webhookId,
        page.limit,
      );
      return { status: 200, json: JSON.stringify({ deliveries: deliveries.map(deliveryJson) }), headers: NOT_KEPT };
    },
  },
});

/** What differs in the calls of the marketplace. */
const SHOP_CALLS: Readonly<Record<string, Partial<MarketplaceEndpoint>>> = {
  addWebhook: {
    description:
      'The server sends all new changes of `GET /storefront/events` to the `url` as events of type `product.changed`, those of each ' +
      'product in order, signed according to the Standard Webhooks specification. It retries a failed delivery for ' +
      `${LIMITS.webhook_retry_days} days, then disables the webhook.`,
    requestBody: NewShopWebhookBody,
    answer: IssuedShopAnswer,
  },
  listWebhooks: { answer: ListAnswer(ShopAnswer) },
  getWebhook: { answer: ShopAnswer },
  changeWebhook: { requestBody: ShopWebhookChangeBody, answer: ShopAnswer },
  rollWebhookSecret: { answer: IssuedShopAnswer },
};

/** The calls of the marketplace. A webhook outlives the key that added it, so reading the storefront is not enough. */
export const storefrontWebhookEndpoints: readonly MarketplaceEndpoint[] = webhookEndpoints.map((endpoint) => ({
  ...endpoint,
  ...SHOP_CALLS[endpoint.id],
  id: endpoint.id.replace(/^[a-z]+/, '$&Storefront'),
  path: `/storefront${endpoint.path}`,
  access: 'marketplace',
  needs: SCOPE.storefront | SCOPE.operate,
  act:
    endpoint.act === undefined
      ? 'none'
      : ({ environment, targetId }, answer) => actWords({ merchantId: '', environment }, targetId, answer),
  handle: (call) => endpoint.handle(call as unknown as MerchantCall),
}));

/** How many test events and replays this process sends at once, for one account and for all. Each may take 10 seconds. */
const SENDING_MAX = 5;
const ALL_SENDING_MAX = 100;
/** The account of each message that is being sent. */
const sending: number[] = [];

async function sendNow({ accountId }: Account, send: () => Promise<Outcome<WebhookDelivery>>): Promise<Answer> {
  const own = sending.filter((each) => each === accountId).length;
  if (own >= SENDING_MAX || sending.length >= ALL_SENDING_MAX) return refuseTests();
  sending.push(accountId);
  try {
    return jsonAnswer(await send(), deliveryJson);
  } finally {
    sending.splice(sending.indexOf(accountId), 1);
  }
}

export function refuseTests(): BadAnswer {
  const text = 'Too many test events and replays are being sent. Wait for one to finish.';
  return { problems: [requestProblem('webhook_tests_too_many', text)] };
}

function act({ account, targetId }: MerchantCall, answer: GoodAnswer): ActWords {
  return actWords(account, targetId, answer);
}

/** The response to a removal has no body, so the id comes from the URL. */
function actWords(owner: Parameters<typeof webhookAct>[0], webhookId: string, { json }: GoodAnswer): ActWords {
  return webhookAct(owner, json === undefined ? { webhook_id: webhookId } : JSON.parse(json));
}

function issuedAnswer(outcome: Outcome<webhooks.IssuedSecret>, ignored: readonly string[]): Answer {
  if (!outcome.ok) return { ...outcome, ignored };
  const { webhook, secret } = outcome.value;
  const shown = webhookJson(webhook);
  const repeatedJson = JSON.stringify(shown);
  return { status: 200, json: JSON.stringify({ ...shown, secret }), repeatedJson, headers: NOT_KEPT, ignored };
}

function jsonAnswer<T>(outcome: Outcome<T>, toJson: (value: T) => object): Answer {
  return outcome.ok ? { status: 200, json: JSON.stringify(toJson(outcome.value)), headers: NOT_KEPT } : outcome;
}

function webhookJson(webhook: Webhook) {
  const { webhookId, shop, address, types, include, batches, disabledReason, attempts, createdMs } = webhook;
  return {
    webhook_id: webhookId,
    url: address,
    ...(shop === null ? { types, include } : {}),
    batches,
    enabled: disabledReason === null,
    disabled_reason: disabledReason,
    failed_attempts: attempts,
    created: isoTime(createdMs),
  };
}

function deliveryJson({ eventId, type, events, atMs, attempt, status, failure }: WebhookDelivery) {
  return { event_id: eventId, type, events, at: isoTime(atMs), attempt, status, failure };
}
