/**
 * Delivers events to webhooks. Each process looks for due webhooks once a second and takes some of them, each under its own lease. A slow
 * or dead receiver delays no other webhook: receivers that failed or were slow the last time get at most half of the slots, and all
 * webhooks share the messages that may be in flight. After a crash the lease expires within seconds, another process continues, and
 * messages that were in flight may be sent again.
 */

import { LIMITS } from '../domain/limits.ts';
import type { Webhook } from '../domain/setup/webhooks.ts';
import { AccountUnavailableError } from '../store/port/errors.ts';
import { Delivery, type DeliveryOptions, LEASE_MS } from './delivery.ts';

const POLL_MS = 1000;
/** Maximum number of webhooks that one process delivers to at the same time. */
const AT_ONCE_MAX = 400;
/** Maximum number of these whose receiver failed or was slow the last time. The rest is left to other receivers. */
const SLOW_AT_ONCE_MAX = 200;
/** Number of messages in flight that the webhooks of one process share. Each may have at least one. */
const MESSAGES_MAX = 800;
const SLOW_MS = 1000;
/** Maximum number of slow receivers that a process remembers. */
const SLOW_KNOWN_MAX = 100_000;
const LISTED_TOGETHER = 1000;
const WORK_MS_MAX = 20_000;

export interface LoopOptions extends DeliveryOptions {
  readonly poll_ms?: number;
  /** A receiver that takes longer to respond counts as slow. */
  readonly slow_ms?: number;
}

export class WebhookLoop {
  readonly #options: LoopOptions;
  readonly #running = new Map<string, Promise<void>>();
  #slowRunning = 0;
  /** Messages of all webhooks that wait for a response. */
  #inFlight = 0;
  /** Webhooks whose last message took longer than `slow_ms`. */
  readonly #slow = new Set<string>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isClosing = false;

  constructor(options: LoopOptions) {
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
        if (!(await this.#options.feed.hasEvents(webhook).catch(unlessAccountIsDown))) continue;
        const askedMs = performance.now();
        const taken = await store.webhooks.takeWebhook(webhook, LEASE_MS);
        if (taken === undefined) continue;
        this.#slowRunning += Number(isSlow);
        const delivering = this.#deliver(taken, askedMs, isSlow).finally(() => {
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

  #deliver(webhook: Webhook, takenMs: number, isSlow: boolean): Promise<void> {
    const { slow_ms = SLOW_MS } = this.#options;
    const key = keyOf(webhook);
    const endMs = performance.now() + WORK_MS_MAX;
    const control = {
      // The next delivery to a receiver that turns out to be slow counts towards the limit for slow receivers.
      isOver: () => this.#isClosing || performance.now() >= endMs || (!isSlow && this.#slow.has(key)),
      share: () => {
        const share = this.#inFlight >= MESSAGES_MAX ? 1 : Math.floor(MESSAGES_MAX / this.#running.size);
        return Math.min(LIMITS.webhook_in_flight_max, Math.max(1, share));
      },
      noteStart: () => {
        this.#inFlight++;
      },
      noteResponse: (took_ms: number) => {
        this.#inFlight--;
        if (took_ms < slow_ms) this.#slow.delete(key);
        else if (this.#slow.size < SLOW_KNOWN_MAX) this.#slow.add(key);
      },
      signal: this.#stopping.signal,
    };
    return new Delivery(this.#options, control, webhook, takenMs).run();
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
