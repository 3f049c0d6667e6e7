/** Reads webhooks and their deliveries, and changes webhooks. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type Webhook = components['schemas']['Webhook'];
export type Delivery = components['schemas']['WebhookDelivery'];

export const webhooksQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['webhooks', environment],
    queryFn: () => ask(api.GET('/{environment}/webhooks', { params: { path: { environment } } })),
  });

export const deliveriesQuery = (environment: Environment, webhook_id: string, limit: number) =>
  queryOptions({
    queryKey: ['webhooks', environment, webhook_id, limit],
    queryFn: () =>
      ask(
        api.GET('/{environment}/webhooks/{webhook_id}/deliveries', {
          params: { path: { environment, webhook_id }, query: { limit } },
        }),
      ),
  });

export function changeWebhook(
  environment: Environment,
  webhook_id: string,
  body: Partial<Pick<Webhook, 'url' | 'types' | 'include' | 'batches' | 'enabled'>>,
): Promise<Webhook> {
  return ask(
    api.PATCH('/{environment}/webhooks/{webhook_id}', { params: { path: { environment, webhook_id } }, body }),
  );
}

export function sendTestEvent(environment: Environment, webhook_id: string): Promise<Delivery> {
  return ask(api.POST('/{environment}/webhooks/{webhook_id}/test', { params: { path: { environment, webhook_id } } }));
}

export function replayEvent(environment: Environment, webhook_id: string, event_id: string): Promise<Delivery> {
  return ask(
    api.POST('/{environment}/webhooks/{webhook_id}/replay', {
      params: { path: { environment, webhook_id } },
      body: { event_id },
    }),
  );
}
