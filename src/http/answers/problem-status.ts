/** Maps problem codes to HTTP statuses. No other module does. */
import { PARTS } from '../../domain/offers/parts.ts';
import type { ProblemCode } from '../../domain/problem.ts';

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 422 | 429 | 500 | 503;

/** Codes with a status other than 400. All other codes are mistakes in the request and have the status 400. */
const STATUS_OF_CODE: Partial<Record<ProblemCode, ErrorStatus>> = {
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  token_revoked: 401,
  session_missing: 401,
  session_ended: 401,
  merchant_suspended: 403,
  scope_missing: 403,
  sku_outside_prefix: 403,
  forbidden_role: 403,
  viewing_as_merchant: 403,
  csrf_invalid: 403,
  link_invalid: 403,
  link_expired: 403,
  file_uploaded_before: 403,
  route_not_found: 404,
  sku_unknown: 404,
  ...Object.fromEntries(PARTS.flatMap(({ unset }) => (unset === undefined ? [] : [[unset[0], 404]]))),
  taxonomy_node_not_found: 404,
  fulfillment_node_not_found: 404,
  file_not_uploaded: 404,
  storefront_off: 404,
  product_not_found: 404,
  file_not_found: 404,
  report_not_found: 404,
  webhook_not_found: 404,
  event_not_found: 404,
  one_time_link_ended: 404,
  return_location_not_found: 404,
  key_unknown: 404,
  user_unknown: 404,
  merchant_unknown: 404,
  policy_unknown: 404,
  placeholder_unknown: 404,
  product_unknown: 404,
  change_unknown: 404,
  method_not_allowed: 405,
  idempotency_key_in_use: 409,
  precondition_failed: 412,
  idempotency_key_reused: 422,
  rate_limited: 429,
  too_many_failures: 429,
  uploads_too_many: 429,
  files_waiting_too_large: 429,
  reports_too_many: 429,
  event_waits_too_many: 429,
  webhook_changes_too_many: 429,
  webhook_tests_too_many: 429,
  previews_too_many: 429,
  internal_error: 500,
  store_unavailable: 503,
  overloaded: 503,
  disk_full: 503,
  stopping: 503,
  storefront_incomplete: 503,
};

export function problemStatus(code: ProblemCode): ErrorStatus {
  return STATUS_OF_CODE[code] ?? 400;
}
