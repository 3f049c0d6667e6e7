/** Manages the webhooks of the account. */
import { pathTo, type Session } from './session.ts';
import type { Webhook, WebhookBody, WebhookChange, WebhookDelivery, WebhookWithSecret } from './types.ts';

export class Webhooks {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Adds a webhook. Only the first response has its secret: if it is lost, the retry returns no secret. Then use `rollSecret`. */
  add(body: WebhookBody): Promise<WebhookWithSecret> {
    return this.#session.value('POST', '/webhooks', { body });
  }

  async list(): Promise<Webhook[]> {
    return (await this.#session.value<{ webhooks: Webhook[] }>('GET', '/webhooks')).webhooks;
  }

  /** Returns undefined if the webhook does not exist. */
  async get(webhookId: string): Promise<Webhook | undefined> {
    return (await this.#session.found<Webhook>(pathTo`/webhooks/${webhookId}`))?.value;
  }

  /** Changes what the webhook gets and where, or disables or enables it. */
  change(webhookId: string, body: WebhookChange): Promise<Webhook> {
    return this.#session.value('PATCH', pathTo`/webhooks/${webhookId}`, { body });
  }

  async remove(webhookId: string): Promise<void> {
    await this.#session.call('DELETE', pathTo`/webhooks/${webhookId}`);
  }

  /** Replaces the secret. Until the overlap ends (default: a day), the old secret signs messages too. */
  rollSecret(webhookId: string, overlap_seconds?: number): Promise<WebhookWithSecret> {
    return this.#session.value('POST', pathTo`/webhooks/${webhookId}/secret`, { body: { overlap_seconds } });
  }

  /** Sends a test event immediately, and returns the result. */
  test(webhookId: string): Promise<WebhookDelivery> {
    return this.#session.value('POST', pathTo`/webhooks/${webhookId}/test`);
  }

  /** Sends an event again immediately, and returns the result. */
  replay(webhookId: string, event_id: string): Promise<WebhookDelivery> {
    return this.#session.value('POST', pathTo`/webhooks/${webhookId}/replay`, { body: { event_id } });
  }

  /** Returns the last attempts to deliver events, newest first. */
  async deliveries(webhookId: string, limit?: number): Promise<WebhookDelivery[]> {
    const path = pathTo`/webhooks/${webhookId}/deliveries`;
    return (await this.#session.value<{ deliveries: WebhookDelivery[] }>('GET', path, { query: { limit } })).deliveries;
  }
}
