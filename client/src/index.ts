export { OfferbookError, type Problem, UnreachableError } from './errors.ts';
export { type FileContent, Files, fileIdOf, hasEnded, type UploadOptions } from './files.ts';
export { parseJson, toJson } from './json.ts';
export {
  type EventQuery,
  isForSale,
  Offerbook,
  type ReportOptions,
  type ReviewWait,
  type SkuFilter,
} from './offerbook.ts';
export { skuPath, type Tagged, type WriteOptions, type WriteResult, type Written } from './parts.ts';
export { Plans } from './plans.ts';
export type { Answer, CallOptions, SessionOptions } from './session.ts';
export { type NodeId, Taxonomy } from './taxonomy.ts';
export type * from './types.ts';
export { Webhooks } from './webhook-calls.ts';
export { signWebhook, verifyWebhook, WebhookError, webhookMessageOf } from './webhooks.ts';
