/**
 * Types of bodies and responses, from the OpenAPI document. They use the neutral field names of a server without a
 * white label.
 */
import type { components, paths } from './schema.d.ts';

export type Path = keyof paths;

type Content<Value> = Value extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** Body of a call: `BodyOf<'/merchant-skus/{user_defined_sku_id}/price', 'put'>`. */
export type BodyOf<Address extends Path, Method extends keyof paths[Address]> = paths[Address][Method] extends {
  requestBody?: infer Sent;
}
  ? Content<NonNullable<Sent>>
  : undefined;

/** Response of a call that succeeds. */
export type AnswerOf<Address extends Path, Method extends keyof paths[Address]> = paths[Address][Method] extends {
  responses: { 200: infer Sent };
}
  ? Content<Sent>
  : undefined;

/** Code of a problem. A later server may send other codes; the last type accepts them, and keeps the completion of the known ones. */
export type ErrorCode = components['schemas']['Problem']['code'] | (string & Record<never, never>);

export type Sku = '/merchant-skus/{user_defined_sku_id}';

export type SkuBody = BodyOf<Sku, 'put'>;
export type ShoeSkuBody = BodyOf<`${Sku}/v2`, 'put'>;
export type PriceBody = BodyOf<`${Sku}/price`, 'put'>;
export type InventoryBody = BodyOf<`${Sku}/inventory`, 'patch'>;
export type VariationBody = BodyOf<`${Sku}/variation`, 'put'>;
export type ShippingExceptionBody = BodyOf<`${Sku}/shippingexception`, 'put'>;
export type ReturnsExceptionBody = BodyOf<`${Sku}/returnsexception`, 'put'>;

export type SkuAnswer = AnswerOf<Sku, 'get'>;
export type PriceAnswer = AnswerOf<`${Sku}/price`, 'get'>;
export type InventoryAnswer = AnswerOf<`${Sku}/inventory`, 'get'>;
export type VariationAnswer = AnswerOf<`${Sku}/variation`, 'get'>;
export type ShippingExceptionAnswer = AnswerOf<`${Sku}/shippingexception`, 'get'>;
export type ReturnsExceptionAnswer = AnswerOf<`${Sku}/returnsexception`, 'get'>;
export type ReviewAnswer = AnswerOf<`${Sku}/review`, 'get'>;
export type HistoryAnswer = AnswerOf<`${Sku}/history`, 'get'>;
/** A change of one part of an offer. */
export type HistoryChange = HistoryAnswer['changes'][number];

/** An announced change of requirements, with the number of your offers that would fail. */
export type UpcomingChange = AnswerOf<'/requirements/upcoming', 'get'>['changes'][number];
export type UpcomingFailures = AnswerOf<'/requirements/upcoming/{requirement_id}/offers', 'get'>;
/** A change of requirements that is announced, or was applied or cancelled. */
export type RequirementChange = AnswerOf<'/requirements/changes', 'get'>['changes'][number];

export type FulfillmentNode = AnswerOf<'/fulfillment-nodes/{fulfillment_node_id}', 'get'>;
export type ReturnLocationsAnswer = AnswerOf<'/setup/returnsLocations', 'get'>;
export type FilesAnswer = AnswerOf<'/files', 'get'>;
export type FileRecord = AnswerOf<'/files/{file_id}', 'get'>;
export type UndoneFile = AnswerOf<'/files/{file_id}/undo', 'post'>;
export type FileType = BodyOf<'/files/uploaded', 'post'>['file_type'];
export type ReportState = AnswerOf<'/reports/state/{report_id}', 'get'>;
/** Response of a write with `dry_run=true`. */
export type DryRunAnswer = AnswerOf<`${Sku}/offer`, 'put'>;
/** Several parts of an offer, each as in its own call. */
export type OfferBody = BodyOf<`${Sku}/offer`, 'put'>;

export type EventsAnswer = AnswerOf<'/events', 'get'>;
/** An entry of the change feed. */
export type EventRecord = EventsAnswer['events'][number];

export type PlanBody = BodyOf<'/plans', 'post'>;
/** A plan with its offers as they were tried. */
export type MadePlan = AnswerOf<'/plans', 'post'>;
export type Plan = AnswerOf<'/plans', 'get'>['plans'][number];
export type WholePlan = AnswerOf<'/plans/{plan_id}', 'get'>;

export type TaxonomyNode = AnswerOf<'/taxonomy/nodes/{node_id}', 'get'>;
export type TaxonomyAttribute = AnswerOf<'/taxonomy/nodes/{node_id}/attributes', 'get'>['attributes'][number];
/** A node that a search found. Offers can be listed only if `is_leaf` is true. */
export type FoundTaxonomyNode = AnswerOf<'/taxonomy/search', 'get'>['nodes'][number];

export type Webhook = AnswerOf<'/webhooks/{webhook_id}', 'get'>;
export type WebhookWithSecret = AnswerOf<'/webhooks', 'post'>;
export type WebhookBody = BodyOf<'/webhooks', 'post'>;
export type WebhookChange = BodyOf<'/webhooks/{webhook_id}', 'patch'>;
/** An attempt to deliver an event. */
export type WebhookDelivery = AnswerOf<'/webhooks/{webhook_id}/test', 'post'>;

type MessageOf<Event> = Event extends EventRecord
  ? { type: Event['type']; timestamp: string; data: Omit<Event, 'id' | 'type' | 'at'> }
  : never;
/**
 * Body of a webhook: an event with its own fields in `data`, a batch of events if the webhook has `batches`, or the message that
 * `POST /webhooks/{webhook_id}/test` sends.
 */
export type WebhookMessage =
  | MessageOf<EventRecord>
  | { type: 'event.batch'; timestamp: string; data: { events: EventRecord[] } }
  | { type: 'webhook.test'; timestamp: string; data: Record<string, never> };
