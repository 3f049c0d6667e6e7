/**
 * In charge of which writes travel together. Those of one account that arrive while a batch of it is under way make
 * the next one, as in group commit; batches of different accounts go side by side.
 *
 * A durable commit costs one flush of the disk and a statement one way to the server and back, whatever they hold: that
 * is what many single writes share here.
 */
import { askedSinceMs } from '../../port/asked-since.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { GroupOutcome, WriteOutcome } from '../../port/offers.ts';
import type { QueueFigures } from '../../port.ts';
import { BatchSizes } from '../../shared/batch-sizes.ts';
import { PipelineOrder, type Waiting, WaitingCalls, type WaitingLimits } from '../engine/waiting-calls.ts';
import type { GroupWrite, OfferWrite, RowWrite } from './offer-commands.ts';

export interface BatchLimits extends WaitingLimits {
  readonly batch_calls_max: number;
  readonly batch_characters_max: number;
  /** Batches under way at once, each of another account. */
  readonly running_max: number;
  /** Within this after its arrival a call is settled. */
  readonly call_ms_max: number;
}

interface BatchWriter {
  /** All of them or none. */
  writeRows(accountId: number, writes: readonly RowWrite[], deadlineMs: number): Promise<readonly WriteOutcome[]>;
  writeGroup(accountId: number, write: GroupWrite, deadlineMs: number): Promise<GroupOutcome>;
}

interface Call {
  readonly write: OfferWrite;
  readonly waiting: Waiting;
  resolve(outcome: GroupOutcome): void;
  reject(error: unknown): void;
}

/**
 * A call that has less than this part of its time left when its turn comes is refused: it would take those that are
 * written with it along when its time is over.
 */
const TIME_LEFT_MIN = 0.25;

export class MicroBatches {
  /** Of the batches that were sent. */
  readonly sizes = new BatchSizes();
  readonly #writer: BatchWriter;
  readonly #limits: BatchLimits;
  readonly #waiting: WaitingCalls;
  readonly #turns: PipelineOrder;
  /** The calls of each account that has any, in the order of arrival; those under way are taken out. */
  readonly #queues = new Map<number, Call[]>();
  #isClosed = false;

  constructor(writer: BatchWriter, limits: BatchLimits) {
    this.#writer = writer;
    this.#limits = limits;
    this.#waiting = new WaitingCalls(limits);
    this.#turns = new PipelineOrder(limits.running_max);
  }

  /** `characters` is how much text the write holds. */
  async write(accountId: number, write: OfferWrite, characters: number): Promise<GroupOutcome> {
    if (this.#isClosed) throw new StoreUnavailableError('The store is closed.');
    const waiting = this.#waiting.begin(characters, askedSinceMs());
    const call = Promise.withResolvers<GroupOutcome>();
    this.#enqueue(accountId, { write, waiting, resolve: call.resolve, reject: call.reject });
    return call.promise;
  }

  figures(): QueueFigures {
    return this.#waiting.figures();
  }

  /** Finishes the calls that were taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#waiting.empty();
  }

  #enqueue(accountId: number, call: Call): void {
    const queue = this.#queues.get(accountId);
    if (queue !== undefined) {
      queue.push(call);
      return;
    }
    const calls = [call];
    this.#queues.set(accountId, calls);
    // Runs when all input of this turn was seen, so that calls made by different requests meet.
    setImmediate(() => void this.#work(accountId, calls));
  }

  /** Never throws: all that can fail is told to the calls. */
  async #work(accountId: number, queue: Call[]): Promise<void> {
    while (queue.length > 0) {
      this.#refuseLate(queue);
      const [oldest] = queue;
      // Without a turn in time the oldest is refused, and another one is the oldest.
      if (oldest === undefined || !(await this.#turns.begin(this.#lateMs(oldest)))) continue;
      // Cut here and not before: whatever came while this waited for its turn goes along, unless it is late by now.
      this.#refuseLate(queue);
      const batch = queue.splice(0, batchLength(queue, this.#limits));
      if (batch.length > 0) await this.#send(accountId, batch);
      this.#turns.end();
    }
    this.#queues.delete(accountId);
  }

  /** From when on a call is refused. */
  #lateMs({ waiting }: Call): number {
    return waiting.sinceMs + this.#limits.call_ms_max * (1 - TIME_LEFT_MIN);
  }

  #refuseLate(queue: Call[]): void {
    const nowMs = performance.now();
    // Not only the first ones: whoever came later may have waited for other things before.
    const late = queue.filter((call) => this.#lateMs(call) <= nowMs);
    if (late.length === 0) return;
    queue.splice(0, queue.length, ...queue.filter((call) => this.#lateMs(call) > nowMs));
    for (const call of late) this.#fail(call, new StoreUnavailableError('The database is too slow for this write.'));
  }

  async #send(accountId: number, batch: readonly Call[]): Promise<void> {
    this.sizes.add(batch.length);
    try {
      const outcomes = await this.#write(accountId, batch);
      batch.forEach((call, place) => {
        this.#waiting.end(call.waiting);
        call.resolve(outcomes[place] as GroupOutcome);
      });
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreUnavailableError) {
        for (const call of batch) this.#fail(call, error);
      } else {
        // Something in one of them cannot be stored; nothing was. The others shall not fail with it.
        for (const call of batch) await this.#send(accountId, [call]);
      }
    }
  }

  async #write(accountId: number, batch: readonly Call[]): Promise<readonly GroupOutcome[]> {
    const [first] = batch as [Call];
    const oldestMs = batch.reduce((sinceMs, { waiting }) => Math.min(sinceMs, waiting.sinceMs), first.waiting.sinceMs);
    const deadlineMs = oldestMs + this.#limits.call_ms_max;
    if (first.write.kind === 'group') return [await this.#writer.writeGroup(accountId, first.write, deadlineMs)];
    const writes = batch.map(({ write }) => write as RowWrite);
    return this.#writer.writeRows(accountId, writes, deadlineMs);
  }

  #fail(call: Call, error: unknown): void {
    this.#waiting.end(call.waiting);
    call.reject(error);
  }
}

/**
 * How many of the calls go together. A group is alone, since it writes several SKUs. A change of the flag waits for the
 * next batch, and its higher number, when stock of that SKU is written in this one: by number it is told which stock the
 * change has zeroed.
 */
function batchLength(queue: readonly Call[], { batch_calls_max, batch_characters_max }: BatchLimits): number {
  const stocked = new Set<string>();
  let characters = 0;
  for (let length = 0; length < queue.length; length++) {
    const { write, waiting } = queue[length] as Call;
    characters += waiting.characters;
    const isFull = length === batch_calls_max || characters > batch_characters_max;
    if (write.kind === 'group' || (isFull && length > 0)) return Math.max(length, 1);
    if (write.kind === 'inventory') stocked.add(write.skuId);
    const setsFlag = write.kind === 'archive' || write.kind === 'unarchive';
    if (setsFlag && stocked.has(write.skuId)) return length;
  }
  return queue.length;
}
