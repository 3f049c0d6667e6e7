/**
 * Calls a store thread: batches calls, keeps at most two batches of each lane in flight, settles each call when its batch is
 * done, and reports when the thread is gone.
 *
 * A message between threads costs about 10 us, whatever its size. So calls of one event loop tick are sent together, and while
 * the thread has two batches the next one grows. Background calls take the thread a few milliseconds each and travel
 * one by one; the thread decides when they run (see lanes.ts).
 *
 * The thread that started a store thread can connect a third thread to it, as a further client.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { Histogram } from '../../../domain/histogram.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../../port/errors.ts';
import type { QueueFigures } from '../../port.ts';
import { BATCH_BOUNDS, charactersIn } from '../../shared/call-sizes.ts';
import {
  type AnswerMessage,
  type BatchMessage,
  CLOSE_MESSAGE,
  type ClientMessage,
  errorFromData,
  type GreetingMessage,
  type Lane,
} from './thread-messages.ts';

export interface ThreadLimits {
  /** Maximum number of calls that were accepted and not completed yet. */
  readonly waiting_calls_max: number;
  /** Maximum number of characters of text in calls that were accepted and not completed yet. */
  readonly waiting_characters_max: number;
  readonly batch_calls_max: number;
}

/** Called once the thread has ended unexpectedly. */
export type OnFatal = (error: StoreUnavailableError) => void;

/** One batch runs while the next is ready. More would only wait in the thread, where they cannot grow. */
const BATCHES_IN_FLIGHT_MAX = 2;
/** A batch with this many calls is sent before the tick ends: with hundreds of connections a tick takes milliseconds. */
const EARLY_CALLS = 32;

interface Batch {
  readonly methods: string[];
  readonly args: (readonly unknown[])[];
  readonly settlers: PromiseWithResolvers<unknown>[];
  readonly openedMs: number;
  characters: number;
}

interface LaneBatches {
  /** Batches that are not sent yet; foreground calls join the last one. */
  readonly queue: Batch[];
  /** Batches in flight, in the order sent, which is the order of the responses. */
  readonly sent: Batch[];
}

type MethodOf<Service> = {
  [Name in keyof Service]: Service[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof Service] &
  string;
type ArgsOf<Method> = Method extends (...args: infer Args) => unknown ? Readonly<Args> : never;
type ResultOf<Method> = Method extends (...args: never[]) => infer Result ? Awaited<Result> : never;

/** The thread, or a port to it, and how a client disconnects. */
interface ThreadEnd {
  readonly port: Pick<MessagePort, 'postMessage'>;
  readonly leave: () => void;
}

export class ThreadClient<Service extends object> {
  readonly #thread: ThreadEnd;
  readonly #limits: ThreadLimits;
  readonly #onFatal: OnFatal;
  /** Called before the calls of a batch resolve. */
  beforeSettling: () => void = () => {};

  /** Sizes of the foreground batches sent. */
  readonly batchSizes = new Histogram(BATCH_BOUNDS);

  readonly #lanes: Readonly<Record<Lane, LaneBatches>> = {
    foreground: { queue: [], sent: [] },
    /** Each batch has one call. */
    background: { queue: [], sent: [] },
  };
  #waitingCalls = 0;
  #waitingCharacters = 0;
  #sendIsScheduled = false;
  /** Set once further calls are refused. */
  #refusal: StoreUnavailableError | undefined;
  #closing = false;
  #failed = false;
  readonly #ended = Promise.withResolvers<void>();

  /** Resolves when the thread is ready for calls. */
  static async start<Service extends object>(file: URL, workerData: unknown, limits: ThreadLimits, onFatal: OnFatal) {
    // Passes none of the flags of the process: --eval, for example, would keep the thread from starting.
    const worker = new Worker(file, { workerData, execArgv: [] });
    const greeting = await firstMessage(worker);
    if ('failed' in greeting) throw errorFromData(greeting.failed);
    const leave = () => worker.postMessage(CLOSE_MESSAGE);
    const client = new ThreadClient<Service>({ port: worker, leave }, limits, onFatal);
    worker.on('message', (answers: AnswerMessage) => client.#settle(answers));
    worker.on('error', (error) => client.#fail(error));
    worker.on('exit', (code) => client.#end(new Error(`The thread ended with code ${code}.`)));
    return client;
  }

  /** Connects through a port that another client's `openPort` returned. */
  static over<Service extends object>(port: MessagePort, limits: ThreadLimits, onFatal: OnFatal) {
    const client = new ThreadClient<Service>({ port, leave: () => port.close() }, limits, onFatal);
    port.on('message', (answers: AnswerMessage) => client.#settle(answers));
    port.on('close', () => client.#end(new Error('The thread has closed the port.')));
    return client;
  }

  private constructor(thread: ThreadEnd, limits: ThreadLimits, onFatal: OnFatal) {
    this.#thread = thread;
    this.#limits = limits;
    this.#onFatal = onFatal;
  }

  /** Returns a port for a further client, to be transferred to its thread. */
  openPort(): MessagePort {
    if (this.#refusal !== undefined) throw this.#refusal;
    const { port1, port2 } = new MessageChannel();
    this.#thread.port.postMessage({ client: port1 } satisfies ClientMessage, [port1]);
    return port2;
  }

  /** `characters` is how much text the arguments hold. */
  call<Method extends MethodOf<Service>>(
    method: Method,
    args: ArgsOf<Service[Method]>,
    characters: number,
    lane: Lane = 'foreground',
  ): Promise<ResultOf<Service[Method]>> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    const { waiting_calls_max, waiting_characters_max } = this.#limits;
    if (this.#waitingCalls >= waiting_calls_max || this.#waitingCharacters + characters > waiting_characters_max) {
      return Promise.reject(new StoreOverloadedError('Too many calls are waiting for the database. Try again soon.'));
    }
    const call = Promise.withResolvers<ResultOf<Service[Method]>>();
    const batch = this.#openBatch(lane);
    batch.methods.push(method);
    batch.args.push(args as readonly unknown[]);
    batch.settlers.push(call as PromiseWithResolvers<unknown>);
    batch.characters += characters;
    this.#waitingCalls++;
    this.#waitingCharacters += characters;
    if (batch.settlers.length === EARLY_CALLS) this.#send(lane);
    this.#scheduleSend();
    return call.promise;
  }

  /** Returns methods of the store that call these methods of the thread. */
  methods<const Names extends readonly MethodOf<Service>[]>(
    names: Names,
    lane?: Lane,
  ): {
    readonly [Name in Names[number]]: (...args: ArgsOf<Service[Name]>) => Promise<ResultOf<Service[Name]>>;
  } {
    const methods = names.map((name) => [
      name,
      (...args: ArgsOf<Service[typeof name]>) => this.call(name, args, charactersIn(args), lane),
    ]);
    return Object.fromEntries(methods);
  }

  figures(): QueueFigures {
    const lanes = Object.values(this.#lanes);
    const oldest = lanes.map(({ sent, queue }) => sent[0] ?? queue[0]);
    const openedMs = oldest.flatMap((batch) => batch?.openedMs ?? []);
    const oldestWait_ms = openedMs.length === 0 ? 0 : performance.now() - Math.min(...openedMs);
    return { waiting: this.#waitingCalls, oldestWait_ms };
  }

  /** Finishes accepted calls, then ends the thread, or disconnects if another client started it. */
  close(): Promise<void> {
    this.#closing = true;
    this.#refusal ??= new StoreUnavailableError('The store is closed.');
    this.#scheduleSend();
    return this.#ended.promise;
  }

  #openBatch(lane: Lane): Batch {
    const { queue } = this.#lanes[lane];
    const last = queue.at(-1);
    const calls_max = lane === 'foreground' ? this.#limits.batch_calls_max : 1;
    if (last !== undefined && last.settlers.length < calls_max) return last;
    const batch: Batch = { methods: [], args: [], settlers: [], openedMs: performance.now(), characters: 0 };
    queue.push(batch);
    return batch;
  }

  /** setImmediate runs once all input of this tick is read, so that calls of different requests meet. */
  #scheduleSend(): void {
    if (this.#sendIsScheduled) return;
    if (!this.#closing && !Object.values(this.#lanes).some(canSend)) return;
    this.#sendIsScheduled = true;
    setImmediate(() => {
      this.#sendIsScheduled = false;
      this.#send('foreground');
      this.#send('background');
      if (this.#closing && this.#waitingCalls === 0) this.#thread.leave();
    });
  }

  #send(lane: Lane): void {
    const batches = this.#lanes[lane];
    while (canSend(batches)) {
      const batch = batches.queue.shift() as Batch;
      try {
        this.#thread.port.postMessage([lane, batch.methods, batch.args] satisfies BatchMessage);
        batches.sent.push(batch);
        if (lane === 'foreground') this.batchSizes.add(batch.settlers.length);
      } catch (error) {
        // An argument cannot be cloned; nothing was sent.
        this.#reject(batch, error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  #settle([lane, results, failures]: AnswerMessage): void {
    const batch = this.#lanes[lane].sent.shift();
    if (batch === undefined) throw new Error('The thread responded to a batch that was never sent.');
    this.#forget(batch);
    this.beforeSettling();
    batch.settlers.forEach((settler, index) => {
      const failure = failures?.get(index);
      if (failure === undefined) settler.resolve(results[index]);
      else settler.reject(errorFromData(failure));
    });
    this.#scheduleSend();
  }

  #reject(batch: Batch, error: Error): void {
    this.#forget(batch);
    for (const settler of batch.settlers) settler.reject(error);
  }

  #forget(batch: Batch): void {
    this.#waitingCalls -= batch.settlers.length;
    this.#waitingCharacters -= batch.characters;
  }

  #end(cause: Error): void {
    this.#ended.resolve();
    if (!this.#closing || this.#waitingCalls > 0) this.#fail(cause);
  }

  #fail(cause: Error): void {
    // A thread that dies of an error reports twice: the error and its exit.
    if (this.#failed) return;
    this.#failed = true;
    const error = new StoreUnavailableError('A thread of the store has ended unexpectedly.', { cause });
    this.#refusal ??= error;
    const lost = Object.values(this.#lanes).flatMap(({ sent, queue }) => [...sent.splice(0), ...queue.splice(0)]);
    for (const batch of lost) this.#reject(batch, error);
    this.#onFatal(error);
  }
}

function canSend({ queue, sent }: LaneBatches): boolean {
  return queue.length > 0 && sent.length < BATCHES_IN_FLIGHT_MAX;
}

function firstMessage(worker: Worker): Promise<GreetingMessage> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new StoreUnavailableError(`A store thread ended with code ${code}.`)));
  });
}
