/**
 * Delivers events to one webhook while this process holds its lease: several messages at a time, in the order of `delivery-window.ts`. After
 * a failure it starts no more messages, stores which events are confirmed, and releases the webhook until the pause ends. Then it sends one
 * message first, and more after that succeeded.
 *
 * A message counts as in flight until its result is stored, so a crash repeats at most the messages in flight.
 */
import { LIMITS } from '../domain/limits.ts';
import type { Webhook, WebhookDelivery, WebhookProgress } from '../domain/setup/webhooks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/vocabulary/iso-time.ts';
import type { WebhookStore } from '../store/port/webhooks.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { DeliveryWindow } from './delivery-window.ts';
import { batchOf, deliveryOf, type Message, messageOf, sendMessage } from './messages.ts';
import type { Sent, WebhookClient } from './webhook-client.ts';
import type { WebhookFeed } from './webhook-feed.ts';

/** Together with the poll interval of 1 s, this bounds the pause of a webhook after a crash to 4 s. */
export const LEASE_MS = 3000;
/** Two renewals may fail before the lease expires. */
const RENEWAL_MS = LEASE_MS / 3;
/** Maximum number of events, counted from the first unconfirmed one, so that the stored position stays short. */
const WINDOW_EVENTS = LIMITS.webhook_batch_events_max;
const SECOND_MS = 1000;
/** How often to check for new events while messages are in flight. */
export const READ_AGAIN_MS = SECOND_MS;
/** Pauses after failed attempts; the last one repeats. */
const PAUSES_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
];
/** The status with which a receiver says that it wants no more messages. */
const GONE = 410;

export interface DeliveryOptions {
  readonly store: { readonly webhooks: WebhookStore };
  readonly feed: WebhookFeed;
  readonly client: WebhookClient;
  readonly telemetry: Pick<Telemetry, 'observe'>;
  /** Undefined if traces are not exported. */
  readonly tracing?: Tracing | undefined;
  readonly nowMs: () => number;
  /** Called after the server disabled a webhook. */
  readonly onDisabled: (webhook: Webhook, reason: string) => Promise<void>;
}

/** What the loop over all webhooks decides. */
export interface DeliveryControl {
  /** Whether to start no more messages. */
  readonly isOver: () => boolean;
  /** Returns how many messages may be in flight. */
  readonly share: () => number;
  readonly noteStart: () => void;
  readonly noteResponse: (took_ms: number) => void;
  /** Aborted when messages in flight are cut off. */
  readonly signal: AbortSignal;
}

interface Finished {
  readonly message: Message;
  readonly sent: Sent;
  readonly attempt: number;
  readonly atMs: number;
}

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #control: DeliveryControl;
  readonly #window: DeliveryWindow;
  readonly #sending = new Map<Message, Promise<Message>>();
  /** Results that are not stored yet. */
  #finished: Finished[] = [];
  /** As of the last renewal of the lease. */
  #webhook: Webhook;
  /** `performance.now()` of the last renewal. */
  #renewedMs: number;
  #progress: Omit<WebhookProgress, 'position'>;
  #hasFailed = false;
  #more = true;
  /** `performance.now()` of the last check for new events. */
  #readMs = 0;
  /** Cuts off messages in flight when another process may send them. */
  readonly #lost = new AbortController();

  constructor(options: DeliveryOptions, control: DeliveryControl, webhook: Webhook, renewedMs: number) {
    this.#options = options;
    this.#control = control;
    this.#window = new DeliveryWindow(webhook.position);
    this.#webhook = webhook;
    this.#renewedMs = renewedMs;
    this.#progress = webhook;
  }

  /** Sends events until one fails, none is left, or the loop stops it. */
  async run(): Promise<void> {
    const { telemetry, onDisabled } = this.#options;
    const { accountId } = this.#webhook;
    try {
      for (;;) {
        await this.#read();
        if (this.#lost.signal.aborted) return;
        this.#start();
        if (this.#sending.size === 0) break;
        await this.#whileHeld(this.#messageOrPoll());
        if (this.#lost.signal.aborted) return;
        if ((await this.#storeFinished()) === 'lost') return;
      }
      const { attempts, disabledReason } = this.#progress;
      const stored = await this.#store([], disabledReason, this.#hasFailed ? pauseAfter(attempts) : 0);
      if (stored === 'stored' && disabledReason !== null) await onDisabled(this.#webhook, disabledReason);
    } catch (error) {
      // The lease expires on its own.
      telemetry.observe('work_failed', { kind: 'webhooks', accountId, error });
    } finally {
      this.#lost.abort();
    }
  }

  /** Waits for a message to end, or until the next check for new events, so that a slow message does not delay new events. */
  async #messageOrPoll(): Promise<object> {
    const poll = Promise.withResolvers<object>();
    // Storing a result may have taken longer.
    const wait_ms = Math.max(0, this.#readMs + READ_AGAIN_MS - performance.now());
    const timer = setTimeout(() => poll.resolve({}), wait_ms);
    const ended = await Promise.race([...this.#sending.values(), poll.promise]).finally(() => clearTimeout(timer));
    this.#more ||= this.#webhook.batches || performance.now() - this.#readMs >= READ_AGAIN_MS;
    return ended;
  }

  get #isOver(): boolean {
    return this.#hasFailed || this.#lost.signal.aborted || this.#control.isOver();
  }

  async #read(): Promise<void> {
    if (this.#more) this.#readMs = performance.now();
    // A batch is filled from a whole page.
    const low = this.#webhook.batches ? 0 : WINDOW_EVENTS / 2;
    while (this.#more && !this.#isOver && this.#window.size <= low) {
      const { readTo, size } = this.#window;
      const reading = this.#options.feed.readEvents(this.#webhook, readTo, WINDOW_EVENTS - size);
      const page = await this.#whileHeld(reading);
      this.#window.add(page);
      this.#more = page.more;
    }
  }

  #start(): void {
    const isAlone = this.#webhook.batches || this.#progress.attempts > 0;
    const share = isAlone ? 1 : this.#control.share();
    while (!this.#isOver && this.#sending.size < share) {
      const message = this.#nextMessage();
      if (message === undefined) return;
      this.#window.start(message.events);
      this.#sending.set(message, this.#send(message));
    }
  }

  #nextMessage(): Message | undefined {
    if (this.#webhook.batches) {
      const events = this.#window.waiting();
      return events.length === 0 ? undefined : batchOf(events);
    }
    const event = this.#window.next();
    return event && messageOf(event);
  }

  async #send(message: Message): Promise<Message> {
    const { client, nowMs, tracing } = this.#options;
    const attempt = this.#progress.attempts + 1;
    const startMs = performance.now();
    const signal = AbortSignal.any([this.#control.signal, this.#lost.signal]);
    this.#control.noteStart();
    const { accountId, shop } = this.#webhook;
    // A storefront event concerns a product, and several writes may have caused it.
    const traced = shop === null ? await tracing?.sending(accountId, skuIdsOf(message)) : undefined;
    const options = { nowMs: nowMs(), signal, ...traced };
    const sent = await sendMessage(client, this.#webhook, message, options).finally(() => {
      this.#control.noteResponse(performance.now() - startMs);
    });
    traced?.sent(sent.status, performance.now() - startMs);
    this.#finished.push({ message, sent, attempt, atMs: nowMs() });
    return message;
  }

  async #storeFinished(): Promise<'stored' | 'lost'> {
    const deliveries: WebhookDelivery[] = [];
    for (const { message, sent, attempt, atMs } of this.#finished.splice(0)) {
      this.#sending.delete(message);
      // A message that was cut off is not a failed attempt.
      if (sent.failure !== null && this.#control.signal.aborted) continue;
      deliveries.push(deliveryOf(message, sent, attempt, atMs));
      if (sent.failure === null) this.#window.confirm(message.events);
      this.#note(sent, atMs);
    }
    // It is disabled only after the last message in flight, because a disabled webhook cannot be leased.
    return deliveries.length === 0 ? 'stored' : this.#store(deliveries, null);
  }

  /** Messages in flight together count as one attempt, which has failed if one of them has. */
  #note({ status, failure }: Sent, atMs: number): void {
    const { attempts, failingSinceMs, disabledReason } = this.#progress;
    if (failure === null) {
      if (!this.#hasFailed) this.#progress = { attempts: 0, failingSinceMs: null, disabledReason: null };
      return;
    }
    const sinceMs = failingSinceMs ?? atMs;
    const { webhook_retry_days } = LIMITS;
    const isLate = atMs - sinceMs >= webhook_retry_days * DAY_MS;
    const reason =
      status === GONE
        ? 'The receiver returned 410 (Gone), so deliveries to it were stopped.'
        : isLate
          ? `No delivery succeeded for ${webhook_retry_days} days. ${failure}`
          : null;
    this.#progress = {
      attempts: this.#hasFailed ? attempts : attempts + 1,
      failingSinceMs: sinceMs,
      disabledReason: disabledReason ?? reason,
    };
    this.#hasFailed = true;
  }

  #store(
    deliveries: readonly WebhookDelivery[],
    disabledReason: string | null,
    delay_ms?: number,
  ): Promise<'stored' | 'lost'> {
    const progress = { ...this.#progress, position: this.#window.position, disabledReason };
    return this.#options.store.webhooks.noteDeliveries(this.#webhook, progress, deliveries, delay_ms);
  }

  /**
   * Renews the lease while events are read or messages are in flight, and cuts the messages off when the lease is lost. Renewals and
   * progress are written one after the other, because each renewal moves the time by which the database recognizes the holder.
   */
  async #whileHeld<T extends object>(work: Promise<T>): Promise<T> {
    for (;;) {
      const left_ms = this.#renewedMs + RENEWAL_MS - performance.now();
      // A renewal that is due comes first: while messages end all the time, a timer would never win.
      if (left_ms > 0) {
        const renewal = Promise.withResolvers<undefined>();
        const timer = setTimeout(() => renewal.resolve(undefined), left_ms);
        const done = await Promise.race([work, renewal.promise]).finally(() => clearTimeout(timer));
        if (done !== undefined) return done;
      }
      this.#renewedMs = performance.now();
      // If the database does not respond, the renewal is repeated.
      const renewed = this.#options.store.webhooks.takeWebhook(this.#webhook, LEASE_MS).catch(() => this.#webhook);
      const webhook = await renewed;
      if (webhook === undefined) {
        this.#lost.abort();
        return work;
      }
      this.#webhook = webhook;
    }
  }
}

function skuIdsOf({ events }: Message): string[] {
  return [...new Set(events.flatMap(({ key }) => key ?? []))];
}

export function pauseAfter(attempts: number): number {
  return PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? 0;
}
