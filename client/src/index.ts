export { OfferbookError, type Problem, UnreachableError } from './errors.ts';
export { type FileContent, Files, fileIdOf, hasEnded, type UploadOptions } from './files.ts';
export { parseJson, toJson } from './json.ts';
export {
  type EventQuery,
  isForSale,
  Offerbook,
  type ReviewWait,
  skuPath,
  type Tagged,
  type WriteOptions,
} from './offerbook.ts';
export type { Answer, CallOptions, SessionOptions } from './session.ts';
export type * from './types.ts';
export { signWebhook, verifyWebhook, WebhookError, webhookMessageOf } from './webhooks.ts';
