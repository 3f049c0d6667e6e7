/** Port for webhooks: addresses that receive the events of an account, and the delivery log. */

import type { FeedPlace } from '../../domain/events.ts';
import type { SecretRoll, WebhookSecret } from '../../domain/setup/webhook-secrets.ts';
import type { EventType } from '../../domain/vocabulary/event-types.ts';

export interface Webhook {
  readonly accountId: number;
  readonly webhookId: string;
  readonly address: string;
  readonly types: readonly EventType[];
  readonly secrets: readonly WebhookSecret[];
  readonly createdMs: number;
  /** Why nothing is delivered; null while it is enabled. */
  readonly disabledReason: string | null;
  /** Events after this place are not delivered yet. */
  readonly place: FeedPlace;
  /** Number of failed attempts to deliver the next event. */
  readonly attempts: number;
  /** When the first of these attempts failed; null if none has failed. */
  readonly failingSinceMs: number | null;
  /** The earliest time at which a process may take the webhook. During a delivery, the end of its lease. */
  readonly dueMs: number;
}

/** The fields that can be changed. `roll` replaces the current secret. */
export type WebhookChange = Partial<
  Pick<Webhook, 'address' | 'types' | 'disabledReason'> & { readonly roll: SecretRoll }
>;

/** The state after a delivery. */
export type WebhookProgress = Pick<Webhook, 'place' | 'attempts' | 'failingSinceMs' | 'disabledReason'>;

export interface WebhookDelivery {
  readonly eventId: string;
  readonly type: string;
  readonly atMs: number;
  readonly attempt: number;
  /** HTTP status of the webhook's response; null if there was no response. */
  readonly status: number | null;
  /** Why it failed, for people; null if it was delivered. */
  readonly failure: string | null;
}

export interface WebhookStore {
  /** Returns the stored webhook. A retried request has the same id, and gets the webhook that the first request added. */
  addWebhook(webhook: Webhook, webhooks_max: number): Promise<Webhook | 'full'>;
  /** Lists webhooks in order of creation. */
  listWebhooks(accountId: number): Promise<readonly Webhook[]>;
  /** Every change also ends the delay after a failure. `full`: the webhook has too many valid secrets to roll them again. */
  changeWebhook(accountId: number, webhookId: string, change: WebhookChange): Promise<Webhook | 'full' | undefined>;
  removeWebhook(accountId: number, webhookId: string): Promise<'removed' | 'unknown'>;
  /** Lists enabled webhooks of all accounts that can be taken, longest waiting first. */
  listDueWebhooks(nowMs: number, after: Webhook | undefined, limit: number): Promise<readonly Webhook[]>;
  /** Leases the webhook until `untilMs`, unless another process has it. Returns its current state. */
  takeWebhook(webhook: Webhook, untilMs: number): Promise<Webhook | undefined>;
  /** Logs deliveries and stores the progress, unless another process has taken the webhook, or it was removed. */
  noteDeliveries(
    taken: Webhook,
    progress: WebhookProgress,
    deliveries: readonly WebhookDelivery[],
    dueMs: number,
  ): Promise<'stored' | 'lost'>;
  /** Logs a delivery that a person requested. */
  logDelivery(accountId: number, webhookId: string, delivery: WebhookDelivery): Promise<void>;
  /** Lists deliveries, newest first. */
  listDeliveries(accountId: number, webhookId: string, limit: number): Promise<readonly WebhookDelivery[]>;
}
