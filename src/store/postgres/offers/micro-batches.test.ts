/** Tests which writes share a batch, in which order, and what happens if the database fails or is slow. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import type { WriteOutcome } from '../../../domain/offers/part.ts';
import { askedSince } from '../../port/asked-since.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../../port/errors.ts';
import { type BatchLimits, MicroBatches } from './micro-batches.ts';
import type { OfferWrite, PartsWrite, RowWrite } from './offer-commands.ts';

const LIMITS: BatchLimits = {
  waiting_calls_max: 100,
  waiting_characters_max: 1_000,
  batch_calls_max: 10,
  batch_characters_max: 500,
  running_max: 100,
  call_ms_max: 10_000,
};

interface Sent {
  readonly accountId: number;
  readonly writes: readonly OfferWrite[];
  readonly deadlineMs: number;
  answer(): void;
  fail(error: Error): void;
}

/** A writer that responds when the test says so. */
function heldBatches(limits: Partial<BatchLimits> = {}) {
  const sent: Sent[] = [];
  const send = (accountId: number, writes: readonly OfferWrite[], deadlineMs: number) => {
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome[]>();
    sent.push({ accountId, writes, deadlineMs, answer: () => resolve(writes.map(() => 'stored')), fail: reject });
    return promise;
  };
  const sendAlone = async (accountId: number, write: OfferWrite, deadlineMs: number) => {
    const [outcome] = await send(accountId, [write], deadlineMs);
    return outcome ?? 'unknown';
  };
  const writer = { writeRows: send, writeParts: sendAlone };
  const batches = new MicroBatches(writer, { ...LIMITS, ...limits });
  const write = (offerWrite: OfferWrite, accountId = 1, characters = 1) =>
    batches.write(accountId, offerWrite, characters);
  return { batches, sent, write };
}

const ATTRIBUTION = { by: 'key:first', atMs: 1 } as const;
const price = (skuId: string): RowWrite => ({ part: 'price', skuId, price: 1, nodes: '[]', ...ATTRIBUTION });
const stock = (skuId: string): RowWrite => ({ part: 'inventory', skuId, nodes: new Map(), ...ATTRIBUTION });
const archive = (skuId: string): RowWrite => ({ part: 'archive', skuId, archived: true, ...ATTRIBUTION });
const parts = (skuId: string): PartsWrite => {
  return { skuId, parts: [], precondition: undefined, scope: 'part', ...ATTRIBUTION };
};
const skusOf = (sent: readonly Sent[]) => sent.map(({ writes }) => writes.map(({ skuId }) => skuId).join());

/** Completes batch after batch until none is left. */
async function answerAll(sent: readonly Sent[]): Promise<void> {
  for (let answered = 0; ; answered++) {
    await eventLoopTick();
    const next = sent[answered];
    if (next === undefined) return;
    next.answer();
  }
}

describe('micro-batches', () => {
  test('the number of accounts in flight is limited; the next one starts when one ends', async () => {
    const { sent, write } = heldBatches({ running_max: 2 });
    const outcomes = [1, 2, 3].map((accountId) => write(price(`of-${accountId}`), accountId));
    await eventLoopTick();
    assert.deepEqual(skusOf(sent), ['of-1', 'of-2']);
    // Joins the batch of its account, which has not been sent yet.
    outcomes.push(write(price('of-3-too'), 3));
    sent[1]?.answer();
    await eventLoopTick();
    assert.deepEqual(skusOf(sent), ['of-1', 'of-2', 'of-3,of-3-too']);
    await answerAll(sent);
    assert.deepEqual(new Set(await Promise.all(outcomes)), new Set(['stored']));
  });

  test('a call that is not sent in time is refused, and takes no slot', async () => {
    const { sent, write } = heldBatches({ running_max: 1, call_ms_max: 1_000 });
    const first = write(price('a'), 1);
    const second = write(price('b'), 2);
    await assert.rejects(second, StoreUnavailableError);
    sent[0]?.answer();
    assert.equal(await first, 'stored');
    const third = write(price('c'), 3);
    await eventLoopTick();
    assert.deepEqual(skusOf(sent), ['a', 'c']);
    sent[1]?.answer();
    assert.equal(await third, 'stored');
  });

  test('calls of one tick are sent together; calls that arrive meanwhile form the next batch', async () => {
    const { sent, write } = heldBatches();
    const outcomes = [write(price('a')), write(price('b'))];
    await eventLoopTick();
    outcomes.push(write(price('c')));
    await eventLoopTick();
    outcomes.push(write(price('d')));
    await eventLoopTick();
    assert.deepEqual(skusOf(sent), ['a,b']);
    await answerAll(sent);
    assert.deepEqual(skusOf(sent), ['a,b', 'c,d']);
    assert.deepEqual(await Promise.all(outcomes), ['stored', 'stored', 'stored', 'stored']);
  });

  test('accounts do not wait for each other', async () => {
    const { sent, write } = heldBatches();
    const first = write(price('a'), 1);
    await eventLoopTick();
    const second = write(price('b'), 2);
    await eventLoopTick();
    assert.deepEqual(
      sent.map(({ accountId }) => accountId),
      [1, 2],
    );
    sent[1]?.answer();
    assert.equal(await second, 'stored');
    sent[0]?.answer();
    assert.equal(await first, 'stored');
  });

  test('a batch is limited in calls and in characters', async () => {
    const { batches, sent, write } = heldBatches({ batch_calls_max: 2 });
    const outcomes = ['a', 'b', 'c'].map((skuId) => write(price(skuId)));
    outcomes.push(write(price('d'), 1, 400), write(price('e'), 1, 400), write(price('f'), 1, 101));
    await answerAll(sent);
    assert.deepEqual(skusOf(sent), ['a,b', 'c,d', 'e', 'f']);
    await Promise.all(outcomes);
    assert.equal(batches.sizes.sum, 6);
  });

  test('a call that exceeds the batch size is sent alone', async () => {
    const { sent, write } = heldBatches();
    const outcomes = [write(price('a')), write(price('large'), 1, 501), write(price('b'))];
    await answerAll(sent);
    assert.deepEqual(skusOf(sent), ['a', 'large', 'b']);
    await Promise.all(outcomes);
  });

  test('a write of parts is sent alone, in order', async () => {
    const { sent, write } = heldBatches();
    const outcomes = [price('a'), parts('p'), parts('q'), price('b'), price('c')].map((each) => write(each));
    await answerAll(sent);
    assert.deepEqual(skusOf(sent), ['a', 'p', 'q', 'b,c']);
    await Promise.all(outcomes);
  });

  test('a flag, and all calls after it, wait for the next batch if this one has stock of its SKU', async () => {
    const { sent, write } = heldBatches();
    const writes = [stock('a'), archive('b'), archive('a'), stock('b'), stock('a')];
    const outcomes = writes.map((each) => write(each));
    await answerAll(sent);
    assert.deepEqual(skusOf(sent), ['a,b', 'a,b,a']);
    await Promise.all(outcomes);
  });

  test('calls beyond the queue limits are refused at once, and accepted again later', async () => {
    const { batches, sent, write } = heldBatches({ waiting_calls_max: 2 });
    const outcomes = [write(price('a'), 1, 600), write(price('b'))];
    await assert.rejects(write(price('c')), StoreOverloadedError);
    assert.equal(batches.waiting.figures().waiting, 2);
    await answerAll(sent);
    await Promise.all(outcomes);
    assert.deepEqual(batches.waiting.figures(), { waiting: 0, oldestWait_ms: 0 });
    const again = write(price('d'), 1, 600);
    await assert.rejects(write(price('e'), 1, 401), StoreOverloadedError);
    await eventLoopTick();
    sent.at(-1)?.answer();
    assert.equal(await again, 'stored');
  });

  test('when the store is unavailable the whole batch fails, and the next batch is tried', async () => {
    const { sent, write } = heldBatches();
    const failing = [write(price('a')), write(price('b'))];
    await eventLoopTick();
    const next = write(price('c'));
    sent[0]?.fail(new StoreUnavailableError('gone'));
    for (const { status } of await Promise.allSettled(failing)) assert.equal(status, 'rejected');
    sent[1]?.answer();
    assert.equal(await next, 'stored');
  });

  test('a write that cannot be stored fails alone', async () => {
    const { sent, write } = heldBatches();
    const outcomes = Promise.allSettled([write(price('a')), write(price('bad')), write(price('c'))]);
    await eventLoopTick();
    sent[0]?.fail(new Error('a fault'));
    await eventLoopTick();
    sent[1]?.answer();
    await eventLoopTick();
    sent[2]?.fail(new Error('a fault'));
    await eventLoopTick();
    sent[3]?.answer();
    assert.deepEqual(skusOf(sent), ['a,bad,c', 'a', 'bad', 'c']);
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  test('a batch has the remaining time of its oldest call; a call with hardly any is refused unsent', async () => {
    const { sent, write } = heldBatches();
    const nowMs = performance.now();
    const waited = (ms: number, skuId: string) => askedSince(nowMs - ms, () => write(price(skuId)));
    const outcomes = [waited(1_000, 'a')];
    await eventLoopTick();
    assert.equal(sent[0]?.deadlineMs, nowMs - 1_000 + LIMITS.call_ms_max);
    // All calls wait for the batch in flight. They arrive in time, but one of them is too late when their batch is formed.
    const late = assert.rejects(waited(7_400, 'late'), StoreUnavailableError);
    outcomes.push(waited(0, 'b'));
    while (performance.now() - nowMs < 110) await eventLoopTick();
    sent[0]?.answer();
    await late;
    await eventLoopTick();
    sent[1]?.answer();
    await Promise.all(outcomes);
    assert.deepEqual(skusOf(sent), ['a', 'b']);
    assert.equal(sent[1]?.deadlineMs, nowMs + LIMITS.call_ms_max);
  });

  test('the time of a call starts with its request: the last call may be the oldest, or late at once', async () => {
    const { sent, write } = heldBatches();
    const nowMs = performance.now();
    const waited = (ms: number, skuId: string) => askedSince(nowMs - ms, () => write(price(skuId)));
    const outcomes = [write(price('new')), waited(5_000, 'old')];
    const late = waited(7_500, 'late');
    await assert.rejects(late, StoreUnavailableError);
    assert.deepEqual(skusOf(sent), ['new,old']);
    assert.equal(sent[0]?.deadlineMs, nowMs - 5_000 + LIMITS.call_ms_max);
    await answerAll(sent);
    assert.deepEqual(await Promise.all(outcomes), ['stored', 'stored']);
  });

  test('closing finishes accepted calls and refuses the rest', async () => {
    const { batches, sent, write } = heldBatches();
    const taken = write(price('a'));
    const closed = batches.waiting.close();
    await assert.rejects(write(price('b')), StoreUnavailableError);
    await answerAll(sent);
    assert.equal(await taken, 'stored');
    await closed;
    await batches.waiting.close();
  });
});
