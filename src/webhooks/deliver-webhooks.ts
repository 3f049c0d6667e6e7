/**
 * Delivers events to webhooks. Each process looks for due webhooks once a second and takes some of them, each under its own lease. A slow
 * or dead receiver delays no other webhook: receivers that failed or were slow the last time get at most half of the slots. The events of a
 * webhook are sent one after the other, in the order of the feed; a failed one is retried before the next. After a crash the lease
 * expires within seconds, another process continues, and the last event may be sent again.
 */

import { contentJson, eventId, type FeedEvent } from '../domain/events.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Names } from '../domain/names.ts';
import type { Webhook, WebhookDelivery, WebhookProgress } from '../domain/setup/webhooks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/vocabulary/iso-time.ts';
import { AccountUnavailableError } from '../store/port/errors.ts';
import type { FeedStore } from '../store/port/feed.ts';
import type { WebhookStore } from '../store/port/webhooks.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { signedHeaders } from './signature.ts';
import type { Sent, WebhookClient } from './webhook-client.ts';

const POLL_MS = 1000;
/** Maximum number of webhooks that one process delivers to at the same time. */
const AT_ONCE_MAX = 400;
/** Maximum number of these whose receiver failed or was slow the last time. The rest is left to other receivers. */
const SLOW_AT_ONCE_MAX = 200;
const SLOW_MS = 1000;
/** Maximum number of slow receivers that a process remembers. */
const SLOW_KNOWN_MAX = 100_000;
const LISTED_TOGETHER = 1000;
/** With POLL_MS, the longest pause of a webhook after a crash: 4 s. */
const LEASE_MS = 3000;
/** Two renewals may fail before the lease expires. */
const RENEWAL_MS = LEASE_MS / 3;
const WORK_MS_MAX = 20_000;
const PAGE_EVENTS = 100;
const SECOND_MS = 1000;
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
  readonly store: { readonly feed: FeedStore; readonly webhooks: WebhookStore };
  readonly client: WebhookClient;
  readonly names: Names;
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly nowMs: () => number;
  /** Called after the server disabled a webhook. */
  readonly onDisabled: (webhook: Webhook, reason: string) => Promise<void>;
  readonly poll_ms?: number;
  /** A receiver that takes longer to respond counts as slow. */
  readonly slow_ms?: number;
}

/** A webhook that this process delivers to, as of the last renewal of its lease. */
interface Held {
  webhook: Webhook;
  /** `performance.now()` of the last renewal. */
  renewedMs: number;
}

/** Returns the message of an event, as the Standard Webhooks specification recommends. */
export function messageOf(event: FeedEvent, names: Names): string {
  const timestamp = new Date(event.atMs).toISOString();
  return JSON.stringify({ type: event.type, timestamp, data: contentJson(event, names.statuses) });
}

export class WebhookLoop {
  readonly #options: DeliveryOptions;
  readonly #running = new Map<string, Promise<void>>();
  #slowRunning = 0;
  /** Webhooks whose last message took longer than `slow_ms`. */
  readonly #slow = new Set<string>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isClosing = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const look = () => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    };
    this.#timer = setInterval(look, options.poll_ms ?? POLL_MS);
  }

  /** Waits this long for messages in flight. Other processes send the next ones. */
  async close(wait_ms_max: number): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosing = true;
    const late = setTimeout(() => this.#stopping.abort(), wait_ms_max);
    await this.#looking;
    await Promise.allSettled([...this.#running.values()]);
    clearTimeout(late);
  }

  async #look(): Promise<void> {
    try {
      const { store } = this.#options;
      for await (const webhook of this.#due()) {
        if (this.#isClosing || this.#running.size >= AT_ONCE_MAX) break;
        const key = keyOf(webhook);
        const isSlow = webhook.attempts > 0 || this.#slow.has(key);
        if (this.#running.has(key) || (isSlow && this.#slowRunning >= SLOW_AT_ONCE_MAX)) continue;
        if (!(await this.#hasEvents(webhook).catch(unlessAccountIsDown))) continue;
        const askedMs = performance.now();
        const taken = await store.webhooks.takeWebhook(webhook, LEASE_MS);
        if (taken === undefined) continue;
        const held = { webhook: taken, renewedMs: askedMs };
        this.#slowRunning += Number(isSlow);
        const delivering = this.#deliver(held, isSlow).finally(() => {
          this.#running.delete(key);
          this.#slowRunning -= Number(isSlow);
        });
        this.#running.set(key, delivering);
      }
    } catch (error) {
      this.#options.telemetry.observe('work_stalled', { kind: 'webhooks', error });
    }
  }

  /** Lists all due webhooks, page by page. There is no limit, because most have no events and would hide the rest. */
  async *#due(): AsyncGenerator<Webhook> {
    for (let after: Webhook | undefined, more = true; more; ) {
      const page = await this.#options.store.webhooks.listDueWebhooks(after, LISTED_TOGETHER);
      yield* page;
      after = page.at(-1);
      more = page.length === LISTED_TOGETHER;
    }
  }

  async #hasEvents({ accountId, position }: Webhook): Promise<boolean> {
    const state = await this.#options.store.feed.readFeedState(accountId);
    return state === undefined || state.hasUnnumbered || state.end >= position.number;
  }

  /** Sends events until one fails, none is left, the time is up, or the receiver turns out to be slow. */
  async #deliver(held: Held, isSlow: boolean): Promise<void> {
    const { store, telemetry } = this.#options;
    const { webhook: taken } = held;
    const { accountId, types } = taken;
    const endMs = performance.now() + WORK_MS_MAX;
    const isOver = () => this.#isClosing || performance.now() >= endMs || (!isSlow && this.#slow.has(keyOf(taken)));
    let progress: WebhookProgress = taken;
    try {
      for (let more = true; more && !isOver(); ) {
        const reading = store.feed.readEvents(accountId, { after: progress.position, types, limit: PAGE_EVENTS });
        const page = await this.#whileHeld(held, reading);
        for (const event of page.events) {
          if (isOver()) {
            await store.webhooks.noteDeliveries(held.webhook, progress, [], 0);
            return;
          }
          const outcome = await this.#sendNext(held, progress, event, page.tag);
          if (outcome === undefined) return;
          progress = outcome;
        }
        progress = { ...progress, position: page.next };
        more = page.more;
      }
      await store.webhooks.noteDeliveries(held.webhook, progress, [], 0);
    } catch (error) {
      // The lease expires by itself.
      telemetry.observe('work_failed', { kind: 'webhooks', accountId, error });
    }
  }

  /** Returns the progress, or undefined if this process is done with the webhook. */
  async #sendNext(
    held: Held,
    progress: WebhookProgress,
    event: FeedEvent,
    tag: string,
  ): Promise<WebhookProgress | undefined> {
    const { store, client, names, nowMs, onDisabled, slow_ms = SLOW_MS } = this.#options;
    const { webhook: taken } = held;
    const startMs = performance.now();
    const { signal } = this.#stopping;
    const sent = await this.#whileHeld(held, sendEvent(client, taken, event, { tag, names, nowMs: nowMs(), signal }));
    if (performance.now() - startMs < slow_ms) this.#slow.delete(keyOf(taken));
    else if (this.#slow.size < SLOW_KNOWN_MAX) this.#slow.add(keyOf(taken));
    const isDelivered = sent.failure === null;
    if (!isDelivered && this.#stopping.signal.aborted) {
      await store.webhooks.noteDeliveries(held.webhook, progress, [], 0);
      return undefined;
    }
    const next = progressAfter(progress, event, sent, nowMs());
    const delivery = deliveryOf(event, tag, sent, progress.attempts + 1, nowMs());
    const delay_ms = isDelivered ? undefined : pauseAfter(next.attempts);
    const stored = await store.webhooks.noteDeliveries(held.webhook, next, [delivery], delay_ms);
    if (stored === 'stored' && next.disabledReason !== null) await onDisabled(taken, next.disabledReason);
    return stored === 'stored' && isDelivered ? next : undefined;
  }

  /**
   * Renews the lease while events are read or a message is in flight. Renewals and progress are written one after the other, because each
   * renewal moves the time by which the database recognizes the holder.
   */
  async #whileHeld<T extends object>(held: Held, work: Promise<T>): Promise<T> {
    for (;;) {
      const left_ms = Math.max(held.renewedMs + RENEWAL_MS - performance.now(), 0);
      const renewal = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => renewal.resolve(undefined), left_ms);
      const done = await Promise.race([work, renewal.promise]).finally(() => clearTimeout(timer));
      if (done !== undefined) return done;
      held.renewedMs = performance.now();
      // If the database does not respond, the renewal is repeated. If the lease is lost, the database refuses the progress.
      const renewed = this.#options.store.webhooks.takeWebhook(held.webhook, LEASE_MS).catch(() => undefined);
      held.webhook = (await renewed) ?? held.webhook;
    }
  }
}

function keyOf({ accountId, webhookId }: Webhook): string {
  return `${accountId} ${webhookId}`;
}

/** Ignores an unavailable database node, so that webhooks of other accounts continue. */
function unlessAccountIsDown(error: unknown): false {
  if (error instanceof AccountUnavailableError) return false;
  throw error;
}

interface Sending {
  readonly tag: string;
  readonly names: Names;
  readonly nowMs: number;
  readonly signal?: AbortSignal;
}

export function sendEvent(
  client: WebhookClient,
  { address, secrets }: Webhook,
  event: FeedEvent,
  { tag, names, nowMs, signal }: Sending,
): Promise<Sent> {
  const body = messageOf(event, names);
  const headers = signedHeaders({ id: eventId(event, tag), nowMs, body }, secrets);
  return client.send(address, headers, body, signal);
}

export function deliveryOf(event: FeedEvent, tag: string, sent: Sent, attempt: number, atMs: number): WebhookDelivery {
  return { eventId: eventId(event, tag), type: event.type, atMs, attempt, ...sent };
}

function progressAfter(
  { position, attempts, failingSinceMs }: WebhookProgress,
  event: FeedEvent,
  { status, failure }: Sent,
  nowMs: number,
): WebhookProgress {
  if (failure === null) return { position: event.position, attempts: 0, failingSinceMs: null, disabledReason: null };
  const sinceMs = failingSinceMs ?? nowMs;
  const { webhook_retry_days } = LIMITS;
  const isOver = nowMs - sinceMs >= webhook_retry_days * DAY_MS;
  const reason =
    status === GONE
      ? 'The receiver returned 410 (Gone), so deliveries to it were stopped.'
      : isOver
        ? `No delivery succeeded for ${webhook_retry_days} days. ${failure}`
        : null;
  return { position, attempts: attempts + 1, failingSinceMs: sinceMs, disabledReason: reason };
}

export function pauseAfter(attempts: number): number {
  return PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? 0;
}
