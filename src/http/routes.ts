/** Lists every endpoint of the API, in the order of the documentation. */
import type { Compatibility } from '../domain/compatibility.ts';
import { compatibleEndpoints } from './compatible-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { accountSettingsEndpoints } from './endpoints/account-settings.ts';
import { listEventsEndpoint } from './endpoints/events/list-events.ts';
import { storefrontWebhookEndpoints, webhookEndpoints } from './endpoints/events/webhooks.ts';
import { fileTransferEndpoints } from './endpoints/file-transfers.ts';
import { fileEndpoints } from './endpoints/files.ts';
import { getSkuEndpoint } from './endpoints/get-sku.ts';
import { historyEndpoints } from './endpoints/history.ts';
import { listSkusEndpoint } from './endpoints/list-skus.ts';
import { marketplaceEndpoints, storefrontTaxonomyEndpoints } from './endpoints/marketplace.ts';
import { getOfferEndpoint, putOfferEndpoint } from './endpoints/offer.ts';
import { partEndpoints, skuUploadEndpoints } from './endpoints/parts.ts';
import { planEndpoints } from './endpoints/plans.ts';
import { positionEndpoint } from './endpoints/position.ts';
import { reportEndpoints, reportFileEndpoints } from './endpoints/reports.ts';
import { requirementEndpoints } from './endpoints/requirements.ts';
import { reviewEndpoints } from './endpoints/review.ts';
import { createOpenApiEndpoints, healthEndpoints } from './endpoints/server.ts';
import { storefrontEndpoints } from './endpoints/storefront.ts';
import { storefrontExportEndpoints } from './endpoints/storefront-exports.ts';
import { taxonomyEndpoints } from './endpoints/taxonomy.ts';
import { getAuthcheck, postToken } from './endpoints/token.ts';

const API_ENDPOINTS: readonly Endpoint[] = [
  postToken,
  getAuthcheck,
  listSkusEndpoint,
  ...skuUploadEndpoints,
  getSkuEndpoint,
  putOfferEndpoint,
  getOfferEndpoint,
  positionEndpoint,
  ...partEndpoints,
  ...historyEndpoints,
  ...reviewEndpoints,
  ...fileEndpoints,
  ...fileTransferEndpoints,
  ...planEndpoints,
  ...reportEndpoints,
  ...reportFileEndpoints,
  ...storefrontEndpoints,
  ...storefrontExportEndpoints,
  ...storefrontTaxonomyEndpoints,
  ...storefrontWebhookEndpoints,
  listEventsEndpoint,
  ...webhookEndpoints,
  ...accountSettingsEndpoints,
  ...taxonomyEndpoints,
  ...requirementEndpoints,
  ...marketplaceEndpoints,
  ...healthEndpoints,
];

export const ENDPOINTS: readonly Endpoint[] = endpointsFor('off');

export function endpointsFor(compatibility: Compatibility): readonly Endpoint[] {
  const endpoints = compatibility === 'jet' ? compatibleEndpoints(API_ENDPOINTS) : API_ENDPOINTS;
  return [...endpoints, ...createOpenApiEndpoints(endpoints)];
}
