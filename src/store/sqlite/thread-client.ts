/**
 * In charge of the request thread's side of a store thread: gathers calls into batches, keeps at most two batches
 * under way, settles each call when its batch is answered, and says so when the thread is gone.
 *
 * A message between threads costs some 10 us however much it holds. So calls of one turn of the event loop travel
 * together, and while the thread is busy with two batches the next one grows.
 *
 * There are two lanes. Calls of the second one, slices of background work that take the thread some milliseconds each, go
 * one by one, when none of the first waits; and also when one does, after a while, so that background work goes on
 * under any load. A single call waits for one such slice at most.
 */
import { Worker } from 'node:worker_threads';
import { BatchSizes } from '../batch-sizes.ts';
import { type QueueFigures, StoreOverloadedError, StoreUnavailableError } from '../port.ts';
import type { AnswerMessage, BatchMessage, GreetingMessage } from './thread-messages.ts';
import { CLOSE_MESSAGE, errorFromData } from './thread-messages.ts';

export interface ThreadLimits {
  /** Calls that were taken and not answered yet. */
  readonly waiting_calls_max: number;
  /** Characters of text in them. */
  readonly waiting_characters_max: number;
  readonly batch_calls_max: number;
}

/** One batch is worked on while the next lies ready; more would only wait in the thread, where they cannot grow. */
const BATCHES_UNDER_WAY_MAX = 2;

/** Under full load one slice of the second lane goes about so often: it has a tenth of the thread's time then. */
const BEHIND_WAIT_MS_MAX = 25;

interface Batch {
  readonly methods: string[];
  readonly args: (readonly unknown[])[];
  readonly settlers: Settler[];
  readonly openedMs: number;
  readonly isBehind: boolean;
  characters: number;
}

interface Settler {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type MethodOf<Service> = {
  [Name in keyof Service]: Service[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof Service] &
  string;
type ArgsOf<Method> = Method extends (...args: infer Args) => unknown ? Readonly<Args> : never;
type ResultOf<Method> = Method extends (...args: never[]) => infer Result ? Result : never;

export class ThreadClient<Service extends object> {
  readonly #worker: Worker;
  readonly #limits: ThreadLimits;
  readonly #onFatal: (error: StoreUnavailableError) => void;
  /** What the thread reported of itself when it was ready. */
  readonly report: unknown;

  /** Called before the calls of a batch resolve. */
  beforeSettling: () => void = () => {};

  /** Of the batches that were sent. */
  readonly batchSizes = new BatchSizes();

  /** Not sent yet; calls join the last one. */
  readonly #queue: Batch[] = [];
  /** Of the second lane: each has one call. */
  readonly #behind: Batch[] = [];
  /** When the last of them was answered. */
  #behindEndedMs = 0;
  /** Under way, in the order sent, which is the order of the answers. */
  readonly #sent: Batch[] = [];
  #waitingCalls = 0;
  #waitingCharacters = 0;
  #sendIsScheduled = false;
  /** Set when no further calls are taken. */
  #refusal: StoreUnavailableError | undefined;
  #closing = false;
  #failed = false;
  readonly #ended = Promise.withResolvers<void>();

  /** Resolves when the thread is ready for calls. */
  static async start<Service extends object>(
    file: URL,
    workerData: unknown,
    limits: ThreadLimits,
    onFatal: (error: StoreUnavailableError) => void,
  ): Promise<ThreadClient<Service>> {
    // No flags of the process: one that names its input, as --eval does, would keep the thread from starting.
    const worker = new Worker(file, { workerData, execArgv: [] });
    const greeting = await firstMessage(worker);
    if ('failed' in greeting) throw errorFromData(greeting.failed);
    return new ThreadClient<Service>(worker, greeting.ready, limits, onFatal);
  }

  private constructor(
    worker: Worker,
    report: unknown,
    limits: ThreadLimits,
    onFatal: (error: StoreUnavailableError) => void,
  ) {
    this.#worker = worker;
    this.report = report;
    this.#limits = limits;
    this.#onFatal = onFatal;
    worker.on('message', (answers: AnswerMessage) => this.#settle(answers));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', (code) => {
      if (!this.#closing || this.#waitingCalls > 0) this.#fail(new Error(`The thread ended with code ${code}.`));
      this.#ended.resolve();
    });
  }

  /** `characters` is how much text the arguments hold. */
  call<Method extends MethodOf<Service>>(
    method: Method,
    args: ArgsOf<Service[Method]>,
    characters: number,
  ): Promise<ResultOf<Service[Method]>> {
    return this.#take(false, method, args, characters);
  }

  /** As `call`, in the second lane. */
  callBehind<Method extends MethodOf<Service>>(
    method: Method,
    args: ArgsOf<Service[Method]>,
    characters: number,
  ): Promise<ResultOf<Service[Method]>> {
    return this.#take(true, method, args, characters);
  }

  #take<Method extends MethodOf<Service>>(
    isBehind: boolean,
    method: Method,
    args: ArgsOf<Service[Method]>,
    characters: number,
  ): Promise<ResultOf<Service[Method]>> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    if (
      this.#waitingCalls >= this.#limits.waiting_calls_max ||
      this.#waitingCharacters + characters > this.#limits.waiting_characters_max
    ) {
      return Promise.reject(
        new StoreOverloadedError('More is waiting for the database than may wait; try again soon.'),
      );
    }
    const call = Promise.withResolvers<ResultOf<Service[Method]>>();
    const batch = isBehind ? newBatch(this.#behind, true) : this.#openBatch();
    batch.methods.push(method);
    batch.args.push(args as readonly unknown[]);
    batch.settlers.push(call as Settler);
    batch.characters += characters;
    this.#waitingCalls++;
    this.#waitingCharacters += characters;
    this.#scheduleSend();
    return call.promise;
  }

  figures(): QueueFigures {
    const oldest = this.#sent[0] ?? this.#queue[0];
    const oldestWaitMs = oldest === undefined ? 0 : performance.now() - oldest.openedMs;
    return { waiting: this.#waitingCalls, oldestWaitMs };
  }

  /** Finishes the calls that were taken, then ends the thread. */
  close(): Promise<void> {
    this.#closing = true;
    this.#refusal ??= new StoreUnavailableError('The store is closed.');
    this.#scheduleSend();
    return this.#ended.promise;
  }

  #openBatch(): Batch {
    const last = this.#queue.at(-1);
    if (last !== undefined && last.settlers.length < this.#limits.batch_calls_max) return last;
    return newBatch(this.#queue, false);
  }

  #nextBatch(): Batch | undefined {
    const [behind] = this.#behind;
    if (behind === undefined || this.#sent.some(({ isBehind }) => isBehind)) return this.#queue.shift();
    const mayGo =
      this.#queue.length === 0 ||
      performance.now() - Math.max(behind.openedMs, this.#behindEndedMs) > BEHIND_WAIT_MS_MAX;
    return mayGo ? this.#behind.shift() : this.#queue.shift();
  }

  /** setImmediate runs when all input of this turn was seen, so that calls made by different requests meet. */
  #scheduleSend(): void {
    if (this.#sendIsScheduled || this.#sent.length >= BATCHES_UNDER_WAY_MAX) return;
    this.#sendIsScheduled = true;
    setImmediate(() => {
      this.#sendIsScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    while (this.#sent.length < BATCHES_UNDER_WAY_MAX) {
      const batch = this.#nextBatch();
      if (batch === undefined) break;
      try {
        this.#worker.postMessage([batch.methods, batch.args] satisfies BatchMessage);
        this.#sent.push(batch);
        if (!batch.isBehind) this.batchSizes.add(batch.settlers.length);
      } catch (error) {
        // Something in it cannot be copied to another thread; nothing was sent.
        this.#reject(batch, error instanceof Error ? error : new Error(String(error)));
      }
    }
    if (this.#closing && this.#waitingCalls === 0) this.#worker.postMessage(CLOSE_MESSAGE);
  }

  #settle([results, failures]: AnswerMessage): void {
    const batch = this.#sent.shift();
    if (batch === undefined) throw new Error('The thread answered a batch that it was not sent.');
    this.#forget(batch);
    if (batch.isBehind) this.#behindEndedMs = performance.now();
    this.beforeSettling();
    batch.settlers.forEach((settler, place) => {
      const failure = failures?.get(place);
      if (failure === undefined) settler.resolve(results[place]);
      else settler.reject(errorFromData(failure));
    });
    if (this.#queue.length > 0 || this.#behind.length > 0 || this.#closing) this.#scheduleSend();
  }

  #reject(batch: Batch, error: Error): void {
    this.#forget(batch);
    for (const settler of batch.settlers) settler.reject(error);
  }

  #forget(batch: Batch): void {
    this.#waitingCalls -= batch.settlers.length;
    this.#waitingCharacters -= batch.characters;
  }

  #fail(cause: Error): void {
    // A thread that dies of an error reports twice, the error and its end.
    if (this.#failed) return;
    this.#failed = true;
    const error = new StoreUnavailableError('A thread of the store has ended unexpectedly.', { cause });
    this.#refusal ??= error;
    const lost = [this.#sent, this.#queue, this.#behind].flatMap((batches) => batches.splice(0));
    for (const batch of lost) this.#reject(batch, error);
    this.#onFatal(error);
  }
}

function newBatch(queue: Batch[], isBehind: boolean): Batch {
  const batch: Batch = { methods: [], args: [], settlers: [], openedMs: performance.now(), isBehind, characters: 0 };
  queue.push(batch);
  return batch;
}

function firstMessage(worker: Worker): Promise<GreetingMessage> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new StoreUnavailableError(`A store thread ended with code ${code}.`)));
  });
}
