/** Tests how the loop leases webhooks and releases them. test/api/webhooks.test.ts tests what receivers get. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it as plainIt, type TestContext } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { timedIt as it } from '../../test/harness/lost-time.ts';
import type { FeedEvent, FeedPosition } from '../domain/events.ts';
import type { Names } from '../domain/names.ts';
import type { Webhook } from '../domain/setup/webhooks.ts';
import { AccountUnavailableError } from '../store/port/errors.ts';
import { WebhookLoop } from './deliver-webhooks.ts';
import { type DeliveryOptions, pauseAfter, READ_AGAIN_MS } from './delivery.ts';
import type { Sent } from './webhook-client.ts';
import { webhookFeed } from './webhook-feed.ts';

const NOW_MS = 1_700_000_000_000;
/** A response counts as slow after this time. */
const SLOW_MS = 50;
const DELIVERED: Sent = { status: 204, failure: null };

function webhookOf(accountId: number): Webhook {
  return {
    accountId,
    webhookId: 'hook',
    shop: null,
    address: `https://hooks.example/${accountId}`,
    types: ['offer.updated'],
    include: [],
    batches: false,
    secrets: [],
    createdMs: NOW_MS,
    disabledReason: null,
    position: { number: 1, count: 0 },
    attempts: 0,
    failingSinceMs: null,
    dueMs: NOW_MS,
  };
}

interface Fake {
  readonly webhooks?: readonly Webhook[];
  /** Returns whether the account has events. If it does, it has one for every number, without end. */
  readonly hasEvents?: (accountId: number) => boolean;
  readonly send: (signal: AbortSignal | undefined, address: string) => Promise<Sent>;
  /** Awaited before webhooks are listed. */
  readonly listing?: () => Promise<void>;
  /** Awaited before events are read. */
  readonly reading?: () => Promise<void>;
  /** Returns whether the webhook may be leased, or its lease renewed. */
  readonly leasing?: () => boolean;
  /** Awaited before progress is stored. */
  readonly storing?: () => Promise<void>;
  /** Events are about this many SKUs, one after the other. */
  readonly skus?: number;
  /** The number of all events; endless by default. */
  readonly events?: number;
}

function loopOf(t: TestContext, fake: Fake) {
  const {
    webhooks = [webhookOf(1)],
    hasEvents = () => true,
    skus = 1,
    events = Number.POSITIVE_INFINITY,
    send,
    listing,
    reading,
    storing,
    leasing,
  } = fake;
  const taken: number[] = [];
  const heldUntilMs: number[] = [];
  const noted: { position: FeedPosition; attempts: number; delay_ms: number | undefined }[] = [];
  const store = {
    feed: {
      readFeedState: async (accountId: number) => {
        return { tag: 'a', dropped: 0, end: hasEvents(accountId) ? 1000 : 0, hasUnnumbered: false };
      },
      readEvents: async (_: number, { after }: { after: FeedPosition }) => {
        await reading?.();
        const number = after.count === 0 ? after.number : after.number + 1;
        if (number > events) return { events: [], next: after, more: false, tag: 'a' };
        const event: FeedEvent = {
          ...{ type: 'offer.updated', skuId: `sku-${number % skus}`, part: 'sku', by: null },
          position: { number, count: 1 },
          atMs: NOW_MS,
        };
        return { events: [event], next: { number: number + 1, count: 0 }, more: number < events, tag: 'a' };
      },
    },
    webhooks: {
      listDueWebhooks: async (after: Webhook | undefined, limit: number) => {
        await listing?.();
        const start = after === undefined ? 0 : webhooks.indexOf(after) + 1;
        return webhooks.slice(start, start + limit);
      },
      takeWebhook: async (webhook: Webhook, lease_ms: number) => {
        if (leasing?.() === false) return undefined;
        taken.push(webhook.accountId);
        return { ...webhook, dueMs: webhook.dueMs + lease_ms };
      },
      noteDeliveries: async (
        held: Webhook,
        { position, attempts }: { position: FeedPosition; attempts: number },
        _deliveries: unknown,
        delay_ms: number | undefined,
      ) => {
        await storing?.();
        noted.push({ position, attempts, delay_ms });
        heldUntilMs.push(held.dueMs);
        return 'stored';
      },
    },
  } as unknown as DeliveryOptions['store'] & Parameters<typeof webhookFeed>[0];
  const client = {
    send: (address: string, _headers: unknown, _body: string, signal?: AbortSignal) => send(signal, address),
  } as DeliveryOptions['client'];
  const loop = new WebhookLoop({
    store,
    client,
    feed: webhookFeed(store, {} as Names),
    telemetry: { observe: (_, fields) => assert.fail(JSON.stringify(fields)) },
    nowMs: () => NOW_MS,
    onDisabled: () => assert.fail('It was disabled.'),
    poll_ms: 1,
    slow_ms: SLOW_MS,
  });
  t.after(() => loop.close(0));
  return { loop, taken, noted, heldUntilMs };
}

/** Resolves when the message is cut off. */
function silence(signal: AbortSignal | undefined): Promise<Sent> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve({ status: null, failure: 'The connection failed.' }));
  });
}

describe('the delivery of webhooks', () => {
  it('ends after the message in flight, and leaves the next ones to another process', async (t) => {
    const [sending, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Sent>()];
    let messages = 0;
    const { loop, noted } = loopOf(t, {
      send: () => {
        messages++;
        sending.resolve();
        return answer.promise;
      },
    });
    await sending.promise;
    const closing = loop.close(60_000);
    answer.resolve(DELIVERED);
    await closing;
    assert.equal(messages, 1);
    assert.deepEqual(noted.at(-1), { position: { number: 1, count: 1 }, attempts: 0, delay_ms: 0 });
  });

  it('cuts off a message that takes too long, which does not count as a failed attempt', async (t) => {
    const sending = Promise.withResolvers<void>();
    const { loop, noted } = loopOf(t, {
      send: (signal) => {
        sending.resolve();
        return silence(signal);
      },
    });
    await sending.promise;
    await loop.close(1);
    assert.deepEqual(noted, [{ position: { number: 1, count: 0 }, attempts: 0, delay_ms: 0 }]);
  });

  it('renews its lease of 3 seconds every second while a receiver is silent, and stores the progress with it', async (t) => {
    const [sending, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Sent>()];
    const { loop, taken, noted, heldUntilMs } = loopOf(t, {
      send: () => {
        sending.resolve();
        return answer.promise;
      },
    });
    await sending.promise;
    const startMs = performance.now();
    while (taken.length < 3) await setTimeout(10);
    const took_ms = performance.now() - startMs;
    assert.ok(took_ms > 1900, `two renewals after ${took_ms} ms`);
    const closing = loop.close(60_000);
    answer.resolve(DELIVERED);
    await closing;
    assert.equal(noted[0]?.delay_ms, undefined);
    assert.equal(heldUntilMs[0], NOW_MS + 3 * 3000);
  });

  it('renews its lease while events are read', async (t) => {
    const [sent, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { loop, taken, heldUntilMs } = loopOf(t, {
      reading: () => read.promise,
      send: async () => {
        sent.resolve();
        return DELIVERED;
      },
    });
    while (taken.length < 2) await setTimeout(10);
    read.resolve();
    await sent.promise;
    await loop.close(60_000);
    assert.equal(heldUntilMs[0], NOW_MS + 2 * 3000);
  });

  it('cuts off the messages in flight and starts no others when its lease is lost', async (t) => {
    const signals: (AbortSignal | undefined)[] = [];
    const lost = Promise.withResolvers<void>();
    let leases = 0;
    const { noted, taken } = loopOf(t, {
      skus: 50,
      leasing: () => ++leases === 1,
      send: (signal) => {
        signals.push(signal);
        signal?.addEventListener('abort', () => lost.resolve());
        return silence(signal);
      },
    });
    await lost.promise;
    const started = signals.length;
    await setTimeout(SLOW_MS);
    assert.ok(signals.every((signal) => signal?.aborted));
    assert.deepEqual([signals.length, noted, taken], [started, [], [1]]);
  });

  it('renews its lease while messages end all the time', async (t) => {
    const { loop, taken } = loopOf(t, {
      skus: 50,
      send: async () => {
        await setImmediate();
        return DELIVERED;
      },
      // By then, other messages have ended.
      storing: () => setTimeout(5),
    });
    const startMs = performance.now();
    while (taken.length < 3) await setTimeout(10);
    assert.ok(performance.now() - startMs < 4000, 'It renews the lease before it expires.');
    await loop.close(60_000);
  });

  it('looks for new events at once if storing a result took longer than the time between two looks', async (t) => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    t.after(() => process.off('warning', note));
    let messages = 0;
    const { loop, noted } = loopOf(t, {
      skus: 2,
      events: 2,
      // The second message is in flight while the result of the first one is stored.
      send: (signal) => (++messages === 1 ? Promise.resolve(DELIVERED) : silence(signal)),
      storing: () => setTimeout(READ_AGAIN_MS + 100),
    });
    while (noted.length === 0) await setTimeout(10);
    await setTimeout(READ_AGAIN_MS);
    await loop.close(0);
    assert.deepEqual(warnings, []);
  });

  it('takes no webhook while it ends', async (t) => {
    const [asked, listed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const listing = () => {
      asked.resolve();
      return listed.promise;
    };
    const { loop, taken } = loopOf(t, { send: async () => DELIVERED, listing });
    await asked.promise;
    const closing = loop.close(60_000);
    listed.resolve();
    await closing;
    assert.deepEqual(taken, []);
  });

  it('continues with other accounts if the database node of one is down', async (t) => {
    const sending = Promise.withResolvers<void>();
    const { loop, taken } = loopOf(t, {
      webhooks: [webhookOf(1), webhookOf(2)],
      hasEvents: (accountId) => {
        if (accountId === 1) throw new AccountUnavailableError('The node is down.');
        return true;
      },
      send: async () => {
        sending.resolve();
        return DELIVERED;
      },
    });
    await sending.promise;
    await loop.close(60_000);
    assert.deepEqual(taken, [2]);
  });

  it('finds the one webhook with events among thousands without', async (t) => {
    const webhooks = Array.from({ length: 10_001 }, (_, position) => webhookOf(position));
    const sending = Promise.withResolvers<void>();
    const { loop, taken } = loopOf(t, {
      webhooks,
      hasEvents: (accountId) => accountId === 10_000,
      send: async () => {
        sending.resolve();
        return DELIVERED;
      },
    });
    await sending.promise;
    await loop.close(60_000);
    assert.deepEqual(taken, [10_000]);
  });

  for (const [what, known] of [
    ['200 receivers are silent for the first time', { count: 200, attempts: 0 }],
    ['1,000 receivers have failed before and are silent again', { count: 1000, attempts: 1 }],
  ] as const) {
    it(`sends to a quick receiver while ${what}`, async (t) => {
      const silent = Array.from({ length: known.count }, (_, position) => ({ ...webhookOf(position), ...known }));
      const quick = webhookOf(known.count);
      const sending = Promise.withResolvers<void>();
      const { loop } = loopOf(t, {
        webhooks: [...silent, quick],
        send: async (signal, address) => {
          if (address !== quick.address) return silence(signal);
          sending.resolve();
          return DELIVERED;
        },
      });
      await sending.promise;
      await loop.close(0);
    });
  }

  it('sends to at most 200 receivers at a time that were slow before, although they respond', async (t) => {
    const webhooks = Array.from({ length: 250 }, (_, position) => webhookOf(position));
    const messages = new Map<string, number>();
    const done = Promise.withResolvers<void>();
    const { loop } = loopOf(t, {
      webhooks,
      send: async (_, address) => {
        const count = (messages.get(address) ?? 0) + 1;
        messages.set(address, count);
        await setTimeout(2 * SLOW_MS);
        if (count === 5) done.resolve();
        return DELIVERED;
      },
    });
    await done.promise;
    await loop.close(60_000);
    assert.equal(messages.size, 250, 'All get their first message.');
    assert.equal(
      messages
        .values()
        .filter((count) => count > 1)
        .toArray().length,
      200,
    );
  });
});

plainIt('pauses after failed attempts as the guide says, and the last pause repeats', () => {
  const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/guides/webhooks.md'), 'utf8');
  const [, text = ''] = /The marketplace retries\s+after (.*?)\. After 3 days/s.exec(guide) ?? [];
  const units = { second: 1000, minute: 60_000, hour: 3_600_000 };
  const pauses = Array.from(text.matchAll(/([\d, and]*\d) (second|minute|hour)s/g), ([, counts = '', unit]) =>
    Array.from(counts.matchAll(/\d+/g), ([count]) => Number(count) * units[unit as keyof typeof units]),
  ).flat();
  assert.deepEqual(
    Array.from({ length: 10 }, (_, attempt) => pauseAfter(attempt + 1)),
    [...pauses, ...Array(10 - pauses.length).fill(pauses.at(-1))],
  );
});
