/** Lists every endpoint of the API, in the order of the documentation. */
import type { Compatibility } from '../domain/compatibility.ts';
import { compatibleEndpoints } from './compatible-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { accountSettingsEndpoints } from './endpoints/account-settings.ts';
import { eventEndpoints } from './endpoints/events/list-events.ts';
import { webhookEndpoints } from './endpoints/events/webhooks.ts';
import { fileTransferEndpoints } from './endpoints/file-transfers.ts';
import { fileEndpoints } from './endpoints/files.ts';
import { getAuthcheck } from './endpoints/get-authcheck.ts';
import { getSkuEndpoint } from './endpoints/get-sku.ts';
import { historyEndpoints } from './endpoints/history.ts';
import { listSkusEndpoint } from './endpoints/list-skus.ts';
import { partEndpoints, skuUploadEndpoints } from './endpoints/parts.ts';
import { postToken } from './endpoints/post-token.ts';
import { putOfferEndpoint } from './endpoints/put-offer.ts';
import { reportEndpoints } from './endpoints/reports.ts';
import { reviewEndpoints } from './endpoints/review.ts';
import { createOpenApiEndpoint } from './endpoints/server/get-openapi.ts';
import { healthEndpoints } from './endpoints/server/health.ts';
import { taxonomyEndpoints } from './endpoints/taxonomy.ts';

const API_ENDPOINTS: readonly Endpoint[] = [
  postToken,
  getAuthcheck,
  listSkusEndpoint,
  ...skuUploadEndpoints,
  getSkuEndpoint,
  putOfferEndpoint,
  ...partEndpoints,
  ...historyEndpoints,
  ...reviewEndpoints,
  ...fileEndpoints,
  ...fileTransferEndpoints,
  ...reportEndpoints,
  ...eventEndpoints,
  ...webhookEndpoints,
  ...accountSettingsEndpoints,
  ...taxonomyEndpoints,
  ...healthEndpoints,
];

export const ENDPOINTS: readonly Endpoint[] = endpointsFor('off');

export function endpointsFor(compatibility: Compatibility): readonly Endpoint[] {
  const endpoints = compatibility === 'jet' ? compatibleEndpoints(API_ENDPOINTS) : API_ENDPOINTS;
  return [...endpoints, createOpenApiEndpoint(endpoints)];
}
