/**
 * Groups single writes into batches. Writes of one account that arrive while its batch is in flight form the next one, as in
 * group commit; batches of different accounts run in parallel. So writes share one disk flush and one round trip.
 */
import { Histogram } from '../../../domain/histogram.ts';
import { askedSinceMs } from '../../port/asked-since.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { PartsOutcome } from '../../port/offers.ts';
import { BATCH_BOUNDS } from '../../shared/call-sizes.ts';
import { Semaphore, type Waiting, WaitingCalls, type WaitingLimits } from '../engine/waiting-calls.ts';
import type { OfferWrite, PartsWrite, RowWrite } from './offer-commands.ts';

export interface BatchLimits extends WaitingLimits {
  readonly batch_calls_max: number;
  readonly batch_characters_max: number;
  /** Maximum number of batches in flight, each of a different account. */
  readonly running_max: number;
  /** Timeout of a call, from its arrival. */
  readonly call_ms_max: number;
}

interface BatchWriter {
  /** Writes all or none. */
  writeRows(accountId: number, writes: readonly RowWrite[], deadlineMs: number): Promise<readonly PartsOutcome[]>;
  writeParts(accountId: number, write: PartsWrite, deadlineMs: number): Promise<PartsOutcome>;
}

interface Call extends PromiseWithResolvers<PartsOutcome> {
  readonly write: OfferWrite;
  readonly waiting: Waiting;
}

/** A call with a smaller share of its timeout left is refused: at its deadline, the whole batch would fail with it. */
const TIME_LEFT_MIN = 0.25;

export class MicroBatches {
  readonly sizes = new Histogram(BATCH_BOUNDS);
  readonly #writer: BatchWriter;
  readonly #limits: BatchLimits;
  readonly waiting: WaitingCalls;
  readonly #slots: Semaphore;
  /** Calls of each account that are not in flight yet, in order of arrival. */
  readonly #queues = new Map<number, Call[]>();

  constructor(writer: BatchWriter, limits: BatchLimits) {
    this.#writer = writer;
    this.#limits = limits;
    this.waiting = new WaitingCalls(limits);
    this.#slots = new Semaphore(limits.running_max);
  }

  async write(accountId: number, write: OfferWrite, characters: number): Promise<PartsOutcome> {
    const waiting = this.waiting.begin(characters, askedSinceMs());
    const call: Call = { write, waiting, ...Promise.withResolvers<PartsOutcome>() };
    const queue = this.#queues.get(accountId);
    if (queue !== undefined) {
      queue.push(call);
      return call.promise;
    }
    const calls = [call];
    this.#queues.set(accountId, calls);
    // Starts after all input of this tick was read, so that calls of different requests share a batch.
    setImmediate(() => void this.#work(accountId, calls));
    return call.promise;
  }

  /** Sends batches until the account's queue is empty. Never throws: failures reject the calls. */
  async #work(accountId: number, queue: Call[]): Promise<void> {
    while (queue.length > 0) {
      this.#refuseLate(queue);
      const [oldest] = queue;
      // If no slot becomes free in time, the oldest call is refused, and the loop continues with the next call.
      if (oldest === undefined || !(await this.#slots.acquire(accountId, this.#lateMs(oldest)))) continue;
      // The batch is formed only now, to include calls that arrived meanwhile and exclude calls that became late.
      this.#refuseLate(queue);
      const batch = queue.splice(0, batchLength(queue, this.#limits));
      if (batch.length > 0) await this.#send(accountId, batch);
      this.#slots.release(accountId);
    }
    this.#queues.delete(accountId);
  }

  /** Returns the time after which it is too late to send the call. */
  #lateMs({ waiting }: Call): number {
    return waiting.sinceMs + this.#limits.call_ms_max * (1 - TIME_LEFT_MIN);
  }

  #refuseLate(queue: Call[]): void {
    const nowMs = performance.now();
    // Checks all calls: a call that arrived later may have waited elsewhere before.
    const late = queue.filter((call) => this.#lateMs(call) <= nowMs);
    if (late.length === 0) return;
    queue.splice(0, queue.length, ...queue.filter((call) => this.#lateMs(call) > nowMs));
    for (const call of late) this.#fail(call, new StoreUnavailableError('The database is too slow for this write.'));
  }

  async #send(accountId: number, batch: readonly Call[]): Promise<void> {
    this.sizes.add(batch.length);
    try {
      const outcomes = await this.#write(accountId, batch);
      batch.forEach((call, index) => {
        this.waiting.end(call.waiting);
        call.resolve(outcomes[index] as PartsOutcome);
      });
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreUnavailableError) {
        for (const call of batch) this.#fail(call, error);
      } else {
        // One write is invalid, and nothing was stored. The others must not fail with it.
        for (const call of batch) await this.#send(accountId, [call]);
      }
    }
  }

  async #write(accountId: number, batch: readonly Call[]): Promise<readonly PartsOutcome[]> {
    const [first] = batch as [Call];
    const oldestMs = batch.reduce((sinceMs, { waiting }) => Math.min(sinceMs, waiting.sinceMs), first.waiting.sinceMs);
    const deadlineMs = oldestMs + this.#limits.call_ms_max;
    if ('parts' in first.write) return [await this.#writer.writeParts(accountId, first.write, deadlineMs)];
    const writes = batch.map(({ write }) => write as RowWrite);
    return this.#writer.writeRows(accountId, writes, deadlineMs);
  }

  #fail(call: Call, error: unknown): void {
    this.waiting.end(call.waiting);
    call.reject(error);
  }
}

/**
 * Returns how many calls go into the next batch. Parts are sent alone, because they are locked first. A change to the archive flag waits
 * for the next batch if this one writes stock of its SKU: it needs a higher number to show which stock it zeroed.
 */
function batchLength(queue: readonly Call[], { batch_calls_max, batch_characters_max }: BatchLimits): number {
  const stocked = new Set<string>();
  let characters = 0;
  for (let length = 0; length < queue.length; length++) {
    const { write, waiting } = queue[length] as Call;
    characters += waiting.characters;
    const isFull = length === batch_calls_max || characters > batch_characters_max;
    if ('parts' in write || (isFull && length > 0)) return Math.max(length, 1);
    if (write.part === 'inventory') stocked.add(write.skuId);
    if (write.part === 'archive' && stocked.has(write.skuId)) return length;
  }
  return queue.length;
}
