/** Describes the bodies of the calls for webhooks. */
import { HttpUrl, OneOf, Text, Whole } from '../check/schema.ts';
import { Type } from '../check/type.ts';
import { INCLUDED } from '../event-changes.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { EVENT_TYPES } from '../vocabulary/event-types.ts';
import { type BodyCheck, type BodyRules, createBodyCheck } from './body-check.ts';

const Address = HttpUrl({ description: 'URL that receives a `POST` request for each event.' });
const NOT_PUBLIC = 'must be on the public internet, not localhost or a private IP address';
const Types = Type.Array(OneOf(EVENT_TYPES, { title: 'EventType', description: 'An event type.' }), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: 'Event types to send. The default is all types.',
});

/** Shared with the answers. */
export const WEBHOOK_OPTIONS = {
  include: Type.Array(OneOf(INCLUDED, { description: 'Additional data in events.' }), {
    maxItems: INCLUDED.length,
    description: '`changes`: events of offers show which fields changed, as `GET /events?include=changes` does.',
  }),
  batches: Type.Boolean({
    description: `\`true\` sends up to ${LIMITS.webhook_batch_events_max} events in one message of the type \`event.batch\`, in order.`,
  }),
};
const { include, batches } = WEBHOOK_OPTIONS;

const chosen = { types: Type.Optional(Types), include: Type.Optional(include) };
const added = { url: Address, batches: Type.Optional(batches) };
const changed = {
  url: Type.Optional(Address),
  batches: Type.Optional(batches),
  enabled: Type.Optional(
    Type.Boolean({
      description: '`false` stops deliveries. `true` resumes them with the first event that was not delivered.',
    }),
  ),
};

export const NewWebhookBody = Type.Object({ ...added, ...chosen });
export const WebhookChangeBody = Type.Object({ ...changed, ...chosen });
/** Webhooks of the marketplace get all changes of the storefront. */
export const NewShopWebhookBody = Type.Object(added);
export const ShopWebhookChangeBody = Type.Object(changed);
export const SecretRollBody = Type.Object({
  overlap_seconds: Type.Optional(
    Whole(0, LIMITS.webhook_overlap_seconds_max, {
      description: 'Seconds for which the old secret also signs messages. The default is 86,400.',
    }),
  ),
});
export const ReplayBody = Type.Object({ event_id: Text(40, { min: 1, description: 'Id of the event.' }) });

/** `isRefused`: no message is ever sent to this URL. */
export function createWebhookChecks(names: Names, isRefused: (url: string) => boolean) {
  const rules: BodyRules<{ url?: string }> = ({ url }, _, report) => {
    if (url !== undefined && isRefused(url)) report.add('url_not_public', NOT_PUBLIC, 'url');
  };
  return {
    added: createBodyCheck(NewWebhookBody, names, rules),
    changed: createBodyCheck(WebhookChangeBody, names, rules),
    addedToShop: createBodyCheck(NewShopWebhookBody, names, rules),
    changedInShop: createBodyCheck(ShopWebhookChangeBody, names, rules),
    rolled: createBodyCheck(SecretRollBody, names),
    replayed: createBodyCheck(ReplayBody, names),
  } satisfies Record<string, BodyCheck<unknown>>;
}
