/** Builds the messages of webhooks, as the Standard Webhooks specification recommends, and describes their deliveries for the log. */
import { createHash } from 'node:crypto';
import { LIMITS } from '../domain/limits.ts';
import type { Webhook, WebhookDelivery } from '../domain/setup/webhooks.ts';
import { signedHeaders } from './signature.ts';
import type { Sent, WebhookClient } from './webhook-client.ts';
import type { SentEvent } from './webhook-feed.ts';

export interface Message {
  /** The same in every attempt with the same events. */
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly events: readonly SentEvent[];
}

interface SendOptions {
  readonly nowMs: number;
  readonly signal?: AbortSignal;
  /** Sent in addition to the signature. */
  readonly headers?: Readonly<Record<string, string>>;
}

const BATCH_TYPE = 'event.batch';
/** Enough that two batches never have the same id. */
const ID_CHARACTERS = 24;

export function messageOf(event: SentEvent): Message {
  const { id, type } = event;
  const timestamp = new Date(event.atMs).toISOString();
  const body = `{"type":"${type}","timestamp":"${timestamp}","data":${event.content()}}`;
  return { id, type, body, events: [event] };
}

/** Returns a message with the first of the events, as many as fit, each as the API shows it. */
export function batchOf(events: readonly SentEvent[]): Message {
  const texts: string[] = [];
  let bytes = 0;
  for (const event of events) {
    const text = event.shown();
    bytes += Buffer.byteLength(text);
    if (texts.length > 0 && bytes > LIMITS.webhook_batch_bytes_max) break;
    texts.push(text);
  }
  const sent = events.slice(0, texts.length);
  const last = sent.at(-1);
  if (last === undefined) throw new Error('A batch has at least one event.');
  // Receivers skip ids that they know, so the id depends on all events: a later batch may start with the same event and contain more.
  const ids = sent.map((event) => event.id).join();
  const id = `batch-${createHash('sha256').update(ids).digest('hex').slice(0, ID_CHARACTERS)}`;
  const timestamp = new Date(last.atMs).toISOString();
  const body = `{"type":"${BATCH_TYPE}","timestamp":"${timestamp}","data":{"events":[${texts.join()}]}}`;
  return { id, type: BATCH_TYPE, body, events: sent };
}

export function sendMessage(
  client: WebhookClient,
  { address, secrets }: Webhook,
  { id, body }: Message,
  { nowMs, signal, headers }: SendOptions,
): Promise<Sent> {
  return client.send(address, { ...headers, ...signedHeaders({ id, nowMs, body }, secrets) }, body, signal);
}

export function deliveryOf({ id, type, events }: Message, sent: Sent, attempt: number, atMs: number): WebhookDelivery {
  return { eventId: id, type, events: events.length, atMs, attempt, ...sent };
}
