/** Reads webhooks and their deliveries, and changes webhooks: those of the merchant, or of the marketplace. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

type MerchantWebhook = components['schemas']['Webhook'];
type Chosen = 'types' | 'include';
/** Webhooks of the marketplace get all changes, so nothing is chosen. */
export type Webhook = Omit<MerchantWebhook, Chosen> & Partial<Pick<MerchantWebhook, Chosen>>;
export type Delivery = components['schemas']['WebhookDelivery'];

export interface WebhookOwner {
  readonly owner: 'merchant' | 'marketplace';
  readonly environment: Environment;
}

type SentWebhook = Pick<Webhook, 'url' | 'batches' | Chosen>;

/** The calls of the marketplace are those of merchants. The server ignores what they choose. */
function pathOf({ owner }: WebhookOwner): '/{environment}/webhooks' {
  const path = owner === 'merchant' ? 'webhooks' : 'marketplace-webhooks';
  return `/{environment}/${path}` as '/{environment}/webhooks';
}

export const webhooksKey = ({ owner, environment }: WebhookOwner) => ['webhooks', owner, environment];

const parameters = ({ environment }: WebhookOwner, webhook_id: string) => ({ path: { environment, webhook_id } });

export const webhooksQuery = (owner: WebhookOwner) =>
  queryOptions({
    queryKey: webhooksKey(owner),
    queryFn: (): Promise<{ webhooks: Webhook[] }> =>
      ask(api.GET(pathOf(owner), { params: { path: { environment: owner.environment } } })),
  });

export const deliveriesQuery = (owner: WebhookOwner, webhook_id: string, limit: number) =>
  queryOptions({
    queryKey: [...webhooksKey(owner), webhook_id, limit],
    queryFn: () =>
      ask(
        api.GET(`${pathOf(owner)}/{webhook_id}/deliveries`, {
          params: { ...parameters(owner, webhook_id), query: { limit } },
        }),
      ),
  });

export function addWebhook(owner: WebhookOwner, body: SentWebhook): Promise<{ secret?: string }> {
  return ask(api.POST(pathOf(owner), { params: { path: { environment: owner.environment } }, body }));
}

export function changeWebhook(
  owner: WebhookOwner,
  webhook_id: string,
  body: Partial<SentWebhook & Pick<Webhook, 'enabled'>>,
): Promise<Webhook> {
  return ask(api.PATCH(`${pathOf(owner)}/{webhook_id}`, { params: parameters(owner, webhook_id), body }));
}

export function rollSecret(owner: WebhookOwner, webhook_id: string, overlap_seconds: number) {
  const params = parameters(owner, webhook_id);
  return ask(api.POST(`${pathOf(owner)}/{webhook_id}/secret`, { params, body: { overlap_seconds } }));
}

export function removeWebhook(owner: WebhookOwner, webhook_id: string): Promise<unknown> {
  return ask(api.DELETE(`${pathOf(owner)}/{webhook_id}`, { params: parameters(owner, webhook_id) }));
}

export function sendTestEvent(owner: WebhookOwner, webhook_id: string): Promise<Delivery> {
  return ask(api.POST(`${pathOf(owner)}/{webhook_id}/test`, { params: parameters(owner, webhook_id) }));
}

export function replayEvent(owner: WebhookOwner, webhook_id: string, event_id: string): Promise<Delivery> {
  const params = parameters(owner, webhook_id);
  return ask(api.POST(`${pathOf(owner)}/{webhook_id}/replay`, { params, body: { event_id } }));
}
