/** Port for webhooks: addresses that receive the events of an account, and the delivery log. */
import type { Webhook, WebhookChange, WebhookDelivery, WebhookProgress } from '../../domain/setup/webhooks.ts';

/** Callers pass durations and the store adds its own time, because clocks of machines differ. */
export interface WebhookStore {
  /** Returns the stored webhook. A retried request has the same id, and gets the webhook that the first request added. */
  addWebhook(webhook: Webhook, webhooks_max: number): Promise<Webhook | 'full'>;
  /** Lists webhooks in order of creation. */
  listWebhooks(accountId: number): Promise<readonly Webhook[]>;
  /** Every change also ends the delay after a failure. `full`: the webhook has too many valid secrets to roll them again. */
  changeWebhook(accountId: number, webhookId: string, change: WebhookChange): Promise<Webhook | 'full' | undefined>;
  removeWebhook(accountId: number, webhookId: string): Promise<'removed' | 'unknown'>;
  /** Lists enabled webhooks of all accounts that can be taken, longest waiting first. */
  listDueWebhooks(after: Webhook | undefined, limit: number): Promise<readonly Webhook[]>;
  /** Lists webhooks of all accounts that have failed since `sinceMs` or longer, also those that were disabled for it, latest first. */
  listFailingWebhooks(sinceMs: number, limit: number): Promise<readonly Webhook[]>;
  /** Leases the webhook, or renews the caller's lease, and returns it, unless another process took it after `webhook` was read. */
  takeWebhook(webhook: Webhook, lease_ms: number): Promise<Webhook | undefined>;
  /**
   * Logs deliveries and stores the progress, unless another process has taken the webhook, or it was removed. The webhook is due again in
   * `delay_ms`; if undefined, the lease continues.
   */
  noteDeliveries(
    taken: Webhook,
    progress: WebhookProgress,
    deliveries: readonly WebhookDelivery[],
    delay_ms: number | undefined,
  ): Promise<'stored' | 'lost'>;
  /** Logs a delivery that a person requested. */
  logDelivery(accountId: number, webhookId: string, delivery: WebhookDelivery): Promise<void>;
  /** Lists deliveries, newest first. */
  listDeliveries(accountId: number, webhookId: string, limit: number): Promise<readonly WebhookDelivery[]>;
}
