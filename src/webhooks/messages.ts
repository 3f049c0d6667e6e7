/** Builds the messages of webhooks, as the Standard Webhooks specification recommends, and describes their deliveries for the log. */
import { contentJson, eventId, type FeedEvent } from '../domain/events.ts';
import { stringifyExactJson } from '../domain/int64.ts';
import type { Names } from '../domain/names.ts';
import type { Webhook, WebhookDelivery } from '../domain/setup/webhooks.ts';
import { signedHeaders } from './signature.ts';
import type { Sent, WebhookClient } from './webhook-client.ts';

export interface Message {
  /** The same in every attempt. */
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

/** A message of the change feed. */
export interface EventMessage extends Message {
  readonly events: readonly FeedEvent[];
}

export function messageOf(event: FeedEvent, tag: string, names: Names): EventMessage {
  const { type } = event;
  const timestamp = new Date(event.atMs).toISOString();
  const body = stringifyExactJson({ type, timestamp, data: contentJson(event, names) });
  return { id: eventId(event, tag), type, body, events: [event] };
}

export function sendMessage(
  client: WebhookClient,
  { address, secrets }: Webhook,
  { id, body }: Message,
  nowMs: number,
  signal?: AbortSignal,
): Promise<Sent> {
  return client.send(address, signedHeaders({ id, nowMs, body }, secrets), body, signal);
}

export function deliveryOf({ id, type }: Message, sent: Sent, attempt: number, atMs: number): WebhookDelivery {
  return { eventId: id, type, atMs, attempt, ...sent };
}
