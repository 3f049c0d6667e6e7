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
import { getInventoryEndpoint } from './endpoints/get-inventory.ts';
import { getPriceEndpoint } from './endpoints/get-price.ts';
import { getReturnsExceptionEndpoint } from './endpoints/get-returns-exception.ts';
import { getShippingExceptionEndpoint } from './endpoints/get-shipping-exception.ts';
import { getSkuEndpoint } from './endpoints/get-sku.ts';
import { getVariationEndpoint } from './endpoints/get-variation.ts';
import { historyEndpoints } from './endpoints/history.ts';
import { listSkusEndpoint } from './endpoints/list-skus.ts';
import { patchInventoryEndpoint } from './endpoints/patch-inventory.ts';
import { postToken } from './endpoints/post-token.ts';
import { putArchiveEndpoint } from './endpoints/put-archive.ts';
import { putOfferEndpoint } from './endpoints/put-offer.ts';
import { putPriceEndpoint } from './endpoints/put-price.ts';
import { putReturnsExceptionEndpoint } from './endpoints/put-returns-exception.ts';
import { putShippingExceptionEndpoint } from './endpoints/put-shipping-exception.ts';
import { putShoeSkuEndpoint, putSkuEndpoint } from './endpoints/put-sku.ts';
import { putVariationEndpoint } from './endpoints/put-variation.ts';
import { reportEndpoints } from './endpoints/reports.ts';
import { reviewEndpoints } from './endpoints/review.ts';
import { createOpenApiEndpoint } from './endpoints/server/get-openapi.ts';
import { healthEndpoints } from './endpoints/server/health.ts';
import { taxonomyEndpoints } from './endpoints/taxonomy.ts';

const API_ENDPOINTS: readonly Endpoint[] = [
  postToken,
  getAuthcheck,
  listSkusEndpoint,
  putSkuEndpoint,
  putShoeSkuEndpoint,
  getSkuEndpoint,
  putOfferEndpoint,
  putPriceEndpoint,
  getPriceEndpoint,
  patchInventoryEndpoint,
  getInventoryEndpoint,
  putVariationEndpoint,
  getVariationEndpoint,
  putShippingExceptionEndpoint,
  getShippingExceptionEndpoint,
  putReturnsExceptionEndpoint,
  getReturnsExceptionEndpoint,
  putArchiveEndpoint,
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
