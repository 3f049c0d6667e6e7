/** Webhooks page: the marketplace's webhooks in each environment, or the deliveries of one. */
import { Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { WebhookOwnerProvider } from '../merchant/webhooks/webhook-owner.tsx';
import { Webhooks } from '../merchant/webhooks/webhooks.tsx';

const ENVIRONMENTS = ['live', 'test'] as const;

export function MarketplaceWebhooksPage() {
  const { environment, webhook } = useSearch({ from: '/operator/webhooks' });
  const shown = environment === undefined ? ENVIRONMENTS : [environment];
  return (
    <Page title="Webhooks" about="Send every change to the storefront to your own server. Merchants have their own.">
      <Stack gap="lg">
        {shown.map((each) => (
          <WebhookOwnerProvider key={each} value={{ owner: 'marketplace', environment: each }}>
            <Webhooks webhookId={webhook} />
          </WebhookOwnerProvider>
        ))}
      </Stack>
    </Page>
  );
}
