/** Says whose webhooks a page shows: those of the merchant or of the marketplace, in one environment. */
import { createContext, useContext } from 'react';
import type { WebhookOwner } from '../../../api/webhooks.ts';
import { ButtonLink } from '../../../ui/links.tsx';

const Owner = createContext<WebhookOwner | undefined>(undefined);

export const WebhookOwnerProvider = Owner.Provider;

export function useWebhookOwner(): WebhookOwner {
  const owner = useContext(Owner);
  if (owner === undefined) throw new Error('Webhooks are shown without their owner.');
  return owner;
}

type Looks = Omit<Parameters<typeof ButtonLink>[0], 'to' | 'params' | 'search'>;

/** Links to the deliveries of a webhook; without an id, to all webhooks. */
export function WebhooksLink({ webhookId, ...looks }: Looks & { readonly webhookId?: string }) {
  const { owner, environment } = useWebhookOwner();
  const shown = webhookId === undefined ? {} : { webhook: webhookId };
  return owner === 'merchant' ? (
    <ButtonLink
      to="/$environment/api-integration"
      params={{ environment }}
      search={{ tab: 'webhooks', ...shown }}
      {...looks}
    />
  ) : (
    <ButtonLink to="/operator/webhooks" search={webhookId === undefined ? {} : { environment, ...shown }} {...looks} />
  );
}
