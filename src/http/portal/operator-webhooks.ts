/** Calls below /{environment}/marketplace-webhooks: the API's calls for webhooks of the marketplace, for operators. */
import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/account.ts';
import { marketplaceAccountId } from '../../operations/setup/roll-credentials.ts';
import type { MarketplaceCall, PersonEndpoint } from '../endpoint.ts';
import { storefrontWebhookEndpoints } from '../endpoints/events/webhooks.ts';

export const operatorWebhooksEndpoints: readonly PersonEndpoint[] = storefrontWebhookEndpoints.map(
  ({ needs: _needs, ...endpoint }) => ({
    ...endpoint,
    path: endpoint.path.replace('/storefront/', '/{environment}/marketplace-'),
    access: 'person',
    roles: ['operator'],
    tag: 'Marketplace webhooks',
    async handle({ services, environment, targetId, query, body }) {
      // Reads add no account.
      const isAdding = endpoint.method === 'POST';
      const accountId = await marketplaceAccountId(services.setup, environment, isAdding);
      const account = { accountId, merchantId: '', environment } as Account;
      return endpoint.handle({
        services,
        account,
        environment,
        targetId,
        query,
        body,
        newId: randomUUID,
      } as MarketplaceCall);
    },
  }),
);
